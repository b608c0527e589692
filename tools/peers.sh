#!/bin/bash
# Measures ours beside the hash tables of other libraries, on this machine's CPU: bcht, with inserts
# and finds, and linear, with an aggregation, where a Go map per goroutine is another peer:
#
#   tools/peers.sh [PAIRS [THREADS [ROUNDS]]]     20 million pairs or rows, 2 threads, 5 rounds
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
go build -o "$folder/gomap" tools/peers/gomap.go

# The peers get huge pages, too.
peer() { GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$folder/$@"; }
title_of() { sed -n '1s|^// \([^ ]*\): .*|\1|p' "tools/peers/$1.cc"; }

# measured prints a line for each table: its title, insert, present, absent, bytes per pair.
measured() {
  bin/hashzoo bench bcht --device cpu --threads "$threads" --n "$pairs" --load 0.6,0.8 --present 1,0 --least 5 --most 5 --quiet |
    awk '$1 == "bcht" { gsub(/[!*]/, ""); print "bcht+at+" $2, $3, $4, $5, $NF }'
  for name in "${names[@]}"; do
    echo "$(title_of "$name") $(peer "$name" "$pairs" "$threads")"
  done
}

# aggregated prints a line for each table: its title, and rates by the number of groups and how
# rows are spread over them.
columns=("1 uniform" "1000 uniform" "1000 zipfian" "1000000 uniform" "1000000 zipfian")
aggregated() {
  echo "linear $(for column in "${columns[@]}"; do
    read -r groups skew <<<"$column"
    bin/hashzoo run groupby --device cpu --threads "$threads" --schemes linear --set rows="$pairs" --set runs=5 \
      --axis groups="$groups" --axis skew="$skew" --quiet | awk '$1 == "linear" { print $4 }'
  done | xargs)"
  for name in gomap "${names[@]}"; do
    title=$([ "$name" = gomap ] && echo a+Go+map+per+goroutine || title_of "$name")
    # shellcheck disable=SC2086 # words
    echo "$title $(for column in "${columns[@]}"; do peer "$name" groups "$pairs" "$threads" $column; done | xargs)"
  done
}

for ((round = 1; round <= rounds; round++)); do
  measured >&3
  aggregated >&4
done 3>"$folder/all.txt" 4>"$folder/groups.txt"

# medians FILE FORMAT... prints a row for each title in a file, each column in its format.
medians() {
  file=$1
  shift
  awk '!seen[$1]++ { print $1 }' "$file" | while read -r title; do
    printf '%-26s' "$(echo "$title" | tr + ' ')"
    column=2
    for format in "$@"; do
      # shellcheck disable=SC2059 # formats
      printf "$format" "$(awk -v title="$title" -v column="$column" '$1 == title { print $column }' "$file" | sort -g |
        awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }')"
      column=$((column + 1))
    done
    echo
  done
}

echo "$pairs pairs of 4+4 bytes, $threads threads, medians of $rounds rounds, M/s"
echo
printf '%-26s %7s %8s %7s %15s\n' table insert present absent 'bytes per pair'
medians "$folder/all.txt" ' %7.1f' ' %8.1f' ' %7.1f' ' %15.1f'
echo
echo "$pairs rows added up by group, M/s"
echo
printf '%-26s %9s %9s %9s %9s %9s\n' 'groups, and how spread' '1' '1K even' '1K zipf' '1M even' '1M zipf'
medians "$folder/groups.txt" ' %9.1f' ' %9.1f' ' %9.1f' ' %9.1f' ' %9.1f'
