#!/bin/sh
# redocly.sh DOCUMENT: lints an OpenAPI document with redocly and the rules of
# scripts/redocly.yaml. The linter and a Node of its own come from npm's registry
# as redocly.lock names them, by hash, into .tools/redocly once per content of the
# lock. Needs npm, which only fetches; exit 77 where there is none.
set -eu
cd "$(dirname "$0")/.."
case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) arch=unknown ;; esac
want=$(sha256sum <scripts/redocly.lock)
if [ "$(cat .tools/redocly/.lock 2>/dev/null)" != "$want" ]; then
  command -v npm >/dev/null || { echo "redocly.sh: no npm on this host" >&2; exit 77; }
  echo "installing redocly" >&2
  rm -rf .tools/redocly .tools/redocly.new
  mkdir -p .tools/redocly.new
  grep -v '^#' scripts/redocly.lock | while read -r what integrity; do
    case $what in node-linux-$arch@*) into=node ;; @redocly/cli@*) into=cli ;; *) continue ;; esac
    (cd .tools/redocly.new && npm pack --silent "$what" >name)
    file=.tools/redocly.new/$(cat .tools/redocly.new/name)
    got=$(python3 -c 'import base64, hashlib, sys
print("sha512-" + base64.b64encode(hashlib.sha512(open(sys.argv[1], "rb").read()).digest()).decode())' "$file")
    [ "$got" = "$integrity" ] || { echo "redocly.sh: $what is not what redocly.lock names" >&2; exit 1; }
    mkdir ".tools/redocly.new/$into"
    tar -xzf "$file" -C ".tools/redocly.new/$into" --strip-components=1
    rm "$file"
  done
  echo "$want" >.tools/redocly.new/.lock
  mv .tools/redocly.new .tools/redocly
fi
main=$(sed -n 's/.*"redocly": *"\([^"]*\)".*/\1/p' .tools/redocly/cli/package.json | head -1)
REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true NO_COLOR=1 \
  exec .tools/redocly/node/bin/node ".tools/redocly/cli/$main" lint --config scripts/redocly.yaml "$1"
