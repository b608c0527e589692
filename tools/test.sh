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
# And gcc starts in half the time of clang, which go has link six times a test.
linker=""
if command -v ld.gold >/dev/null; then linker=" -extld=gcc '-extldflags=-fuse-ld=gold -lm'"; fi
# Garbage collection was an eighth of what tests do.
export GOGC="${GOGC:-off}" GOMEMLIMIT="${GOMEMLIMIT:-512MiB}"
# The longest come first, or one of them would be alone in the end.
exec go test -vet=off -tags "$tags" "-ldflags=-w$linker" "$@" ./workloads/check ./cli ./export ./...
