#!/bin/bash
# bench.sh [FLAG...]: cellwall bench against bench/bars.json, beside a container
# engine. A running engine is used. Otherwise, as root, one is started for the
# benchmark with data, socket and processes of its own, no bridge and no
# packet filter, and ended afterwards; where none is installed its Debian
# packages are unpacked below .tools/engine. Without an engine the bar that
# compares with it is missed, and says so.
set -eu
cd "$(dirname "$0")/.."
name=python-data-basic
image=cellwall-bench:$name
engine='' scratch=''

finish() {
  [ -z "$engine" ] || { kill "$engine" 2>/dev/null; wait "$engine" 2>/dev/null || true; }
  [ -z "$scratch" ] || rm -rf "$scratch"
}
trap finish EXIT

unpack() {
  mkdir -p .tools/engine/debs
  (cd .tools/engine/debs && apt-get update -qq && apt-get download -qq docker.io containerd runc tini libdevmapper1.02.1) >&2
  for deb in .tools/engine/debs/*.deb; do dpkg-deb --extract "$deb" .tools/engine; done
  rm -rf .tools/engine/debs
}

start() {
  [ "$(id -u)" -eq 0 ] || return 1
  if ! command -v dockerd >/dev/null; then
    [ -x .tools/engine/usr/sbin/dockerd ] || unpack || return 1
    PATH=$PWD/.tools/engine/usr/bin:$PWD/.tools/engine/usr/sbin:$PATH
    multiarch=$(basename "$(ls -d .tools/engine/usr/lib/*-linux-gnu .tools/engine/lib/*-linux-gnu 2>/dev/null | head -n 1)")
    export LD_LIBRARY_PATH=$PWD/.tools/engine/usr/lib/$multiarch:$PWD/.tools/engine/lib/$multiarch
  fi
  scratch=$(mktemp -d /var/tmp/cellwall-engine.XXXXXX)
  export DOCKER_HOST=unix://$scratch/docker.sock
  dockerd --data-root "$scratch/data" --exec-root "$scratch/run" --pidfile "$scratch/pid" --host "$DOCKER_HOST" \
    --bridge none --iptables=false --ip6tables=false >"$scratch/log" 2>&1 &
  engine=$!
  for _ in $(seq 100); do
    docker info >/dev/null 2>&1 && return
    kill -0 "$engine" 2>/dev/null || break
    sleep 0.2
  done
  tail -n 5 "$scratch/log" >&2
  return 1
}

flags=()
if docker info >/dev/null 2>&1 || start; then
  root=$(bin/cellwall env show "$name" --json | sed -n 's/^ *"root": "\(.*\)",$/\1/p')
  tar -C "$root" -c . | docker import - "$image" >/dev/null
  flags=(--docker "$image")
else
  echo "bench: no container engine on this host" >&2
fi
bin/cellwall bench --check bench/bars.json "${flags[@]}" "$@"
