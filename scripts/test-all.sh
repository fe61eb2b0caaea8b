#!/bin/sh
# test-all.sh [i/n]: the second tier. Adds what it measured to proofs/.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .tools
go build -trimpath -o bin/cellwall ./cmd/cellwall
for name in python-data-basic python-stats python-ml-lite python-query; do bin/cellwall env build "$name"; done
[ "$(scripts/compiler.sh)" = race ] && export CGO_ENABLED=1 RACE=-race
exec python3 scripts/long_suite.py run "${1:-}"
