#!/bin/sh
# Writes the files of a new scheme: new-scheme.sh NAME, or make new-scheme NAME=x.
# What they hold is a plain linear-probing table that works on every backend and
# passes `hashzoo check NAME` as it is; change it into yours.
set -eu
cd "$(dirname "$0")/.."

refuse() {
  echo "new-scheme: $1" >&2
  exit 2
}

name=${1:-}
case $name in
  "") refuse "no name given: write make new-scheme NAME=x" ;;
  [!a-z]* | *[!a-z0-9]*) refuse "the name is \"$name\": it takes small letters and digits, a letter first" ;;
esac

# The type in C++: the name with a capital letter.
type=$(printf %s "$name" | cut -c1 | tr a-z A-Z)$(printf %s "$name" | cut -c2-)
guard=$(printf %s "$name" | tr a-z A-Z)

files="kernels/$name.h kernels/$name.cc schemes/$name.go schemes/testdata/$name.txt"
for file in $files; do
  [ ! -e "$file" ] || refuse "$file is there already: choose another name"
done

# A plugin starts with the same header and vectors (hashzoo plugin new), and its header has
# what a scheme of the zoo has no use for.
template() {
  case $1 in
    *.h) echo schemes/plugin/skeleton/header.h.tmpl ;;
    *.txt) echo schemes/plugin/skeleton/vectors.txt.tmpl ;;
    *) echo "tools/new-scheme/scheme.${1##*.}.tmpl" ;;
  esac
}

for file in $files; do
  sed -e '/^\/\/@plugin$/,/^\/\/@end$/d' -e "s/@name@/$name/g" -e "s/@Type@/$type/g" -e "s/@GUARD@/$guard/g" "$(template "$file")" >"$file"
  echo "$file"
done
# How lines break depends on how long the name is.
if command -v clang-format-19 >/dev/null; then clang-format-19 -i "kernels/$name.h" "kernels/$name.cc"; fi
cat <<END

Next: make, then bin/hashzoo check $name. Write down what your table does in
kernels/$name.h first; schemes/testdata/$name.txt shows it slot by slot.
END
