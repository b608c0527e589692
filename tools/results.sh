#!/bin/bash
# Asks the questions of hashzoo suite on this machine: on its first GPU, or else its CPU, with the plugin or reference in
# the folder PLUGIN, if there is one. The file is results/ with the name of the device's model, unless FILE says another.
# With --page it is in build/results, and build/site gets pages of this file and of those in results/. SCALE is a part
# of the usual sizes, for a trial, whose files are in build/trial and have pages of their own. A run that was cut off
# continues.
set -euo pipefail
cd "$(dirname "$0")/.."
trap 'exit 130' INT # the program ends in order, and nothing else follows
folders=(results) scale=${SCALE:-1} plugin=()
if [ "${1:-}" = --page ]; then
  folders=(results build/results)
  [ "$scale" = 1 ] || folders=(build/trial)
  shift
  page=build/site
fi
if [ -n "${PLUGIN:-}" ]; then
  bin/hashzoo plugin build "$PLUGIN"
  plugin=(--plugin "$PLUGIN")
fi
devices=$(bin/hashzoo devices --json)
device=cpu
if grep -q '"name": "cuda:0"' <<<"$devices"; then device=cuda:0; fi
of() { grep -A 3 "\"name\": \"$device\"" <<<"$devices" | sed -n "s/.*\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p"; }
name=$(of model)
[ $device != cpu ] || name="$name $(of threads) threads"
slug=$(tr '[:upper:]' '[:lower:]' <<<"$name" | sed -E 's/[^a-z0-9]+/-/g; s/^-|-$//g')
file=${1:-${folders[-1]}/$slug.ndjson}
mkdir -p "$(dirname "$file")"
failed=0 # of some answers: the file says which and why
bin/hashzoo suite --device "$device" --scale "$scale" "${plugin[@]}" -o "$file" || failed=$?
[ -e "$file" ] || exit $failed
bin/hashzoo suite verify "$file" --questions small "${plugin[@]}"
[ -z "${page:-}" ] || bin/hashzoo site "${folders[@]}" "${plugin[@]}" -o "$page"
exit $failed
