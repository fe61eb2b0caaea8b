# Look at other processes through /proc: the supervisor, the zygote, the host's.
import os


def others():
    return [int(n) for n in os.listdir("/proc") if n.isdigit() and int(n) != os.getpid()]


def environment():
    for pid in others():
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                text = file.read(65536)
        except OSError:
            continue
        if b"CELLWALL_CANARY=" in text:
            return text.decode(errors="replace")
    return None


def command_lines():
    for pid in others():
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                text = file.read(4096)
        except OSError:
            continue
        if b"-test." in text or b"cellwall serve" in text or b"cellwall run" in text:
            return f"process {pid}: {text!r}"
    return None


attempt("host_pid", lambda: os.stat(f"/proc/{WORLD['pid']}/cmdline") and os.kill(WORLD["pid"], 0) is None)
attempt("environ", environment)
attempt("cmdline", command_lines)
attempt("fd_of_1", lambda: os.listdir("/proc/1/fd") or None)
attempt("mem_of_1", lambda: open("/proc/1/mem", "rb").fileno())
attempt("maps_of_1", lambda: open("/proc/1/maps").read(100) or None)
