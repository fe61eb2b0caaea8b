#!/bin/sh
# python.sh ARG...: runs an environment's own interpreter on the host, outside
# any wall, with the Python tools of .tools/python on its path. For tests and
# linters; CELLWALL_ENV names another environment than python-data-basic.
#
# The interpreter is called through the loader of its own root, so nothing of
# the host's libc or Python takes part. BARE=1 leaves the environment's packages
# away.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
root=$("$here/bin/cellwall" env show "${CELLWALL_ENV:-python-data-basic}" --json |
  sed -n 's/^ *"root": "\(.*\)",\{0,1\}$/\1/p')
[ -d "$root" ] || { echo "python.sh: no environment; run: make env" >&2; exit 1; }
case $(uname -m) in
  x86_64) loader=usr/lib64/ld-linux-x86-64.so.2 libs=usr/lib/x86_64-linux-gnu ;;
  aarch64) loader=usr/lib/ld-linux-aarch64.so.1 libs=usr/lib/aarch64-linux-gnu ;;
  *) echo "python.sh: no environment for $(uname -m)" >&2; exit 1 ;;
esac
site=$root/usr/lib/python3/dist-packages
[ -z "${BARE:-}" ] || site=
export PYTHONHOME="$root/usr" PYTHONPATH="${PYTHONPATH:-}:$here/.tools/python:$site"
export OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
exec "$root/$loader" --inhibit-cache --library-path "$root/$libs" "$root/usr/bin/python3.13" -s "$@"
