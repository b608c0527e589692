#!/bin/bash
# Is this tree slower than another commit? Builds both with two schemes, measures them in turns,
# and prints the comparison, which is build/compare/table.md as well:
#
#   tools/compare.sh [COMMIT]        the commit before, HEAD~1, if none is given
#
# Exits with 1 if a row takes twice as long as it did, and with 3 if there is nothing to compare with.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:-HEAD~1} work=build/compare runs=20

if ! commit=$(git rev-parse -q --verify "$base^{commit}" 2>/dev/null); then
  echo "compare: there is no commit $base here: it is the first one, or the clone is shallow (git fetch --deepen 10)"
  exit 3
fi

# The flags of a build for GPUs, if there is one: go recompiles the kernels for others.
if flags=$(tools/cuda-env.sh 2>/dev/null); then eval "$flags"; fi
CXX=$(tools/cxx.sh)
export CXX
build() { (cd "$1" && go build -buildvcs=false -overlay "$(tools/demo.sh bcht,linear)" -o "$2" .); }

rm -rf "$work"
mkdir -p "$work/tree"
git archive "$commit" | tar -x -C "$work/tree"
build "$work/tree" "$PWD/$work/old"
build . "$PWD/$work/new"
rm -r "$work/tree"

tools/turns.sh "$work/warm" 1 "$work/new" # if this tree fails, so does the script
if ! said=$(tools/turns.sh "$work/warm" 1 "$work/old" 2>&1); then
  echo "compare: the program of $base cannot run what this one can: $said"
  exit 3
fi
tools/turns.sh "$work/runs" $runs "$work/old" "$work/new"
mv "$work/runs/1" "$work/before"
mv "$work/runs/2" "$work/after"
cd "$work"
./new compare before after --fail-on slower:50% --format markdown | tee table.md
