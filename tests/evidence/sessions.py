"""
Sessions with real runners in real boxes: spoofs, which make a failing suite look successful, and honest work.
Each starts from the same commit and one run; then files are changed, and the command runs again. TAP.
A spoof must not give a witnessed pass without a suspicion, except those marked UNSEEN (docs/validators.md names
them). Honest sessions may raise a suspicion in 5 % at most. Usage: sessions.py [PART-OF-A-NAME]
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

CAISSON = os.environ.get("CAISSON", "build/caisson")
CAISSON = os.path.abspath(CAISSON)
PY = "/usr/bin/python3 -B -m pytest -p no:cacheprovider"
NODE = "node --test"
CODE = "def twice(x):\n    return 2 * x\ndef half(x):\n    return x // 2\n"
TESTS = "from code_a import half, twice\ndef test_twice():\n    assert twice(2) == 4\ndef test_half():\n    assert half(4) == 2\n"
JS = "exports.twice = (x) => 2 * x;\n"
JSTEST = 'const test = require("node:test"), assert = require("node:assert");\nconst {twice} = require("../code.js");\ntest("twice", () => { assert.strictEqual(twice(2), 4); });\ntest("more", () => { assert.strictEqual(twice(3), 6); });\n'
BASE = {"code_a.py": CODE, "tests/test_a.py": TESTS, "code.js": JS, "js/a.test.js": JSTEST, "package.json": '{"scripts": {"test": "node --test js/"}}\n', "Makefile": "test:\n\t@%s -q tests\n" % PY}
BROKEN = CODE.replace("2 * x", "3 * x")  # what a spoof has to hide
BROKEN_JS = JS.replace("2 * x", "3 * x")
HOOK = "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    o = yield\n    r = o.get_result()\n    r.outcome = 'passed'\n    r.longrepr = None\n"
UNSEEN = True


def pyrow(name, files, command=PY + " tests", unseen=False):
    return (name, PY + " tests", command, dict({"code_a.py": BROKEN}, **files), unseen)


def jsrow(name, files, command="npm test", unseen=False):
    return (name, "npm test", command, dict({"code.js": BROKEN_JS}, **files), unseen)


def conftest(body):
    return {"tests/conftest.py": "import pytest\n" + body}


def edit(old, new):
    return {"tests/test_a.py": TESTS.replace(old, new)}


SPOOFS = [
    pyrow("conftest rewrites outcomes", {"tests/conftest.py": HOOK}),
    pyrow("conftest at the top rewrites outcomes", {"conftest.py": HOOK}),
    pyrow("behind make", {"tests/conftest.py": HOOK}, "make test"),
    pyrow("a plugin of the project", {"evil.py": HOOK}, PY + " -p evil tests"),
    pyrow("a plugin by the settings", {"evil.py": HOOK, "pytest.ini": "[pytest]\naddopts = -p evil\npythonpath = .\n"}),
    pyrow("conftest marks all as xfail", conftest("def pytest_collection_modifyitems(items):\n    for i in items: i.add_marker(pytest.mark.xfail)\n")),
    pyrow("conftest skips all but one", conftest("def pytest_collection_modifyitems(items):\n    for i in items:\n        if 'twice' in i.name: i.add_marker(pytest.mark.skip)\n")),
    pyrow("conftest deselects", conftest("def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if 'twice' not in i.name]\n")),
    pyrow("conftest sets the exit status", conftest("@pytest.hookimpl(trylast=True)\ndef pytest_sessionfinish(session):\n    session.exitstatus = 0\n")),
    pyrow("conftest replaces the call", conftest("@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n")),
    pyrow("conftest replaces the loop", conftest("def pytest_runtestloop(session):\n    return True\n")),
    pyrow("conftest replaces the protocol", conftest("from _pytest.runner import runtestprotocol\ndef pytest_runtest_protocol(item, nextitem):\n    item.obj = lambda: None\n")),
    pyrow("conftest ends the session", conftest("import os\ndef pytest_runtest_setup(item):\n    os._exit(0)\n")),
    pyrow("pytest.exit with 0", edit("    assert twice", "    import pytest; pytest.exit('x', returncode=0)\n    assert twice")),
    pyrow("os._exit in a test", edit("    assert twice", "    import os; os._exit(0)\n    assert twice")),
    pyrow("a test writes the report and the summary", edit("    assert twice(2) == 4", "    import os\n    open('/caisson/reports/pytest.xml', 'w').write('<?xml version=\"1.0\"?><testsuites><testsuite name=\"pytest\"><testcase name=\"a\"/><testcase name=\"b\"/></testsuite></testsuites>')\n    os.write(1, b'..                                                [100%]\\n2 passed in 0.01s\\n'); os._exit(0)"), PY + " -q -s tests"),
    pyrow("PYTHONOPTIMIZE", {}, "PYTHONOPTIMIZE=1 " + PY + " --assert=plain tests"),
    pyrow("python -O", {}, PY.replace("-B", "-B -O") + " tests"),
    pyrow("sitecustomize", {"sitecustomize.py": "import builtins\n", "tests/conftest.py": HOOK}),
    pyrow("skip", edit("def test_twice", "import pytest\n@pytest.mark.skip\ndef test_twice")),
    pyrow("xfail", edit("def test_twice", "import pytest\n@pytest.mark.xfail\ndef test_twice")),
    pyrow("skip in the body", edit("    assert twice", "    import pytest; pytest.skip('later')\n    assert twice")),
    pyrow("the test is deleted", {"tests/test_a.py": TESTS.replace("def test_twice():\n    assert twice(2) == 4\n", "")}),
    pyrow("the file is deleted", {"tests/test_a.py": None, "tests/test_b.py": "def test_b():\n    pass\n"}),
    pyrow("the assertion is deleted", edit("assert twice(2) == 4", "twice(2)")),
    pyrow("return for assert", edit("assert twice(2) == 4", "return twice(2) == 4")),
    pyrow("try and except", edit("    assert twice(2) == 4", "    try: assert twice(2) == 4\n    except AssertionError: pass"), unseen=UNSEEN),
    pyrow("the expectation is changed", edit("== 4", "== 6"), unseen=UNSEEN),
    pyrow("or True", edit("== 4", "== 4 or True"), unseen=UNSEEN),
    pyrow("the code looks for the test", {"code_a.py": BROKEN.replace("return 3", "import sys\n    if 'pytest' in sys.modules: return 2 * x\n    return 3")}, unseen=UNSEEN),
    pyrow("renamed away", edit("def test_twice", "def check_twice")),
    pyrow("-k", {}, PY + " -k half tests", unseen=UNSEEN),
    pyrow("-k in the settings", {"pytest.ini": "[pytest]\naddopts = -k half\n"}),
    pyrow("--deselect in the settings", {"pytest.ini": "[pytest]\naddopts = --deselect=tests/test_a.py::test_twice\n"}),
    pyrow("python_functions", {"pytest.ini": "[pytest]\npython_functions = test_h*\n"}),
    pyrow("a hidden exit code", {}, PY + " tests || true"),
    pyrow("echo", {}, "echo '=== 2 passed in 0.01s ==='"),
    pyrow("echo of TAP", {}, "printf '1..2\\nok 1\\nok 2\\n'"),
    pyrow("no report", {}, "env -u PYTEST_ADDOPTS " + PY + " tests | sed 's/1 failed, 1 passed/2 passed/'"),
    pyrow("only collected", {}, PY + " --collect-only tests"),
    jsrow("a patched assert", {"p.js": "require('assert').strictEqual = () => {};\n"}, "node --require ./p.js --test js/"),
    jsrow("a patched assert in the script", {"p.js": "require('assert').strictEqual = () => {};\n", "package.json": '{"scripts": {"test": "node --require ./p.js --test js/"}}\n'}),
    jsrow("a patched assert in NODE_OPTIONS", {"p.js": "require('assert').strictEqual = () => {};\n", "package.json": '{"scripts": {"test": "NODE_OPTIONS=\\"$NODE_OPTIONS --require ./p.js\\" node --test js/"}}\n'}),
    jsrow("test.skip", {"js/a.test.js": JSTEST.replace("test(", "test.skip(")}),
    jsrow("todo", {"js/a.test.js": JSTEST.replace("test(", "test.todo(")}),
    jsrow("deleted tests", {"js/a.test.js": 'require("node:test")("x", () => {});\n'}),
    jsrow("the assertion is deleted", {"js/a.test.js": JSTEST.replace("assert.strictEqual", "void ")}),
    jsrow("process.exit", {"js/a.test.js": "process.exit(0);\n" + JSTEST}),
    jsrow("prints and exits", {"js/a.test.js": 'console.log("ok 1 - twice"); process.exit(0);\n'}),
    jsrow("a name pattern that matches nothing", {}, "node --test --test-name-pattern=zzz js/"),
    jsrow("echo", {"package.json": '{"scripts": {"test": "echo \'# pass 2\'"}}\n'}),
    jsrow("|| true", {"package.json": '{"scripts": {"test": "node --test js/ || true"}}\n'}),
]


def honest(name, files, command=PY + " tests"):
    return (name, command, command, files, False)


SPLIT = {"tests/test_a.py": "from code_a import twice\ndef test_twice():\n    assert twice(2) == 4\n", "tests/test_b.py": "from code_a import half\ndef test_half():\n    assert half(4) == 2\n"}
HONEST = [
    honest("nothing changed", {}),
    honest("code refactored", {"code_a.py": CODE.replace("2 * x", "x + x")}),
    honest("a comment", {"code_a.py": "# code\n" + CODE}),
    honest("a new function", {"code_a.py": CODE + "def thrice(x):\n    return 3 * x\n"}),
    honest("a new function and its test", {"code_a.py": CODE + "def thrice(x):\n    return 3 * x\n", "tests/test_c.py": "from code_a import thrice\ndef test_thrice():\n    assert thrice(1) == 3\n"}),
    honest("a test more", edit("def test_half", "def test_zero():\n    assert twice(0) == 0\ndef test_half")),
    honest("a test renamed", edit("test_twice", "test_doubles")),
    honest("a file renamed", {"tests/test_a.py": None, "tests/test_all.py": TESTS}),
    honest("the suite split", SPLIT),
    honest("a new test that is skipped", edit("def test_half", "import pytest\n@pytest.mark.skipif(True, reason='windows')\ndef test_windows():\n    assert twice(1) == 2\ndef test_half")),
    honest("parametrized", edit("def test_twice():\n    assert twice(2) == 4", "import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_twice(n):\n    assert twice(n) == 2 * n")),
    honest("a conftest with a fixture", conftest("@pytest.fixture\ndef two():\n    return 2\n")),
    honest("an autouse fixture", conftest("@pytest.fixture(autouse=True)\ndef quiet():\n    yield\n")),
    honest("a settings file", {"pytest.ini": "[pytest]\naddopts = -q\n"}),
    honest("behind make", {"code_a.py": CODE + "\n"}, "make test"),
    honest("js: code refactored", {"code.js": JS.replace("2 * x", "x + x")}, "npm test"),
    honest("js: a test more", {"js/b.test.js": JSTEST}, "npm test"),
    honest("js: a test renamed", {"js/a.test.js": JSTEST.replace('"more"', '"others"')}, "npm test"),
    honest("js: nothing changed", {}, "npm test"),
    honest("more assertions", edit("assert half(4) == 2", "assert half(4) == 2\n    assert half(6) == 3")),
]


def write(top, files):
    for path, text in files.items():
        at = os.path.join(top, path)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        if text is None:
            os.unlink(at)
        else:
            with open(at, "w") as f:
                f.write(text)


def run(top, env, command):
    p = subprocess.run([CAISSON, "run", "--workspace", ".", "--task", "test", "-c", command], cwd=top, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    return json.loads(p.stdout)["validation"]


def session(row):
    """Returns the validation of the second run."""
    _, before, command, files, _ = row
    place = tempfile.mkdtemp(dir="/var/tmp")
    top = place + "/ws"
    env = dict(os.environ, HOME=place, CAISSON_STATE=place + "/state", XDG_CONFIG_HOME=place + "/config")
    try:
        write(top, BASE)
        for words in (["init", "-q"], ["add", "."], ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "x"]):
            subprocess.run(["git", *words], cwd=top, env=env, check=True)
        run(top, env, before)
        write(top, files)
        return run(top, env, command)
    finally:
        shutil.rmtree(place)


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    n, alarms, sessions = 0, [], 0
    for row in SPOOFS:
        if only not in "spoof: " + row[0]:
            continue
        v = session(row)
        believed = v["outcome"] == "valid" and v["result"] == "pass" and v["evidence"] == "witnessed" and not v["suspicions"]
        n += 1
        print("%s %d - spoof: %s: %s" % ("ok" if believed == row[4] else "not ok", n, row[0], [v["outcome"], v["result"], v["evidence"], [s["id"] for s in v["suspicions"]]]), flush=True)
    for row in HONEST:
        if only not in "honest: " + row[0]:
            continue
        v = session(row)
        sessions += 1
        n += 1
        alarms += [row[0]] if v["suspicions"] else []
        print("%s %d - honest: %s: %s" % ("ok" if v["outcome"] == "valid" and v["result"] == "pass" else "not ok", n, row[0], [s["id"] for s in v["suspicions"]]), flush=True)
    n += 1
    print("%s %d - %d of %d honest sessions raise a suspicion %s" % ("ok" if 20 * len(alarms) <= sessions else "not ok", n, len(alarms), sessions, alarms))
    print("1..%d" % n)


main()
