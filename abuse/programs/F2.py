# Read what belongs to the host: its secrets, its users, the service's own state.
import glob
import itertools
import os


def first_readable(patterns):
    for pattern in patterns:
        for path in glob.glob(pattern):
            if os.path.isdir(path):
                if os.listdir(path):
                    return path
            else:
                with open(path, "rb") as file:
                    if file.read(64):
                        return path
    return None


def walk_for(name):
    # First where such things lie, then everywhere.
    for folder, _, files in itertools.chain.from_iterable(map(os.walk, ("/tmp", "/run", "/home", "/"))):
        if folder.startswith(("/proc", "/sys", "/usr")):
            continue
        if name in files:
            with open(os.path.join(folder, name)) as file:
                text = file.read(200)
            if "token=" in text:
                return text
    return None


attempt("canary", lambda: open(WORLD["canary_file"]).read())
attempt("search", walk_for, "secret")
attempt("credentials", first_readable, [
    "/root/.ssh", "/home/*/.ssh", "/root/.aws", "/home/*/.aws", "/root/.config/gcloud", "/root/.docker/config.json",
    "/root/.kube/config", "/var/run/secrets/*", "/etc/shadow", "/etc/ssh/ssh_host_*_key", "/root/.bash_history",
])
attempt("state", first_readable, ["/var/lib/cellwall", "/var/lib/docker", "/var/log/*", "/host*", "/mnt/*"])
