# Bytes that are no text.
import os

os.write(1, b"begin\n\xff\xfe\x80 invalid\nnul \x00 byte\nsurrogate \xed\xb2\x80\noverlong \xc0\xaf\ncut \xe4\xb8")
os.write(2, b"\xff" * 10)
