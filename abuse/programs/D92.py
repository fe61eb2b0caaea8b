# Change all state that an interpreter keeps. The second run looks first.
import decimal
import os
import signal
import sys
import warnings

numpy, pandas, matplotlib = (sys.modules.get(n) for n in ("numpy", "pandas", "matplotlib"))
probes = {
    "cwd": lambda: os.getcwd() == "/workspace/output",
    "umask": lambda: (os.umask(0o022), os.umask(0o022))[0] in (0o022, 0o027, 0o077),
    "environment": lambda: "CELLWALL_ABUSE" not in os.environ,
    "mask": lambda: not signal.pthread_sigmask(signal.SIG_BLOCK, []),
    "handler": lambda: signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL,
    "warnings": lambda: not any(f[0] == "error" for f in warnings.filters),
    "decimal": lambda: decimal.getcontext().prec == 28,
    "path": lambda: "/cellwall-abuse" not in sys.path,
    "recursion": lambda: sys.getrecursionlimit() != 77777,
    "modules": lambda: "cellwall_abuse" not in sys.modules,
    "builtins": lambda: not hasattr(__builtins__, "cellwall_abuse") if not isinstance(__builtins__, dict)
    else "cellwall_abuse" not in __builtins__,
    "numpy": lambda: not numpy or numpy.get_printoptions()["precision"] != 3,
    "pandas": lambda: not pandas or pandas.get_option("display.max_rows") != 7,
    "matplotlib": lambda: not matplotlib or matplotlib.rcParams["lines.linewidth"] != 77,
}
for name, fresh in probes.items():
    if fresh():
        held(name, "default")
    else:
        escaped(name, "the state of an earlier run")
os.umask(0o000)
os.chdir("/tmp")
os.environ["CELLWALL_ABUSE"] = "1"
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
warnings.filterwarnings("error", message="cellwall-abuse")
decimal.getcontext().prec = 5
sys.path.append("/cellwall-abuse")
sys.setrecursionlimit(77777)
sys.modules["cellwall_abuse"] = sys
import builtins

builtins.cellwall_abuse = True
if numpy:
    numpy.set_printoptions(precision=3)
if pandas:
    pandas.set_option("display.max_rows", 7)
if matplotlib:
    matplotlib.rcParams["lines.linewidth"] = 77
