#!/bin/sh
# Runs every fuzz target of the repository for a time, or those of some packages:
# tools/fuzz.sh 30s, tools/fuzz.sh 5s workloads/record workloads/trace
#
# Inputs that reach something new are shrunk by a few tries only: shrinking one for the
# usual minute would be all that a short run does.
set -eu
cd "$(dirname "$0")/.."
time=$1
shift
[ $# -gt 0 ] || set -- .
grep -rl --include='*_test.go' '^func Fuzz' "$@" | while read -r file; do
  sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
    echo "== $target, $(dirname "$file")"
    go test "./$(dirname "$file")" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x
  done
done
