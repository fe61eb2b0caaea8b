"""What analyses use of numpy, pandas, matplotlib and what reads their files.

Each function is one feature; it raises when the feature does not work.
"""

import gzip
import io
import os
import pickle
import sqlite3
import sys
import time
import warnings
import zipfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

warnings.simplefilter("error", UserWarning)
warnings.simplefilter("error", RuntimeWarning)
rng = np.random.default_rng(0)
table = pd.DataFrame(
    {
        "day": pd.date_range("2024-01-01", periods=400, freq="D"),
        "region": np.array(["北", "south", "east", "west"])[np.arange(400) % 4],
        "value": rng.normal(100, 10, 400),
        "n": np.arange(400),
    }
)


def numpy_algebra():
    a = rng.normal(size=(300, 300))
    assert np.allclose(np.linalg.inv(a) @ a, np.eye(300), atol=1e-6)
    assert np.linalg.svd(a)[0].shape == np.linalg.qr(a)[0].shape == (300, 300)
    assert len(np.linalg.eigvals(a)) == len(np.linalg.lstsq(a, a[0], rcond=None)[0]) == 300
    assert np.allclose(np.fft.irfft(np.fft.rfft(a[0])), a[0])
    assert np.einsum("ij,jk->ik", a, a).shape == np.sort(a, axis=1).shape
    assert np.polynomial.Polynomial.fit([0, 1, 2], [1, 3, 5], 1).convert().coef[1] > 1.99


def numpy_files():
    a = np.arange(10_000.0)
    np.save("a.npy", a)
    assert np.load("a.npy", mmap_mode="r")[-1] == 9999
    np.savez_compressed("a.npz", a=a, b=a)
    with np.load("a.npz") as z:
        assert z["b"].sum() == a.sum()
    np.savetxt("a.txt", a[:10])
    assert np.loadtxt("a.txt").shape == np.genfromtxt("a.txt").shape == (10,)
    m = np.memmap("a.dat", dtype="f8", mode="w+", shape=1000)
    m[:] = 1
    m.flush()
    a.tofile("b.dat")
    assert np.fromfile("b.dat").shape == a.shape


def numpy_in_threads():
    a = rng.normal(size=(200, 200))
    with ThreadPoolExecutor(4) as pool:
        assert all(np.allclose(x, a @ a) for x in pool.map(lambda _: a @ a, range(8)))


def pandas_shapes():
    assert len(table.groupby("region", observed=True)["value"].agg(["mean", "std", "median"])) == 4
    assert table.pivot_table(index=table["day"].dt.month, columns="region", values="value").shape == (12, 4)
    assert len(table.merge(table.head(8), on="region", suffixes=("", "_r"))) == 800
    assert len(table.set_index("day").resample("ME")["value"].sum()) == 14
    assert table["value"].rolling(7).mean().notna().sum() == 394
    assert table["day"].dt.tz_localize("Europe/Berlin").dt.tz_convert("Asia/Shanghai").dt.hour.nunique() > 1
    assert table.query("value > 90 and region == '北'").eval("value * 2").gt(180).all()
    assert table.melt(id_vars="day", value_name="v").shape == (1200, 3)
    assert table.astype({"region": "category"})["region"].cat.categories.size == 4
    assert table["region"].str.contains("s").sum() == 300
    assert table.describe(include="all").shape[0] > 8
    assert pd.cut(table["value"], 5).value_counts().sum() == 400
    assert pd.get_dummies(table["region"]).shape == (400, 4)
    assert table.corr(numeric_only=True).shape == (2, 2)


def pandas_files():
    table.to_csv("t.csv", index=False)
    table.to_csv("t.csv.gz", index=False)
    table.to_csv("t.csv.zip", index=False)
    table.to_csv("t.csv.xz", index=False)
    for name in ("t.csv", "t.csv.gz", "t.csv.zip", "t.csv.xz"):
        assert pd.read_csv(name, parse_dates=["day"])["n"].sum() == 79_800, name
    assert sum(len(c) for c in pd.read_csv("t.csv", chunksize=100)) == 400
    assert len(pd.read_csv("t.csv", engine="python")) == len(pd.read_csv("t.csv", memory_map=True)) == 400
    table.to_json("t.json", orient="records", lines=True, force_ascii=False, date_format="iso")
    assert len(pd.read_json("t.json", lines=True)) == 400
    table.to_pickle("t.pkl")
    assert pd.read_pickle("t.pkl").equals(table)
    table.to_html("t.html")
    assert "<table" in table.head().to_html() and "|" in table.head().to_markdown()
    assert len(pd.read_fwf(io.StringIO("a  b\n1  2\n"))) == 1


def pandas_excel():
    with pd.ExcelWriter("t.xlsx") as book:
        table.to_excel(book, sheet_name="一", index=False)
        table.head().to_excel(book, sheet_name="two", index=False)
    sheets = pd.read_excel("t.xlsx", sheet_name=None)
    assert list(sheets) == ["一", "two"] and len(sheets["一"]) == 400


def pandas_parquet():
    table.to_parquet("t.parquet")
    assert pd.read_parquet("t.parquet", columns=["n"])["n"].sum() == 79_800
    table.to_parquet("parts", partition_cols=["region"])
    assert len(pd.read_parquet("parts")) == 400
    table.to_feather("t.feather")
    assert len(pd.read_feather("t.feather")) == 400


def pandas_sql():
    with sqlite3.connect("t.db") as db:
        table.to_sql("t", db, index=False)
        assert pd.read_sql("select region, count(*) as c from t group by region", db)["c"].tolist() == [100] * 4


def charts():
    figure, axes = plt.subplots(2, 2, figsize=(8, 6))
    axes[0, 0].plot(table["day"], table["value"], label="销售额")
    axes[0, 0].xaxis.set_major_formatter(mdates.DateFormatter("%Y-%m"))
    axes[0, 0].legend()
    axes[0, 1].hist(table["value"], bins=20)
    axes[1, 0].imshow(rng.normal(size=(20, 20)), cmap="viridis")
    axes[1, 1].pie([1, 2, 3], labels=list("abc"))
    figure.tight_layout()
    for name in ("c.png", "c.svg", "c.pdf", "c.jpg"):
        figure.savefig(name, dpi=60)
        assert os.path.getsize(name) > 1000, name
    plt.close(figure)
    table.plot(x="day", y="value", title="pandas")
    table.boxplot(column="value", by="region")
    figure = plt.figure()
    figure.add_subplot(projection="3d").scatter(*rng.normal(size=(3, 50)))
    figure.savefig("d.png")
    plt.close("all")


def animation():
    from matplotlib.animation import FuncAnimation, PillowWriter

    figure, axes = plt.subplots()
    (line,) = axes.plot([0, 1])
    FuncAnimation(figure, lambda n: line.set_ydata([0, n]), frames=3).save("a.gif", writer=PillowWriter(fps=2))
    plt.close(figure)


def square(x):
    return float(np.square(x).sum())


def processes():
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(square, [np.arange(3), np.arange(4)])) == [5.0, 14.0]
    for method in ("fork", "forkserver", "spawn"):
        with get_context(method).Pool(2) as pool:
            assert pool.map(square, [np.arange(3)]) == [5.0], method
    with ProcessPoolExecutor(2, max_tasks_per_child=1) as pool:
        assert list(pool.map(square, [np.arange(3), np.arange(4)])) == [5.0, 14.0]


def archives():
    with zipfile.ZipFile("z.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.write("t.csv")
    assert len(pd.read_csv("z.zip")) == 400
    with gzip.open("t2.csv.gz", "wt") as f:
        f.write("a,b\n1,2\n")
    assert len(pd.read_csv("t2.csv.gz")) == 1
    assert pickle.loads(pickle.dumps(table)).equals(table)


def everyday():
    import cProfile
    import ctypes.util
    import faulthandler
    import logging.handlers
    import platform
    import shelve
    import socket
    import tracemalloc
    import uuid
    import zoneinfo

    assert uuid.uuid1() != uuid.uuid1()
    assert platform.platform() and socket.gethostbyname(socket.getfqdn() and "localhost") == "127.0.0.1"
    with shelve.open("/tmp/shelf") as shelf:
        shelf["a"] = 1
    cProfile.Profile().runcall(sum, range(10))
    tracemalloc.start()
    tracemalloc.stop()
    faulthandler.enable()
    logging.handlers.RotatingFileHandler("/tmp/log").emit(logging.makeLogRecord({"msg": "said"}))
    ctypes.util.find_library("c")
    assert len(zoneinfo.available_timezones()) > 400
    os.sync()
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    assert os.statvfs("/").f_blocks and os.cpu_count() and os.getloadavg()
    pid = os.posix_spawn(sys.executable, [sys.executable, "-I", "-c", ""], os.environ)
    assert os.waitpid(pid, 0)[1] == 0


for feature in (
    everyday,
    numpy_algebra,
    numpy_files,
    numpy_in_threads,
    pandas_shapes,
    pandas_files,
    pandas_excel,
    pandas_parquet,
    pandas_sql,
    charts,
    animation,
    processes,
    archives,
):
    began = time.perf_counter()
    feature()
    print(f"{feature.__name__} {time.perf_counter() - began:.1f} s ok", flush=True)
