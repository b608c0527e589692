#!/bin/sh
# Prints the environment for `go build -tags cuda`:
#
#   eval "$(tools/cuda-env.sh)" && go build -tags cuda .
#
# With --fetch, missing headers are downloaded (cuda-headers.sh, whose exit status this
# returns).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
headers=$("$root/tools/cuda-headers.sh" "$@")

# gorgonia.org/cu links to libcuda. runtime/cuda/stubs.c defines all its functions, so an
# empty archive satisfies the linker, and the program starts without a driver.
mkdir -p "$root/build/cuda/lib"
printf '!<arch>\n' >"$root/build/cuda/lib/libcuda.a"

# compat comes first: its cuda.h includes the real one. Flags that are already set are not
# repeated, because go recompiles everything when the flags change.
with() { case $1 in *"$2") echo "$1" ;; *) echo "$1 $2" ;; esac; }
echo "export CGO_CFLAGS='$(with "${CGO_CFLAGS:--O2 -g}" "\"-I$root/runtime/cuda/compat\" \"-I$headers\"")'"
echo "export CGO_LDFLAGS='$(with "${CGO_LDFLAGS:--O2 -g}" "\"-L$root/build/cuda/lib\"")'"
