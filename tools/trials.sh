#!/bin/bash
# How often is a comparison wrong? Compares a program with itself, and with a build that is
# slower on purpose, many times, with real runs:
#
#   go build -o fast . && go build -tags slower -o slow .
#   tools/trials.sh TRIALS AT_A_TIME fast slow [RUNS]
#
# In a trial, the builds take turns on one processor, RUNS times each (20): tools/turns.sh. Then two equal
# builds run rows of 4 batches, which show no noise: repeated runs are compared, and single ones. Prints,
# of all rows, how many got which verdict. Exits with 1 if these break the bounds in docs/comparing.md.
set -euo pipefail
trials=$1 parallel=$2 fast=$(realpath "$3") slow=$(realpath "$4") runs=${5:-20}
turns=$(realpath "$(dirname "$0")/turns.sh")
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

trial() { # NAME CPU
  taskset -c "$2" "$turns" "$1" "$runs" "$fast" "$fast" "$slow"
  "$fast" compare "$1/1" "$1/2" --format csv >"$1/equal.csv"
  "$fast" compare "$1/1" "$1/3" --format csv >"$1/slower.csv"
  BATCHES=4 taskset -c "$2" "$turns" "$1/few" "$runs" "$fast" "$fast"
  "$fast" compare "$1/few/1" "$1/few/2" --format csv >"$1/few.csv"
  "$fast" compare "$1/few/1/1.json" "$1/few/2/1.json" --format csv >"$1/once.csv"
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
rows few | summary "equal builds, 4 batches"
for kind in equal few; do
  rows $kind | part "faster|slower" | awk -v kind=$kind '$1 > 2 { print "more than 2 % of rows are faster or slower: " kind; exit 1 }'
done
rows once | part unclear | awk '$1 != 100 { print "single runs of 4 batches are compared, though they show no noise"; exit 1 }'
rows slower | quiet | part slower | awk '$1 < 0 { print "no slower row has a noise below 2 %"; exit 1 }
  $1 < 95 { print "fewer than 95 % of slower rows at noise below 2 % were found"; exit 1 }'
