#!/bin/bash
# Builds the references, the tables of libraries in references/, and prints the names of those
# that compile: a library that is not installed is left out.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/references
for folder in references/*/; do
  name=$(basename "$folder")
  log=build/references/$name.log
  if bin/hashzoo plugin build "$folder" >"$log" 2>&1; then
    echo "$name"
  else
    rm -rf "$folder/built"
    title=$(sed -n 's/^title *= *"\(.*\)"/\1/p' "$folder/scheme.toml")
    echo "left out: $name, $title: not installed, or see $log" >&2
  fi
done
