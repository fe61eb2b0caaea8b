# Turn the kernel's own knobs. What is written is what stood there: the gate is
# the same, and a machine whose gate is open goes on as before.
import os


def rewrite(path):
    with open(path, "r+") as file:
        value = file.read()
        file.seek(0)
        file.write(value)
    return path


def timer_of_first():
    # What delays the timers of the process above.
    with open("/proc/1/timerslack_ns", "r+") as file:
        value = file.read()
        file.seek(0)
        file.write(value)
    return value


def widen_map():
    with open("/proc/self/uid_map", "w") as file:
        file.write("0 0 4294967295\n")
    return "every user"


def knobs():
    return os.listdir("/proc/sys") or None


attempt("listed", knobs)
attempt("hostname", rewrite, "/proc/sys/kernel/hostname")
attempt("core_pattern", rewrite, "/proc/sys/kernel/core_pattern")
attempt("sysrq", lambda: os.close(os.open("/proc/sysrq-trigger", os.O_WRONLY)) or "open")
attempt("timer", timer_of_first)
attempt("uid_map", widen_map)
