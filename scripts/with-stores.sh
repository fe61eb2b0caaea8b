#!/bin/sh
# with-stores.sh COMMAND ARGUMENT...: runs a command beside a PostgreSQL and an S3
# server of its own, which CELLWALL_TEST_POSTGRES and CELLWALL_TEST_S3 name. Ends
# with 77 on a host that cannot run them.
set -eu
cd "$(dirname "$0")/.."
servers=$(mktemp -d)
end() {
  scripts/postgres.sh stop "$servers/postgres" || true
  scripts/s3.sh stop "$servers/s3" || true
  rm -rf "$servers"
}
trap end EXIT
trap 'exit 130' INT TERM
CELLWALL_TEST_POSTGRES=$(scripts/postgres.sh start "$servers/postgres")
CELLWALL_TEST_S3=$(scripts/s3.sh start "$servers/s3")
export CELLWALL_TEST_POSTGRES CELLWALL_TEST_S3 AWS_ACCESS_KEY_ID=cellwall AWS_SECRET_ACCESS_KEY=cellwall-tests
"$@"
