# Runs before every program of the corpus. Standard library only; every name
# begins with an underscore or is one of the words of the corpus.
import ctypes as _ctypes
import errno as _errno
import os as _os

_libc = _ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = _ctypes.c_long


def held(attempt, reason):
    """The attempt was refused; the reason is an errno's name or a short text."""
    print(f"HELD {attempt}: {reason}", flush=True)


def escaped(attempt, detail=""):
    """The attempt got through."""
    print(f"ESCAPED {attempt} {detail}", flush=True)


def seconds(usual):
    """What usually takes at most so long, on this machine."""
    return usual * max(1, WORLD["slow"])


def attempt(name, act, *args):
    """Calls act. OSError or a false answer means held, any other answer escaped."""
    try:
        got = act(*args)
    except OSError as error:
        held(name, _errno.errorcode.get(error.errno, str(error)))
        return None
    if got is None or got is False:
        held(name, "no effect")
        return None
    escaped(name, str(got)[:200])
    return got


def syscall(number, *args):
    """A raw system call; OSError when it fails."""
    words = [_ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    answer = _libc.syscall(_ctypes.c_long(number), *words)
    if answer < 0:
        code = _ctypes.get_errno()
        raise OSError(code, _os.strerror(code))
    return answer


def gate(name, number, *args, answer=0):
    """A raw system call with arguments that do no harm. Where every gate is open the
    kernel's own code answers it with the errno answer, or does it."""
    try:
        got = syscall(number, *args)
    except OSError as error:
        if error.errno == answer:
            escaped(name, "the kernel itself answered: " + _errno.errorcode[error.errno])
        else:
            held(name, _errno.errorcode.get(error.errno, str(error)))
    else:
        escaped(name, got)
