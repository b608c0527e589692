#!/bin/bash
# How often is a comparison wrong? Compares a program with itself, and with a build that is
# slower on purpose, many times, with real runs:
#
#   go build -o fast . && go build -tags slower -o slow .
#   tools/trials.sh TRIALS AT_A_TIME fast slow [RUNS]
#
# In a trial, the builds take turns on one processor, A B C C B A and so on, RUNS times each (24).
# A run measures two schemes on tables that fit into the cache, by one thread. Prints, of all rows,
# how many got which verdict. Exits with 1 if these break the bounds in docs/comparing.md.
set -euo pipefail
trials=$1 parallel=$2 fast=$(realpath "$3") slow=$(realpath "$4") runs=${5:-24}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# One processor of each core that this process may use.
cores() {
  local cpu seen=' ' core
  for cpu in $(taskset -pc $$ | sed 's/.*: //; s/,/ /g; s/\([0-9]*\)-\([0-9]*\)/{\1..\2}/g'); do
    for cpu in $(eval "echo $cpu"); do
      core=$(cat "/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings_list" 2>/dev/null || echo "$cpu")
      [[ $seen == *" $core "* ]] || echo "$cpu"
      seen+="$core "
    done
  done
}
mapfile -t cpus < <(cores)
if ((parallel > ${#cpus[@]})); then
  echo "trials.sh: $parallel trials at a time: there are ${#cpus[@]} cores" >&2
  exit 2
fi

measure() { # PROGRAM FILE CPU
  taskset -c "$3" "$1" bench bcht linear --n 10k --load 0.8 --present 1,0 --threads 1 \
    --warmup 2 --least 40 --most 40 --quiet --json "$2" >/dev/null
}

trial() { # NAME CPU
  local i side sides=(old new slow)
  mkdir -p "$1"/{old,new,slow}
  for ((i = 1; i <= runs; i++)); do
    for side in "${sides[@]}"; do
      if [ "$side" = slow ]; then measure "$slow" "$1/slow/$i.json" "$2"; else measure "$fast" "$1/$side/$i.json" "$2"; fi
    done
    sides=("${sides[2]}" "${sides[1]}" "${sides[0]}")
  done
  "$fast" compare "$1/old" "$1/new" --format csv >"$1/equal.csv"
  "$fast" compare "$1/old" "$1/slow" --format csv >"$1/slower.csv"
}

workers=()
for ((w = 0; w < parallel; w++)); do # each on a core of its own, as far from the others as it can be
  for ((t = w; t < trials; t += parallel)); do trial "$t" "${cpus[w * ${#cpus[@]} / parallel]}"; done &
  workers+=($!)
done
for worker in "${workers[@]}"; do wait "$worker"; done

# A line "noise verdict" for each row. Noise is half the interval of a side; a ratio has two sides.
rows() { grep -hv ^scheme, ./*/"$1.csv" | awk -F, '{ split($6, b, " to "); print (b[2] - b[1]) / 2 / sqrt(2), $7 }' | sort -g; }

summary() { # TITLE, of such lines
  awk -v title="$1" '
    { noise[NR] = 100 * $1; verdicts[$2]++ }
    END {
      printf "%s: %d rows", title, NR
      for (v in verdicts) printf ", %d %s (%.1f %%)", verdicts[v], v, 100 * verdicts[v] / NR
      if (NR) printf "; noise %.2f %%, of nine tenths up to %.2f %%", noise[int((NR + 1) / 2)], noise[int(0.9 * (NR - 1)) + 1]
      print ""
    }'
}

part() { # VERDICTS, of such lines: in percent
  awk -v verdicts="$1" '$2 ~ "^(" verdicts ")$" { n++ } END { print NR ? 100 * n / NR : -1 }'
}

quiet() { awk '$1 < 0.02'; }

for kind in equal slower; do
  rows $kind | summary "$kind builds"
  rows $kind | quiet | summary "$kind builds, noise below 2 %"
done
rows equal | part "faster|slower" | awk '$1 > 2 { print "more than 2 % of equal rows are faster or slower"; exit 1 }'
rows slower | quiet | part slower | awk '$1 < 95 { print "fewer than 95 % of slower rows at noise below 2 % were found"; exit 1 }'
