#!/bin/sh
# How often is a comparison wrong? Compares a program with itself, and with a build that is
# slower on purpose, many times, with five real runs on each side:
#
#   go build -o fast . && go build -tags slower -o slow .
#   tools/trials.sh TRIALS AT_A_TIME fast slow
#
# Prints, of all rows, how many got which verdict. docs/comparing.md has figures.
set -eu
trials=$1 parallel=$2 fast=$(realpath "$3") slow=$(realpath "$4")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >trial.sh <<'TRIAL'
set -eu
mkdir -p "$1/old" "$1/new" "$1/slow"
first=$((2 * ($1 % $PARALLEL)))
run() {
  taskset -c $first,$((first + 1)) "$1" bench bcht linear --n 100k --load 0.8 --present 1,0 --threads 2 \
    --warmup 2 --max-time 60ms --quiet --json "$2" >/dev/null
}
for i in 1 2 3 4 5; do # in turns, so that what disturbs one disturbs all
  run "$FAST" "$1/old/$i.json"
  run "$FAST" "$1/new/$i.json"
  run "$SLOW" "$1/slow/$i.json"
done
"$FAST" compare "$1/old" "$1/new" --format csv >"$1/equal.csv"
"$FAST" compare "$1/old" "$1/slow" --format csv >"$1/slower.csv"
TRIAL

export PARALLEL="$parallel" FAST="$fast" SLOW="$slow"
seq "$trials" | xargs -P "$parallel" -n 1 sh trial.sh

for kind in equal slower; do
  cat ./*/"$kind.csv" | grep -v ^scheme, | awk -F, -v kind="$kind" '
    { split($6, bounds, " to "); half = (bounds[2] - bounds[1]) / 2; all[$7]++; n++
      if (half < 0.02 * sqrt(2)) { quiet[$7]++; m++ } }
    END { printf "%s builds: %d rows", kind, n; for (v in all) printf ", %d %s", all[v], v
          printf "; of the %d rows with a noise below 2 percent on each side:", m; for (v in quiet) printf " %d %s", quiet[v], v; print "" }'
done
