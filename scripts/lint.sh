#!/bin/sh
# lint.sh: formatting and linters. Every finding fails.
set -u
cd "$(dirname "$0")/.."
. scripts/pins.sh
failed=0
check() { # NAME COMMAND...: runs and reports by the exit status
  name=$1
  shift
  if "$@"; then echo "lint: $name ok"; else echo "lint: $name FAILED"; failed=1; fi
}
no_output() { # COMMAND...: fails when the command says anything
  said=$("$@" 2>&1) || { printf '%s\n' "$said"; return 1; }
  [ -z "$said" ] || { printf '%s\n' "$said"; return 1; }
}

check "go vet" go vet ./...
check golangci-lint "$(scripts/go-tool.sh "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$GOLANGCI_LINT")" run --timeout 10m ./...
scripts/python-tools.sh || exit 1
ruff=.tools/python/bin/ruff
check ruff $ruff check --no-cache --quiet --config guest/driver/pyproject.toml guest/driver pentest scripts
check "ruff (environment)" $ruff check --no-cache --quiet --config guest/driver/pyproject.toml environment/script
check "ruff (programs)" $ruff check --no-cache --quiet --config scripts/programs.toml abuse/programs backend/backendtest/programs tools/programs connect examples/demo
mypy() { (cd guest/driver && PYTHONPATH=$PWD/../../.tools/typed ../../scripts/python.sh -m mypy --cache-dir ../../.tools/mypy); }
check mypy mypy
exit $failed
