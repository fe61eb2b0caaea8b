"""Write matplotlib's font cache for the fonts of a root.

Runs in the root's own interpreter, on the host. Arguments: the root, the
directory to write to and a scratch directory. Only fonts of the root are listed, in the
order of their paths, and under the names they have inside.
"""

import json
import os
import sys


def main(root: str, target: str, scratch: str) -> None:
    os.environ["MPLCONFIGDIR"] = scratch
    from matplotlib import font_manager

    found = []
    for folder, _, names in os.walk(os.path.join(root, "usr/share/fonts")):
        found += [
            os.path.join(folder, n)
            for n in names
            if n.endswith((".ttf", ".ttc", ".otf"))
        ]
    bundled = os.path.join(font_manager.mpl.get_data_path(), "fonts")

    def root_fonts(
        fontpaths: list[str] | None = None, fontext: str = "ttf"
    ) -> list[str]:
        if fontext != "ttf":
            return []
        own = []
        for folder, _, names in os.walk(bundled):
            own += [os.path.join(folder, n) for n in names if n.endswith(".ttf")]
        return sorted(own) if fontpaths else sorted(found)

    font_manager.findSystemFonts = root_fonts
    manager = font_manager.FontManager()
    path = os.path.join(
        target, f"fontlist-v{font_manager.FontManager.__version__}.json"
    )
    font_manager.json_dump(manager, path)
    with open(path, encoding="utf-8") as f:
        cache = json.load(f)
    prefix = os.path.join(root, "")
    for entry in cache["ttflist"]:
        if entry["fname"].startswith(prefix):
            entry["fname"] = "/" + entry["fname"][len(prefix) :]
    with open(path, "w", encoding="utf-8") as f:
        json.dump(cache, f, indent=1, sort_keys=True)
    if not found or root in json.dumps(cache):
        sys.exit("the font cache lacks the root's fonts or names the host")


if __name__ == "__main__":
    main(*sys.argv[1:])
