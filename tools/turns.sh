#!/bin/bash
# Measures programs in turns, A B B A and so on, so that what disturbs the machine disturbs all:
#
#   tools/turns.sh FOLDER RUNS PROGRAM...
#
# Each run is a process of a fifth of a second, of two schemes on tables that fit into the cache,
# by one thread, in BATCHES batches (40). The results of the first program are FOLDER/1/*.json, and so on.
set -eu
folder=$1 runs=$2
shift 2
order=()
for ((k = 1; k <= $#; k++)); do
  order+=("$k")
  mkdir -p "$folder/$k"
done
for ((run = 1; run <= runs; run++)); do
  reversed=()
  for k in "${order[@]}"; do
    reversed=("$k" "${reversed[@]}")
    "${!k}" bench bcht linear --device cpu --threads 1 --n 10k --load 0.8 --present 1,0 \
      --warmup 2 --least "${BATCHES:-40}" --most "${BATCHES:-40}" --quiet --json "$folder/$k/$run.json" >/dev/null
  done
  order=("${reversed[@]}")
done
