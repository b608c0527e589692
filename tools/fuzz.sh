#!/bin/sh
# Runs every fuzz target of the repository, or of some packages, for a time:
# tools/fuzz.sh 30s, tools/fuzz.sh 1m workloads/record workloads/trace
#
# Targets run in parallel, one per processor, or as many as AT_ONCE says. New inputs are
# minimized with only a few tries; the default minute would take up a whole short run.
set -eu
cd "$(dirname "$0")/.."

fuzz() { go test "./$1" -run '^$' -fuzz "^$2\$" -parallel 1 -fuzzminimizetime 1x -fuzztime "$3"; }

# Go before 1.27 may report the end of the fuzz time as a failure (go.dev/issue/75804). A real
# failure prints an input.
only_late() {
  [ "$(sed '/^fuzz: elapsed/d; /^--- FAIL: Fuzz/d; /^FAIL/d; /^exit status 1$/d')" = "    context deadline exceeded" ]
}

# Keep the output of a target together.
if [ "$1" = --one ]; then
  status=0
  said=$(fuzz "$3" "$4" "$2" 2>&1) || echo "$said" | only_late || status=1
  printf '== %s, %s\n%s\n' "$4" "$3" "$said"
  exit $status
fi

time=$1
shift
[ $# -gt 0 ] || set -- .
targets=$(grep -rl --include='*_test.go' '^func Fuzz' "$@" | sort | while read -r file; do
  sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\)(.*|$(dirname "$file") \1|p" "$file"
done)
[ -n "$targets" ] || { echo "fuzz: no target in $*" >&2 && exit 1; }
# Compile each package once; otherwise all of its targets would compile it concurrently.
for folder in $(echo "$targets" | cut -d ' ' -f 1 | sort -u); do
  fuzz "$folder" None 1s >/dev/null
done
echo "$targets" | xargs -n 2 -P "${AT_ONCE:-$(nproc)}" tools/fuzz.sh --one "$time"
