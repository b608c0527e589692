#!/bin/sh
# Builds bin/hashzoo with the backends that this machine can compile, and says which
# and why not the others. With --cuda it is an error if the GPU backend is not among
# them.
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

part tools/ptx.sh
part tools/cuda-env.sh
if [ -z "$missing" ]; then
  eval "$said"
  tags=cuda
elif [ "${1:-}" = --cuda ]; then
  echo "no cuda: $missing" >&2
  exit 1
fi

# The revision goes into the program, so that results can name it.
revision=false
if git rev-parse HEAD >/dev/null 2>&1; then revision=auto; fi
go build -buildvcs=$revision -tags "${tags:-}" -o bin/hashzoo .

if [ -z "$missing" ]; then
  echo "bin/hashzoo: cpu and cuda, by $CXX"
else
  echo "bin/hashzoo: cpu only by $CXX, no cuda: $missing"
fi
