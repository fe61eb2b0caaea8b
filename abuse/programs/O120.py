# Files that are one thing by their name and another by their content.
PAGE = b"<!DOCTYPE html><html><body><script>alert(1)</script></body></html>"
FILES = {
    "picture.png": PAGE,
    "table.csv": PAGE,
    "notes.txt": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "page.html": b"GIF89a\x01\x00\x01\x00\x80\x00\x00/*<script>alert(1)</script>*/=1;\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;",
    "report.pdf": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00<script>alert(1)</script>",
    "script.json": b"#!/bin/sh\nrm -rf /\n",
    "program.txt": b"\x7fELF\x02\x01\x01" + bytes(64),
}
for name, content in FILES.items():
    with open(name, "wb") as file:
        file.write(content)
print("MADE", len(FILES))
