# Keys outlive the process that made them.
attempt("add", lambda: syscall(248, b"user", b"cellwall-abuse", b"payload", 7, -2))  # process keyring
attempt("session", lambda: syscall(250, 1, 0))  # join a new session keyring
attempt("request", lambda: syscall(249, b"user", b"cellwall-abuse", None, -2))
