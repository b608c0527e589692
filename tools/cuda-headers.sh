#!/bin/sh
# Prints the folder of the cuda.h with which the GPU backend is compiled.
#
# With --fetch, a missing cuda.h is extracted from Debian's package nvidia-cuda-dev
# (non-free, 774 MB) into build/cuda/include. Nothing is installed, and the system's package
# sources do not change.
#
# Exit status: 0 found; 1 download failed; 3 not found.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
fetched=$root/build/cuda/include

# CUDA 11.8 on every Debian: the headers with which the backend is tested.
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
suite=bookworm
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

find_headers() {
  if [ -n "${CUDA_HOME:-}" ]; then
    [ -e "$CUDA_HOME/include/cuda.h" ] && echo "$CUDA_HOME/include" && return
    echo "CUDA_HOME is $CUDA_HOME, which does not contain include/cuda.h" >&2
    exit 3
  fi
  for dir in /usr/local/cuda/include /opt/cuda/include /usr/include "$fetched"; do
    if [ -e "$dir/cuda.h" ]; then echo "$dir" && return; fi
  done
  return 1
}

# Runs apt with its own lists and downloads.
private_apt() {
  tool=$1 && shift
  "$tool" -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- \
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@" >&2
}

fetch() {
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null && [ -e "$keyring" ] || {
    echo "cuda.h can be fetched only on Debian with apt: install the CUDA toolkit, or set CUDA_HOME" >&2
    exit 3
  }
  mkdir -p "$root/build/cuda"
  work=$(mktemp -d "$root/build/cuda/fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  echo "deb [signed-by=$keyring] $mirror $suite non-free" >"$work/sources.list"
  private_apt apt-get update
  (cd "$work" && private_apt apt-get download nvidia-cuda-dev)
  dpkg-deb --fsys-tarfile "$work"/nvidia-cuda-dev_*.deb | tar -x -C "$work" ./usr/include/cuda.h
  mkdir -p "$fetched"
  mv "$work/usr/include/cuda.h" "$fetched/cuda.h"
}

find_headers && exit
if [ "${1:-}" != --fetch ]; then
  echo "no cuda.h in CUDA_HOME, /usr/local/cuda, /opt/cuda or /usr: install the CUDA toolkit, or run tools/cuda-headers.sh --fetch" >&2
  exit 3
fi
fetch
find_headers
