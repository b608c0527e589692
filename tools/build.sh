#!/bin/bash
# Builds bin/hashzoo with the backends that this machine can compile, and says which
# and why not the others. With --cuda it is an error if the GPU backend is not among
# them. --all compiles in all kernels, so that the program needs no compiler; otherwise those
# that few runs use are compiled when one does. --release does so, too, leaves out symbols, and
# libraries that are linked but not used, and builds build/man. --demo SCHEME,... builds build/demo/hashzoo
# instead: these schemes only, on the CPU.
set -euo pipefail
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

# tell replaces the line on a terminal, and is silent elsewhere.
tell() { [ ! -t 2 ] || printf '\r\033[K%s' "$1" >&2; }

# build is go build, and tells which package it compiles.
build() {
  local n=0 all line
  all=$(go list -deps . | wc -l)
  go build -v "$@" . 2>&1 | while IFS= read -r line; do
    case $line in
      *' '* | '#'*) tell "" && echo "$line" >&2 ;; # what a compiler says
      *)
        n=$((n + 1))
        tell "compiling package $n of at most $all: ${line#github.com/hashzoo/hashzoo/}"
        ;;
    esac
  done
  tell ""
}

if [ "${1:-}" = --demo ]; then
  # The flags of a build for GPUs, if there is one: go recompiles the kernels for others.
  if flags=$(tools/cuda-env.sh 2>/dev/null); then eval "$flags"; fi
  [ -e build/demo/hashzoo ] || echo "the first build, by $CXX, takes three quarters of a minute on two quiet cores" >&2
  build -buildvcs=false -overlay "$(tools/demo.sh "$2")" -o build/demo/hashzoo
  exit
fi

all="" # or --all
case "${1:-}" in --all | --release) all=--all ;; esac

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
[ -n "$missing" ] || environment=$said
tell "compiling kernels for GPUs"
[ -n "$missing" ] || part tools/ptx.sh $all
[ -n "$missing" ] || part tools/cubin.sh
tell ""
tags=${all:+all}
if [ -z "$missing" ]; then
  eval "$environment"
  tags=cuda${all:+,all}
elif [ "${1:-}" = --cuda ]; then
  echo "no cuda: $missing" >&2
  exit 1
fi

# The revision goes into the program, so that results can name it.
revision=false
if git rev-parse HEAD >/dev/null 2>&1; then revision=auto; fi
options=(-buildvcs=$revision -tags "$tags")
if [ "${1:-}" = --release ]; then
  build "${options[@]}" -o bin/hashzoo -ldflags "-s -w '-extld=$CXX -Wl,--as-needed'"
  go build "${options[@]}" -o build/man ./cli/man
else
  build "${options[@]}" -o bin/hashzoo
fi

if [ -z "$missing" ]; then
  echo "bin/hashzoo: cpu and cuda, by $CXX"
else
  echo "bin/hashzoo: cpu only by $CXX, no cuda: $missing"
fi
