# What only an administrator does, each with arguments that can do no harm: past
# every gate the kernel's own code answers with a known error.
E_FAULT, E_INVAL, E_NOEXEC = _errno.EFAULT, _errno.EINVAL, _errno.ENOEXEC
NOWHERE = 1

table = _ctypes.create_string_buffer(4096)
gate("segments", 154, 0, table, len(table))
gate("personality", 135, 0x0040000)  # ADDR_NO_RANDOMIZE, of this process
gate("ports", 172, 0)  # iopl of the level that everybody has
gate("port_range", 173, 0, 0, 0, answer=E_INVAL)
gate("log", 103, 10, 0, 0)  # how large it is
gate("module", 175, 0, 0, 0, answer=E_NOEXEC)
gate("module_file", 313, -1, 0, 0xFFFF, answer=E_INVAL)
gate("module_gone", 176, NOWHERE, 0, answer=E_FAULT)
gate("kexec", 246, 0, 0, 0, 0xFFFF, answer=E_INVAL)
gate("reboot", 169, 0, 0, 0, 0, answer=E_INVAL)  # without its magic
gate("swap", 167, NOWHERE, 0, answer=E_FAULT)
gate("swap_off", 168, NOWHERE, answer=E_FAULT)
gate("accounting", 163, NOWHERE, answer=E_FAULT)
gate("quota", 179, 0xFF, 0, 0, 0, answer=E_INVAL)
