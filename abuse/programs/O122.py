# Everything that tells where code stands: frames, modules, warnings, errors of libraries.
import inspect
import io
import logging
import re
import sys
import traceback
import warnings

ALLOWED = re.compile(r"/(usr|lib|lib64|workspace|tmp|run/cellwall|dev|proc|etc)(/|$)")
said = io.StringIO()


def inner(table):
    warnings.warn("look where this stands")
    logging.getLogger().error("an error", stack_info=True)
    traceback.print_stack(file=said)
    return table["nowhere"]


def paths(text):
    return sorted({p for p in re.findall(r'"(/[^"\n]*)"', text) if not ALLOWED.match(p)})


try:
    inner({})
except KeyError:
    traceback.print_exc(file=said)
frames = [f.filename for f in inspect.stack()]
files = [getattr(m, "__file__", None) or "" for m in list(sys.modules.values())] + sys.path + sys.argv + [sys.executable, sys.prefix]
attempt("traceback", lambda: paths(said.getvalue()) or None)
attempt("modules", lambda: sorted({f for f in files if f.startswith("/") and not ALLOWED.match(f)})[:3] or None)
attempt("frames", lambda: [f for f in frames if f.startswith("/") and not ALLOWED.match(f)] or None)
attempt("executions", lambda: re.findall(r"exec_[a-z2-7]{26}", said.getvalue() + repr(sys.modules) + repr(globals())) or None)
print("LOOKED", flush=True)
if "pandas" in sys.modules:
    import pandas
    pandas.DataFrame({"a": [1]})["nowhere"]
inner({})
