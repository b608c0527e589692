#!/bin/bash
# Rates as percent of what the memory gives: shares.sh LIMITS TABLE, the outputs of
# `hashzoo devices --limits` and of `hashzoo bench`. An insert or an erase has to swap a pair
# at a random place, a find has to read at one, and reads of up to 64 bytes cost the same.
set -euo pipefail
awk '
  FNR == NR && $1 == "device" && $2 == "swap" { swap = $4 }
  FNR == NR && $1 == "device" && $2 == "read" && $3 == 64 { read = $4 }
  FNR == NR { next }
  $1 == "scheme" {
    gsub(/find +/, "find_")
    gsub(/_0 %/, "_0%"); gsub(/_100 %/, "_100%")
    for (i = 1; i <= NF; i++) name[i] = $i
    printf "%-34s %5s %8s %8s %8s %8s\n%-34s %5s %8s %8s %8s %8s\n", "scheme", "load", "insert", "find", "find", "erase", "", "", "", "100 %", "0 %", ""
    columns = NF; next
  }
  columns && $2 ~ /^0\.[0-9]+$/ {
    printf "%-34s %5s", $1, $2
    for (i = 3; i <= 6; i++) printf " %8s", $i ~ /^[0-9]+/ ? sprintf("%.0f", 100 * $i / (name[i] ~ /^find/ ? read : swap)) : "-"
    print ""
  }
  columns && NF == 0 { print "" }
' "$1" "$2"
