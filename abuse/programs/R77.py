# Libraries that want more processes than there are, by variants. None of them
# says so itself: what is looked at is what the caller is told. The first needs
# the standard library only, so that every host can show it.
import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

TOO_MANY = WORLD["processes"] + 16
go_on = threading.Event()


def fill():
    """Threads until there is room for nothing more; whether all were had."""
    try:
        for _ in range(TOO_MANY):
            threading.Thread(target=go_on.wait, daemon=True).start()
    except RuntimeError:
        return False
    return True


def numpy_in_a_helper():
    """numpy starts a thread while it is imported, and sends itself SIGINT when it cannot."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(ours, 1)
        os.environ["OPENBLAS_NUM_THREADS"] = "2"
        os.execv(sys.executable, ["python3", "-c", "import numpy"])
    all_of_them = fill()
    os.write(theirs, b"x")
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code or not all_of_them:
        raise RuntimeError(f"the rows could not be computed ({code})")


def numpy_itself():
    helper = os.fork()
    if helper == 0:
        fill()
        go_on.wait()
    while True:  # until the helper has taken every place
        try:
            probe = os.fork()
        except OSError:
            break
        if probe == 0:
            os._exit(0)
        os.waitpid(probe, 0)
    os.environ["OPENBLAS_NUM_THREADS"] = "2"
    os.execv(sys.executable, ["python3", "-c", "import numpy"])


def pool():
    with multiprocessing.get_context("fork").Pool(TOO_MANY) as workers:
        workers.map(abs, range(TOO_MANY))


def process_executor():
    with ProcessPoolExecutor(TOO_MANY) as workers:  # waits for ever where some could not start
        list(workers.map(abs, range(TOO_MANY)))


def thread_executor():
    with ThreadPoolExecutor(TOO_MANY) as workers:
        list(workers.map(lambda _: go_on.wait(seconds(0.2)), range(TOO_MANY)))


def commands():
    running = [subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({seconds(9)})"]) for _ in range(TOO_MANY)]
    print(len(running))


variants = [pool, numpy_in_a_helper, numpy_itself, process_executor, thread_executor, commands]
print("WANTED", variants[WORLD["run"]].__name__, flush=True)
variants[WORLD["run"]]()
escaped("workers", f"{TOO_MANY} at once")
