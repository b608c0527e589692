# `make help` lists the targets. The scripts are in tools/.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
MAKEFLAGS += --no-print-directory
# Only setup gets it: the program refuses variables that it does not know.
unexport HASHZOO_NO_INSTALL
# Chosen when a recipe starts: setup may have installed a better one.
export CXX = $(shell tools/cxx.sh)
# Tests are built as the program is, so that little is compiled twice.
export GOFLAGS = $(shell tools/goflags.sh)

# Flags for AddressSanitizer and UndefinedBehaviorSanitizer.
SANITIZE := -g -fsanitize=address,undefined -fno-sanitize-recover=undefined

.PHONY: build
build: ## bin/hashzoo with every backend that this machine can compile
	@tools/build.sh

.PHONY: all
all: ## bin/hashzoo with all kernels, so that it never needs a compiler (some minutes)
	@tools/build.sh --all

# Installs what is missing, as far as make may: tools/setup.sh.
.PHONY: setup
setup:
	@HASHZOO_NO_INSTALL=$(HASHZOO_NO_INSTALL) tools/setup.sh $(PROGRAMS)

DEMO := 1cht,bcht,bp2ht,iht,linear,slab,dycuckoo
.PHONY: demo
demo: setup ## run the main schemes side by side on the CPU, live if in a terminal
	@tools/build.sh --demo $(DEMO)
	@if [ -t 0 ] && [ -t 1 ]; then command="tui --forever"; else command=run; fi; \
		set -x; build/demo/hashzoo $$command quickstart --device cpu --schemes $(DEMO)

.PHONY: test
test: PROGRAMS := tmux python3-numpy
test: setup ## the tests: minutes (docs/checking.md says what test-all has besides)
	@tools/build.sh
	@tools/test.sh -short -timeout 15m

.PHONY: test-all
test-all: PROGRAMS := tmux python3-numpy
test-all: setup ## all tests: about an hour
	@tools/build.sh
	@tools/test.sh -timeout 60m

.PHONY: export-check
export-check: ## export every scheme, and compile and test the folders with g++ and clang, and the Go packages
	EXPORTS=all go test -count 1 -timeout 60m ./export

.PHONY: arm64-check
arm64-check: ## test exported tables on an emulated arm64: takes qemu-user and g++-aarch64-linux-gnu
	go test -count 1 -timeout 30m -tags emulated -run Arm64 ./export

.PHONY: report-check
report-check: PROGRAMS := chromium
report-check: setup ## the pages of hashzoo report and site in a browser, with pictures of them in build/report
	go test -count 1 -tags browser ./analysis/report -pictures $(CURDIR)/build/report

# Tests of the interface that draw hundreds of screens, in one goroutine, for minutes under the race detector.
DRAWING := TestScreens|TestNothingOverflows|TestFailedIsShownAtEveryWidth|TestStepsOfEverySchemeFit
.PHONY: race
race: ## the concurrent packages' tests under the race detector
	go test -race ./runtime/cpu ./runtime/cuda ./runtime/devices ./workloads/live ./workloads/run
	go test -race -skip '$(DRAWING)' ./tui/...
	go test -race -run Hangs ./runtime/engine # its only goroutine is the watchdog's launch

# C and C++ use the same compiler here, because each compiler brings its own sanitizers.
.PHONY: sanitize
sanitize: export CXX := g++
sanitize: ## the kernels' tests under AddressSanitizer and UndefinedBehaviorSanitizer
	CGO_CFLAGS="$(SANITIZE)" CGO_CXXFLAGS="$(SANITIZE)" CGO_LDFLAGS="$(SANITIZE)" \
		go test -asan ./kernels ./runtime/cpu ./runtime/engine ./schemes ./workloads/...

FUZZTIME ?= 30s
.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (30s)
	@tools/fuzz.sh $(FUZZTIME)

FILE ?=
export PLUGIN SCALE
.PHONY: results
results: build ## all questions of hashzoo suite on this machine, into results/MODEL.ndjson or FILE
	@tools/results.sh $(FILE)

.PHONY: page
page: build ## the same into build/results, then build/site: this machine beside those in results/; with PLUGIN=FOLDER your table, too
	@tools/results.sh --page

.PHONY: site
site: build ## build/site, a web site of the files in results/
	bin/hashzoo site results -o build/site

SOAK ?= 1h
.PHONY: soak
soak: build ## search for rare failures for SOAK (1h): ladders, verified runs, fuzzing, damaged files
	@tools/soak.sh $(SOAK)

.PHONY: lint
lint: ## formatting, vet, staticcheck and this project's own rules
	@tools/lint.sh

.PHONY: fmt
fmt: ## format Go and the kernels
	@tools/fmt.sh

.PHONY: bench
bench: build ## benchmark 20 million keys at load factor 0.8 on two CPU threads
	@mkdir -p build
	bin/hashzoo bench 1cht bcht:bucket=8 bcht:bucket=16 --device cpu --threads 2 --n 20M --load 0.8 --json build/bench.json

.PHONY: references
references: build ## the tables of libraries, where they are installed, as schemes to compare with: --plugin references
	@tools/references.sh

PAIRS ?= 20000000
.PHONY: peers
peers: build ## bcht and linear beside Go maps, and tbb, absl and dense_hash_map where installed: PAIRS (20 million), two threads
	@tools/peers.sh $(PAIRS)

BASE ?= HEAD~1
.PHONY: compare
compare: ## is this tree slower than the commit BASE (HEAD~1)? builds both, which take turns
	@tools/compare.sh $(BASE)

TRIALS ?= 200
AT_A_TIME ?= 1
.PHONY: trials
trials: ## how often `hashzoo compare` is wrong: TRIALS comparisons of real runs, AT_A_TIME on a core each
	@mkdir -p build
	go build -o build/fast . && go build -tags slower -o build/slow .
	tools/trials.sh $(TRIALS) $(AT_A_TIME) build/fast build/slow

.PHONY: choose-trial
WORKLOADS ?= 30
DEVICE ?= cpu
TIMES ?= 1
choose-trial: ## is the choice of `hashzoo choose` the best of an exhaustive sweep? on WORKLOADS made-up workloads with TIMES as many keys, on DEVICE, up to half an hour
	go test -tags trial -count 1 -timeout 40m -run Trial -v ./workloads/choose -workloads $(WORKLOADS) -device $(DEVICE) -times $(TIMES)

.PHONY: lines
lines: ## lines by room, and the totals with the caps that lint holds
	@tools/lines.sh

.PHONY: slurm-check
slurm-check: build ## a sweep on a real Slurm of two nodes on this machine, which is killed, canceled and resumed; as root
	@tools/slurm-check.sh

.PHONY: screenshot
screenshot: build ## the pictures of the terminal interface in docs/ (two minutes)
	@tools/screenshot.sh

.PHONY: pictures
pictures: build ## the papers' figures in docs/ (half a minute)
	@tools/pictures.sh

.PHONY: docs
docs: ## write the generated parts of docs/
	go test ./runtime/results ./runtime/plugin ./workloads/papers ./cli ./tui -run Docs -update

.PHONY: gpu-docs
gpu-docs: cuda ## measure docs/gpu.md anew on this machine's first GPU (about five minutes)
	@tools/gpu-docs.sh

.PHONY: ptx
ptx: ## compile the kernels for GPUs
	@tools/ptx.sh && tools/cubin.sh

.PHONY: cuda
cuda: ## bin/hashzoo with the GPU backend, or the reason why it cannot be built
	@tools/build.sh --cuda

.PHONY: release
release: ## a tarball and a Debian package in build/release, with the GPU backend if cuda.h can be had
	@tools/cuda-headers.sh --fetch >/dev/null || echo "release: without the GPU backend"
	@tools/release.sh

NAME ?=
.PHONY: new-scheme
new-scheme: build ## a new scheme in schemes/NAME: make new-scheme NAME=x
	bin/hashzoo plugin new schemes/$(NAME)
	go generate ./schemes

.PHONY: clean
clean: ## remove build outputs, except downloaded CUDA headers
	rm -rf bin build/bench.json build/compare kernels/ptx/*.ptx.gz build/cuda/lib

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20
