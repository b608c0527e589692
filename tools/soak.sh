#!/bin/bash
# Searches for what tests of minutes miss: tools/soak.sh 1h, tools/soak.sh 2m
#
# Ladders, verified workloads, fuzzing, plugins that lie and damaged recordings take turns,
# every time with the next seed, until the time is over. A failure prints the command that
# repeats it, and the soak goes on; it exits with 1 at the end. SOAK_SEED is the first seed
# (default: the time). The program is bin/hashzoo; make builds it.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-1h} in
*h) seconds=$((${1%h} * 3600)) ;;
*m) seconds=$((${1%m} * 60)) ;;
*s) seconds=${1%s} ;;
*) echo "soak: the time is \"$1\": it takes a number with h, m or s, such as 1h" >&2 && exit 2 ;;
esac
[ -x bin/hashzoo ] || { echo "soak: bin/hashzoo is missing; hint: make" >&2 && exit 2; }
seed=${SOAK_SEED:-$(date +%s)} failures=0
declare -A done_of
mapfile -t folders < <(grep -rl --include='*_test.go' '^func Fuzz' cli runtime workloads | xargs -n 1 dirname | sort -u)

# Runs a command of some kind for as long as there is time, which ends it without harm.
try() {
  local kind=$1 left=$((seconds - SECONDS)) status=0 said
  shift
  [ $left -gt 0 ] || return 0
  said=$(timeout --signal=KILL "$left" "$@" 2>&1) || status=$?
  case $status in
  0) done_of[$kind]=$((${done_of[$kind]:-0} + 1)) ;;
  137) ;;
  *)
    failures=$((failures + 1))
    printf '== %s failed: %s\n%s\n' "$kind" "$*" "$said"
    ;;
  esac
}

verified() { try "$1" bin/hashzoo run "$2" --verify --quiet --seed "$seed" "${@:3}"; }

mapfile -t schemes < <(bin/hashzoo schemes --json | sed -n 's/^    "name": "\(.*\)",$/\1/p')
for ((round = 0; SECONDS < seconds; round++, seed++)); do
  try ladders bin/hashzoo check "${schemes[round % ${#schemes[@]}]}" --quick --quiet --part ladder --seed "$seed"
  verified adversarial stress/adversarial --set n=20k
  verified ycsb ycsb/a --set records=20k --set batch=20k
  verified overfill stress/overfill --set capacity=20k
  verified aging stress/aging --set n=20k --set rounds=20
  if ((round % 4 == 0)); then
    try "damaged recordings" go test -count=1 ./workloads/record -run 'Cut|Changed|Flipped|Damage'
    try "tables that lie" go test -count=1 ./runtime/engine -run 'Lying|Liar'
    try "random batches" go test -count=1 ./runtime/engine -run TestRandomBatches -rapid.seed="$seed"
  fi
  if ((round % 8 == 0 && seconds - SECONDS > 600)); then # its terminals must not be killed
    try "plugins that crash" go test -count=1 ./cli -run 'TestCommands/plugin_(broken|wild)$'
  fi
  try fuzzing env AT_ONCE=1 tools/fuzz.sh 10s "${folders[round % ${#folders[@]}]}"
done
for kind in "${!done_of[@]}"; do printf '%6d  %s\n' "${done_of[$kind]}" "$kind"; done | sort -k2
echo "soak: $failures failed, seeds $((seed - round)) to $((seed - 1))"
exit $((failures > 0))
