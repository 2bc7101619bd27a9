# Runs inside of the jail, before a generated Python program: writes what the program is about to do into the
# jail's log, as records of stub.c's form whose path is "@audit". It reports and lets go on: the jail is what
# keeps the program from doing harm. The program is the first argument, and afterwards everything looks as
# after `python3 -c PROGRAM`.
import os
import sys


def start(os=os, sys=sys):
    fd = os.open("/.log", os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    write, getcwd, readlink, fsencode, fspath, join = os.write, os.getcwd, os.readlink, os.fsencode, os.fspath, os.path.join
    changing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    directory = os.O_DIRECTORY
    stdlib = sys.stdlib_module_names
    getframe = sys._getframe
    busy = []
    isin = isinstance
    bytes_, str_, int_, tuple_, list_ = bytes, str, int, tuple, list

    def text(x):
        if isin(x, bytes_):
            return x
        return x.encode("utf-8", "surrogateescape") if isin(x, str_) else repr(x).encode()

    def log(kind, *words):
        rec = b"@audit\0" + text(getcwd()) + b"\0" + text(kind) + b"\0" + b"".join(
                text(w).replace(b"\0", b"?") + b"\0" for w in words)
        write(fd, b"RECO" + len(rec).to_bytes(4, "little") + rec)

    def path(p, at=-1):
        if isin(p, int_):
            return readlink("/proc/self/fd/%d" % p)
        p = fspath(p)
        p = p.decode("utf-8", "surrogateescape") if isin(p, bytes_) else p
        base = readlink("/proc/self/fd/%d" % at) if isin(at, int_) and at >= 0 else getcwd()
        return join(base, p)

    def opened(p, mode, flags):
        if isin(p, int_) or flags & directory:
            return
        if flags & changing:
            log("write", path(p))
        elif mode is not None:
            p = path(p)
            if not p.startswith("/.host/"):  # modules and data of Python itself
                log("read", p)

    def two(a, b, adir=-1, bdir=-1):
        log("delete", path(a, adir))
        log("write", path(b, bdir))

    def host(address):
        return address[0] if isin(address, (tuple_, list_)) else address

    def run(executable, args, *rest):
        words = [fspath(a) for a in ([args] if isin(args, (str_, bytes_)) else args)]
        log("run", fspath(executable) if executable else words[0] if words else "", *words)

    table = {
        "open": opened,
        "os.remove": lambda p, d=-1: log("delete", path(p, d)),
        "os.rmdir": lambda p, d=-1: log("delete", path(p, d)),
        "os.rename": two,
        "os.mkdir": lambda p, m, d=-1: log("write", path(p, d)),
        "os.chmod": lambda p, m, d=-1: log("write", path(p, d)),
        "os.chown": lambda p, u, g, d=-1: log("write", path(p, d)),
        "os.truncate": lambda p, n: log("write", path(p)),
        "os.utime": lambda p, t, ns, d=-1: log("write", path(p, d)),
        "os.setxattr": lambda p, *r: log("write", path(p)),
        "os.removexattr": lambda p, *r: log("write", path(p)),
        "os.link": lambda a, b, s=-1, d=-1: log("write", path(b, d)),
        "os.symlink": lambda a, b, d=-1: log("write", path(b, d)),
        "os.system": lambda c: log("shell", c),
        "subprocess.Popen": run,
        "os.exec": run,
        "os.posix_spawn": run,
        "pty.spawn": lambda argv: run(None, argv),
        "socket.connect": lambda s, a: log("network", host(a)),
        "socket.bind": lambda s, a: log("listen", host(a)),
        "socket.sendto": lambda s, a: log("network", host(a)),
        "socket.sendmsg": lambda s, a: log("network", host(a)) if a else None,
        "socket.getaddrinfo": lambda h, *r: log("network", h or ""),
        "socket.gethostbyname": lambda h: log("network", h),
        "sqlite3.connect": lambda p: log("write", path(p)) if p != ":memory:" else None,
        "ctypes.dlopen": lambda n: log("escape", "ctypes " + str_(n)),
        "os.kill": lambda p, s: log("call", "kill"),
        "os.killpg": lambda p, s: log("call", "killpg"),
    }

    def from_library():
        """Is it Python's own library that imports (and perhaps does without)?"""
        frame = getframe(2)
        while frame and frame.f_code.co_filename.startswith("<frozen"):
            frame = frame.f_back
        return bool(frame) and frame.f_code.co_filename.startswith("/.host/")

    def hook(event, args):
        f = table.get(event)
        if event == "import":
            top = args[0].split(".")[0]
            if args[1] is None and top not in stdlib and not from_library():
                log("import", args[0])
            return
        if f is None or busy:
            return
        busy.append(1)
        try:
            f(*args)
        except Exception as e:
            log("call", "hook failed at %s: %r" % (event, e))
        finally:
            busy.pop()

    def special(name):
        real = getattr(os, name)

        def made(path_, *args, **kw):
            log("write", path(path_, kw.get("dir_fd") or -1))
            return real(path_, *args, **kw)
        setattr(os, name, made)
        setattr(sys.modules["posix"], name, made)

    for name in ("mkfifo", "mknod"):
        special(name)
    code = sys.argv[1]
    sys.argv[:] = ["-c"]
    sys.path.insert(0, "")
    sys.addaudithook(hook)
    return code


code = start()
for name in ("os", "sys", "start", "name"):
    globals().pop(name, None)
exec(compile(globals().pop("code"), "<string>", "exec"))
