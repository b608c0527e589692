#!/bin/sh
# Compiles the kernels to PTX: kernels/ptx/<name>.sm_70.ptx.gz for any GPU since
# Volta, and .sm_90.ptx.gz for those that need 128-bit atomics. kernels/ptx.go
# embeds them. Only what is out of date is compiled, as many files at once as
# there are processors. No CUDA toolkit is needed.
#
# Exit status: 0 done; 1 a kernel does not compile; 3 no clang that could.
# CLANG names the compiler, if it is not one of those looked for.
set -eu
cd "$(dirname "$0")/../kernels"

# words are those of a line of flags.txt.
words() { sed -n "s/^$1 //p" flags.txt; }

# The result appears whole or not at all, so an interrupted build leaves nothing
# that looks up to date.
compile() {
  out=ptx/$1.$2.ptx
  # The flags are words, each for itself.
  "$CLANG" $(words ptx) $(words "$2") -o "$out.part" "$1.cc"
  gzip -n -9 <"$out.part" >"$out.gz.part"
  rm "$out.part"
  mv "$out.gz.part" "$out.gz"
}

out_of_date() {
  [ ! -e "$1" ] || [ -n "$(find "$2" ./*.h flags.txt ../tools/ptx.sh -newer "$1")" ]
}

# A file without kernels, such as host.cc, makes no PTX.
sources() { grep -l HZ_KERNEL ./*.cc | sed 's|^\./||; s|\.cc$||'; }

remove_orphans() {
  for old in ptx/*.ptx*; do
    name=${old#ptx/}
    case $name in
      *.part) rm -f "$old" ;;
      *.ptx.gz) [ -e "${name%.sm_*}.cc" ] || rm -f "$old" ;;
    esac
  done
}

if [ "${1:-}" = --compile ]; then
  compile "$2" "$3"
  exit
fi

CLANG=$(../tools/clang.sh)
export CLANG
remove_orphans
for source in $(sources); do
  for arch in $(words gpus); do
    if out_of_date "ptx/$source.$arch.ptx.gz" "$source.cc"; then echo "$source $arch"; fi
  done
done | xargs -r -n 2 -P "$(nproc)" ../tools/ptx.sh --compile || exit 1
