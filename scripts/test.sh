#!/bin/bash
# test.sh: the first tier. Every step runs, whatever failed before it, and a
# table at the end says how each ended.
set -u
cd "$(dirname "$0")/.." || exit 1
mkdir -p .tools
table=() failed=0

step() { # NAME COMMAND...
  local name=$1 began=$SECONDS rc
  shift
  printf '\n══ %s\n' "$name"
  "$@"
  rc=$?
  local how=FAILED
  case $rc in
    0) how=ok ;;
    77) how='not measured' ;; # the host cannot run it, and the step said why
    *) failed=1 ;;
  esac
  table+=("$(printf '%-28s %-12s %4d s' "$name" "$how" $((SECONDS - began)))")
  return $rc
}

compiler() {
  export RACE='' cgo=0
  [ "$(scripts/compiler.sh)" = race ] && RACE=-race cgo=1
  echo "race detector: ${RACE:-not available on this host}"
}

build() { go build -trimpath -o bin/cellwall ./cmd/cellwall; }

environment() { bin/cellwall env build python-data-basic && bin/cellwall env list; }

# What runs hundreds of sandboxes and waits for them: the race detector would
# make it three times as long, and sees the same code in the other tests.
# So it does the simulator that drives every way through the filter, and the
# database that plays every order of keeping and collecting.
walls='^Test(Contract|Controls|Scripts|M42_TheAPIIsTheSame|BadInput_(Schema|A_service_bears)|M43_A_service_stays|M4_(AChart|SQL)|M6_(AnAnswer|TheArticles|WhatEnds|DataThat)|ThirdArticle|Done5|M9_Ten|M13_Chinese|M15_(NothingPersonal|WithMask|ColumnsAre)|D97_HostileSource|M36_ABuild|R80_|D94_WhatARun|M49_(NothingIsLeft|TheCollectionNever)|N47_|P16_|M44_Over|M40_(ASessionOver|Sessions|Templates|StateLivesOn|ShellIs))'

# The timeout is a guard against hanging, not a bar.
go_tests() { # FLAG... PACKAGE...
  CELLWALL_TEST_ROOT=$(bin/cellwall env show python-data-basic --json | sed -n 's/^ *"root": "\(.*\)",$/\1/p')
  export CELLWALL_TEST_ROOT
  go test -count=1 -timeout 25m "$@"
}

raced_tests() {
  # shellcheck disable=SC2086 # no word when there is no race detector
  CGO_ENABLED=$cgo go_tests $RACE -skip "$walls" ./...
}

wall_tests() { CGO_ENABLED=0 go_tests -trimpath -run "$walls" ./backend/... ./cmd/... ./linux/seccomp ./store; }

driver_tests() {
  scripts/python-tools.sh || return
  local root=$PWD
  (cd guest/driver && PYTHONPATH=$PWD "$root/scripts/python.sh" -m pytest -p no:cacheprovider)
}

# The database of a service with several instances. A host that cannot run it
# says why, and its tests skip.
postgres() {
  CELLWALL_TEST_POSTGRES=$(scripts/postgres.sh start "$servers/postgres") || return
  export CELLWALL_TEST_POSTGRES
}

# The contents of such a service, likewise.
s3() {
  CELLWALL_TEST_S3=$(scripts/s3.sh start "$servers/s3") || return
  export CELLWALL_TEST_S3 AWS_ACCESS_KEY_ID=cellwall AWS_SECRET_ACCESS_KEY=cellwall-tests
}

servers=$(mktemp -d)
end_servers() {
  scripts/postgres.sh stop "$servers/postgres" 2>/dev/null
  scripts/s3.sh stop "$servers/s3" 2>/dev/null
  rm -rf "$servers"
}
trap end_servers EXIT

step "proofs" python3 scripts/long_suite.py ages
step "build" build || { echo "test: nothing can run without the binary"; exit 1; }
step "environment" environment
step "compiler" compiler
step "PostgreSQL" postgres
step "S3" s3
step "go test" raced_tests
step "go test (the wall)" wall_tests
step "pytest (driver)" driver_tests
step "version 2 (emulated)" python3 scripts/vm
step "lint" scripts/lint.sh
step "slice of the long suite" env CGO_ENABLED="$cgo" python3 scripts/long_suite.py pick

printf '\n══ make test: %s in %d s\n' "$([ $failed -eq 0 ] && echo ok || echo FAILED)" "$SECONDS"
printf '%s\n' "${table[@]}"
exit $failed
