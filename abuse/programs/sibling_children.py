# Children and threads in the numbers that an analysis uses.
import multiprocessing
import subprocess
import sys
import threading


def square(n):
    return n * n


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        squares = pool.map(square, range(4))
    done = []
    threads = [threading.Thread(target=done.append, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = subprocess.run([sys.executable, "-c", "print('child')"], stdout=subprocess.PIPE, check=True).stdout
    print("ADMITTED", squares, len(done), said.decode().strip())
