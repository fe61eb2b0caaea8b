# Names that are no text in any encoding we speak.
import os

for name in (b"bad\xff\xfename.csv", b"\x80", b"half\xe4\xb8.txt"):
    with open(name, "wb") as file:
        file.write(b"x")
os.mkdir(b"folder\xff")
with open(b"folder\xff/inner.txt", "wb") as file:
    file.write(b"x")
with open("plain.txt", "w") as file:
    file.write("plain")
print("MADE", len(os.listdir(b".")))
