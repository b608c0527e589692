#!/bin/sh
# Prints the compiler for the CPU kernels: CXX if set, else the clang for the GPU kernels, else
# g++. Clang compiles in half the time, and its kernels find faster.
[ -n "${CXX:-}" ] || CXX=$("$(dirname "$0")/clang.sh" 2>/dev/null) || CXX=g++
echo "$CXX"
