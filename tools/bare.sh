#!/bin/bash
# Runs a command in a clean clone of this commit on a bare Debian: a root file system of
# debootstrap's smallest variant with git, make and Go, as README asks for. As root:
#
#   tools/bare.sh make demo
#
# Everything else must be installed by the command itself. BARE keeps the file system.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v debootstrap >/dev/null || { echo "bare: debootstrap is missing: apt-get install debootstrap" >&2 && exit 1; }
root=${BARE:-$(mktemp -d)}
packages=git,make,ca-certificates

mounted() { mountpoint -q "$root/$1"; }
leave() {
  for at in dev proc; do ! mounted $at || umount -l "$root/$at"; done
  [ -n "${BARE:-}" ] || rm -rf --one-file-system "$root"
}
trap leave EXIT

# Where this machine gets packages and modules from, and whom it trusts.
if [ ! -e "$root/etc" ]; then
  mirror=$(sed -n 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) bookworm .*/\2/p; s/^URIs: *//p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1 || true)
  debootstrap --variant=minbase --include=$packages bookworm "$root" "${mirror:-http://deb.debian.org/debian}" >/dev/null
  cp -r /etc/apt/. "$root/etc/apt"
fi
cp /etc/resolv.conf /etc/hosts "$root/etc"
cp -r /etc/ssl/certs/. "$root/etc/ssl/certs" 2>/dev/null || true
[ -e "$root/usr/local/go" ] || cp -r "$(go env GOROOT)" "$root/usr/local/go"
mounted proc || mount -t proc proc "$root/proc"
mounted dev || mount --rbind /dev "$root/dev"
rm -rf "$root/root/hashzoo"
git clone -q . "$root/root/hashzoo"
mkdir -p "$root/root/go"
env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  GOPROXY="$(go env GOPROXY)" GOSUMDB="$(go env GOSUMDB)" GONOSUMDB="$(go env GONOSUMDB)" GOFLAGS="$(go env GOFLAGS)" \
  $(env | grep -iE '^(https?|no)_proxy=' || true) \
  chroot "$root" sh -c 'cd /root/hashzoo && exec "$@"' sh "$@"
