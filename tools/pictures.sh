#!/bin/bash
# Draws figures of five papers into docs/, with the papers' numbers under ours. They show counts and fills, which are
# the same on every machine: one thread and the seed make equal files.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# picture SCRIPT COLUMN FLAGS ... runs a script and draws its plot of a column.
picture() {
  local name=$1 column=$2
  shift 2
  bin/hashzoo run "paper/$name" --device cpu --threads 1 --seed 1 --quiet --json "$folder/$name.json" "$@" >/dev/null
  bin/hashzoo plot "$folder/$name.json" --y "$column" -o "docs/$name.svg"
}

picture better-gpu-hash-tables-probes probes --set n=1M \
  --schemes '1cht:exchange=always,bcht:bucket={8,16},looks=1,bp2ht:room=buckets,iht:threshold=80,erased=unused,room=buckets'
picture dycuckoo-megakv 'failed %' --set n=1M --schemes megakv
picture slab-hash-utilisation 'utilization %' --set n=256k --set runs=1 --schemes slab
picture stadium-lanes 'lanes %' --set n=256k --schemes 1cht:hashes=4,exchange=always,stash:access=off,clstash
picture knuth-probes probes --set n=1M --schemes linear:bucket=1,double:window=1,linear,double
