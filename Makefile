# Runs what is to be done; `make help` lists it. What a target does is in tools/.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
MAKEFLAGS += --no-print-directory
export CXX := $(shell tools/cxx.sh)

# Kernels and what runs them under AddressSanitizer and UndefinedBehaviorSanitizer.
SANITIZE := -g -fsanitize=address,undefined -fno-sanitize-recover=undefined

.PHONY: build
build: ## bin/hashzoo with every backend that this machine can compile, saying which
	@tools/build.sh

DEMO := 1cht,bcht,bp2ht,iht,linear,slab,dycuckoo
.PHONY: demo
demo: build ## the main schemes side by side on the CPU: live in a terminal, a table elsewhere
	@if [ -t 0 ] && [ -t 1 ]; then command=tui; else command=run; fi; \
		set -x; bin/hashzoo $$command quickstart --device cpu --schemes $(DEMO)

.PHONY: test
test: build ## all tests
	go test ./...

.PHONY: race
race: ## the tests of what starts goroutines or runs on them, under the race detector
	go test -race ./runtime/cpu ./runtime/cuda ./runtime/devices ./workloads/bench ./workloads/live ./workloads/run ./tui/...
	go test -race -run Hangs ./runtime/engine # its one goroutine is the watchdog's launch

# C and C++ by one compiler here: each brings its own sanitizers.
.PHONY: sanitize
sanitize: export CXX := g++
sanitize: ## the kernels' tests under AddressSanitizer and UndefinedBehaviorSanitizer
	CGO_CFLAGS="$(SANITIZE)" CGO_CXXFLAGS="$(SANITIZE)" CGO_LDFLAGS="$(SANITIZE)" \
		go test -asan ./kernels ./runtime/cpu ./runtime/engine ./schemes ./workloads/...

FUZZTIME ?= 30s
.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (30s)
	@tools/fuzz.sh $(FUZZTIME)

.PHONY: lint
lint: ## formatting, vet, staticcheck and the rules of the house
	@tools/lint.sh

.PHONY: fmt
fmt: ## format Go and the kernels
	@tools/fmt.sh

.PHONY: bench
bench: build ## 20 million keys at load factor 0.8 on two threads of the CPU
	@mkdir -p build
	bin/hashzoo bench 1cht bcht:bucket=8 bcht:bucket=16 --device cpu --threads 2 --n 20M --load 0.8 --json build/bench.json

.PHONY: screenshot
screenshot: build ## pictures of the terminal interface in docs/, from a run of half a minute
	@tools/screenshot.sh

.PHONY: docs
docs: ## write the generated parts of docs/
	go test ./runtime/results ./cli ./tui ./schemes -run Docs -update

.PHONY: ptx
ptx: ## the kernels for GPUs
	@tools/ptx.sh

.PHONY: cuda
cuda: ## bin/hashzoo with the GPU backend, or the reason why not
	@tools/build.sh --cuda

NAME ?=
.PHONY: new-scheme
new-scheme: ## the files of a new scheme: make new-scheme NAME=x
	@tools/new-scheme.sh $(NAME)

.PHONY: clean
clean: ## remove what was built; downloaded CUDA headers stay
	rm -rf bin build/bench.json kernels/ptx/*.ptx.gz build/cuda/lib

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20
