# Text that writes log lines of its own.
line = 'x\n2026-01-01T00:00:00Z level=INFO msg="login" user=admin\r\n\x1b[2K'
with open("plain.txt", "w") as file:
    file.write("plain")
try:
    open(line + "\n.csv", "w").close()
except OSError:
    pass
print("SHOWN", flush=True)
raise type("Fake\nlevel=INFO", (Exception,), {})(line)
