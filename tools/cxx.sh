#!/bin/sh
# Prints the compiler for the kernels of the CPU: CXX if it is set, else the clang that
# compiles those of GPUs, else g++. Clang needs half the time, and what it makes finds faster.
[ -n "${CXX:-}" ] || CXX=$("$(dirname "$0")/clang.sh" 2>/dev/null) || CXX=g++
echo "$CXX"
