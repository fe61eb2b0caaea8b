#!/bin/sh
# postgres.sh start DIR: a PostgreSQL server of the locked packages on a free
# port of loopback, known by what lies in DIR; prints its address. stop DIR: its
# end, with its data.
# Ends with 77, and the proof, on a host that cannot run it.
#
# The server refuses to run as root: then it is nobody's, and so that nobody can
# read its programs, wherever this tree lies, they are copied beside its data.
# What it holds is for one run of the tests, so it syncs nothing.
set -eu
cd "$(dirname "$0")/.."
what=$1 dir=$2
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups"

# server PROGRAM ARGUMENT...: one of the server's programs, as its user.
server() {
  program=$1
  shift
  (cd / && LC_ALL=C TZ=UTC LD_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu" \
    $as "$root/usr/lib/postgresql/15/bin/$program" -D "$place/data" "$@") </dev/null
}

# give_up LOG: says why there is none.
give_up() {
  echo "no PostgreSQL, proof: $(tail -n 2 "$1" | tr '\n' ' ')" >&2
  rm -rf "$place" "$dir/place"
  exit 77
}

if [ "$what" = stop ]; then
  [ -s "$dir/place" ] || exit 0
  place=$(cat "$dir/place") root=$place/files
  [ ! -e "$place/data/postmaster.pid" ] || server pg_ctl -m immediate -w stop >/dev/null
  rm -rf "$place" "$dir/place"
  exit 0
fi

packages=$(python3 scripts/debs.py scripts/postgres.lock)
mkdir -p "$dir"
place=$(mktemp -d /tmp/cellwall-postgres.XXXXXX) root=$place/files
echo "$place" >"$dir/place"
chmod 755 "$place"
cp -a "$packages" "$root"
mkdir "$place/data"
[ -z "$as" ] || chown nobody "$place/data"
server initdb -U cellwall -A trust -E UTF8 --no-locale --no-sync >"$dir/initdb.log" 2>&1 || give_up "$dir/initdb.log"
cat >>"$place/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
max_connections = 300
logging_collector = off
log_destination = stderr
CONF
for _ in 1 2 3 4 5; do # a port that is free now may be taken in a moment
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  if server pg_ctl -w -t 60 -o "-p $port" start >"$dir/server.log" 2>&1; then
    echo "postgres://cellwall@127.0.0.1:$port/postgres?sslmode=disable"
    exit 0
  fi
done
give_up "$dir/server.log"
