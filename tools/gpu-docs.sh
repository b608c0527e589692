#!/bin/bash
# Measures docs/gpu.md anew: every block of text in it is the output of the commands in the
# block of sh before it. Needs a GPU and bin/hashzoo; takes about five minutes.
#
#   tools/gpu-docs.sh [PROGRAM [PAGE]]     the new page goes to PAGE (docs/gpu.md)
set -euo pipefail
program=$(realpath "${1:-bin/hashzoo}") here=$(cd "$(dirname "$0")/.." && pwd) page=${2:-docs/gpu.md}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/here"
ln -s "$program" "$work/bin/hashzoo"
export PATH=$work/bin:$PATH

# measure runs commands in a folder that stays the same for the whole page.
measure() {
  (cd "$work/here" && bash -euo pipefail -c "$1" 2>"$work/err" | sed '/^measured: /d') || { cat "$work/err" >&2; echo "gpu-docs: failed: $1" >&2; return 1; }
}

block='' commands='' result=''
while IFS= read -r line; do
  case "$block:$line" in
    ':```sh'*) block=sh commands='' result='' ;;
    ':```text') block=text ;;
    'sh:```') block='' result=yes ;;
    'text:```')
      block=''
      if [[ -n $result ]]; then measure "$commands"; fi
      result=''
      ;;
    sh:*) commands+=$line$'\n' ;;
    text:*) [[ -n $result ]] && continue ;;
    :?*) result='' ;;
  esac
  printf '%s\n' "$line"
done <"$here/docs/gpu.md" >"$work/page"
mv "$work/page" "$page"
