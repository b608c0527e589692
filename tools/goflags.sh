#!/bin/sh
# Prints the GOFLAGS with which this project is built: `export GOFLAGS="$(tools/goflags.sh)"`.
#
# Garbage collection is a third of the Go compiler's work, so it collects less often.
# Libraries that arrow-go and gonum link, and that no code here calls, take a tenth of a
# clean build: they are compiled without optimization.
set -eu
flags=$(go env GOFLAGS)
case $flags in *toolexec*) echo "$flags" && exit ;; esac
arrow=github.com/apache/arrow-go/v18/arrow gonum=gonum.org/v1/gonum
unused="$arrow/compute/... $arrow/extensions $arrow/scalar github.com/goccy/go-json/..."
unused="$unused $gonum/blas/... $gonum/lapack/... $gonum/mat"
flags="$flags '-toolexec=env GOGC=${GOGC:-400}'"
for packages in $unused; do flags="$flags '-gcflags=$packages=-N -l'"; done
echo "$flags"
