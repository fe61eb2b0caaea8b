#!/bin/sh
# fuzz.sh FUZZNAME SECONDS PACKAGE: fuzzes one target for so long, then ends it by the signal of Ctrl-C.
#
# Not by -fuzztime: before Go 1.27 the coordinator sometimes takes the end of that time for a failure of
# the target ("context deadline exceeded", go.dev/issue/75804). Its answer to the signal has no such gap,
# as long as its workers do not get it too: one that ends first is taken for a find.
set -eu
name=$1 seconds=$2 package=$3
directory=$(go list -f '{{.Dir}}' "$package")
cache=$(go env GOCACHE)/fuzz/$(go list "$package")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go test -c -o "$work/fuzz" -fuzz "^$name\$" "$package"
"$work/fuzz" -test.list "^$name\$" | grep -qx "$name" || { echo "fuzz: $package has no target $name" >&2; exit 1; }
cd "$directory" # where the target's testdata is, and where a find is put
# Making a find smaller takes a minute by default, in which nothing is tried.
timeout --foreground --preserve-status --signal INT --kill-after 30 "$seconds" "$work/fuzz" -test.paniconexit0 \
  -test.run '^$' -test.fuzz "^$name\$" -test.fuzzminimizetime 2s -test.fuzzcachedir "$cache"
