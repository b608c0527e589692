#!/bin/sh
# Prints what the shell must set for `go build -tags cuda`:
#
#   eval "$(tools/cuda-env.sh)" && go build -tags cuda .
#
# With --fetch, headers are downloaded where there are none (cuda-headers.sh,
# whose exit status this has).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
headers=$("$root/tools/cuda-headers.sh" "$@")

# gorgonia.org/cu asks the linker for libcuda. The program brings every function
# of it (runtime/cuda/stubs.c), so an archive with nothing in it will do, and the
# program starts where there is no driver.
mkdir -p "$root/build/cuda/lib"
printf '!<arch>\n' >"$root/build/cuda/lib/libcuda.a"

# compat comes first: its cuda.h includes the real one.
# Said again where it was said before, they stay as they are: go compiles anew for others.
with() { case $1 in *"$2") echo "$1" ;; *) echo "$1 $2" ;; esac; }
echo "export CGO_CFLAGS='$(with "${CGO_CFLAGS:--O2 -g}" "\"-I$root/runtime/cuda/compat\" \"-I$headers\"")'"
echo "export CGO_LDFLAGS='$(with "${CGO_LDFLAGS:--O2 -g}" "\"-L$root/build/cuda/lib\"")'"
