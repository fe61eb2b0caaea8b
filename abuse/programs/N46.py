# io_uring opens and sends without the calls that a filter sees.
params = (_ctypes.c_uint8 * 120)()
attempt("setup", lambda: f"ring {syscall(425, 4, _ctypes.byref(params))}")
attempt("register", lambda: syscall(427, -1, 8, 0, 0) is not None)
