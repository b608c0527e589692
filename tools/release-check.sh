#!/bin/sh
# Checks a tarball, and a Debian package if given: release-check.sh TARBALL [DEB]
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() {
  echo "release: $1" >&2
  exit 1
}

tar -xzf "$1" -C "$work"
cd "$work"/hashzoo-*
bin/hashzoo version
bin/hashzoo run quickstart --device cpu --set n=20k --quiet >/dev/null
for library in $(ldd bin/hashzoo | sed -n 's/^[[:space:]]*\([^ ]*\) =>.*/\1/p'); do
  case $library in
    libc.so.* | libm.so.* | libresolv.so.* | libpthread.so.* | libdl.so.*) ;; # all of libc6
    *) wrong "the program needs $library" ;;
  esac
done
gzip -dc share/man/man1/hashzoo-run.1.gz | grep -q -e --schemes || wrong "no man page of run"
bash -n share/bash-completion/completions/hashzoo
for file in LICENSE README.md share/zsh/site-functions/_hashzoo share/fish/vendor_completions.d/hashzoo.fish; do
  [ -s "$file" ] || wrong "no $file"
done
[ -n "${2:-}" ] || exit 0
cd "$OLDPWD"
