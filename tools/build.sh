#!/bin/sh
# Builds bin/hashzoo with the backends that this machine can compile, and says which
# and why not the others. With --cuda it is an error if the GPU backend is not among
# them. --demo SCHEME,... builds build/demo/hashzoo instead: these schemes only, on the CPU.
# --release leaves out symbols, and libraries that are linked but not used, and builds build/man, too.
set -eu
cd "$(dirname "$0")/.."

need() {
  command -v "$1" >/dev/null && return
  echo "hashzoo needs $1: $2" >&2
  exit 1
}

need go "install Go 1.26 or later from https://go.dev/dl"
CXX=$(tools/cxx.sh)
export CXX
need "$CXX" "apt-get install clang-19, or g++"

GOFLAGS=$(tools/goflags.sh)
export GOFLAGS

if [ "${1:-}" = --demo ]; then
  # The flags of a build for GPUs, if there is one: go recompiles the kernels for others.
  if flags=$(tools/cuda-env.sh 2>/dev/null); then eval "$flags"; fi
  [ -e build/demo/hashzoo ] || echo "the first build, by $CXX, takes three to four minutes on two cores"
  go build -buildvcs=false -overlay "$(tools/demo.sh "$2")" -o build/demo/hashzoo .
  exit
fi

# A kernel that does not compile is an error; no compiler for GPUs, or no headers,
# is a build without them.
missing=""
part() {
  status=0
  said=$("$@" 2>&1) || status=$?
  case $status in
    0) ;;
    3) missing=${missing:-$said} ;;
    *)
      echo "$said" >&2
      exit 1
      ;;
  esac
}

part tools/cuda-env.sh
[ -n "$missing" ] || flags=$said
[ -n "$missing" ] || part tools/ptx.sh
[ -n "$missing" ] || part tools/cubin.sh
if [ -z "$missing" ]; then
  eval "$flags"
  tags=cuda
elif [ "${1:-}" = --cuda ]; then
  echo "no cuda: $missing" >&2
  exit 1
fi

# The revision goes into the program, so that results can name it.
revision=false
if git rev-parse HEAD >/dev/null 2>&1; then revision=auto; fi
build() { go build -buildvcs=$revision -tags "${tags:-}" "$@"; }
if [ "${1:-}" = --release ]; then
  build -o bin/hashzoo -ldflags "-s -w '-extld=$CXX -Wl,--as-needed'" .
  build -o build/man ./cli/man
else
  build -o bin/hashzoo .
fi

if [ -z "$missing" ]; then
  echo "bin/hashzoo: cpu and cuda, by $CXX"
else
  echo "bin/hashzoo: cpu only by $CXX, no cuda: $missing"
fi
