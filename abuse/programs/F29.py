# Leave what cannot be listed, opened or removed in the ordinary way.
import fcntl
import os
import struct

os.umask(0)
made = 0
for i in range(20):
    folder = f"closed{i}"
    os.makedirs(f"{folder}/below/below")
    with open(f"{folder}/below/below/secret.txt", "w") as file:
        file.write("x")
    os.chmod(f"{folder}/below/below/secret.txt", 0)
    os.chmod(f"{folder}/below/below", 0)
    os.chmod(f"{folder}/below", 0)
    os.chmod(folder, 0)
    made += 1
os.mkdir("x-crowd")
for i in range(3000):
    os.close(os.open(f"x-crowd/{i:06d}", os.O_CREAT | os.O_WRONLY, 0))
os.chmod("x-crowd", 0o100)
with open("unreadable.csv", "w") as file:
    file.write("x")
os.chmod("unreadable.csv", 0)
with open("a.txt", "w") as file:
    file.write("plain")
told = []
for name, value in {
    "user.note": b"x" * 64, "security.note": b"x" * 64, "trusted.overlay.opaque": b"y",
    # Version 2: the owner may nothing, the group and others neither.
    "system.posix_acl_access": struct.pack("<IHHIHHIHHI", 2, 1, 0, 0xFFFFFFFF, 4, 0, 0xFFFFFFFF, 0x20, 0, 0xFFFFFFFF),
}.items():
    try:
        os.setxattr("a.txt", name, value)
        told.append(name)
    except OSError as error:
        told.append(f"{name}: {_errno.errorcode[error.errno]}")


def immutable(path):
    fd = os.open(path, os.O_RDONLY)
    fcntl.ioctl(fd, 0x40086602, struct.pack("l", 0x10))  # FS_IOC_SETFLAGS, FS_IMMUTABLE_FL
    return path


attempt("immutable", immutable, "a.txt")
print("ATTRIBUTES", told)
print("TREES", made, len(os.listdir(".")))
