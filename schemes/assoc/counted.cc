//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_COUNTED
#include "variants.cc"
#include "others.cc"
