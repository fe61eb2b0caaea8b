# Write where a program may.
import os
import tempfile

with open("result.txt", "w") as file:
    file.write("kept")
with tempfile.NamedTemporaryFile() as file:
    file.write(b"x" * 4096)
    file.flush()
    print("ADMITTED", os.path.getsize(file.name))
