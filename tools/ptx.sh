#!/bin/sh
# Compiles the kernels to PTX: kernels/ptx/<name>.sm_70.ptx.gz for any GPU since
# Volta, and .sm_90.ptx.gz for those that need 128-bit atomics. kernels/ptx.go
# embeds them. Sources are kernels/*.cc and those in the folders of schemes; of the
# latter, the name is SCHEME_FILE. Only what is out of date is compiled, as many files
# at once as there are processors. No CUDA toolkit is needed. With --all, kernels are among
# them that the program otherwise compiles when they are asked for (the build tag all).
#
# Exit status: 0 done; 1 a kernel does not compile; 3 no clang that could.
# CLANG names the compiler, if it is not one of those looked for.
set -eu
cd "$(dirname "$0")/../kernels"

# words are those of a line of flags.txt.
words() { sed -n "s/^$1 //p" flags.txt; }

# source_of is the file of a name.
source_of() {
  case $1 in
    *_*) echo "../schemes/${1%%_*}/${1#*_}.cc" ;;
    *) echo "$1.cc" ;;
  esac
}

# The result appears whole or not at all, so an interrupted build leaves nothing
# that looks up to date. It begins with the names of its kernels as comments, which can
# be unpacked without the rest.
compile() {
  out=ptx/$1.$2.ptx
  # The flags are words, each for itself.
  "$CLANG" $(words ptx) $(words "$2") -I . -o "$out.part" "$(source_of "$1")"
  {
    sed -n 's|.*\.entry \([A-Za-z0-9_]*\).*|// \1|p' "$out.part" | gzip -n -9
    gzip -n -9 <"$out.part"
  } >"$out.gz.part"
  rm "$out.part"
  mv "$out.gz.part" "$out.gz"
}

# up_to_date PTX SOURCE: a scheme's own headers are next to its source.
up_to_date() {
  [ -e "$1" ] && [ -z "$(find "$2" "$(dirname "$2")"/*.h "$(dirname "$2")"/*s.cc ./*.h flags.txt ../tools/ptx.sh -newer "$1")" ]
}

# A file without kernels, such as host.cc, makes no PTX.
names() {
  for source in $(grep -lE 'HZ_[A-Z]*_?KERNEL|HZ_COUNTED' ./*.cc ../schemes/*/*.cc); do
    if [ "$all" = --all ] || [ "$(head -n 1 "$source")" != "//go:build all" ]; then
      echo "$source" | sed 's|^\./||; s|^\.\./schemes/||; s|/|_|; s|\.cc$||'
    fi
  done
}

remove_orphans() {
  for old in ptx/*.ptx*; do
    name=${old#ptx/}
    case " $wanted " in
      *" ${name%.sm_*} "*) case $name in *.part) rm -f "$old" ;; esac ;;
      *) rm -f "$old" ;;
    esac
  done
}

if [ "${1:-}" = --compile ]; then
  compile "$2" "$3"
  exit
fi

CLANG=$(../tools/clang.sh)
export CLANG
all=${1:-}
wanted=$(names | tr '\n' ' ')
remove_orphans
for name in $wanted; do
  for arch in $(words gpus); do
    up_to_date "ptx/$name.$arch.ptx.gz" "$(source_of "$name")" || echo "$name $arch"
  done
done | xargs -r -n 2 -P "$(nproc)" ../tools/ptx.sh --compile || exit 1
