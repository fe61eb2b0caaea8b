# Everything that a program can tell about df, dfs and the files they came from.
import hashlib
import json
import os


def told(frame):
    cells = hashlib.sha256()
    for number in range(frame.shape[1]):
        for value in frame.iloc[:, number].tolist():
            cells.update(f"{type(value)} {value!r}\n".encode("utf-8", "surrogatepass"))
    kinds = [f"{t!r} {getattr(t, 'categories', None)!r} {getattr(t, 'storage', '')}" for t in frame.dtypes]
    return [
        frame.shape,
        kinds,
        repr(frame.index),
        repr(frame.columns),
        len(frame._mgr.blocks),
        cells.hexdigest(),
    ]


folder = "/workspace/input"
files = {}
for name in sorted(os.listdir(folder)):
    with open(f"{folder}/{name}", "rb") as file:
        files[name] = [hashlib.file_digest(file, "sha256").hexdigest(), oct(os.stat(file.fileno()).st_mode)]
names = {key: [told(frame), next(k for k in dfs if dfs[k] is frame or dfs[k].equals(frame))] for key, frame in dfs.items()}
print(json.dumps({"df": told(df) if "df" in globals() else None, "dfs": names, "files": files}, indent=1))
