#!/bin/bash
# Measures bcht and linear beside Go's maps and the hash tables of other libraries, on this
# machine's CPU: inserts, finds and erases, then an aggregation, where a Go map for each goroutine
# is another peer.
#
#   tools/peers.sh [PAIRS [THREADS [RUNS]]]     20 million pairs or rows, 2 threads, 5 runs
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
bin/hashzoo bench bcht gomap "${built[@]}" "${plugins[@]}" --device cpu --threads "$threads" --n "$pairs" \
  --load 0.6,0.8 --present 1,0 --erase --least "$runs" --most "$runs" --quiet

groups=(1 1000 1000000)
echo
bin/hashzoo run groupby --schemes "$(IFS=,; echo "linear,gomap${built[*]:+,${built[*]}}")" "${plugins[@]}" --device cpu --threads "$threads" \
  --set rows="$pairs" --set runs="$runs" --axis groups="$(IFS=,; echo "${groups[*]}")" --axis skew=uniform,zipfian --quiet

mkdir -p build/peers
go build -o build/peers/maps tools/peers/maps.go
printf '\nA Go map for each goroutine, merged at the end:\n\n%8s  %7s  %8s\n' groups skew 'add, M/s'
for n in "${groups[@]}"; do
  for skew in uniform zipfian; do
    printf '%8s  %7s  %8s\n' "$n" "$skew" "$(build/peers/maps "$pairs" "$threads" "$n" $skew)"
  done
done
