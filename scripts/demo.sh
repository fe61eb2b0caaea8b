#!/bin/sh
# demo.sh: two real analyses in fresh sandboxes, and one that fails, with what a
# model is told about each. Charts are copied to out/.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out

analyse() {
  data=testdata/cases/$1.csv
  printf '\n── %s\n' "cellwall run --data $data --out out examples/demo/$1.py"
  bin/cellwall run --json --data "$data" --out out "examples/demo/$1.py" >"out/$1.json" || { cat "out/$1.json"; exit 1; }
  python3 scripts/show_result.py <"out/$1.json"
}

analyse penguins
analyse orders_zh

printf '\n── %s\n' "cellwall run --data testdata/cases/orders_zh.csv --lang zh -c 'df[\"利闰\"].sum()'    (a misspelt column)"
set +e
bin/cellwall run --json --data testdata/cases/orders_zh.csv --lang zh -c 'df["利闰"].sum()' >out/failure.json
code=$?
set -e
[ "$code" -eq 1 ] || { cat out/failure.json; echo "demo: the failing program ended with $code, not 1"; exit 1; }
python3 scripts/show_result.py <out/failure.json
printf '\ncharts:\n'
ls out/*.png
