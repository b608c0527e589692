#!/bin/sh
# Prints the GOFLAGS with which this project is built: `export GOFLAGS="$(tools/goflags.sh)"`.
# They make a clean build shorter.
set -eu
flags=$(go env GOFLAGS)
case $flags in *toolexec*) echo "$flags" && exit ;; esac

# Garbage collection is an eighth of the Go compiler's work, so it collects less often.
flags="$flags '-toolexec=env GOGC=${GOGC:-1600}'"

# Tables for a debugger are left out, another eighth; one that needs them has to compile without these flags.
flags="$flags -ldflags=-w '-gcflags=all=-dwarf=false'"

# Libraries that are linked, but whose speed nobody notices, are compiled without optimization:
# what arrow-go needs for functions that no code here calls.
arrow=github.com/apache/arrow-go/v18/arrow
slow="$arrow/compute/... $arrow/extensions $arrow/scalar github.com/goccy/go-json/... net/http/... crypto/tls/... crypto/x509/..."
for packages in $slow; do flags="$flags '-gcflags=$packages=-N -l -dwarf=false'"; done
echo "$flags"
