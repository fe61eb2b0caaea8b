# Import what is not there, in ways that hide what it was.
import importlib


def deep():
    import prophet_nowhere.forecaster
    return prophet_nowhere


print("IMPORTING", flush=True)
variant = WORLD["run"]
if variant == 0:
    deep()
elif variant == 1:
    importlib.import_module("numpy.nowhere")
elif variant == 2:
    importlib.import_module("nowhere\nlevel=INFO\x1b[31m\u202e")
else:
    try:
        import nowhere_first
    except ImportError:
        import nowhere_second
