#!/bin/sh
# compiler.sh: makes sure of the C compiler that Go's race detector links with.
# Prints "race" when there is one, and "norace", with the reason on stderr, when
# there is none and this host gave none.
set -u
if command -v "${CC:-cc}" >/dev/null 2>&1; then
  echo race
  exit
fi
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  echo "installing gcc for the race detector" >&2
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc libc6-dev; } >/dev/null 2>.tools/apt.log
  if command -v cc >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1; then
    echo race
    exit
  fi
  tail -n 3 .tools/apt.log >&2
fi
echo "no race detector, proof: no cc on PATH, uid $(id -u), $(command -v apt-get || echo 'no apt-get'); install gcc and libc6-dev" >&2
echo norace
