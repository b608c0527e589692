#!/bin/sh
# Looks at everything that has a rule: formatting, vet, staticcheck, the rules of the
# house (tools/house_test.go), shell scripts. Goes on after a finding, and fails at the end.
set -u
cd "$(dirname "$0")/.."
failed=0

finding() {
  echo "lint: $1" >&2
  failed=1
}

tracked() { git ls-files --cached --others --exclude-standard "$@" 2>/dev/null; }

unformatted=$(tracked '*.go' | xargs gofmt -l)
[ -z "$unformatted" ] || finding "not as gofmt has it, run make fmt: $(echo "$unformatted" | tr '\n' ' ')"

tools/lines.sh >/dev/null || finding "too many lines"

go mod tidy -diff >/dev/null 2>&1 || finding "go.mod lists other modules than are used, run go mod tidy"

# Builds with -trimpath share the go command's cache between checkouts, and what cgo made in
# one names files there, which may be gone: cgocall reads them. .ci/night runs it.
vet="go vet -cgocall=false"
$vet -tags browser ./... || finding "go vet"

# Headers may be there or not; what is behind the build tag is looked at if they are.
tags=browser
if flags=$(tools/cuda-env.sh 2>/dev/null); then
  eval "$flags"
  tags=cuda,browser
  $vet -tags cuda . ./runtime/... || finding "go vet -tags cuda"
else
  echo "lint: no CUDA headers: the GPU backend was not looked at (tools/cuda-headers.sh --fetch)"
fi
go tool staticcheck -tags "$tags" ./... || finding "staticcheck"

# Another version formats some lines differently.
format=$(command -v clang-format-19 || true)
if [ -n "$format" ]; then
  tracked 'kernels/*.h' 'kernels/*.cc' 'schemes/*.h' 'schemes/*.cc' 'examples/*.h' 'examples/*.cc' 'references/*.h' 'export/files/*.h' 'export/files/*.cc' 'runtime/cpu/*.[ch]' 'runtime/host/*.[ch]' | xargs "$format" --dry-run -Werror 2>/dev/null ||
    finding "not as clang-format has it, run make fmt: $(tracked 'kernels/*.h' 'kernels/*.cc' 'schemes/*.h' 'schemes/*.cc' 'examples/*.h' 'examples/*.cc' 'references/*.h' 'export/files/*.h' 'export/files/*.cc' 'runtime/cpu/*.[ch]' 'runtime/host/*.[ch]' |
      while read -r f; do "$format" "$f" | cmp -s - "$f" || printf '%s ' "$f"; done)"
else
  echo "lint: no clang-format-19: the format of C and C++ was not looked at (apt-get install clang-format-19)"
fi

# Programs are built by clang where there is one, so that only this looks whether g++ takes the kernels too.
host=$(sed -n 's/^host //p' kernels/flags.txt)
[ "$(uname -m)" = x86_64 ] && host="$host $(sed -n 's/^amd64 //p' kernels/flags.txt)"
# It needs minutes to compile the schemes, so they are only parsed.
for source in $(tracked 'kernels/*.cc' 'schemes/*/variants.cc' 'schemes/*/others.cc'); do
  case $source in kernels/*) only=-O0 ;; *) only=-fsyntax-only ;; esac
  # The flags are words, each for itself.
  g++ $host -Werror $only -I kernels -c -o /dev/null "$source" || finding "g++ does not compile $source"
done
g++ $(sed -n 's/^hosts //p' kernels/flags.txt) -Werror -fsyntax-only -I kernels runtime/zoo/hosts.cc || finding "g++ does not compile the host sides"

go test -run '^TestHouse' ./tools >/dev/null || go test -run '^TestHouse' ./tools || finding "the rules of the house"

for script in $(tracked "*.sh" .ci); do
  shell=$(sed -n '1s|^#!/bin/||p' "$script")
  "${shell:-sh}" -n "$script" || finding "$script"
done

[ $failed = 0 ] && echo "lint: nothing found"
exit $failed
