# Ends that look like somebody else's doing: by variants.
import os
import signal

print("ACTING", flush=True)
variant = WORLD["run"]
if variant == 0:
    os._exit(137)  # what a shell says of an OOM kill
elif variant == 1:
    os.kill(os.getpid(), signal.SIGKILL)
elif variant == 2:
    os.kill(os.getpid(), signal.SIGXCPU)
elif variant == 3:
    os._exit(124)  # what timeout(1) says
else:
    try:
        raise ValueError("hidden")
    finally:
        os._exit(0)
