#!/bin/sh
# go-tool.sh MODULE@VERSION: builds a Go program into .tools/bin, once per
# version, and prints its path.
set -eu
cd "$(dirname "$0")/.."
what=$1
name=$(basename "${what%@*}")
mkdir -p .tools/bin
bin=$PWD/.tools/bin/$name-${what##*@}
if [ ! -x "$bin" ]; then
  echo "installing $what" >&2
  dir=$(mktemp -d "$PWD/.tools/go.XXXXXX")
  trap 'rm -rf "$dir"' EXIT
  GOBIN=$dir CGO_ENABLED=0 go install "$what"
  mv "$dir/$name" "$bin"
fi
echo "$bin"
