# Hooks that outlive the code that set them. Each run looks first whether another's are there.
import atexit
import faulthandler
import os
import sys
import threading
import time

MARK = "cellwall-abuse-hooks"
seen = []
sys.audit(MARK, seen)
probes = {
    "audit": lambda: not seen,
    "trace": lambda: sys.gettrace() is None,
    "profile": lambda: sys.getprofile() is None,
    "thread_trace": lambda: threading.gettrace() is None,
    "fault": lambda: not faulthandler.is_enabled(),
    "monitoring": lambda: not hasattr(sys, "monitoring") or sys.monitoring.get_tool(3) is None,
}
for name, fresh in probes.items():
    if fresh():
        held(name, "none")
    else:
        escaped(name, "the hook of an earlier run is there")
read, write = os.pipe()
if os.fork() == 0:
    os._exit(0)
os.wait()
os.close(write)
said = os.read(read, 100)
if said:
    escaped("fork", "a fork ran the hook of an earlier run")
else:
    held("fork", "quiet")


def forked():
    for fd in range(3, 64):
        try:
            os.write(fd, b"forked")
        except OSError:
            pass


def heard(event, args):
    if event == MARK:
        args[0].append("heard")


def hostile(event, args):
    raise RuntimeError("no")


os.register_at_fork(before=lambda: None, after_in_child=forked, after_in_parent=lambda: None)
sys.addaudithook(heard)
faulthandler.enable(file=1)
faulthandler.dump_traceback_later(600, repeat=True, file=1)
threading.settrace(lambda *_: None)
sys.setprofile(lambda *_: None)
if hasattr(sys, "monitoring"):
    sys.monitoring.use_tool_id(3, "abuse")
atexit.register(time.sleep, 60)
print("HOOKED", WORLD["run"], flush=True)
if WORLD["run"] == 2:
    sys.addaudithook(hostile)
sys.settrace(lambda *_: None)
