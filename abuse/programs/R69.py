# Become more important than others.
import os
import resource


def raise_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard + 1, hard + 1))
    except ValueError as error:  # so Python says EPERM
        raise OSError(_errno.EPERM, str(error)) from error
    return "raised"


def protect():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-500")
    return "protected"


attempt("limit", raise_limit)
attempt("oom", protect)
attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5) or os.getpriority(os.PRIO_PROCESS, 0) < 0)
attempt("realtime", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)) or os.sched_getscheduler(0) == os.SCHED_FIFO)
