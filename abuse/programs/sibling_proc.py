# Look at oneself: what a profiler or a logger reads.
import os

with open("/proc/self/status") as file:
    status = file.read()
with open("/proc/self/maps") as file:
    maps = file.read()
os.listdir("/proc/self/fd")
with open("/etc/passwd") as file:
    users = file.read()
print("ADMITTED", "Threads:" in status, "[stack]" in maps, "cellwall" in users or os.getuid())
