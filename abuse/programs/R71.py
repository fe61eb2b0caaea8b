# Keys outlive the process that made them, and belong to a user of the host: two
# runs that are the same one could find each other's.
attempt("add", lambda: syscall(248, b"user", b"cellwall-abuse", b"payload", 7, -2))  # process keyring
attempt("session", lambda: syscall(250, 1, 0))  # join a new session keyring
attempt("request", lambda: syscall(249, b"user", b"cellwall-abuse", None, -2))
with open("/proc/self/uid_map") as mapping:
    print("USER", *mapping.read().split()[1:2])
