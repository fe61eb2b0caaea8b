# Shadow the modules that whoever runs this may still import.
import os
import sys

poison = 'print("ESCAPED shadow a module from the working directory was imported: " + __name__, flush=True)\n'
for folder in (".", "/tmp"):
    for name in ("json", "re", "numpy", "pandas", "traceback", "struct", "base64", "datetime", "sitecustomize", "encodings"):
        with open(os.path.join(folder, name + ".py"), "w") as file:
            file.write(poison)
for name in ("json", "traceback", "struct", "base64"):
    for loaded in [m for m in sys.modules if m == name or m.startswith(name + ".")]:
        del sys.modules[loaded]
print("SHADOWED", flush=True)
