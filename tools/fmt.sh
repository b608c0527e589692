#!/bin/sh
# Formats Go with gofmt and C and C++ with clang-format-19, where there is one.
set -eu
cd "$(dirname "$0")/.."
git ls-files --cached --others --exclude-standard '*.go' | xargs gofmt -w
if command -v clang-format-19 >/dev/null; then
  git ls-files --cached --others --exclude-standard 'kernels/*.h' 'kernels/*.cc' 'schemes/*.h' 'schemes/*.cc' 'examples/*.h' 'examples/*.cc' 'references/*.h' 'export/files/*.h' 'export/files/*.cc' 'runtime/cpu/*.[ch]' 'runtime/host/*.[ch]' | xargs clang-format-19 -i
else
  echo "no clang-format-19: C and C++ stay as they are (apt-get install clang-format-19)"
fi
