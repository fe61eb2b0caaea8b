#!/bin/sh
# python-tools.sh: installs the pinned Python tools (tools.lock) into
# .tools/python, and into .tools/typed the packages of python-data-basic that
# carry types: an environment ships without them, and mypy wants them. Once per
# content of the locks.
#
# Needs a built environment: its interpreter runs pip and later the tools, so the
# host needs neither pip nor venv. Index, proxies and certificates are those of
# pip's configuration.
set -eu
cd "$(dirname "$0")/.."
locked=environments/python-data-basic/requirements.lock
typed='^(numpy|matplotlib|matplotlib-inline|ipython|traitlets|contourpy)=='

want=$(cat scripts/tools.lock $locked | sha256sum)
[ "$(cat .tools/python/.lock 2>/dev/null)" != "$want" ] || exit 0
rm -rf .tools/pip .tools/python .tools/typed .tools/python.new
mkdir -p .tools/pip
python3 scripts/unpack_pip.py .tools/pip
[ -n "${PIP_INDEX_URL:-}" ] || [ -z "${UV_DEFAULT_INDEX:-}" ] || export PIP_INDEX_URL="$UV_DEFAULT_INDEX"

install() { # DIRECTORY REQUIREMENTS
  BARE=1 PYTHONPATH=$PWD/.tools/pip scripts/python.sh -m pip --disable-pip-version-check --no-input --quiet \
    install --root-user-action ignore --only-binary :all: --no-deps --require-hashes --no-compile \
    --target "$PWD/$1" --requirement "$2"
}

echo "installing Python tools" >&2
awk -v typed="$typed" '/^[^ ]/ { keep = $0 ~ typed } keep' $locked >.tools/typed.lock
install .tools/typed .tools/typed.lock
install .tools/python.new scripts/tools.lock
echo "$want" >.tools/python.new/.lock
mv .tools/python.new .tools/python
