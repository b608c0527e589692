#!/bin/sh
# Runs every fuzz target of the repository for a time, or those of some packages:
# tools/fuzz.sh 30s, tools/fuzz.sh 1m workloads/record workloads/trace
#
# As many targets as there are processors run at once, each on one, or as many as AT_ONCE
# says. Inputs that reach something new are shrunk by a few tries only: shrinking one for the
# usual minute would be all that a short run does.
set -eu
cd "$(dirname "$0")/.."

fuzz() { go test "./$1" -run '^$' -fuzz "^$2\$" -parallel 1 -fuzzminimizetime 10x -fuzztime "$3"; }

# Go before 1.27 may say at the end of the time that it is over, and call that a failure
# (go.dev/issue/75804). A failure of a target has an input, and says more.
only_late() {
  [ "$(sed '/^fuzz: elapsed/d; /^--- FAIL: Fuzz/d; /^FAIL/d; /^exit status 1$/d')" = "    context deadline exceeded" ]
}

# What a target says stays together.
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
# Once for each package: at once, all of its targets would compile the same.
for folder in $(echo "$targets" | cut -d ' ' -f 1 | sort -u); do
  fuzz "$folder" None 1s >/dev/null
done
echo "$targets" | xargs -n 2 -P "${AT_ONCE:-$(nproc)}" tools/fuzz.sh --one "$time"
