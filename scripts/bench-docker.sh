#!/bin/bash
# bench-docker.sh [FLAG...]: cellwall bench FLAG..., beside a container per run in
# a Docker engine that is started for it and ends with it. The containers' image
# is the environment's own root. Needs root; installs Debian's docker.io where
# there is no dockerd. CELLWALL_ENV and CELLWALL_STATE_DIR choose the environment.
#
# Exit code: that of the benchmark, or 3 when no engine can be started.
#
# The engine lives in process, mount and network namespaces of its own, with a
# tmpfs over the fixed places that it writes to. So whatever it starts, mounts or
# configures ends with its first process, also when this script is killed.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
cellwall=$here/bin/cellwall
name=${CELLWALL_ENV:-python-data-basic}
image='cellwall-bench'
PATH=$PATH:/usr/sbin:/sbin
scratch='' engine='' bench='' policy=''

say() { echo "bench-docker: $*" >&2; }

fail() { # WHY: ends with what the engine, or its installation, said last
  say "$1"
  [ -z "$scratch" ] || [ ! -s "$scratch/log" ] || tail -n 8 "$scratch/log" | sed 's/^/  /' >&2
  exit 3
}

end() { # PID CHILD SECONDS: asks PID to end; kills our child, which ends with it, when SECONDS have passed
  [ -z "$1" ] || kill -TERM "$1"
  for _ in $(seq "${3}0"); do
    kill -0 "$2" || break
    sleep 0.1
  done
  kill -KILL "$2"
  wait "$2"
} 2>/dev/null

end_engine() {
  [ -n "$engine" ] || return 0
  end "$(cat "$scratch/dockerd")" "$engine" 10
  engine=''
}

# shellcheck disable=SC2329 # called by finish
remove_cgroups() { # what runs in them has ended; the kernel may need a moment to see it
  local top
  for top in /sys/fs/cgroup/"$(basename "$scratch")" /sys/fs/cgroup/*/"$(basename "$scratch")"; do
    for _ in $(seq 20); do
      [ -d "$top" ] || break
      find "$top" -depth -type d -exec rmdir {} \; 2>/dev/null
      [ ! -d "$top" ] || sleep 0.1
    done
    [ ! -d "$top" ] || say "cannot remove $top"
  done
}

# shellcheck disable=SC2329 # called by the trap
finish() {
  trap '' HUP INT TERM
  set +e
  [ -z "$bench" ] || end "$bench" "$bench" 60
  end_engine
  [ -z "$policy" ] || rm -f "$policy"
  [ -n "$scratch" ] || return
  remove_cgroups
  rm -rf --one-file-system "$scratch"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# install_engine installs without starting the service that comes along. In a session of
# its own, for a package is installed to its end: Ctrl-C takes effect afterwards.
install_engine() {
  command -v apt-get >/dev/null || fail "no dockerd on PATH, and no apt-get to install docker.io with"
  say "installing docker.io"
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    policy=/usr/sbin/policy-rc.d
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  packages() { DEBIAN_FRONTEND=noninteractive setsid --wait apt-get -qq "$@" </dev/null >>"$scratch/log" 2>&1; }
  packages update || true # old lists may do
  packages install -y --no-install-recommends docker.io || fail "docker.io cannot be installed"
  # Since Debian 13 the client is a package of its own.
  command -v docker >/dev/null || packages install -y --no-install-recommends docker-cli || fail "docker-cli cannot be installed"
}

start() { # DRIVER: starts the engine over a storage driver; fails when it ends or does not answer within a minute
  mkdir -p "$scratch/$1"
  # shellcheck disable=SC2016 # the inner shell expands them
  setsid setpriv --pdeathsig KILL unshare --mount --pid --net --ipc --fork --kill-child sh -euc '
    scratch=$1 driver=$2
    read -r pid _ </proc/self/stat # as the host counts
    echo "$pid" >"$scratch/dockerd"
    mount -t proc proc /proc
    for dir in /etc /opt /run; do mount -t tmpfs engine "$dir"; done
    echo "{}" >/etc/engine.json
    exec dockerd --config-file /etc/engine.json --host "unix://$scratch/socket" --pidfile "$scratch/pid" \
      --data-root "$scratch/$driver" --exec-root /run/engine --storage-driver "$driver" \
      --exec-opt native.cgroupdriver=cgroupfs --cgroup-parent "/$(basename "$scratch")" \
      --bridge=none --iptables=false --ip6tables=false --ip-masq=false --ip-forward=false
  ' sh "$scratch" "$1" </dev/null >"$scratch/log" 2>&1 &
  engine=$!
  for _ in $(seq 300); do
    docker version >/dev/null 2>&1 && return
    kill -0 "$engine" 2>/dev/null || break
    sleep 0.2
  done
  end_engine
  return 1
}

field() { sed -n "s/^  \"$1\": \"\(.*\)\",\$/\1/p" <<<"$described"; }

[ -x "$cellwall" ] || { say "no bin/cellwall; run: make env"; exit 1; }
[ "$(id -u)" -eq 0 ] || fail "an engine of one's own needs root"
described=$("$cellwall" env show "$name" --json)
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/$image.XXXXXX")
if ! command -v dockerd >/dev/null || ! command -v docker >/dev/null; then install_engine; fi

# Of the caller's client settings none reaches the engine.
unset DOCKER_CONTEXT DOCKER_TLS DOCKER_TLS_VERIFY DOCKER_CERT_PATH DOCKER_API_VERSION DOCKER_DEFAULT_PLATFORM
export DOCKER_HOST=unix://$scratch/socket DOCKER_CONFIG=$scratch/client
driver=overlay2
if ! start $driver; then
  driver=vfs
  start $driver || fail "the engine does not start; it said last:"
  say "without overlayfs the engine copies the image for every container: the comparison flatters cellwall"
fi
tar -C "$(field root)" -c . | docker import - "$image" >/dev/null || fail "the engine does not take the image; it said last:"
docker run --rm --network none --memory 512m "$image" "$(field interpreter)" -c pass ||
  fail "the engine runs no container; it said last:"
say "Docker $(docker version --format '{{.Server.Version}}') over $driver"

# In a session of its own, so that Ctrl-C reaches it once: from here.
setsid setpriv --pdeathsig TERM "$cellwall" bench --docker "$image" "$@" &
bench=$!
code=0
wait "$bench" || code=$?
bench=''
exit "$code"
