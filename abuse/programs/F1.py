# Write wherever another run, another user or the interpreter would notice.
import os
import sys
import sysconfig

marker = "cellwall-abuse-marker"


def write_into(folder):
    path = os.path.join(folder, marker)
    with open(path, "w") as file:
        file.write("x")
    os.unlink(path)
    return path


def append_to(path):
    with open(path, "ab") as file:
        file.write(b"\n")
    return path


attempt("root", write_into, "/")
attempt("usr", write_into, "/usr")
attempt("etc", write_into, "/etc")
attempt("stdlib", write_into, sysconfig.get_path("stdlib"))
attempt("site-packages", write_into, os.path.dirname(os.__file__))
attempt("bin", write_into, os.path.dirname(os.path.realpath(sys.executable)))
attempt("overwrite", append_to, os.__file__)
attempt("chmod", lambda: os.chmod("/usr", 0o777) or "mode changed")
attempt("rename", lambda: os.rename(os.__file__, os.__file__ + "-moved") or os.rename(os.__file__ + "-moved", os.__file__) or "renamed")
# Where only the owner of the files is in the way, the mount is not read-only.
attempt("mounted", lambda: not os.statvfs(os.path.dirname(os.__file__)).f_flag & os.ST_RDONLY)
