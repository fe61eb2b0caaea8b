#!/bin/sh
# vulnerabilities.sh: known vulnerabilities in what the binary calls. Needs the
# network: the database is asked.
set -eu
cd "$(dirname "$0")/.."
. scripts/pins.sh
exec "$(scripts/go-tool.sh "golang.org/x/vuln/cmd/govulncheck@$GOVULNCHECK")" ./...
