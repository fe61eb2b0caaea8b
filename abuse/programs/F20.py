# Leave things that are no files: reading them blocks, or runs a driver.
import os
import socket
import stat

os.mkfifo("pipe.csv")
try:
    socket.socket(socket.AF_UNIX).bind("socket.csv")
except OSError as error:
    held("bind", _errno.errorcode[error.errno])


def device():
    os.mknod("device.bin", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    return "device.bin"


attempt("device", device)
with open("plain.txt", "w") as file:
    file.write("plain")
