#!/bin/sh
# rebuild.sh NAME: builds an environment twice, each time from nothing but the
# cache of downloads, and demands one digest. The state directory is a private
# one; of the real one only the downloads are linked.
set -eu
cd "$(dirname "$0")/.."
name=$1
bin/cellwall env build "$name" >/dev/null
real=$(bin/cellwall env show "$name" --json | sed -n 's|^ *"root": "\(.*\)/environments/roots/.*|\1|p')
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/cellwall-rebuild.XXXXXX")
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
digest() { bin/cellwall --state-dir "$1" env show "$name" --json | sed -n 's/^ *"digest": "\(.*\)",$/\1/p'; }
want=$(digest "$real")
for n in 1 2; do
  mkdir -p "$scratch/$n/cache/blobs"
  cp -al "$real"/cache/blobs/* "$scratch/$n/cache/blobs/" 2>/dev/null || cp -a "$real"/cache/blobs/* "$scratch/$n/cache/blobs/"
  bin/cellwall --state-dir "$scratch/$n" env build "$name" --offline >/dev/null
  bin/cellwall --state-dir "$scratch/$n" env verify "$name"
  got=$(digest "$scratch/$n")
  echo "build $n: $got"
  [ "$got" = "$want" ] || { echo "rebuild: the installed one is $want"; exit 1; }
done
