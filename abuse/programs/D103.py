# Modules that want a display, a browser or a terminal as soon as they are imported.
import os
import pty
import subprocess
import sys
import webbrowser

for name in ("tkinter", "turtle", "idlelib.idle", "antigravity", "readline", "curses", "pty", "this"):
    try:
        run = subprocess.run([sys.executable, "-c", f"import {name}"], stdin=subprocess.DEVNULL, capture_output=True, timeout=4)
        said = run.stderr.decode(errors="replace").strip().split("\n")[-1]
        held(name, said if run.returncode else "imported")
    except subprocess.TimeoutExpired:
        escaped(name, "waits for something that never comes")
attempt("browser", lambda: webbrowser.open("http://192.0.2.1/"))
attempt("terminal", os.openpty)


def spawned():
    pid, _ = pty.fork()
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)


attempt("terminal_child", spawned)
