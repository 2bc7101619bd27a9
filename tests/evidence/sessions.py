"""
Sessions with real runners in real boxes: spoofs, which make a failing suite look successful, and honest work.
Each starts from the same commit and one run; then files are changed, and the command runs again. TAP.
A spoof must not give a witnessed pass without a suspicion, except those marked UNSEEN (docs/validators.md names
them); of those marked HEAD, caisson verify-tests must say that the tests of HEAD fail. Honest sessions may raise a suspicion in 5 % at most. Usage: sessions.py [PART-OF-A-NAME]
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
GO = "package code\n\nfunc Twice(x int) int { return 2 * x }\n\nfunc Half(x int) int { return x / 2 }\n"
GOTEST = 'package code\n\nimport "testing"\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(2) != 4 {\n\t\tt.Error("twice")\n\t}\n}\n\nfunc TestHalf(t *testing.T) {\n\tif Half(4) != 2 {\n\t\tt.Error("half")\n\t}\n}\n'
GORUN = "go test ./..."
BASE = {"go.mod": "module code\n\ngo 1.19\n", "code.go": GO, "code_test.go": GOTEST, "code_a.py": CODE, "tests/test_a.py": TESTS, "code.js": JS, "js/a.test.js": JSTEST, "package.json": '{"scripts": {"test": "node --test js/"}}\n', "Makefile": "test:\n\t@%s -q tests\n" % PY}
BROKEN = CODE.replace("2 * x", "3 * x")  # what a spoof has to hide
BROKEN_JS = JS.replace("2 * x", "3 * x")
BROKEN_GO = GO.replace("2 * x", "3 * x")
HOOK = "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    o = yield\n    r = o.get_result()\n    r.outcome = 'passed'\n    r.longrepr = None\n"
UNSEEN = True
HEAD = "verify-tests"  # not seen by the run, and caisson verify-tests fails

# Packages of npm, installed once. Sessions see them read-only.
NPM = os.path.abspath(os.environ.get("EVIDENCE_NPM", "build/evidence-npm"))
PACKAGES = ["jest@29", "mocha@10"]
JEST = "node %s/node_modules/jest/bin/jest.js" % NPM
JESTTEST = 'const {twice} = require("../code.js");\ntest("twice", () => { expect(twice(2)).toBe(4); });\ntest("zero", () => { expect(twice(0)).toBe(0); });\n'
MOCHA = "node %s/node_modules/mocha/bin/mocha.js mocha" % NPM
MOCHATEST = 'const assert = require("assert"), {twice} = require("../code.js");\nit("twice", () => { assert.strictEqual(twice(2), 4); });\nit("zero", () => { assert.strictEqual(twice(0), 0); });\n'
MOCHABASE = {"mocha/a.spec.js": MOCHATEST}
SNAPTEST = 'const {twice} = require("../code.js");\ntest("snap", () => { expect(twice(2)).toMatchSnapshot(); });\n'
JESTBASE = {"jest/snap.test.js": SNAPTEST, "jest/__snapshots__/snap.test.js.snap": "// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`snap 1`] = `4`;\n", "jest/a.test.js": JESTTEST, "jest.config.js": 'module.exports = {roots: ["<rootDir>/jest"]};\n'}


def pyrow(name, files, command=PY + " tests", unseen=False):
    return (name, PY + " tests", command, dict({"code_a.py": BROKEN}, **files), unseen)


def jsrow(name, files, command="npm test", unseen=False):
    return (name, "npm test", command, dict({"code.js": BROKEN_JS}, **files), unseen)


def jestrow(name, files, command=JEST + " a.test", unseen=False):
    return ("jest: " + name, JEST + " a.test", command, dict({"code.js": BROKEN_JS}, **files), unseen)


def mocharow(name, files, command=MOCHA, unseen=False):
    return ("mocha: " + name, MOCHA, command, dict({"code.js": BROKEN_JS}, **files), unseen)


def gorow(name, files, command=GORUN, unseen=False):
    return (name, GORUN, command, dict({"code.go": BROKEN_GO}, **files), unseen)


def gofile(name, imports, body):
    return {name + "_test.go": "package code\n\nimport (\n%s)\n\n%s\n" % ("".join('\t"%s"\n' % i for i in imports), body)}


def shown(text):
    """The tests, and then a text that shall look like their summary."""
    return "%s tests | tail -n 1; printf '%s'" % (PY, text)


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
    pyrow("try and except", edit("    assert twice(2) == 4", "    try: assert twice(2) == 4\n    except AssertionError: pass")),
    pyrow("the expectation is changed", edit("== 4", "== 6"), unseen=HEAD),
    pyrow("or True", edit("== 4", "== 4 or True")),
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
    pyrow("a carriage return", {}, shown("\\r=== 2 passed in 0.01s ===\\n")),
    pyrow("a cursor that moves up", {}, shown("\\033[1A\\033[2K=== 2 passed in 0.01s ===\\n")),
    pyrow("a hidden part", {}, shown("\\033[8m=== 1 failed in 0.01s ===\\033[0m\\n=== 2 passed in 0.01s ===\\n")),
    pyrow("right to left", {}, shown("\\342\\200\\256=== s10.0 ni dessap 2 ===\\n")),
    pyrow("a zero-width space", {}, shown("=== 2 pas\\342\\200\\213sed in 0.01s ===\\n")),
    pyrow("a NUL byte", {}, shown("=== 2 passed\\000 in 0.01s ===\\n")),
    pyrow("backspaces", {}, shown("1 failed\\b\\b\\b\\b\\b\\b\\b\\b2 passed in 0.01s\\n")),
    pyrow("conftest names failures otherwise", conftest("def pytest_report_teststatus(report):\n    if report.failed: return 'passed', '.', 'PASSED'\n")),
    pyrow("conftest changes reports", conftest("@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_logreport(report):\n    report.outcome = 'passed'\n    report.longrepr = None\n")),
    pyrow("conftest patches the runner", conftest("import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n")),
    pyrow("conftest patches the code", conftest("import code_a\ncode_a.twice = lambda x: 2 * x\n"), unseen=HEAD),
    pyrow("collect_ignore", dict(conftest("collect_ignore = ['test_a.py']\n"), **{"tests/test_b.py": "def test_b():\n    pass\n"})),
    pyrow("__test__", {"tests/test_a.py": TESTS + "test_twice.__test__ = False\n"}),
    pyrow("the module is skipped", {"tests/test_a.py": "import pytest\npytest.skip('later', allow_module_level=True)\n" + TESTS, "tests/test_b.py": "def test_b():\n    pass\n"}),
    pyrow("importorskip", edit("    assert twice", "    import pytest; pytest.importorskip('no_such_module')\n    assert twice")),
    pyrow("another PYTHONPATH", {"tests/conftest.py": HOOK}, "PYTHONPATH=. " + PY + " tests"),
    pyrow("no plugins", {"tests/conftest.py": HOOK}, "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 " + PY + " tests"),
    jsrow("describe.skip", {"js/a.test.js": JSTEST.replace('test("twice"', 'test.describe.skip("x", () => test("twice"').replace('4); });', '4); }));')}),
    jsrow("only the other test", {"js/a.test.js": JSTEST.replace('test("more"', 'test.only("more"').replace("3), 6", "0), 0"), "package.json": '{"scripts": {"test": "node --test --test-only js/"}}\n'}),
    jsrow("the file is deleted", {"js/a.test.js": None, "js/b.test.js": 'require("node:test")("x", () => {});\n'}),
    jsrow("the exit code is set", {"js/a.test.js": "process.on('exit', () => { process.exitCode = 0; });\n" + JSTEST}),
    jsrow("node-options of npm", {"p.js": "require('assert').strictEqual = () => {};\n", ".npmrc": "node-options=--require ./p.js\n"}),
    gorow("go: TestMain ends with 0", gofile("main", ["os", "testing"], "func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}")),
    gorow("go: TestMain runs nothing", gofile("main", ["testing"], "func TestMain(m *testing.M) {}")),
    gorow("go: init prints and ends", gofile("main", ["fmt", "os"], 'func init() {\n\tfmt.Println("PASS")\n\tos.Exit(0)\n}')),
    gorow("go: a build tag", {"code_test.go": "//go:build never\n\n" + GOTEST, "b_test.go": 'package code\n\nimport "testing"\n\nfunc TestB(t *testing.T) {}\n'}),
    gorow("go: skip", {"code_test.go": GOTEST.replace("\tif Twice", '\tt.Skip("later")\n\tif Twice')}),
    gorow("go: another GOFLAGS", gofile("main", ["os", "testing"], "func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}"), "GOFLAGS= " + GORUN),
    jsrow("|| true", {"package.json": '{"scripts": {"test": "node --test js/ || true"}}\n'}),
]



# ---- a second set, which aims at the canary, the report and the words ----

EVIL_PLUGIN = "[pytest]\naddopts = -p evil%s\npythonpath = .\n"
TARGET = "def pytest_pyfunc_call(pyfuncitem):\n    if pyfuncitem.name == 'test_twice': return True\n"
DONE = '{"runner": "pytest", "state": "done", "exit": 1, "passed": 0, "failed": 1, "skipped": 0}'
JSPATCH = "require('assert').strictEqual = () => {};\n"

SPOOFS += [
    pyrow("conftest replaces the call of one test", conftest("@pytest.hookimpl(tryfirst=True)\n" + TARGET)),
    pyrow("conftest replaces one test while collecting", conftest("def pytest_collection_modifyitems(items):\n    for i in items:\n        if i.name == 'test_twice': i.obj = lambda: None\n")),
    pyrow("conftest replaces one test before its setup", conftest("def pytest_runtest_setup(item):\n    if item.name == 'test_twice': item.obj = lambda: None\n")),
    pyrow("conftest rewrites one outcome", conftest("@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    o = yield\n    if item.name == 'test_twice': o.get_result().outcome = 'passed'; o.get_result().longrepr = None\n")),
    pyrow("conftest swallows errors of one file", conftest("@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    if pyfuncitem.path.name == 'test_a.py':\n        try: pyfuncitem.obj()\n        except AssertionError: pass\n        return True\n")),
    pyrow("the witness is switched off", {"evil.py": HOOK, "pytest.ini": EVIL_PLUGIN % " -p no:caisson_witness"}),
    pyrow("the witness has an owner", {"evil.py": HOOK, "pytest.ini": EVIL_PLUGIN % ""}, "CAISSON_WITNESS=1 " + PY + " tests"),
    pyrow("another PYTHONPATH, a plugin by the settings", {"evil.py": HOOK, "pytest.ini": EVIL_PLUGIN % ""}, "PYTHONPATH=. " + PY + " tests"),
    pyrow("conftest writes the canary's line", conftest(HOOK.replace("import pytest\n", "") + "import os\ndef pytest_unconfigure():\n    open('/caisson/reports/canary', 'w').write('%s\\n'); os._exit(0)\n" % DONE)),
    pyrow("conftest empties the witness", conftest(HOOK.replace("import pytest\n", "") + "import sys\nfor m in list(sys.modules.values()):\n    if getattr(m, 'try_canary', None): m.try_canary = lambda c: m.say(state='done', exit=1, failed=1, passed=0, skipped=0)\n")),
    pyrow("a decorator that swallows", {"tests/test_a.py": TESTS.replace("def test_twice", "def quiet(f):\n    def test():\n        try: f()\n        except Exception: pass\n    return test\n@quiet\ndef test_twice")}),
    pyrow("suppress", edit("    assert twice(2) == 4", "    import contextlib\n    with contextlib.suppress(AssertionError): assert twice(2) == 4")),
    pyrow("raises", edit("    assert twice(2) == 4", "    import pytest\n    with pytest.raises(AssertionError): assert twice(2) == 4")),
    pyrow("an assertion of a tuple", edit("assert twice(2) == 4", "assert (twice(2) == 4, 'twice')")),
    pyrow("a test of something else", edit("assert twice(2) == 4", "assert True")),
    pyrow("an early return", edit("    assert twice(2) == 4", "    return\n    assert twice(2) == 4")),
    pyrow("another import", {"tests/test_a.py": TESTS.replace("code_a", "good"), "good.py": CODE}, unseen=HEAD),
    pyrow("a value that equals everything", {"code_a.py": "class Any(int):\n    __hash__ = None\n    def __eq__(self, other): return True\ndef twice(x):\n    return Any(3 * x)\ndef half(x):\n    return x // 2\n"}, unseen=UNSEEN),
    pyrow("a patched report", conftest("import _pytest.junitxml as j, _pytest.reports as r\nr.BaseReport.failed = property(lambda s: False)\nr.BaseReport.passed = property(lambda s: True)\n")),
    pyrow("conftest edits the test's code", conftest("def pytest_itemcollected(item):\n    if item.name == 'test_twice': item.obj.__code__ = (lambda: None).__code__\n")),
    jsrow("the test patches assert", {"js/a.test.js": JSPATCH + JSTEST}),
    jsrow("the code patches assert", {"code.js": JSPATCH + BROKEN_JS}),
    jsrow("a helper patches assert", {"js/a.test.js": 'require("./help.js");\n' + JSTEST, "js/help.js": JSPATCH}),
    jsrow("the test mocks assert", {"js/a.test.js": JSTEST.replace(";\n", ";\ntest.mock.method(assert, 'strictEqual', () => {});\n", 1)}),
    jsrow("a test function of its own", {"js/a.test.js": JSTEST.replace('const test = require("node:test")', 'const real = require("node:test"), test = (n, f) => real(n, () => { try { f(); } catch {} })')}),
    jsrow("the code patches node:test", {"code.js": "const t = require('node:test'), m = require('module'), l = m._load;\nm._load = function (r) { return r === 'node:test' ? (n) => t(n, () => {}) : l.apply(this, arguments); };\n" + BROKEN_JS, "js/a.test.js": 'const {twice} = require("../code.js");\n' + JSTEST.replace('const {twice} = require("../code.js");\n', "")}),
    jsrow("the preload is taken away", {"p.js": JSPATCH, "package.json": '{"scripts": {"test": "NODE_OPTIONS= node --require ./p.js --test js/"}}\n'}),
    jsrow("the witness has an owner", {"p.js": JSPATCH, "package.json": '{"scripts": {"test": "CAISSON_WITNESS=1 node --require ./p.js --test js/"}}\n'}),
    jsrow("the test writes the report", {"js/a.test.js": 'require("fs").writeFileSync("/caisson/reports/node.xml", \'<?xml version="1.0" encoding="utf-8"?><testsuites><testcase name="twice"/><testcase name="more"/></testsuites>\');\n' + JSTEST}),
    jsrow("a reporter of its own", {"r.js": "module.exports = async function* (s) { yield 'TAP version 13\\nok 1 - twice\\nok 2 - more\\n1..2\\n# tests 2\\n# pass 2\\n# fail 0\\n'; };\n", "package.json": '{"scripts": {"test": "node --test --test-reporter=./r.js js/ || true"}}\n'}),
    jsrow("an early return", {"js/a.test.js": JSTEST.replace("{ assert", "{ return; assert")}),
    gorow("go: TestMain chooses tests", gofile("main", ["flag", "os", "testing"], 'func TestMain(m *testing.M) {\n\tflag.Parse()\n\tflag.Set("test.run", "Half")\n\tos.Exit(m.Run())\n}')),
    gorow("go: init prints all and ends", gofile("main", ["fmt", "os"], 'func init() {\n\tfmt.Print("=== RUN   TestTwice\\n--- PASS: TestTwice (0.00s)\\n=== RUN   TestHalf\\n--- PASS: TestHalf (0.00s)\\nPASS\\n")\n\tos.Exit(0)\n}')),
    gorow("go: the code prints all and ends", {"code.go": BROKEN_GO + '\nfunc init() {\n\tfmt.Print("=== RUN   TestTwice\\n--- PASS: TestTwice (0.00s)\\n=== RUN   TestHalf\\n--- PASS: TestHalf (0.00s)\\nPASS\\n")\n\tos.Exit(0)\n}\n'}),
    gorow("go: the test prints a pass and ends", {"code_test.go": GOTEST.replace("\tif Twice", '\tfmt.Print("--- PASS: TestTwice (0.00s)\\n=== RUN   TestHalf\\n--- PASS: TestHalf (0.00s)\\nPASS\\n")\n\tos.Exit(0)\n\tif Twice').replace('import "testing"', 'import (\n\t"fmt"\n\t"os"\n\t"testing"\n)')}),
    gorow("go: Log for Error", {"code_test.go": GOTEST.replace('t.Error("twice")', 't.Log("twice")')}),
    gorow("go: a test of its own type", {"code_test.go": GOTEST.replace("func TestTwice(t *testing.T) {\n", "type T struct{ *testing.T }\n\nfunc (T) Error(...any) {}\n\nfunc TestTwice(tt *testing.T) {\n\tt := T{tt}\n")}, unseen=HEAD),
    gorow("go: an early return", {"code_test.go": GOTEST.replace("\tif Twice", "\tif true {\n\t\treturn\n\t}\n\tif Twice")}),
    gorow("go: recover", {"code_test.go": GOTEST.replace('t.Error("twice")', 'defer func() { recover() }()\n\t\tpanic("t.Error")')}),
    gorow("go: a cleanup ends the process", {"code_test.go": GOTEST.replace("\tif Twice", "\tt.Cleanup(func() { os.Exit(0) })\n\tif Twice").replace('import "testing"', 'import (\n\t"os"\n\t"testing"\n)')}),
    gorow("go: renamed away", {"code_test.go": GOTEST.replace("TestTwice", "testTwice")}),
    gorow("go: another file name", {"code_test.go": None, "code_windows_test.go": GOTEST, "b_test.go": 'package code\n\nimport "testing"\n\nfunc TestB(t *testing.T) {}\n'}),
    gorow("go: -run in GOFLAGS", {}, "GOFLAGS=\"$GOFLAGS -run=Half\" " + GORUN, unseen=UNSEEN),
]

# The first run of a command has no earlier one: the tests of HEAD are listed.
SPOOFS += [("first run: " + n, "", c, f, False) for n, c, f in (
    ("-k in the settings", PY + " tests", {"code_a.py": BROKEN, "pytest.ini": "[pytest]\naddopts = -k half\n"}),
    ("python_functions", "make test", {"code_a.py": BROKEN, "pytest.ini": "[pytest]\npython_functions = test_h*\n"}),
    ("a test gives its assertion to another", PY + " tests", dict({"code_a.py": BROKEN}, **edit("def test_twice():\n    assert twice(2) == 4\ndef test_half():\n", "def test_half():\n    assert half(2) == 1\n"))),
    ("renamed away", PY + " tests", dict({"code_a.py": BROKEN}, **edit("def test_twice", "def check_twice"))),
    ("go: renamed away", GORUN, {"code.go": BROKEN_GO, "code_test.go": GOTEST.replace("TestTwice", "testTwice")}),
    ("go: a build tag", GORUN, {"code.go": BROKEN_GO, "code_test.go": "//go:build never\n\n" + GOTEST, "b_test.go": GOTEST.replace("func TestTwice", "func twice")}),
)]

CONFIG = 'module.exports = {roots: ["<rootDir>/jest"], %s};\n'
SPOOFS += [
    mocharow("a setup file patches assert", {".mocharc.json": '{"require": ["./p.js"]}\n', "p.js": JSPATCH}),
    mocharow("the code patches assert", {"code.js": JSPATCH + BROKEN_JS}),
    mocharow("the code patches the runner", {"code.js": "const R = require(require.resolve('mocha/lib/runnable.js', {paths: [process.argv[1]]})); R.prototype.run = function (f) { this.duration = 1; this.state = 'passed'; f(); };\n" + BROKEN_JS}),
    mocharow("hooks swallow", {"mocha/a.spec.js": MOCHATEST + "beforeEach(function () { this.currentTest.fn = () => {}; });\n"}),
    mocharow("prints and exits", {"mocha/a.spec.js": 'console.log("\\n  2 passing (1ms)\\n"); process.exit(0);\n' + MOCHATEST}),
    mocharow("the exit code is set", {"mocha/a.spec.js": "process.on('exit', () => { process.exitCode = 0; });\n" + MOCHATEST}),
    mocharow("skip", {"mocha/a.spec.js": MOCHATEST.replace('it("twice"', 'it.skip("twice"')}),
    mocharow("only", {"mocha/a.spec.js": MOCHATEST.replace('it("zero"', 'it.only("zero"')}),
    mocharow("a pattern in the settings", {".mocharc.json": '{"grep": "zero"}\n'}),
    mocharow("a reporter of its own", {"r.js": "module.exports = function (r) { r.on('end', () => console.log('\\n  2 passing (1ms)\\n')); };\n"}, MOCHA + " -R ./r.js || true"),
    mocharow("an early return", {"mocha/a.spec.js": MOCHATEST.replace("{ assert", "{ return; assert", 1)}),
    mocharow("the report is written", {"mocha/a.spec.js": 'require("fs").appendFileSync("/caisson/reports/mocha.json", "{}");\n' + MOCHATEST}),
    jestrow("a setup file replaces expect", {"s.js": "const real = expect; global.expect = () => ({toBe() {}});\n", "jest.config.js": CONFIG % 'setupFilesAfterEnv: ["./s.js"]'}),
    jestrow("a setup file replaces test", {"s.js": "const real = test; global.test = (n) => real(n, () => {});\n", "jest.config.js": CONFIG % 'setupFilesAfterEnv: ["./s.js"]'}),
    jestrow("a matcher of its own", {"s.js": "expect.extend({toBe: () => ({pass: true, message: () => ''})});\n", "jest.config.js": CONFIG % 'setupFilesAfterEnv: ["./s.js"]'}),
    jestrow("a processor of results", {"r.js": "module.exports = (r) => { r.success = true; r.numFailedTests = r.numFailedTestSuites = 0; r.numPassedTests = r.numTotalTests; r.testResults.forEach((f) => { f.numFailingTests = 0; f.failureMessage = null; f.testResults.forEach((t) => { t.status = 'passed'; t.failureMessages = []; }); }); return r; };\n", "jest.config.js": CONFIG % 'testResultsProcessor: "./r.js"'}),
    jestrow("a transform without assertions", {"t.js": "module.exports = {process: (s) => ({code: s.replace(/expect[^;]*;/g, '')})};\n", "jest.config.js": CONFIG % 'transform: {"\\.js$": "./t.js"}'}),
    jestrow("a transform of one file", {"t.js": "module.exports = {process: (s) => ({code: s.replace(/expect[^;]*;/g, '')})};\n", "jest.config.js": CONFIG % 'transform: {"/a.test.js$": "./t.js"}'}, unseen=HEAD),
    jestrow("the code replaces expect", {"code.js": "if (global.expect) expect.extend({toBe: () => ({pass: true, message: () => ''})});\n" + BROKEN_JS}, unseen=UNSEEN),
    jestrow("the test replaces expect", {"jest/a.test.js": "expect.extend({toBe: () => ({pass: true, message: () => ''})});\n" + JESTTEST}),
    jestrow("an expect of its own", {"jest/a.test.js": "const expect = () => ({toBe() {}});\n" + JESTTEST}, unseen=HEAD),
    jestrow("patterns that ignore", {"jest.config.js": CONFIG % 'testPathIgnorePatterns: ["/a.test"]', "jest/ba.test.js": 'test("b", () => {});\n'}),
    jestrow("a name pattern", {}, JEST + " a.test -t zero", unseen=UNSEEN),
    jestrow("passWithNoTests", {"jest/a.test.js": None, "jest/a.js": JESTTEST}, JEST + " a.test --passWithNoTests"),
    jestrow("test.failing", {"jest/a.test.js": JESTTEST.replace('test("twice"', 'test.failing("twice"')}),
    jestrow("only the other test", {"jest/a.test.js": JESTTEST.replace('test("zero"', 'test.only("zero"')}),
    jestrow("another module by the settings", {"jest.config.js": CONFIG % 'moduleNameMapper: {"code.js": "<rootDir>/good.js"}', "good.js": JS}, unseen=HEAD),
    ("jest: a snapshot is written again", JEST + " snap", JEST + " snap -u", {"code.js": BROKEN_JS}, False),
    jestrow("process.exit", {"jest/a.test.js": "process.exit(0);\n" + JESTTEST}),
    jestrow("a runner of its own", {"r.js": "module.exports = async (g, c, e, r, p) => ({numFailingTests: 0, numPassingTests: 2, numPendingTests: 0, numTodoTests: 0, openHandles: [], perfStats: {start: 1, end: 2, runtime: 1, slow: false}, skipped: false, snapshot: {added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0}, testFilePath: p, testResults: ['twice', 'zero'].map((t) => ({ancestorTitles: [], duration: 1, failureDetails: [], failureMessages: [], fullName: t, title: t, status: 'passed', numPassingAsserts: 1}))});\n", "jest.config.js": CONFIG % 'testRunner: "./r.js"'}),
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
    honest("a class of tests", edit("def test_half", "class TestMore:\n    def test_one(self):\n        assert twice(1) == 2\ndef test_half")),
    honest("a helper in the tests", edit("def test_half", "def check(n):\n    assert twice(n) == 2 * n\ndef test_many():\n    check(3)\ndef test_half")),
    honest("a temporary directory", edit("def test_half", "def test_file(tmp_path):\n    (tmp_path / 'x').write_text('y')\n    assert (tmp_path / 'x').exists()\ndef test_half")),
    honest("an expected failure that is new", edit("def test_half", "import pytest\n@pytest.mark.xfail(reason='not yet')\ndef test_float():\n    assert half(5) == 2.5\ndef test_half")),
    honest("an exception is expected", edit("def test_half", "import pytest\ndef test_type():\n    with pytest.raises(TypeError):\n        half('a')\ndef test_half")),
    honest("capsys and a print", edit("def test_half", "def test_print(capsys):\n    print('1 failed')\n    assert capsys.readouterr().out == '1 failed\\n'\ndef test_half")),
    honest("a module is moved", {"code_a.py": "from code_b import half, twice\n", "code_b.py": CODE}),
    honest("tests in another directory", {"tests/unit/test_u.py": "from code_a import half\ndef test_u():\n    assert half(2) == 1\n", "tests/unit/conftest.py": "import pytest\n"}),
    honest("a subprocess", edit("def test_half", "import subprocess\ndef test_sh():\n    assert subprocess.call(['true']) == 0\ndef test_half")),
    honest("settings in pyproject", {"pyproject.toml": "[tool.pytest.ini_options]\nminversion = '6.0'\n"}),
    honest("a marker", {"pytest.ini": "[pytest]\nmarkers = slow: slow tests\n", "tests/test_s.py": "import pytest\n@pytest.mark.slow\ndef test_slow():\n    assert True\n"}),
    honest("js: describe and it", {"js/c.test.js": 'const {describe, it} = require("node:test"), assert = require("node:assert");\ndescribe("d", () => { it("i", () => { assert.ok(true); }); });\n'}, "npm test"),
    honest("js: a subtest", {"js/d.test.js": 'const test = require("node:test");\ntest("t", async (t) => { await t.test("s", () => {}); });\n'}, "npm test"),
    honest("js: a hook", {"js/a.test.js": JSTEST + 'test.before(() => {});\ntest.after(() => {});\n'}, "npm test"),
    honest("js: a new test that is skipped", {"js/e.test.js": 'const test = require("node:test");\ntest("t", () => {});\ntest("w", {skip: "windows"}, () => {});\n'}, "npm test"),
    honest("js: another module", {"code.js": 'exports.twice = require("./t.js");\n', "t.js": "module.exports = (x) => x + x;\n"}, "npm test"),
    honest("go: code refactored", {"code.go": GO.replace("2 * x", "x + x")}, GORUN),
    honest("go: a table of tests", {"table_test.go": 'package code\n\nimport "testing"\n\nfunc TestTable(t *testing.T) {\n\tfor _, n := range []int{1, 2} {\n\t\tt.Run("n", func(t *testing.T) {\n\t\t\tif Twice(n) != 2*n {\n\t\t\t\tt.Fatal(n)\n\t\t\t}\n\t\t})\n\t}\n}\n'}, GORUN),
    honest("go: a TestMain", gofile("main", ["os", "testing"], "func TestMain(m *testing.M) { os.Exit(m.Run()) }"), GORUN),
    honest("go: another package", {"sub/s.go": "package sub\n", "sub/s_test.go": 'package sub\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\nfunc TestS(t *testing.T) { fmt.Print("no line end") }\n'}, GORUN),
    honest("a TestCase", edit("def test_half", "import unittest\nclass TestOld(unittest.TestCase):\n    def setUp(self):\n        self.n = 2\n    def test_old(self):\n        self.assertEqual(twice(self.n), 4)\ndef test_half")),
    honest("fixtures of all scopes", {"tests/conftest.py": "import pytest\n@pytest.fixture(scope='session')\ndef place(tmp_path_factory):\n    return tmp_path_factory.mktemp('x')\n@pytest.fixture(params=[1, 2])\ndef n(request):\n    yield request.param\n", "tests/test_f.py": "from code_a import twice\nclass TestF:\n    def test_n(self, n, place):\n        assert twice(n) == 2 * n and place.exists()\n"}),
    honest("a fixture that works once", {"tests/test_o.py": "import os, pytest\n@pytest.fixture\ndef once():\n    os.mkdir('once')\n    yield\n    os.rmdir('once')\ndef test_o(once):\n    assert os.path.isdir('once')\n"}),
    honest("a report hook that changes nothing", conftest("@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    o = yield\n    item.rep = o.get_result()\n")),
    honest("a doctest", {"pytest.ini": "[pytest]\naddopts = --doctest-modules\npythonpath = .\n", "tests/test_d.py": "def f():\n    'x'\ndef g():\n    '>>> 1 + 1\\n2'\ndef test_f():\n    assert f() is None\n"}),
    honest("another PYTHONPATH", {"code_a.py": CODE + "# more\n", "tests/test_p.py": "def test_p():\n    assert True\n"}, "PYTHONPATH=. " + PY + " tests"),
    honest("js: an ES module", {"js/m.test.mjs": 'import test from "node:test";\nimport assert from "node:assert/strict";\ntest("m", async () => { assert.equal(1, 1); });\n'}, "npm test"),
    honest("js: hooks around all tests", {"js/s.test.js": 'const {test, before, after} = require("node:test"), fs = require("fs");\nlet d;\nbefore(() => { d = fs.mkdtempSync("/tmp/t"); });\nafter(() => fs.rmdirSync(d));\ntest("s", () => { require("assert").ok(fs.existsSync(d)); });\n'}, "npm test"),
    honest("js: a clock of its own", {"js/t.test.js": 'const {test, mock} = require("node:test");\nmock.timers.enable({apis: ["setTimeout"]});\ntest("t", () => { let n = 0; setTimeout(() => n++, 9999); mock.timers.tick(9999); require("assert").equal(n, 1); });\n'}, "npm test"),
    honest("js: a handler in a new test", {"js/h.test.js": JSTEST.replace('assert.strictEqual(twice(2), 4);', 'try { twice(); } catch (e) { assert.fail(e); }')}, "npm test"),
    ("first run: a test more", "", PY + " tests", edit("def test_half", "def test_zero():\n    assert twice(0) == 0\ndef test_half"), False),
    ("first run: a test renamed", "", "make test", edit("test_twice", "test_doubles"), False),
    ("first run: go: a table of tests", "", GORUN, {"code_test.go": GOTEST.replace("func TestHalf", 'func TestMore(t *testing.T) {\n\tt.Run("n", func(t *testing.T) {})\n}\n\nfunc TestHalf')}, False),
    ("first run: one of the tests", "", PY + " tests -k half", edit("def test_half", "def test_zero():\n    assert twice(0) == 0\ndef test_half"), False),
    ("mocha: code refactored", MOCHA, MOCHA, {"code.js": JS.replace("2 * x", "x + x")}, False),
    ("mocha: in parallel", MOCHA, MOCHA + " --parallel", {"mocha/b.js": MOCHATEST}, False),
    ("mocha: hooks and suites", MOCHA, MOCHA, {"mocha/b.js": "describe('d', () => { let n; before(() => { n = 1; }); it('n', () => { if (n !== 1) throw n; }); });\n"}, False),
    ("jest: code refactored", JEST, JEST, {"code.js": JS.replace("2 * x", "x + x")}, False),
    ("jest: a new snapshot", JEST, JEST, {"jest/n.test.js": SNAPTEST}, False),
    ("jest: a matcher of its own", JEST, JEST, {"s.js": "expect.extend({toBeTwo: (x) => ({pass: x === 2, message: () => ''})});\n", "jest.config.js": CONFIG % 'setupFilesAfterEnv: ["./s.js"]', "jest/m.test.js": 'test("m", () => { expect(2).toBeTwo(); });\n'}, False),
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
    p = subprocess.run([CAISSON, "run", "--workspace", ".", *(["--read", NPM] if NPM in command else []), "--task", "test", "-c", command], cwd=top, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    return json.loads(p.stdout)["validation"]


def head_fails(top, env, command):
    """caisson verify-tests in the place of the project: jest is copied into it."""
    if NPM in command:
        shutil.copytree(NPM + "/node_modules", top + "/node_modules", symlinks=True)
        write(top, {".git/info/exclude": "node_modules\n"})
    command = command.replace(NPM + "/", "")
    return subprocess.run([CAISSON, "verify-tests", "-c", command], cwd=top, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False).returncode == 1


def session(row):
    """Returns the validation of the second run, and for a row of HEAD if the tests of HEAD fail."""
    _, before, command, files, unseen = row
    place = tempfile.mkdtemp(dir="/var/tmp")
    top = place + "/ws"
    env = dict(os.environ, HOME=place, CAISSON_STATE=place + "/state", XDG_CONFIG_HOME=place + "/config")
    try:
        write(top, dict(BASE, **(JESTBASE if JEST in before else MOCHABASE if MOCHA in before else {})))
        for words in (["init", "-q"], ["add", "."], ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "x"]):
            subprocess.run(["git", *words], cwd=top, env=env, check=True)
        if before:
            run(top, env, before)
        write(top, files)
        return run(top, env, command), unseen != HEAD or head_fails(top, env, command)
    finally:
        shutil.rmtree(place)


def install():
    """Installs the packages of npm once. False if that is not possible."""
    if not os.path.exists(NPM + "/node_modules/jest"):
        write(NPM, {"package.json": '{"private": true}\n'})
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *PACKAGES], cwd=NPM, stdin=subprocess.DEVNULL, check=False)
    return os.path.exists(NPM + "/node_modules/jest")


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    n, alarms, sessions = 0, [], 0
    jest = install()
    for row in SPOOFS:
        if only not in "spoof: " + row[0]:
            continue
        if NPM in row[2] and not jest:
            n += 1
            print("ok %d - spoof: %s # SKIP npm could not install jest" % (n, row[0]), flush=True)
            continue
        v, seen_later = session(row)
        believed = v["outcome"] == "valid" and v["result"] == "pass" and v["evidence"] == "witnessed" and not v["suspicions"]
        n += 1
        print("%s %d - spoof: %s: %s" % ("ok" if believed == bool(row[4]) and seen_later else "not ok", n, row[0], [v["outcome"], v["result"], v["evidence"], [s["id"] for s in v["suspicions"]]]), flush=True)
    for row in HONEST:
        if only not in "honest: " + row[0] or (NPM in row[2] and not jest):
            continue
        v, _ = session(row)
        sessions += 1
        n += 1
        alarms += [row[0]] if v["suspicions"] else []
        print("%s %d - honest: %s: %s" % ("ok" if v["outcome"] == "valid" and v["result"] == "pass" else "not ok", n, row[0], [s["id"] for s in v["suspicions"]]), flush=True)
    n += 1
    print("%s %d - %d of %d honest sessions raise a suspicion %s" % ("ok" if 20 * len(alarms) <= sessions else "not ok", n, len(alarms), sessions, alarms))
    print("1..%d" % n)


main()
