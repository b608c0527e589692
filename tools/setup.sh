#!/bin/sh
# Installs what a bare Debian or Ubuntu lacks to build hashzoo: g++, clang 18 or later, and the
# programs given. It runs apt-get as root, or with a sudo that asks for no password. Otherwise,
# and always with HASHZOO_NO_INSTALL=1, it prints the command to run.
#
# Exit status 1: something is missing without which nothing can be built. Clang is not: g++
# compiles the kernels, too.
set -eu
cd "$(dirname "$0")/.."

# has says whether a program is here, or a package of Python.
has() {
  case $1 in
    python3-*) python3 -c "import ${1#*-}" 2>/dev/null || /usr/bin/python3 -c "import ${1#*-}" 2>/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

missing=""
for program in g++ "$@"; do
  has "$program" || missing="$missing $program"
done
required=$missing
# Clang's packages are named like its programs; the best comes first.
clangs=$(sed -n 's/^clang //p' kernels/flags.txt | tr ' ' '\n' | sed -n 's/++-/-/p')
wanted=""
tools/clang.sh >/dev/null 2>&1 || wanted=$(echo "$clangs" | head -n 1)
[ -n "$missing$wanted" ] || exit 0

# cannot ends the program: make stops if something required is missing.
cannot() {
  echo "hashzoo: missing:$missing${wanted:+ $wanted}: $1" >&2
  [ -z "$required" ] || exit 1
  echo "hashzoo: g++ compiles the kernels instead, in twice the time, and they are slower" >&2
  exit 0
}

sudo=""
[ "$(id -u)" = 0 ] || sudo="sudo "
command -v apt-get >/dev/null || cannot "install what has these names on this system"
hint="run ${sudo}apt-get update && ${sudo}apt-get install -y$missing${wanted:+ $wanted}"
[ "${HASHZOO_NO_INSTALL:-}" != 1 ] || cannot "$hint"
[ -z "$sudo" ] || sudo -n true 2>/dev/null || cannot "$hint"

echo "hashzoo: missing:$missing${wanted:+ $wanted}: installing with apt-get" >&2
# A bare system has no lists of packages yet, and older ones offer no clang 18.
${sudo:+sudo -n} apt-get update -qq || cannot "$hint"
if [ -n "$wanted" ]; then
  wanted=""
  for package in $clangs; do
    [ -n "$wanted" ] || ! apt-cache show "$package" >/dev/null 2>&1 || wanted=$package
  done
fi
[ -n "$missing$wanted" ] || cannot "clang 18 or later, which this system does not offer"
${sudo:+sudo -n} env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq --no-install-recommends $missing $wanted >/dev/null || cannot "$hint"
