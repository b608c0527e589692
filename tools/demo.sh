#!/bin/sh
# Prints the overlay with which go build links only the schemes given into the program, so that
# a first build is quick: go build -overlay "$(tools/demo.sh SCHEME,SCHEME)" .
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
names=$(echo "$1" | tr , '|')
mkdir -p "$root/build/demo"
# Schemes that are linked are those that ship.
sed -E "/schemes\//{/\/($names)\"/!d;}" "$root/runtime/zoo/zoo.go" >"$root/build/demo/zoo.txt"
echo "{\"Replace\": {\"$root/runtime/zoo/zoo.go\": \"$root/build/demo/zoo.txt\"}}" >"$root/build/demo/overlay.json"
echo "$root/build/demo/overlay.json"
