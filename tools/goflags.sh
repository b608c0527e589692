#!/bin/sh
# Prints the GOFLAGS with which this project is built: `export GOFLAGS="$(tools/goflags.sh)"`.
#
# Garbage collection is a third of the Go compiler's work, so it collects less often. Two
# libraries that arrow-go links, and that no code here calls, take a tenth of a clean
# build: they are compiled without optimization.
set -eu
flags=$(go env GOFLAGS)
case $flags in *toolexec*) echo "$flags" && exit ;; esac
unused='github.com/apache/arrow-go/v18/arrow/compute/... github.com/goccy/go-json/...'
flags="$flags '-toolexec=env GOGC=${GOGC:-400}'"
for packages in $unused; do flags="$flags '-gcflags=$packages=-N -l'"; done
echo "$flags"
