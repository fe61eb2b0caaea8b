# The versions of what tests and linters need beyond Go and Python 3. Python
# tools are pinned in tools.lock, with hashes.
# shellcheck shell=sh disable=SC2034
GOLANGCI_LINT=v2.15.0
GOFUMPT=v0.12.0
GOVULNCHECK=v1.9.0
VERSITYGW=v1.8.0
