# The two commands of a fresh machine are "make demo" and "make test". Both need
# Go and Python 3; what else the tests need is installed below .tools, pinned.

SHELL := /bin/bash
export CGO_ENABLED := 0

.DEFAULT_GOAL := help
.PHONY: help build demo env test test-all lint fmt bench clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

build: ## bin/cellwall
	@go build -trimpath -o bin/cellwall ./cmd/cellwall

env: build ## the environment python-data-basic, if it is missing or its lock is newer
	@bin/cellwall env build python-data-basic

demo: env ## a real analysis of two real files, with a chart
	@scripts/demo.sh

test: ## first tier: every promise once, and one slice of the long suite (25 minutes at most)
	@scripts/test.sh

test-all: ## the long suite; SHARD=1/4 runs a quarter; results go to proofs/
	@scripts/test-all.sh $(SHARD)

lint: env ## formatting and linters, Go and Python
	@scripts/lint.sh

fmt: env ## format Go and Python
	@"$$(scripts/go-tool.sh mvdan.cc/gofumpt@$$(. scripts/pins.sh; echo $$GOFUMPT))" -w $$(git ls-files '*.go')
	@scripts/python-tools.sh
	@.tools/python/bin/ruff check --fix --quiet --config guest/driver/pyproject.toml guest/driver scripts || true

bench: env ## measure, and compare with bench/bars.json
	@scripts/bench-docker.sh --check bench/bars.json --jupyter scripts/jupyter.sh --sessions 1000

clean: ## what the build and the tests made here (not the state directory)
	rm -rf bin out .tools
