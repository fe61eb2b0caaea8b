# What libraries do when they are given an address instead of a file.
import importlib
import sys
import time
import urllib.request
import xmlrpc.client
from http.client import HTTPConnection, HTTPException

NAME = f"http://data.example.com:{WORLD['tcp']}/table.csv"
NUMBER = f"http://192.0.2.1:{WORLD['tcp']}/table.csv"
LIMIT = seconds(4)  # a resolver that waits does so for 5 s and more


def fetch(act):
    """Held is an error with words and soon; got through is an answer, silence or a wait."""

    def run():
        begin = time.monotonic()
        try:
            act()
        except Exception as error:
            took = time.monotonic() - begin
            text = f"{type(error).__name__}: {error}"
            if took > LIMIT:
                return f"{took:.1f} s until {text}"
            if isinstance(error, HTTPException):
                return f"somebody answered: {text}"
            if len(str(error)) < 10:
                return f"an error without words: {text}"
            print("SAID", text[:200])
            raise OSError(_errno.ENETUNREACH, text) from error
        return "fetched"

    return run


def client():
    peer = HTTPConnection("192.0.2.1", WORLD["tcp"])
    peer.request("GET", "/")
    return peer.getresponse()


def with_library(name, act):
    try:
        library = importlib.import_module(name)
    except ImportError:
        return lambda: print("NOT INSTALLED", name)
    return lambda: attempt(name.split(".")[0], fetch(lambda: act(library)))


attempt("urllib", fetch(lambda: urllib.request.urlopen(NAME).read()))
attempt("number", fetch(lambda: urllib.request.urlopen(NUMBER).read()))
attempt("tls", fetch(lambda: urllib.request.urlopen(NAME.replace("http:", "https:")).read()))
attempt("ftp", fetch(lambda: urllib.request.urlopen(NAME.replace("http:", "ftp:")).read()))
attempt("client", fetch(client))
attempt("rpc", fetch(lambda: xmlrpc.client.ServerProxy(NUMBER).anything()))
LIBRARIES = {
    "pandas": lambda pandas: pandas.read_csv(NAME),
    "matplotlib.pyplot": lambda pyplot: pyplot.imread(NAME),
    "numpy": lambda numpy: numpy.genfromtxt(NAME),
    "pyarrow.fs": lambda fs: fs.FileSystem.from_uri(NAME),
    "requests": lambda requests: requests.get(NAME),
    "sklearn.datasets": lambda datasets: datasets.fetch_openml("iris", n_retries=1),
    "statsmodels.api": lambda api: api.datasets.get_rdataset("iris"),
    "nltk": lambda nltk: nltk.download("punkt", raise_on_error=True),
}
for name, act in LIBRARIES.items():
    with_library(name, act)()
sys.stdout.flush()
# The last one is the user's own error, another in every run: what a model reads of it is judged outside.
last = ["urllib", "pandas", "matplotlib.pyplot", "numpy", "pyarrow.fs"][WORLD["run"]]
if last == "urllib":
    urllib.request.urlopen(NAME)
LIBRARIES[last](importlib.import_module(last))
