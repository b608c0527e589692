#!/bin/bash
# Measures bcht beside Go's maps and the hash tables of other libraries, on this machine's CPU:
#
#   tools/peers.sh [PAIRS [THREADS [RUNS]]]     20 million pairs, 2 threads, 5 runs
#
# They take turns in one process, on the same keys. A library that is not installed is left
# out: apt-get install libtbb-dev libabsl-dev libsparsehash-dev
set -euo pipefail
cd "$(dirname "$0")/.."
pairs=${1:-20000000} threads=${2:-2} runs=${3:-5}

mapfile -t built < <(tools/references.sh)
plugins=()
[ "${#built[@]}" = 0 ] || plugins=(--plugin references)

# The tables of libraries get huge pages, too.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
exec bin/hashzoo bench bcht gomap "${built[@]}" "${plugins[@]}" --device cpu --threads "$threads" --n "$pairs" \
  --load 0.6,0.8 --present 1,0 --erase --least "$runs" --most "$runs" --quiet
