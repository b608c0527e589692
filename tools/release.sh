#!/bin/sh
# Makes build/release/hashzoo-VERSION-linux-ARCH.tar.gz and hashzoo_VERSION_ARCH.deb: the program
# with the backends that this machine can compile, shell completion, man pages, documentation.
# Both are checked (release-check.sh). With --no-deb only the tarball, which needs no network.
set -eu
cd "$(dirname "$0")/.."

tools/build.sh --release
arch=$(go env GOARCH)
version=$(bin/hashzoo --version | sed -n 's/^hashzoo v//p')
version=${version:-0.0.0-unknown}
name=hashzoo-$version-linux-$arch
tree=build/release/$name
root=$PWD
program=$root/bin/hashzoo
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH

rm -rf build/release
share=$tree/share
mkdir -p "$tree/bin" "$share/man/man1" "$share/doc/hashzoo" "$share/bash-completion/completions" \
  "$share/zsh/site-functions" "$share/fish/vendor_completions.d"
cp "$program" "$tree/bin"
cp -r README.md ARCHITECTURE.md LICENSE cli/settings/config.toml docs "$share/doc/hashzoo"
rm -f "$share"/doc/hashzoo/docs/*.go
ln -s share/doc/hashzoo/README.md share/doc/hashzoo/LICENSE "$tree"
# Man pages show the settings in effect, so nobody's settings may be.
pages=$(cd "$share/man/man1" && pwd)
(cd "$tree" && env -i SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" "$root/build/man" "$pages")
gzip -9n "$pages"/*.1
"$program" completion bash >"$share/bash-completion/completions/hashzoo"
"$program" completion zsh >"$share/zsh/site-functions/_hashzoo"
"$program" completion fish >"$share/fish/vendor_completions.d/hashzoo.fish"
chmod -R u=rwX,go=rX "$tree"
tar -C build/release -c --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner "$name" |
  gzip -n >"$tree.tar.gz"
if [ "${1:-}" = --no-deb ]; then
  tools/release-check.sh "$tree.tar.gz"
  exit
fi

# The oldest C library with all functions that the program calls. The version of nfpm is pinned:
# it is no part of go.mod, since it needs many modules.
libc=$(objdump -T "$tree/bin/hashzoo" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -Vu | tail -n 1)
TREE=$tree VERSION=$version ARCH=$arch LIBC=${libc:?} \
  go run github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0 package -f tools/nfpm.yaml -p deb -t build/release
tools/release-check.sh "$tree.tar.gz" build/release/*.deb
