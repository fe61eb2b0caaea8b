"""What the emulated machine of scripts/vm does, and how each step is judged."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# Where the environment's store is, inside.
STORE = Path("/var/lib/cellwall/environments")

# How much slower the machine may be than this one: stretches what is waited for, what programs are given and how long
# a run of the corpus may take. Nothing else that is judged knows of it.
SLOW = 10

# The rows of the corpus that matter most, by their numbers: they run with every `make test`.
STARRED = (
    "1 2 3 4 5 8 11 15 17 18 20 21 22 24 25 27 30 34 35 36 38 39 40 41 43 44 45 46 52 53 54 55 61 62 65 66 67 68 71 72 "
    "75 82 84 85 88 89 90 91 92 93 94 95 96 97 98 99 100 107 108 111 112 113 114 116 117 121 123"
)


@dataclass(frozen=True)
class Step:
    """One command inside."""

    name: str
    args: tuple[str, ...]
    package: str = ""  # whose tests run
    env: tuple[str, ...] = ()
    delegated: bool = False
    seconds: int = 300
    least: int = 0  # so many tests must have passed: a pattern that matches nothing is no success
    says: str = ""  # a pattern that must be among the lines
    check: Callable[[str, int], list[str]] | None = None  # judges alone

    def plan(self) -> dict[str, object]:
        """The step as vminit reads it."""
        tests = ["./tests", f"-test.timeout={self.seconds}s", "-test.count=1", "-test.v", *self.args]
        return {
            "Name": self.name,
            "Args": tests if self.package else list(self.args),
            "Env": [f"CELLWALL_TEST_SLOW={SLOW}", *self.env],
            "Dir": f"/guest/src/{self.package}" if self.package else "/tmp",
            "Delegated": self.delegated,
            "Seconds": self.seconds + 10,
        }

    def judge(self, text: str, code: int) -> list[str]:
        """What is wrong with how it ended."""
        if self.check:
            return self.check(text, code)
        wrong = [] if code == 0 else [f"exit status {code}"]
        passed = counts(text)["PASS"]
        if passed < self.least:
            wrong.append(f"{passed} tests passed, {self.least} at least should have run")
        if not re.search(self.says, text):
            wrong.append(f"it never said {self.says}")
        return wrong


def counts(text: str) -> dict[str, int]:
    """How many tests and subtests ended how."""
    return {how: len(re.findall(rf"^ *--- {how}: ", text, re.MULTILINE)) for how in ("PASS", "SKIP", "FAIL")}


def doctor(missing: set[str]) -> Callable[[str, int], list[str]]:
    """Doctor must call everything enforced but what is missing, and say which groups it uses."""

    def check(text: str, code: int) -> list[str]:
        report = json.loads(text[text.index("{") : text.rindex("}") + 1])
        (native,) = [b for b in report["backends"] if b["backend"] == "native"]
        found = {p["name"]: p for p in native["protections"]}
        lacking = {name for name, p in found.items() if p["state"] != "enforced"}
        wrong = [] if lacking == missing else [f"doctor misses {sorted(lacking)}, want {sorted(missing)}"]
        if code != (1 if missing else 0):
            wrong.append(f"exit status {code}")
        for name in ("memory_limit", "process_limit", "cpu_limit"):
            if "control group v2" not in found[name]["detail"]:
                wrong.append(f"{name} is given by {found[name]['detail']!r}, not by version 2")
        return wrong

    return check


def steps(everything: bool) -> list[Step]:
    """The steps of a run."""
    doctor_args = ("/guest/bin/cellwall", "doctor", "--json")
    own_group = ("CELLWALL_CGROUP=self", "CELLWALL_STATE_DIR=/tmp/ordinary")
    starred = f"^abuse$/^[A-Z]({STARRED.replace(' ', '|')})$/^attack$"
    common = [
        Step("doctor", doctor_args, check=doctor(set())),
        Step("doctor-delegated", doctor_args, env=own_group, delegated=True, check=doctor({"own_uid"})),
        Step("groups", (), "linux/cgroup", least=30),
        Step("probe", (), "linux/probe", least=30, says=r"landlock: yes .*: ABI \d"),
        Step("mounts", (), "linux/mount", least=3),
        Step("files", (), "linux/keep", least=30),
    ]
    life = "^(TestM40_StateLivesOn|TestM42_WhatCellsLeaveRunningIsMetered)"
    if not everything:
        run = f"-test.run=^TestContract$/^sandbox$|^TestContract$/{starred}"
        return [
            *common,
            Step("sessions", (f"-test.run={life}$/^(Exit|OutOfMemory)$",), "backend/native", seconds=300, least=4),
            Step("users", ("-test.run=^TestContractDelegated$/^sandbox$",), "backend/native", seconds=900, least=10),
            Step("contract", (run,), "backend/native", seconds=1500, least=70),
        ]
    every = ("CELLWALL_TEST_ALL=1",)
    return [
        *common,
        Step("filter", ("-test.run=Kernel|Supervisor|Listener|Sweep",), "linux/seccomp", seconds=900, least=5),
        Step("sessions", (f"-test.run={life}",), "backend/native", seconds=900, least=10),
        Step(
            "notebooks",
            ("-test.run=^TestM40_Sessions$", "-test.skip=/^corpus$"),
            "backend/native",
            seconds=3500,
            least=100,
        ),
        Step("contract", ("-test.run=^TestContract$",), "backend/native", env=every, seconds=3500, least=400),
        Step("users", ("-test.run=^TestContractDelegated$",), "backend/native", env=every, seconds=3500, least=300),
        Step(
            "users-bare",
            ("-test.run=^TestContractUnprivileged$",),
            "backend/native",
            env=every,
            seconds=3500,
            least=200,
        ),
        Step("users-container", ("-test.run=^TestContainer",), "backend/native", seconds=900, least=2),
    ]
