#!/bin/sh
# mcp-conformance.sh URL OPTION...: lets the official conformance runner of the
# Model Context Protocol loose on a server. Exit 1 when a scenario fails. Runner
# and Node (mcp/package-lock.json, with integrity) go into .tools/mcp once per
# content of the lock; no script of a package runs. Registry, proxies and
# certificates are those of npm's configuration. A host without npm ends it with 77.
set -eu
cd "$(dirname "$0")/.."
want=$(sha256sum <scripts/mcp/package-lock.json)
if [ "$(cat .tools/mcp/.lock 2>/dev/null)" != "$want" ]; then
  command -v npm >/dev/null || { echo "mcp-conformance.sh: no npm on this host" >&2; exit 77; }
  echo "installing the MCP conformance runner" >&2
  rm -rf .tools/mcp .tools/mcp.new
  mkdir -p .tools/mcp.new
  cp scripts/mcp/package.json scripts/mcp/package-lock.json .tools/mcp.new
  (cd .tools/mcp.new && npm ci --ignore-scripts --no-audit --no-fund --silent)
  echo "$want" >.tools/mcp.new/.lock
  mv .tools/mcp.new .tools/mcp
fi
case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) echo "mcp-conformance.sh: no Node for $(uname -m)" >&2; exit 77 ;; esac
url=$1
shift
tools=$PWD/.tools/mcp/node_modules
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
cd "$results"
NO_COLOR=1 "$tools/node-linux-$arch/bin/node" "$tools/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" "$@"
