"""Attacks of a boxed program on the layers of its caches. Arguments: the home, the workspace. Prints what worked as one word for each line."""
import os
import stat
import sys

home, ws = sys.argv[1:]
pip = home + "/.cache/pip"
done = []


def attempt(name, do):
    try:
        if do() is not False:
            done.append(name)
    except OSError:
        pass


def xattr(name, value):
    path = pip + "/x-" + name
    os.mkdir(path)
    os.setxattr(path, "user.overlay." + name, value)
    return os.path.exists(path + "/id_rsa") or os.path.exists(path + "/credentials.toml")


open(pip + "/own", "w").write("own\n")
attempt("redirect", lambda: xattr("redirect", b"/.ssh"))
attempt("opaque", lambda: xattr("opaque", b"y"))
attempt("metacopy", lambda: xattr("metacopy", b""))
attempt("whiteout", lambda: os.mknod(pip + "/w", stat.S_IFCHR | 0o600, os.makedev(0, 0)))
attempt("device", lambda: os.mknod(pip + "/d", stat.S_IFBLK | 0o600, os.makedev(254, 0)))
attempt("hardlink-out", lambda: os.link(pip + "/own", ws + "/linked"))
attempt("hardlink-in", lambda: os.link(ws + "/file", pip + "/linked"))
attempt("hardlink-across", lambda: os.link(pip + "/own", home + "/.cargo/registry/linked"))
attempt("rename-out", lambda: os.rename(pip, home + "/.cache/moved"))
attempt("rename-across", lambda: os.rename(pip + "/own", home + "/.npm/_cacache/own"))
attempt("toolchain", lambda: open(home + "/.cargo/bin/tool", "a"))
attempt("credentials", lambda: open(home + "/.cargo/credentials.toml"))
attempt("dotdot", lambda: "credentials.toml" in os.listdir(home + "/.cargo/registry/.."))
attempt("ccache-conf", lambda: open(home + "/.ccache/ccache.conf").read() != "")
attempt("token", lambda: open(home + "/.cache/huggingface/token"))
attempt("init-fd", lambda: os.listdir("/proc/1/fd"))
os.symlink(home + "/.ssh/id_rsa", pip + "/link")
os.symlink("../../../../../../../../etc/shadow", pip + "/up")
attempt("link", lambda: open(pip + "/link"))
attempt("suid", lambda: os.chmod(pip + "/own", 0o6755) or False)
# the benign twins
attempt("read", lambda: open(pip + "/wheel").read() == "lower\n")
attempt("change", lambda: open(pip + "/wheel", "a").write("poison\n") > 0)
attempt("delete", lambda: os.unlink(home + "/.cargo/registry/crate"))
attempt("write", lambda: open(home + "/.cargo/registry/new", "w").write("poison\n") > 0)
attempt("mmap", lambda: open(home + "/.npm/_cacache/index", "r+").write("poison\n") > 0)
print("\n".join(done))
