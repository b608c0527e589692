#!/bin/sh
# Runs the tests of all packages, with the GPU backend if its headers are there: its tests need
# no GPU. Vet is a part of lint. The arguments are go test's.
set -eu
cd "$(dirname "$0")/.."
tags=""
if flags=$(tools/cuda-env.sh 2>/dev/null); then
  eval "$flags"
  tags=cuda
fi
# Gold links in less time than ld. Only tests, so that rates of the program depend on no linker.
linker=""
if command -v ld.gold >/dev/null; then linker=" -extldflags=-fuse-ld=gold"; fi
# Garbage collection was an eighth of what tests do.
export GOGC="${GOGC:-400}"
exec go test -vet=off -tags "$tags" "-ldflags=-w$linker" "$@" ./...
