# Mishandle the output: close it, open it again, make it non-blocking.
import fcntl
import os

print("before", flush=True)
copy = os.dup(1)
fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL) | os.O_NONBLOCK)
os.close(1)
os.dup2(copy, 1)
try:
    with open("/dev/stdout", "w") as again:
        again.write("reopened\n")
except OSError as error:
    os.write(1, f"HELD reopen: {_errno.errorcode[error.errno]}\n".encode())
fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL) & ~os.O_NONBLOCK)
print("after", flush=True)
os.close(1)
os.close(2)
