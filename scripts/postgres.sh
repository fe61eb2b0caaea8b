#!/bin/sh
# postgres.sh start DIR: a PostgreSQL server of the locked packages on a free
# port of loopback, known by what lies in DIR; prints its address. stop DIR: its
# end, with its data.
# Ends with 77, and the proof, on a host that cannot run it.
#
# The server refuses to run as root: then it is nobody's. What it holds is for
# one run of the tests, so it syncs nothing.
set -eu
cd "$(dirname "$0")/.."
what=$1 dir=$2
root=$(python3 scripts/debs.py scripts/postgres.lock)
bin=$root/usr/lib/postgresql/15/bin
export LD_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu" LC_ALL=C TZ=UTC
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups"

if [ "$what" = stop ]; then
  [ -s "$dir/data" ] || exit 0
  data=$(cat "$dir/data")
  [ ! -e "$data/postmaster.pid" ] || (cd / && $as "$bin/pg_ctl" -D "$data" -m immediate -w stop) >/dev/null
  rm -rf "$data" "$dir/data"
  exit 0
fi

mkdir -p "$dir"
data=$(mktemp -d /tmp/cellwall-postgres.XXXXXX) # not below DIR, which may be closed to the server's user
echo "$data" >"$dir/data"
[ -z "$as" ] || chown nobody "$data"
if ! (cd / && $as "$bin/initdb" -D "$data" -U cellwall -A trust -E UTF8 --no-locale --no-sync) >"$dir/initdb.log" 2>&1; then
  echo "no PostgreSQL, proof: $(tail -n 2 "$dir/initdb.log" | tr '\n' ' ')" >&2
  rm -rf "$data" "$dir/data"
  exit 77
fi
cat >>"$data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
max_connections = 300
logging_collector = off
log_destination = stderr
CONF
for try in 1 2 3 4 5; do # a port that is free now may be taken in a moment
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  if (cd / && $as "$bin/pg_ctl" -D "$data" -w -t 60 -o "-p $port" start) >"$dir/server.log" 2>&1 </dev/null; then
    echo "postgres://cellwall@127.0.0.1:$port/postgres?sslmode=disable"
    exit 0
  fi
done
echo "no PostgreSQL after $try tries, proof: $(tail -n 2 "$dir/server.log" | tr '\n' ' ')" >&2
rm -rf "$data" "$dir/data"
exit 77
