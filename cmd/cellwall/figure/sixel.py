import base64
import io
import sys

import numpy as np
from PIL import Image

WIDTH, HEIGHT, COLORS = 720, 1200, 64

with open("/workspace/input/figure.csv") as table:
    raw = table.read().split()[1]
picture = Image.open(io.BytesIO(base64.b64decode(raw))).convert("RGBA")
picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")
picture.thumbnail((WIDTH, HEIGHT))
picture = picture.quantize(COLORS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
palette = picture.getpalette()
pixels = np.asarray(picture)
height, width = pixels.shape
out = [f'"1;1;{width};{height}']
for color in np.unique(pixels):
    red, green, blue = (round(c * 100 / 255) for c in palette[3 * color : 3 * color + 3])
    out.append(f"#{color};2;{red};{green};{blue}")


def runs(row):
    edges = np.flatnonzero(np.diff(row)) + 1
    starts = np.concatenate([[0], edges])
    lengths = np.diff(np.concatenate([starts, [len(row)]]))
    for value, length in zip(row[starts].tolist(), lengths.tolist()):
        c = chr(63 + value)
        yield f"!{length}{c}" if length > 3 else c * length


bits = 1 << np.arange(6)
for top in range(0, height, 6):
    band = pixels[top : top + 6]
    lines = []
    for color in np.unique(band):
        row = ((band == color) * bits[: len(band), None]).sum(axis=0)
        lines.append(f"#{color}" + "".join(runs(row)))
    out.append("$".join(lines) + "-")
sys.stdout.write("".join(out))
