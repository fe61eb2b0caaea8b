#!/bin/sh
# schemathesis.sh URL KEY [OPTION...]: sends a running service what its OpenAPI
# document allows and what it forbids, and holds every answer to the document.
# Exit 1 when anything is found. The tools (schemathesis.lock) go into
# .tools/schemathesis once per content of the lock, run by the environment's own
# interpreter. Index, proxies and certificates are those of pip's configuration.
set -eu
cd "$(dirname "$0")/.."
url=$1 key=$2
shift 2
want=$(sha256sum <scripts/schemathesis.lock)
if [ "$(cat .tools/schemathesis/.lock 2>/dev/null)" != "$want" ]; then
  echo "installing schemathesis" >&2
  rm -rf .tools/schemathesis .tools/schemathesis.new
  if [ ! -d .tools/pip ]; then
    mkdir -p .tools/pip
    python3 scripts/unpack_pip.py .tools/pip
  fi
  [ -n "${PIP_INDEX_URL:-}" ] || [ -z "${UV_DEFAULT_INDEX:-}" ] || export PIP_INDEX_URL="$UV_DEFAULT_INDEX"
  BARE=1 PYTHONPATH=$PWD/.tools/pip scripts/python.sh -m pip --disable-pip-version-check --no-input --quiet \
    install --root-user-action ignore --only-binary :all: --no-deps --require-hashes \
    --target "$PWD/.tools/schemathesis.new" --requirement scripts/schemathesis.lock
  echo "$want" >.tools/schemathesis.new/.lock
  mv .tools/schemathesis.new .tools/schemathesis
fi
home=$(mktemp -d)
trap 'rm -rf "$home" .schemathesis' EXIT
BARE=1 HOME=$home PYTHONPATH=$PWD/.tools/schemathesis scripts/python.sh -c \
  'import sys; from schemathesis.cli import schemathesis; sys.argv[0] = "schemathesis"; sys.exit(schemathesis())' \
  --config-file scripts/schemathesis.toml run --url "$url" --header "X-API-Key: $key" --no-color "$@" "$url/openapi.json"
