#!/bin/sh
# Compiles the kernels for the CPU ahead of go, as many files at once as there are
# processors: go compiles the C++ files of a package one after the other. It only helps
# where CXX is ccache, which then has what go asks for (.ci/run sets it up).
#
# go itself says how it calls the compiler: it is given this script as one, which notes
# the calls for kernels instead of carrying them out. The last one fails, so that go keeps
# nothing of it.
set -eu

if [ -n "${AHEAD_CALLS:-}" ]; then
  for last; do :; done
  case $last in
    *.cc) echo "$*" >>"$AHEAD_CALLS" ;;
    *) exec "$AHEAD_CXX" "$@" ;;
  esac
  [ "$(wc -l <"$AHEAD_CALLS")" -lt "$AHEAD_COUNT" ]
  exit
fi

cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
calls=$folder/calls
touch "$calls"
count=$(go list -f '{{len .CXXFiles}}' ./kernels)
export AHEAD_CXX="${CXX:-g++}"
CXX="$PWD/tools/ahead.sh" AHEAD_CALLS="$calls" AHEAD_COUNT="$count" go build ./kernels >"$folder/said" 2>&1 || true
if [ "$(wc -l <"$calls")" -ne "$count" ]; then
  cat "$folder/said" >&2
  echo "ahead: go called the compiler for $(wc -l <"$calls") kernels of $count" >&2
  exit 1
fi
cd kernels
sed "s| -o [^ ]*/| -o $folder/|" "$calls" | xargs -P "$(nproc)" -I CALL sh -c '$AHEAD_CXX CALL'
