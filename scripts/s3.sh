#!/bin/sh
# s3.sh start DIR: an S3 server (Versity's gateway over a directory) on a free
# port of loopback, with one bucket below DIR; prints the bucket's address. Its keys are
# cellwall and cellwall-tests. stop DIR: its end.
# Ends with 77, and the proof, on a host that cannot run it.
set -eu
cd "$(dirname "$0")/.."
what=$1 dir=$2

if [ "$what" = stop ]; then
  [ ! -s "$dir/pid" ] || kill "$(cat "$dir/pid")" 2>/dev/null || true
  rm -rf "$dir"
  exit 0
fi

bin=$(. scripts/pins.sh && scripts/go-tool.sh "github.com/versity/versitygw/cmd/versitygw@$VERSITYGW") || {
  echo "no S3, proof: versitygw could not be built" >&2
  exit 77
}
for try in 1 2 3 4 5; do # a port that is free now may be taken in a moment
  mkdir -p "$dir/root/contents" "$dir/metadata"
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  ROOT_ACCESS_KEY=cellwall ROOT_SECRET_KEY=cellwall-tests "$bin" --quiet --keep-alive --port "127.0.0.1:$port" \
    posix --sidecar "$dir/metadata" "$dir/root" >"$dir/server.log" 2>&1 </dev/null &
  echo $! >"$dir/pid"
  if python3 - "$port" "$(cat "$dir/pid")" <<'WAIT'
import os, socket, sys, time
for _ in range(600):
    try:
        os.kill(int(sys.argv[2]), 0)
        socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1).close()
        sys.exit(0)
    except ConnectionError:
        time.sleep(0.1)
    except ProcessLookupError:
        break
sys.exit(1)
WAIT
  then
    echo "s3://contents?endpoint=127.0.0.1:$port&region=us-east-1&tls=false"
    exit 0
  fi
  kill "$(cat "$dir/pid")" 2>/dev/null || true
done
echo "no S3 after $try tries, proof: $(tail -n 2 "$dir/server.log" | tr '\n' ' ')" >&2
exit 77
