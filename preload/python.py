# Waits in a primed box, as `python3 -c THIS MODULES`, and becomes `python3 -c CODE ARGS...` (src/box/preload.c).
# Descriptor 3 is a socket to init. A byte tells it that the modules are imported. Then come a byte that says whether
# there is input, the code and its arguments, each followed by NUL, and EOF.
def preload():
    import _ctypes
    import gc
    import importlib
    import os
    import sys
    del globals()["preload"]
    leave, interrupt = SystemExit, KeyboardInterrupt
    for name in filter(None, sys.argv[1].split(",")):
        importlib.import_module(name)

    # What python3 -c calls itself, so that tracebacks and ends are the same. Its flags: PyCF_IGNORE_COOKIE, the grammar.
    class Int(_ctypes._SimpleCData):
        _type_ = "i"

    class Function(_ctypes.CFuncPtr):
        _flags_, _restype_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_PYTHONAPI, Int

    run = Function(_ctypes.dlsym(_ctypes.dlopen(None, 0), "PyRun_SimpleStringFlags"))
    flags = b"".join(n.to_bytes(4, sys.byteorder) for n in (0x800, sys.version_info[1]))
    sys.stdout.flush()
    sys.stderr.flush()
    gc.collect()
    gc.freeze()  # the collections at the end of the program skip what is here already, but not its __main__
    main = type(sys)("__main__")
    main.__dict__.update(globals())
    sys.modules["__main__"] = main
    os.write(3, b"+")
    pieces = []
    while not pieces or pieces[-1]:
        pieces.append(os.read(3, 1 << 20))
    os.close(3)
    words = b"".join(pieces).split(b"\0")[:-1]
    if words[0] == b"0":
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 0)
        os.close(null)
    code, args = words[1], [os.fsdecode(word) for word in words[2:]]
    # A file of the run may take the place of a module that is imported already, or belong to a package of the user.
    known = {name.partition(".")[0] for name in sys.modules}
    if any(name[0] == "." or name.partition(".")[0] in known for name in os.listdir(".")):
        os.execvp("python3", ["python3", "-c", code, *args])
    sys.argv[:] = ["-c", *args]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = ["python3", "-c", os.fsdecode(code), *args]
    importlib.invalidate_caches()
    if run(code + b"\n", flags) and getattr(sys, "last_type", None) is not interrupt:
        raise leave(1)


preload()
