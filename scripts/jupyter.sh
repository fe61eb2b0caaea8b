#!/bin/sh
# jupyter.sh: keeps a live Jupyter kernel for the benchmark (jupyter_kernel.py):
# the environment's own interpreter and packages, and what a kernel needs besides
# (jupyter.lock), installed into .tools/jupyter once per content of the lock.
#
# Index, proxies and certificates are those of pip's configuration.
set -eu
cd "$(dirname "$0")/.."
want=$(sha256sum <scripts/jupyter.lock)
if [ "$(cat .tools/jupyter/.lock 2>/dev/null)" != "$want" ]; then
  echo "installing a Jupyter kernel" >&2
  rm -rf .tools/jupyter .tools/jupyter.new
  if [ ! -d .tools/pip ]; then
    mkdir -p .tools/pip
    python3 scripts/unpack_pip.py .tools/pip
  fi
  [ -n "${PIP_INDEX_URL:-}" ] || [ -z "${UV_DEFAULT_INDEX:-}" ] || export PIP_INDEX_URL="$UV_DEFAULT_INDEX"
  BARE=1 PYTHONPATH=$PWD/.tools/pip scripts/python.sh -m pip --disable-pip-version-check --no-input --quiet \
    install --root-user-action ignore --only-binary :all: --no-deps --require-hashes \
    --target "$PWD/.tools/jupyter.new" --requirement scripts/jupyter.lock
  echo "$want" >.tools/jupyter.new/.lock
  mv .tools/jupyter.new .tools/jupyter
fi
PYTHONPATH=$PWD/.tools/jupyter exec scripts/python.sh scripts/jupyter_kernel.py
