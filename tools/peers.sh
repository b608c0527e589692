#!/bin/bash
# Measures bcht beside the hash tables of other libraries, on this machine's CPU:
#
#   tools/peers.sh [PAIRS [THREADS [ROUNDS]]]     20 million pairs, 2 threads, 5 rounds
#
# They take turns, a process each, and medians of the rounds are printed. A library that is
# not installed is left out: apt-get install libtbb-dev libabsl-dev libsparsehash-dev
set -euo pipefail
cd "$(dirname "$0")/.."
pairs=${1:-20000000} threads=${2:-2} rounds=${3:-5} folder=build/peers
mkdir -p "$folder"
cxx=$(tools/cxx.sh)

names=() # of the peers that compile
for source in tools/peers/*.cc; do
  name=$(basename "$source" .cc)
  libraries=$(sed -n 's|^// compile: ||p' "$source")
  # shellcheck disable=SC2086 # words
  if $cxx -std=c++17 -O3 -march=native -pthread "$source" -o "$folder/$name" $libraries 2>"$folder/$name.log"; then
    names+=("$name")
  else
    echo "left out: $(sed -n '1s|^// \([^ ]*\): .*|\1|p' "$source"), which does not compile: see $folder/$name.log" >&2
  fi
done

# measured prints a line for each table: its title, insert, present, absent, bytes per pair.
measured() {
  bin/hashzoo bench bcht --device cpu --threads "$threads" --n "$pairs" --load 0.6,0.8 --present 1,0 --least 5 --most 5 --quiet |
    awk '$1 == "bcht" { gsub(/[!*]/, ""); print "bcht_at_" $2, $3, $4, $5, $NF }'
  for name in "${names[@]}"; do
    title=$(sed -n '1s|^// \([^ ]*\): .*|\1|p' "tools/peers/$name.cc")
    # The peers get huge pages, too.
    echo "$title $(GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$folder/$name" "$pairs" "$threads")"
  done
}

for ((round = 1; round <= rounds; round++)); do
  measured
done >"$folder/all.txt"

# median TITLE COLUMN
median() {
  awk -v title="$1" -v column="$2" '$1 == title { print $column }' "$folder/all.txt" | sort -g |
    awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

echo "$pairs pairs of 4+4 bytes, $threads threads, medians of $rounds rounds, M/s"
echo
printf '%-26s %7s %8s %7s %15s\n' table insert present absent 'bytes per pair'
awk '!seen[$1]++ { print $1 }' "$folder/all.txt" | while read -r title; do
  printf '%-26s %7.1f %8.1f %7.1f %15.1f\n' "${title//_at_/ at }" "$(median "$title" 2)" "$(median "$title" 3)" "$(median "$title" 4)" "$(median "$title" 5)"
done
