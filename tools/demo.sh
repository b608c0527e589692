#!/bin/sh
# Prints the overlay with which go build links only the schemes given into the program, so that
# a first build is quick: go build -overlay "$(tools/demo.sh SCHEME,SCHEME)" .
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
names=$(echo "$1" | tr , '|')
mkdir -p "$root/build/demo"
# Schemes that are linked are those that ship. The name has cgo take the file, and ./... leave it out.
sed -E "/schemes\//{/\/($names)\"/!d;}" "$root/runtime/zoo/zoo.go" >"$root/build/demo/_zoo.go"
echo "{\"Replace\": {\"$root/runtime/zoo/zoo.go\": \"$root/build/demo/_zoo.go\"}}" >"$root/build/demo/overlay.json"
echo "$root/build/demo/overlay.json"
