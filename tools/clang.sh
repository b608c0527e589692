#!/bin/sh
# Prints the first clang that can compile the kernels for GPUs: from CLANG, or from the names
# in flags.txt. Exit status 3, with a hint what to install, if there is none.
set -eu
cd "$(dirname "$0")/../kernels"

can_compile() {
  command -v "$1" >/dev/null || return 1
  major=$(echo __clang_major__ | "$1" -E -P -x c - 2>/dev/null) || return 1
  [ "$major" -ge 18 ] 2>/dev/null && "$1" --print-targets 2>/dev/null | grep -q nvptx64
}

for candidate in ${CLANG:-$(sed -n "s/^clang //p" flags.txt)}; do
  if can_compile "$candidate"; then echo "$candidate" && exit; fi
done
echo "no clang 18 or later that compiles for GPUs${CLANG:+ (CLANG is $CLANG)}: apt-get install clang-19, or set CLANG" >&2
exit 3
