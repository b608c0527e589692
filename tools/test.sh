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
exec go test -vet=off -tags "$tags" "$@" ./...
