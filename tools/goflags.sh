#!/bin/sh
# Prints the GOFLAGS with which this project is built: `export GOFLAGS="$(tools/goflags.sh)"`.
# They make a clean build shorter.
set -eu
flags=$(go env GOFLAGS)
case $flags in *toolexec*) echo "$flags" && exit ;; esac

# Garbage collection is an eighth of the Go compiler's work, so it collects less often.
flags="$flags '-toolexec=env GOGC=${GOGC:-1600}'"

# Copies of this tree, as tests make them, share what was compiled.
flags="$flags -trimpath"

# Tables for a debugger are left out; one that needs them has to compile without these flags.
echo "$flags -ldflags=-w '-gcflags=all=-dwarf=false'"
