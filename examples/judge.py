#!/usr/bin/env python3
"""Judges commands inside this process: judge.py COMMAND...

Prints the verdict of each command and its reasons. LIBCAISSON names the library where the loader does not find it."""
import ctypes
import json
import os
import sys

VERDICTS = ("deny", "ask", "contain", "allow")


class Error(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("errnum", ctypes.c_int), ("text", ctypes.c_char * 512)]


def load(name):
    lib = ctypes.CDLL(name)
    pointer, error = ctypes.c_void_p, ctypes.POINTER(Error)
    lib.caisson_open.argtypes = [ctypes.POINTER(pointer), error]
    lib.caisson_judge.argtypes = [pointer, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(pointer), error]
    lib.caisson_answer_verdict.argtypes = [pointer]
    lib.caisson_answer_json.argtypes = [pointer]
    lib.caisson_answer_json.restype = ctypes.c_char_p
    lib.caisson_answer_free.argtypes = lib.caisson_close.argtypes = [pointer]
    lib.caisson_answer_free.restype = lib.caisson_close.restype = None
    return lib


class Caisson:
    """`with Caisson() as c: verdict, answer = c.judge("ls")`. A command that was not judged raises, and must not run."""

    def __init__(self, name=os.environ.get("LIBCAISSON", "libcaisson.so.0")):
        self.lib, self.self, self.error = load(name), ctypes.c_void_p(), Error()
        self.check(self.lib.caisson_open(ctypes.byref(self.self), ctypes.byref(self.error)))

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.error.text.decode(errors="replace"))

    def judge(self, command):
        text, answer = os.fsencode(command), ctypes.c_void_p()
        self.check(self.lib.caisson_judge(self.self, text, len(text), ctypes.byref(answer), ctypes.byref(self.error)))
        try:
            verdict = VERDICTS[self.lib.caisson_answer_verdict(answer)]
            return verdict, json.loads(self.lib.caisson_answer_json(answer))
        finally:
            self.lib.caisson_answer_free(answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.caisson_close(self.self)


def main():
    with Caisson() as c:
        for command in sys.argv[1:]:
            verdict, answer = c.judge(command)
            print(verdict)
            for reason in answer["reasons"]:
                print(f"  {reason['id']}: {reason['message']}")


main()
