"""What a freshly forked child does before it reads a byte that somebody else wrote.

The namespaces and mounts stand already: the warden built them and process 1
holds them. The child joins its group, enters, takes its own user namespace,
drops every right, and installs the filter.
"""

import contextlib
import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass

from . import linux

CHANNEL = 3  # the descriptor of the channel inside a sandbox
SHELTER = 1000  # the user's number inside


@dataclass(frozen=True)
class Plan:
    """What the warden says about one sandbox; descriptors come beside it."""

    uid: int  # number of this sandbox's user in the zygote's user namespace
    groups: int  # how many descriptors of control groups to join by writing
    ahead: bool  # nobody waits for this sandbox
    into: bool  # the last descriptor is a version 2 group to be cloned into
    own_uid: bool  # False where only one user can be had (rootless)
    session: bool  # cells are to come, not one program


class SetupFailed(Exception):
    """A step of the wall failed; nothing runs."""

    def __init__(self, step: str, error: OSError) -> None:
        super().__init__(f"{step}: {error}")
        self.step, self.errno, self.text = step, error.errno or 0, error.strerror or str(error)


@contextlib.contextmanager
def _step(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SetupFailed(name, error) from error


# Soft and hard alike: a run cannot raise what it was given. A core size of one
# byte is what also silences a core_pattern that is a pipe. Queued signals and
# timers count for the user who runs the controller as well, over all sandboxes.
_LIMITS = (
    (resource.RLIMIT_CORE, 1),
    (resource.RLIMIT_NOFILE, 4096),
    (resource.RLIMIT_MEMLOCK, 0),
    (resource.RLIMIT_MSGQUEUE, 0),
    (resource.RLIMIT_NICE, 0),
    (resource.RLIMIT_RTPRIO, 0),
    (resource.RLIMIT_SIGPENDING, 256),
)


def join(groups: list[int]) -> None:
    """Enter the sandbox's control groups: from here on it pays for what it uses."""
    with _step("join control group"):
        for group in groups:
            os.write(group, b"0")


def enter(plan: Plan, holder: int, streams: tuple[int, int, int]) -> None:
    """Go behind the wall. holder is a pidfd of the sandbox's process 1."""
    with _step("enter namespaces"):
        kinds = linux.CLONE_NEWNS | linux.CLONE_NEWNET | linux.CLONE_NEWIPC | linux.CLONE_NEWUTS
        os.setns(holder, kinds)
        os.unshare(linux.CLONE_NEWCGROUP)
    with _step("mount /proc"):
        linux.mount_proc()
    with _step("set limits"):
        for limit, value in _LIMITS:
            resource.setrlimit(limit, (value, value))
    _take_descriptors(streams)
    with _step("enter workspace"):
        os.setsid()
        os.chdir("/workspace/output")
    _take_user(plan)
    with _step("drop rights"):
        linux.drop_capabilities()
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)


def _take_descriptors(streams: tuple[int, int, int]) -> None:
    """Leave 0 to 3 open and nothing else."""
    channel, stdout, stderr = streams
    with _step("take descriptors"):
        null = os.open("/dev/null", os.O_RDONLY)
        # First out of the way of the places they will take.
        high = [os.dup(fd) for fd in (null, stdout, stderr, channel)]
        while min(high) <= CHANNEL:
            high = [os.dup(fd) if fd <= CHANNEL else fd for fd in high]
        for target, fd in enumerate(high):
            os.dup2(fd, target, inheritable=target < CHANNEL)
        os.closerange(CHANNEL + 1, 1 << 20)


def _take_user(plan: Plan) -> None:
    """Become a user that exists nowhere else, in a user namespace with no power over the others."""
    with _step("take user"):
        if plan.own_uid:
            os.setgroups([])
            os.setresgid(plan.uid, plan.uid, plan.uid)
            os.setresuid(plan.uid, plan.uid, plan.uid)
            # The change of user made this process undumpable, and the files
            # below, which only their owner may write, root's.
            linux.prctl(linux.PR_SET_DUMPABLE, 1)
    with _step("make user namespace"):
        os.unshare(linux.CLONE_NEWUSER)
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{SHELTER} {plan.uid} 1")
        _write("/proc/self/gid_map", f"{SHELTER} {plan.uid} 1")


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode("ascii"))
    finally:
        os.close(fd)
