import shlex
import sys
import types
from pathlib import Path

from _cellwall import processes


def itself(directory: Path) -> Path:
    """A program that starts this interpreter: on a host with an older C library it runs by its own loader only."""
    words = Path("/proc/self/cmdline").read_text().split("\0")
    script = directory / "python"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(words[: words.index(sys.executable) + 1])} "$@"\n')
    script.chmod(0o755)
    return script


def test_pools_of_every_start_method_know_the_functions_of_the_program(run, tmp_path):
    out = run(
        "import concurrent.futures, multiprocessing\n"
        f"multiprocessing.set_executable({str(itself(tmp_path))!r})\n"
        "def double(n): return 2 * n\n"
        "for method in ('fork', 'forkserver', 'spawn'):\n"
        "    with multiprocessing.get_context(method).Pool(2) as pool:\n"
        "        print(pool.map(double, [1, 2]))\n"
        "with concurrent.futures.ProcessPoolExecutor(2, max_tasks_per_child=1) as pool:\n"
        "    print(list(pool.map(double, [3, 4])))\n"
        "multiprocessing.set_start_method('spawn')\n"
        "print(multiprocessing.get_start_method())"
    )
    assert out.ok and out.stdout == "[2, 4]\n" * 3 + "[6, 8]\nspawn\n"


def test_shared_memory_starts_no_process_that_removes_it(run):
    out = run(
        "from multiprocessing import resource_tracker, shared_memory\n"
        "block = shared_memory.SharedMemory(create=True, size=4096)\n"
        "print(resource_tracker._resource_tracker._pid)\n"
        "block.close(); block.unlink()\n"
        "print(resource_tracker._resource_tracker._pid)"
    )
    assert out.ok and out.stdout == "None\nNone\n"


def test_joblib_stays_in_the_process_with_one_processor_only(monkeypatch):
    for cpus, want in (("1", "sequential"), ("2", "loky"), (None, "loky")):
        parallel = types.ModuleType("joblib.parallel")
        parallel.DEFAULT_BACKEND = "loky"
        monkeypatch.setitem(sys.modules, "joblib.parallel", parallel)
        monkeypatch.delenv(processes.CPUS, raising=False)
        if cpus:
            monkeypatch.setenv(processes.CPUS, cpus)
        processes.begin()
        assert want == parallel.DEFAULT_BACKEND, cpus
