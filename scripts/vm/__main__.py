"""vm [--kernel 6.1] [--all] [--only STEP]: the tests on a host that this one is not.

Boots Debian's cloud kernel in QEMU, without KVM and without root, and runs the test binaries there: control groups
version 2 with every controller, nsdelegate, Landlock. Without --all what fits into `make test`, otherwise the whole
contract. QEMU, its libraries and the kernels are Debian packages, locked in debs.lock, fetched through the host's apt
and unpacked below .tools/vm; nothing is installed. A host that cannot do this prints why and ends with
status 77, which is neither success nor failure.
"""

import argparse
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import disks
import packages
import steps

BOOT_SECONDS = 120
NOT_MEASURED = 77  # the status of a test that its host cannot run
DULL = re.compile(r" *(=== |--- PASS)")  # lines that are kept, and not shown


class Guest:
    """One run of the machine."""

    def __init__(self, command: list[str | Path], seconds: int) -> None:
        self.lines: list[str] = []
        self.up = False
        self.began = time.monotonic()
        self.booted = 0.0
        self.spent: dict[str, float] = {}  # processor time at each line of vminit's
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        with subprocess.Popen(command, **streams) as qemu:
            self.qemu = qemu
            boot = threading.Timer(BOOT_SECONDS, self.kill_unless_up)
            whole = threading.Timer(seconds, qemu.kill)
            boot.start()
            whole.start()
            try:
                self.listen()
            finally:
                boot.cancel()
                whole.cancel()
                qemu.kill()

    def kill_unless_up(self) -> None:
        if not self.up:
            self.qemu.kill()

    def processor_seconds(self) -> float:
        """What the emulation has used: on a busy host the only clock that means anything."""
        fields = Path(f"/proc/{self.qemu.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def used(self, step: str) -> str:
        """How long a step took, by the guest's clock and by the host's processors."""
        (end,) = [line for line in self.spent if line.startswith(f"vm: end {step} ")]
        processors = self.spent[end] - self.spent[f"vm: begin {step}"]
        return f"{end.split()[-1]} s, {processors:.0f} s of processor time"

    def listen(self) -> None:
        assert self.qemu.stdout is not None
        for raw in self.qemu.stdout:
            line = raw.decode(errors="replace").rstrip("\r\n")
            if line.startswith("vm: begin") and not self.up:
                self.up, self.booted = True, time.monotonic() - self.began
            self.lines.append(line)
            if line.startswith("vm: "):
                self.spent[line] = self.processor_seconds()
            if not DULL.match(line):
                print(f"  {line}", flush=True)


def judge(guest: Guest, wanted: list[steps.Step]) -> list[str]:
    """What is wrong with a run that came up."""
    wrong = []
    for step in wanted:
        text = "\n".join(guest.lines)
        said = re.search(rf"^vm: begin {step.name}$(.*?)^vm: end {step.name} (-?\d+) ", text, re.MULTILINE | re.DOTALL)
        if not said:
            wrong.append(f"{step.name} did not end")
        else:
            wrong += [f"{step.name}: {w}" for w in step.judge(said[1], int(said[2]))]
            told = steps.counts(said[1])
            ended = ", ".join(f"{n} {how}" for how, n in told.items())
            print(f"figures: vm: {step.name}: {ended}, {guest.used(step.name)}")
    if "vm: done" not in guest.lines:
        wrong.append("the last line is missing")
    return wrong


def command(tools: packages.Tools, kernel: Path, wanted: list[steps.Step], scratch: Path) -> list[str | Path]:
    """Makes the disks and says how the machine is started."""
    root = disks.environment()
    disks.build_work(scratch / "work", root, wanted)
    disks.build_initrd(scratch / "initrd", kernel)
    line = [*tools.qemu(), "-kernel", next(kernel.glob("boot/vmlinuz-*")), "-initrd", scratch / "initrd"]
    line += ["-serial", "stdio", "-append", "console=ttyS0 panic=-1 quiet loglevel=3 cgroup_no_v1=all"]
    for n, source in enumerate((scratch / "work", root)):
        image = scratch / f"disk{n}"
        tools.squash(source, image)
        line += ["-drive", f"file={image},format=raw,if=none,id=d{n},readonly=on"]
        line += ["-device", f"virtio-blk-pci,drive=d{n}"]
    return line


def main() -> int:
    """Boots, runs, judges."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernel", choices=packages.KERNELS, default="6.1")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="", help="a pattern for names of steps")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the machine and its disks go with us
    try:
        if platform.machine() != "x86_64":
            raise packages.Unavailable(f"it emulates x86_64, this is {platform.machine()}")
        tools, kernel = packages.Tools(), packages.kernel(asked.kernel)
    except packages.Unavailable as proof:
        print(f"vm: not measured, proof: {proof}")
        return NOT_MEASURED
    wanted = [s for s in steps.steps(asked.all) if re.search(asked.only, s.name)]
    with tempfile.TemporaryDirectory(prefix="cellwall-vm-", dir=os.environ.get("TMPDIR", "/var/tmp")) as scratch:
        line = command(tools, kernel, wanted, Path(scratch))
        for attempt in (1, 2):
            guest = Guest(line, sum(s.seconds for s in wanted) + BOOT_SECONDS)
            if guest.up:
                break
            print(f"vm: attempt {attempt} did not come up within {BOOT_SECONDS} s", flush=True)
    wrong = judge(guest, wanted)
    took = time.monotonic() - guest.began
    print(f"figures: vm: kernel {asked.kernel}, attempt {attempt}, up after {guest.booted:.1f} s, all {took:.1f} s")
    for told in wrong:
        print(f"vm: FAILED: {told}")
    print(f"vm: {'FAILED' if wrong else 'ok'}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
