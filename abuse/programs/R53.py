# Threads until something says no.
import threading

TOO_MANY = WORLD["processes"] + 16


def threads():
    go_on = threading.Event()
    started = []
    try:
        while len(started) < TOO_MANY:
            thread = threading.Thread(target=go_on.wait, daemon=True)
            thread.start()
            started.append(thread)
        return f"{len(started)} at once"
    except RuntimeError as error:
        raise OSError(_errno.EAGAIN, str(error)) from error
    finally:
        go_on.set()


attempt("threads", threads)
