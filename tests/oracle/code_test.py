#!/usr/bin/python3
"""The comparison of the oracle for inline code: it must find what is missing in an answer, and nothing in one that says it all."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import code_gen_js  # noqa: E402
import code_gen_py  # noqa: E402
import code_oracle  # noqa: E402

HONEST = {
    "verdict": "allow", "complete": True, "commands": [{"argv": ["python3", "-c", "CODE"]},
            {"argv": ["evil", None]}], "reads": [{"path": "/w/r"}],
    "writes": [{"path": "/w/k"}], "deletes": [{"path": "/w/sub", "below": True}], "network": [
            {"host": "http://evil.example/x"}],
    "code": [{"lang": "python", "calls": [{"name": "os.kill", "args": []}], "imports": ["foo.bar"],
            "markers": []}],
}


def did(*records, **more):
    return dict({"ran": [], "made": [], "changed": [], "gone": [], "mode": [],
            "did": [list(r) for r in records]}, **more)


ALL = [("write", "/w/k"), ("delete", "/w/sub/c"), ("read", "/w/r"), ("run", "/bin/evil", "evil", "1"),
        ("network", "evil.example"), ("call", "kill"), ("import", "foo.bar"), ("listen", "::")]


class Compare(unittest.TestCase):
    def test_honest(self):
        self.assertEqual(code_oracle.unsound(HONEST, did(*ALL)), [])

    def test_each_lie(self):
        for key, record in (("writes", ALL[0]), ("deletes", ALL[1]), ("reads", ALL[2]), ("commands", ALL[3]),
                ("network", ALL[4]), ("code", ALL[5]), ("code", ALL[6]), ("network", ALL[7])):
            with self.subTest(key=key):
                self.assertEqual(len(code_oracle.unsound(dict(HONEST, **{key: []}), did(record))), 1)

    def test_other_values(self):
        for record in (("write", "/w/k2"), ("delete", "/w/k3"), ("run", "evil", "evil", "1", "2"),
                ("run", "other", "other", "1"), ("network", "other.example"), ("call", "killpg"), ("import",
                        "baz"), ("escape", "ctypes")):
            with self.subTest(record=record):
                self.assertEqual(len(code_oracle.unsound(HONEST, did(record))), 1)

    def test_not_allowed_is_sound(self):
        for verdict in ("ask", "deny", "contain"):
            self.assertEqual(code_oracle.unsound({"verdict": verdict}, did(*ALL)), [])

    def test_text_for_a_shell(self):
        """The shell's own start is no finding, what it starts is."""
        ran = [{"path": "/bin/sh", "cwd": "/w", "argv": ["sh", "-c", "evil 1; other"]},
                {"path": "/bin/evil", "cwd": "/w", "argv": ["evil", "1"]}]
        self.assertEqual(code_oracle.unsound(HONEST, did(("shell", "evil 1; other"), ran=ran)), [])
        ran.append({"path": "/bin/other", "cwd": "/w", "argv": ["other"]})
        self.assertEqual(len(code_oracle.unsound(HONEST, did(("shell", "evil 1; other"), ran=ran))), 1)
        self.assertEqual(len(code_oracle.unsound(HONEST, did(ran=ran[:1]))), 1)

    def test_files_of_the_jail(self):
        self.assertEqual(len(code_oracle.unsound(HONEST, did(made=["/w/x"], gone=["/w/y"], mode=["/w/z"]))),
                3)

    def test_generators_repeat(self):
        for make in (code_gen_py.make, code_gen_js.make):
            self.assertEqual([make("s", i) for i in range(50)], [make("s", i) for i in range(50)])
            self.assertGreater(len({make("s", i)["code"] for i in range(200)}), 120)


if __name__ == "__main__":
    unittest.main()
