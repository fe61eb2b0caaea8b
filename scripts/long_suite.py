"""The long suite: what one `make test` has no time for.

  long_suite.py list           every slice, the rooms it covers and its command
  long_suite.py pick           run one slice, chosen by the hash of HEAD
  long_suite.py run [i/n]      run all slices, or the i-th of n parts, and add what came out to proofs/
  long_suite.py run NAME       run that slice, and add what came out to proofs/
  long_suite.py ages           say which proofs are older than the rooms they cover

A slice is a fuzz target of the repository, or a row of SLICES. A proof is one line in proofs/NAME.jsonl: date,
commit, machine, how it ended, how long it took, the lines that the command marked with "figures:", and its last ones.
A command whose host cannot run it ends with status 77: that fails nothing and proves nothing.
"""

import json
import os
import platform
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
PROOFS = HOUSE / "proofs"
LIMIT_SECONDS = 3600
KEPT_LINES = 8
NOT_MEASURED = 77
LONG_TEST = "go test -count=1 -timeout 55m"
ROOMS = "./controller ./environment ./cmd/..."
FLAT = "go test -count=1 -timeout 58m -v -run '^TestM43_A_service_stays_flat$' ./cmd/cellwall"
POISSON = "go test -count=1 -timeout 30m -v -run '^TestM43_The_prediction'"
PENTEST = "bin/cellwall pentest"
# Of the corpus, what `pick` tries: a row or two of each kind.
FEW_ROWS = "F1,F15,N34,N45,R54,R65,D93,D95,O107"
# The steps of scripts/vm in parts that each fit into an hour.
MACHINE_PARTS = (
    ("root", "^(?!users|contract|notebooks)"),
    ("notebooks", "^notebooks$"),
    ("contract", "^contract$"),
    ("users", "^users$"),
    ("bare", "^users-"),
)
# What hostile bytes meet first, and what keeps hostile calls out.
DOORS = ("FuzzReader", "FuzzDecode", "FuzzHarvest", "FuzzFilterMatchesReference", "FuzzCompileAnyList")
WALL = ("backend", "guest", "linux", "controller", "pool", "artifact", "audit")


@dataclass(frozen=True)
class Slice:
    """One command, with the rooms whose change makes its proof old."""

    name: str
    rooms: tuple[str, ...]
    command: str
    short: str = ""  # what `pick` runs instead; "" = the command


TABLES_IN_SQL = (
    "cd guest/driver && PYTHONPATH=$PWD CELLWALL_ENV=python-query "
    "../../scripts/python.sh -m pytest -p no:cacheprovider tests/test_tables_lean.py"
)


def repeats(name: str, test: str, variable: str, few: int, many: int) -> Slice:
    """A test of the wall that repeats what it does as often as a variable says."""
    go = f"go test -count=1 -timeout 58m -v -run '^{test}' ./backend/native"
    return Slice(name, WALL, f"{variable}={many} {go}", f"{variable}={few} {go}")


SLICES = (
    Slice("repeat-pool", ("pool",), "go test $RACE -count=50 ./pool", "go test $RACE -count=5 ./pool"),
    Slice("repeat-controller", ("controller",), "go test $RACE -count=20 ./controller", "-"),
    Slice("repeat-session", ("session",), "go test $RACE -count=50 ./session", "go test $RACE -count=5 ./session"),
    Slice("repeat-cgroup", ("linux",), "go test -count=10 ./linux/cgroup", "go test -count=2 ./linux/cgroup"),
    Slice("long-sessions", (*WALL, "abuse"), f"{LONG_TEST} -run '^TestM40_Sessions$' ./backend/native", "-"),
    Slice("long-contract", (*WALL, "abuse"), f"{LONG_TEST} -run '^TestContract' ./backend/native", "-"),
    Slice("long-backends", (*WALL, "abuse"), f"{LONG_TEST} -skip '^TestContract' ./backend/...", "-"),
    repeats("chaos", "TestM49_NothingIsLeft", "CELLWALL_CHAOS_ROUNDS", 5, 200),
    repeats("verdicts", "TestVerdict_IsTheSame", "CELLWALL_VERDICT_REPEATS", 5, 1000),
    Slice(
        "kills",
        ("cmd", "store", "audit", "notify", "api"),
        f"CELLWALL_TEST_KILLS=100 {LONG_TEST} -v -run '^TestM49_AService' ./cmd/cellwall",
        f"CELLWALL_TEST_KILLS=5 {LONG_TEST} -v -run '^TestM49_AService' ./cmd/cellwall",
    ),
    repeats("soak", "TestControllerStaysFlat", "CELLWALL_SOAK_RUNS", 600, 10_000),
    *(
        Slice(f"machine-{kernel}-{name}", WALL, f"python3 scripts/vm --all --kernel {kernel} --only '{only}'", "-")
        for kernel in ("6.1",)
        for name, only in MACHINE_PARTS
    ),
    Slice(
        "long-rooms",
        ("cmd", "controller", "environment"),
        f"{LONG_TEST} -skip '^Test(BadInput_Schema|Deploy_TheImage|M43_The_prediction)' {ROOMS}",
        "-",
    ),
    Slice(
        "flat-service",
        (*WALL, "api", "store", "quota", "queue", "policy", "notify", "cmd"),
        f"CELLWALL_FLAT_REQUESTS=100000 {FLAT}",
        f"CELLWALL_FLAT_REQUESTS=4000 {FLAT}",
    ),
    Slice("rebuild-data-basic", ("environment", "environments"), "scripts/rebuild.sh python-data-basic"),
    Slice("rebuild-stats", ("environment", "environments"), "scripts/rebuild.sh python-stats", "-"),
    Slice("rebuild-ml-lite", ("environment", "environments"), "scripts/rebuild.sh python-ml-lite", "-"),
    Slice("rebuild-query", ("environment", "environments"), "scripts/rebuild.sh python-query", "-"),
    Slice("tables-in-sql", ("guest", "tools"), TABLES_IN_SQL, "-"),
    Slice("poisson-clock", ("queue",), f"{POISSON} ./queue", "-"),
    Slice("poisson-sandboxes", ("queue", "pool", "controller", "backend"), f"{POISSON} ./cmd/cellwall", "-"),
    Slice("bars", ("backend", "guest", "controller", "pool"), "make bench", "-"),
    Slice("pentest", (*WALL, "abuse", "pentest"), PENTEST, f"{PENTEST} --rows {FEW_ROWS}"),
    Slice(
        "api-stores",
        ("api", "store", "cmd"),
        f"scripts/with-stores.sh {LONG_TEST} -v -run '^TestM42_TheAPIIs' ./cmd/cellwall",
        "-",
    ),
    Slice("api-document", ("api", "cmd"), f"{LONG_TEST} -v -run '^TestBadInput_Schema' ./cmd/cellwall", "-"),
    Slice("mcp", ("mcp", "tools", "api"), f"{LONG_TEST} -v -run '^TestM44_' ./mcp ./cmd/cellwall", "-"),
    Slice("image", ("deploy", "scripts"), f"{LONG_TEST} -v -run '^TestDeploy_' ./cmd/cellwall", "-"),
    Slice("vulnerabilities", ("go.mod",), "scripts/vulnerabilities.sh", "-"),
)


def fuzz_slices() -> list[Slice]:
    """One slice for each fuzz target."""
    found = []
    for file in sorted(HOUSE.rglob("*_test.go")):
        room = file.parent.relative_to(HOUSE).as_posix()
        for name in re.findall(r"^func (Fuzz\w+)\(", file.read_text(), re.MULTILINE):
            command = f"scripts/fuzz.sh {name} {{}} ./{room}"
            slice_name = f"fuzz-{room.replace('/', '-')}-{name[4:].lower()}"
            seconds = 300 if name in DOORS else 120
            found.append(Slice(slice_name, (room,), command.format(seconds), command.format(20)))
    return found


def all_slices() -> list[Slice]:
    """Every slice, in a stable order."""
    return [*SLICES, *fuzz_slices()]


def git(*args: str) -> str:
    """What git says, "" when it cannot."""
    done = subprocess.run(["git", "-C", str(HOUSE), *args], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def machine() -> str:
    """The machine in one line."""
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    processor = model[1] if model else platform.machine()
    return f"{os.cpu_count()} × {processor}, {memory:.0f} GiB, Linux {platform.release()}, uid {os.geteuid()}"


def ending(rc: int) -> str:
    """What an exit status means."""
    return {0: "ok", NOT_MEASURED: "not measured"}.get(rc, "FAILED")


def execute(slice_: Slice, command: str) -> dict[str, object]:
    """Runs a slice, its output shown as it comes, and says what came out."""
    print(f"── {slice_.name}: {command}", flush=True)
    began, figures, last = time.monotonic(), [], []
    with subprocess.Popen(
        ["timeout", "--kill-after=10", str(LIMIT_SECONDS), "sh", "-c", command],
        cwd=HOUSE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={"RACE": ""} | os.environ | {"CELLWALL_TEST_ALL": "1"},
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            last = [*last, line.rstrip()][-KEPT_LINES:]
            if "figures: " in line:
                figures.append(line.strip())
    took = round(time.monotonic() - began, 1)
    print(f"── {slice_.name}: {ending(process.returncode)} in {took} s", flush=True)
    return {"rc": process.returncode, "seconds": took, "figures": [*figures, *last]}


def pick() -> int:
    """Runs the slice that HEAD's hash chooses among those that fit into minutes."""
    head = git("rev-parse", "HEAD") or "0"
    short = [s for s in all_slices() if s.short != "-"]
    today = short[int(head, 16) % len(short)]
    print(f"slice {today.name}, one of {len(short)} by HEAD {head[:12]}", flush=True)
    return int(ending(execute(today, today.short or today.command)["rc"]) == "FAILED")


def chosen(which: str) -> list[Slice]:
    """The slices of a shard, or the one of that name."""
    everything = all_slices()
    named = [s for s in everything if s.name == which]
    if named:
        return named
    part, _, parts = (which or "1/1").partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise SystemExit(f"long_suite: {which} is no slice and no part; say the name of one, or 1/4 to 4/4")
    return everything[int(part) - 1 :: int(parts)]


def run(which: str) -> int:
    """Runs slices and adds their proofs."""
    ended: dict[str, list[str]] = {"FAILED": [], "not measured": [], "ok": []}
    PROOFS.mkdir(exist_ok=True)
    for slice_ in chosen(which):
        proof = {
            "v": 1,
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "commit": git("rev-parse", "HEAD"),
            "changed": bool(git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!proofs")),
            "machine": machine(),
            "rooms": slice_.rooms,
            "command": shlex.join(["sh", "-c", slice_.command]),
            **execute(slice_, slice_.command),
        }
        with (PROOFS / f"{slice_.name}.jsonl").open("a") as out:
            out.write(json.dumps(proof, ensure_ascii=False) + "\n")
        ended[ending(proof["rc"])].append(slice_.name)
    del ended["ok"]
    told = "; ".join(f"{how} {', '.join(names)}" for how, names in ended.items() if names)
    print(f"test-all {which or '1/1'}: {told or 'ok'}")
    return int(bool(ended["FAILED"]))


def age(slice_: Slice) -> str:
    """What a slice's last proof is worth today; "" = it is current."""
    file = PROOFS / f"{slice_.name}.jsonl"
    if not file.exists():
        return "no proof yet"
    proof = json.loads(file.read_text().splitlines()[-1])
    if proof["rc"]:
        return f"{ending(proof['rc']).lower()} on {proof['date'][:10]}"
    if not git("cat-file", "-t", proof["commit"]):
        return f"of {proof['date'][:10]}, a commit that is not in this clone"
    newer = git("log", "--oneline", f"{proof['commit']}..HEAD", "--", *slice_.rooms).splitlines()
    if proof["changed"] or newer:
        return f"of {proof['date'][:10]}, older than its rooms ({len(newer)} commits)"
    return ""


def ages() -> int:
    """Says which proofs are missing or old. Never fails: it is a reminder."""
    told = {s.name: age(s) for s in all_slices()}
    old = {name: text for name, text in told.items() if text}
    print(f"proofs: {len(told) - len(old)} of {len(told)} are current")
    for text in sorted(set(old.values())):
        print(f"  {text}: {', '.join(name for name in old if old[name] == text)}")
    return 0


def main() -> int:
    """Does what the first argument says."""
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb == "list":
        for s in all_slices():
            print(f"{s.name}\t{' '.join(s.rooms)}\t{s.command}")
        return 0
    if verb == "run":
        return run(sys.argv[2] if len(sys.argv) > 2 else "")
    if verb in ("pick", "ages"):
        return pick() if verb == "pick" else ages()
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
