"""What the zygote of a template takes in before its first fork."""

import gc
import resource

from . import inputs, template


def adopt(fd: int, memory: int) -> int:
    """Makes the dataset in a template's file that of every child.

    It may take `memory` bytes beyond what is in use, while it is built too: no
    header of a file decides over the host's memory. Returns what it has taken.
    Raises template.Unfit.
    """
    before = resource.getrlimit(resource.RLIMIT_DATA)
    used = _bytes("RssAnon")
    resource.setrlimit(resource.RLIMIT_DATA, (_bytes("VmData") + memory, before[1]))
    try:
        inputs.prepared = template.read(fd)
    except MemoryError:
        raise template.Unfit(f"its tables need more than {memory >> 20} MiB of memory") from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
    gc.collect()
    return max(0, _bytes("RssAnon") - used)


def _bytes(name: str) -> int:
    """A counter of this process's memory."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name + ":"))
