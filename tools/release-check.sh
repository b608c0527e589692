#!/bin/sh
# Checks a tarball, and a Debian package if one is given: tools/release-check.sh TARBALL [DEB]
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/deb"
tar -xzf "$1" -C "$work"
[ -z "${2:-}" ] || dpkg-deb -x "$2" "$work/deb"
cd "$work"/hashzoo-*

wrong() {
  echo "release: $1" >&2
  exit 1
}

has() {
  for file; do [ -s "$file" ] || wrong "no $file"; done
}

bin/hashzoo version
bin/hashzoo run quickstart --device cpu --set n=20k --quiet >/dev/null
ldd bin/hashzoo | while read -r library _; do
  case $library in
    linux-vdso.so.* | /lib*/ld-linux*.so.* | libc.so.* | libm.so.* | libresolv.so.* | libdl.so.* | libpthread.so.*) ;;
    *) wrong "the program needs $library, which is not of the C library" ;;
  esac
done
has LICENSE README.md share/zsh/site-functions/_hashzoo share/fish/vendor_completions.d/hashzoo.fish
bash -n share/bash-completion/completions/hashzoo
gzip -dc share/man/man1/hashzoo-run.1.gz | grep -q 'run SCRIPT' || wrong "no man page of run"
[ -n "${2:-}" ] || exit 0

cmp bin/hashzoo ../deb/usr/bin/hashzoo
cd ../deb/usr/share
has bash-completion/completions/hashzoo zsh/vendor-completions/_hashzoo fish/vendor_completions.d/hashzoo.fish \
  man/man1/hashzoo.1.gz man/man1/hashzoo-run.1.gz doc/hashzoo/copyright doc/hashzoo/README.md doc/hashzoo/docs/running.md
