# Pools and loops: beyond the limit in one clear sentence, within it they work.
import asyncio
import concurrent.futures
import importlib.util
import multiprocessing
import subprocess
import sys
import threading


def square(n):
    return n * n


def many():
    go = threading.Event()
    threads = [threading.Thread(target=go.wait, daemon=True) for _ in range(3 * WORLD["processes"])]
    try:
        for thread in threads:
            thread.start()
    finally:
        go.set()
    return len(threads)


async def gather():
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(7)", stdout=subprocess.PIPE)
    said, _ = await child.communicate()
    await asyncio.gather(*(asyncio.sleep(0) for _ in range(10_000)))
    return int(said) + await asyncio.to_thread(square, 2)


print("POOLS", flush=True)
if WORLD["run"] == 0:
    escaped("threads", many())
elif WORLD["run"] == 1:
    with multiprocessing.get_context("fork").Pool(3 * WORLD["processes"]) as pool:
        escaped("processes", pool.map(square, range(4)))
else:
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        print("WORKED threads", list(pool.map(square, range(4))))
    with multiprocessing.Pool(4) as pool:
        print("WORKED pool", pool.map(square, range(4)))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        print("WORKED processes", list(pool.map(square, range(4))))
    loop = asyncio.new_event_loop()
    print("WORKED loop", loop.run_until_complete(gather()))
    loop.close()
    if importlib.util.find_spec("joblib"):
        import joblib
        print("WORKED joblib", joblib.Parallel(n_jobs=2)(joblib.delayed(square)(n) for n in range(4)))
    subprocess.run(["true"], check=True)
