#!/bin/sh
# mcp-python.sh ARG...: runs Python with the official client of the Model Context
# Protocol on its path (mcp/requirements.lock), installed into .tools/mcp-python
# once per content of the lock, by the environment's own interpreter. Index, proxies
# and certificates are those of pip's configuration.
set -eu
cd "$(dirname "$0")/.."
want=$(sha256sum <scripts/mcp/requirements.lock)
if [ "$(cat .tools/mcp-python/.lock 2>/dev/null)" != "$want" ]; then
  echo "installing the MCP client" >&2
  rm -rf .tools/mcp-python .tools/mcp-python.new
  if [ ! -d .tools/pip ]; then
    mkdir -p .tools/pip
    python3 scripts/unpack_pip.py .tools/pip
  fi
  [ -n "${PIP_INDEX_URL:-}" ] || [ -z "${UV_DEFAULT_INDEX:-}" ] || export PIP_INDEX_URL="$UV_DEFAULT_INDEX"
  BARE=1 PYTHONPATH=$PWD/.tools/pip scripts/python.sh -m pip --disable-pip-version-check --no-input --quiet \
    install --root-user-action ignore --only-binary :all: --no-deps --require-hashes \
    --target "$PWD/.tools/mcp-python.new" --requirement scripts/mcp/requirements.lock
  echo "$want" >.tools/mcp-python.new/.lock
  mv .tools/mcp-python.new .tools/mcp-python
fi
BARE=1 PYTHONPATH=$PWD/.tools/mcp-python exec scripts/python.sh "$@"
