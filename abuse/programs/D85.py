# Leave something for the next run to load. The second run looks first.
import glob
import os
import site
import sys

poison = 'print("ESCAPED poison a file of an earlier run was loaded", flush=True)\n'
home = os.path.expanduser("~")
places = {
    "working_directory": [os.getcwd()],
    "tmp": ["/tmp"],
    "shared_memory": ["/dev/shm"],
    "home": [home, home + "/.config", home + "/.config/matplotlib", home + "/.ipython/profile_default/startup"],
    "site": [os.path.dirname(os.__file__), *site.getsitepackages(), site.getusersitepackages()],
    "cache": glob.glob(os.path.dirname(os.__file__) + "/__pycache__"),
    "workspace": ["/workspace", "/workspace/input"],
    "run": ["/run", "/var/tmp", "/run/cellwall", "/run/cellwall/driver"],
}
names = ("cellwall-poison.pth", "sitecustomize.py", "usercustomize.py", "matplotlibrc", "cellwall_poison.py")
for place, folders in places.items():
    found = [f for f in folders if os.path.exists(os.path.join(f, "cellwall_poison.py"))]
    if found:
        escaped(place, f"an earlier run left something in {found[0]}")
    else:
        held(place, "fresh")
for folders in places.values():
    for folder in folders:
        for name in names:
            try:
                os.makedirs(folder, exist_ok=True)
                with open(os.path.join(folder, name), "w") as file:
                    file.write("import cellwall_poison\n" if name.endswith(".pth") else poison)
            except OSError:
                pass
try:
    os.environ["PYTHONSTARTUP"] = os.environ["PYTHONPATH"] = "/tmp"
    sys.path.insert(0, "/tmp")
finally:
    print("PLANTED", flush=True)
