#!/bin/sh
# python-tools.sh: installs the pinned Python tools (tools.lock) into
# .tools/python, once per content of the lock. Needs a built environment: its
# interpreter runs pip and later the tools, so the host needs neither pip nor
# venv. Index, proxies and certificates are those of pip's configuration.
set -eu
cd "$(dirname "$0")/.."
want=$(sha256sum <scripts/tools.lock)
[ "$(cat .tools/python/.lock 2>/dev/null)" != "$want" ] || exit 0
rm -rf .tools/pip .tools/python .tools/python.new
mkdir -p .tools/pip .tools/python.new
python3 scripts/unpack_pip.py .tools/pip
echo "installing Python tools" >&2
[ -n "${PIP_INDEX_URL:-}" ] || [ -z "${UV_DEFAULT_INDEX:-}" ] || export PIP_INDEX_URL="$UV_DEFAULT_INDEX"
BARE=1 PYTHONPATH=$PWD/.tools/pip scripts/python.sh -m pip --disable-pip-version-check --no-input --quiet --root-user-action ignore \
  install --only-binary :all: --no-deps --require-hashes --no-compile \
  --target "$PWD/.tools/python.new" --requirement scripts/tools.lock
echo "$want" >.tools/python.new/.lock
mv .tools/python.new .tools/python
