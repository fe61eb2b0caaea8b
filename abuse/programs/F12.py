# Become somebody else through a file: set-user-id, capabilities on files, sudo.
import os
import shutil
import stat
import struct
import subprocess
import sys

COPY = "/tmp/own-python"
ASK = ["-I", "-c", "import os; print('IDS', os.geteuid(), os.getegid())"]
as_oneself = []  # what ran, and changed nothing


def found():
    for folder, folders, names in os.walk("/"):
        # Programs lie no deeper; documents and sources do.
        folders[:] = [] if folder.count("/") > 3 else [name for name in folders if name not in ("proc", "sys", "share", "include")]
        for name in names:
            path = os.path.join(folder, name)
            try:
                info = os.lstat(path)
            except OSError:
                continue
            if stat.S_ISREG(info.st_mode) and info.st_mode & (stat.S_ISUID | stat.S_ISGID):
                yield path


def as_somebody_else(path):
    said = subprocess.run([path, *ASK], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=seconds(1)).stdout
    own = f"IDS {os.geteuid()} {os.getegid()}"
    if own in said.decode(errors="replace"):
        as_oneself.append(path)
    for line in said.decode(errors="replace").splitlines():
        if line.startswith("IDS ") and line != own:
            return f"{path}: {line}, not {own}"
    return None


def run_all():
    for path in found():
        try:
            if other := as_somebody_else(path):
                return other
        except (OSError, subprocess.SubprocessError):
            continue
    return None


def copy(owner):
    shutil.copy(os.path.realpath(sys.executable), COPY)
    os.chown(COPY, owner, owner)
    os.chmod(COPY, 0o6755)
    return f"{COPY} belongs to {owner}"


def capabilities():
    shutil.copy(os.path.realpath(sys.executable), COPY)
    # struct vfs_cap_data of revision 2, effective: every capability.
    os.setxattr(COPY, "security.capability", struct.pack("<IIIII", 0x02000001, 0xFFFFFFFF, 0, 0x1FF, 0))
    return "set"


def no_new_privileges():
    return _libc.prctl(39, 0, 0, 0, 0) == 0 and "rights can be gained"


attempt("run", run_all)
attempt("own_copy", lambda: copy(os.geteuid()) and as_somebody_else(COPY))
attempt("copy_of_root", copy, 0)
attempt("copy_of_other", copy, os.geteuid() + 1)
attempt("capabilities", capabilities)
attempt("no_new_privileges", no_new_privileges)
attempt("present", lambda: [name for name in ("sudo", "su", "doas", "pkexec", "newuidmap") if shutil.which(name)] or None)
print("RAN", COPY in as_oneself)
