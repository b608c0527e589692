#!/bin/sh
# Prints the GOFLAGS with which this project is built: `export GOFLAGS="$(tools/goflags.sh)"`.
# They make a clean build shorter.
set -eu
flags=$(go env GOFLAGS)
case $flags in *toolexec*) echo "$flags" && exit ;; esac

# Garbage collection is a third of the Go compiler's work, so it collects less often.
flags="$flags '-toolexec=env GOGC=${GOGC:-1600}'"

# Tables for a debugger are left out; one that needs them has to compile without these flags.
flags="$flags -ldflags=-w '-gcflags=all=-dwarf=false'"

# Libraries that are linked, but whose speed nobody notices, are compiled without optimization:
# what gonum needs for functions that no code here calls, and what writes man pages.
gonum=gonum.org/v1/gonum
slow="$gonum/blas/... $gonum/lapack/... $gonum/mat"
slow="$slow github.com/russross/blackfriday/... github.com/cpuguy83/... go.yaml.in/..."
for packages in $slow; do flags="$flags '-gcflags=$packages=-N -l -dwarf=false'"; done
echo "$flags"
