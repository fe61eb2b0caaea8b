# A zygote that copies itself without telling anybody: no generator is reseeded.
import random
import sys
import tempfile
import uuid

tempfile.mktemp()
random.random()
uuid.uuid1()
with open(sys.argv[1]) as text:
    code = compile(text.read(), "<cell>", "exec")
said = []
for _ in range(2):
    read, write = _os.pipe()
    pid = _libc.fork()
    if pid == 0:
        _os.dup2(write, 1)
        try:
            exec(code, {"__name__": "__main__"})
            sys.stdout.flush()
        finally:
            _libc._exit(0)
    _os.close(write)
    with open(read) as pipe:
        said.append(dict(line.split(" ", 2)[1:] for line in pipe if line.startswith("RANDOM ")))
    _os.waitpid(pid, 0)
for name in said[0]:
    if said[0][name] == said[1].get(name):
        escaped(name, f"both copies drew {said[0][name].strip()}")
