#!/bin/bash
# Asks the questions of hashzoo suite on this machine: on its first GPU, or else its CPU. The file is results/ with the
# name of the device's model, unless FILE says another. A run that was cut off continues.
set -euo pipefail
cd "$(dirname "$0")/.."
devices=$(bin/hashzoo devices --json)
device=cpu
if grep -q '"name": "cuda:0"' <<<"$devices"; then device=cuda:0; fi
of() { grep -A 3 "\"name\": \"$device\"" <<<"$devices" | sed -n "s/.*\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p"; }
name=$(of model)
[ $device != cpu ] || name="$name $(of threads) threads"
slug=$(tr '[:upper:]' '[:lower:]' <<<"$name" | sed -E 's/[^a-z0-9]+/-/g; s/^-|-$//g')
file=${1:-results/$slug.ndjson}
bin/hashzoo suite --device "$device" -o "$file"
bin/hashzoo suite verify "$file" --questions small
