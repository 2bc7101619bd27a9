"""
Plugin that pytest loads in the box of a declared test run: the canary of docs/validators.md.

After a session that passed, a forked child collects the same tests again in the same interpreter, and runs
tests that must fail instead: new ones beside the modules of each directory, and tests that passed, whose code
is replaced. So they meet the same plugins, conftest files, options and patches, also those that aim at one name.
The child prints nothing and cannot write outside of /tmp. Its counts go to a pipe that leads out of the box.
"""
import ctypes
import json
import os
import random
import signal
import sys
import tempfile
import time
import types

import pytest

PIPE = "/caisson/reports/canary"
OWNER = "CAISSON_WITNESS"  # process whose session has the canary; sessions inside of it have none
DIRECTORIES_MAX = 8
REPLACED_MAX = 32
SECONDS_MAX = 10  # for each of two attempts
SOURCE = "def %s(**_):\n    assert 1 == 2\n"


class Session:
    """State of this process: the outermost session, or the canary in the child."""

    config = None
    exit_code = None
    is_canary = False
    canaries = ()
    passed = set()  # node ids
    replaced = ()


def say(**fields):
    line = json.dumps(dict(runner="pytest", **fields)) + "\n"
    try:
        fd = os.open(PIPE, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.write(fd, line.encode())
    finally:
        os.close(fd)


# ---- the canary, in the child ----


class CanaryModule(pytest.Module):
    """A module that has no file: its path only says which conftest files hold for it."""

    def _getobj(self):
        return types.ModuleType(self.name)


def make_module(parent, path):
    try:
        return CanaryModule.from_parent(parent, path=path)
    except TypeError:  # pytest 6
        import py

        return CanaryModule.from_parent(parent, fspath=py.path.local(str(path)))


def failing_function(name, path):
    scope = {"__name__": name}
    exec(compile(SOURCE % name, path, "exec", dont_inherit=True), scope)
    return scope[name]


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_itemcollected(item):
    """Before hooks of the project see a test that passed, it becomes one that must fail."""
    if Session.is_canary and type(item) is pytest.Function and item.nodeid in Session.replaced:
        item.obj = failing_function(item.originalname or "test", str(item.fspath))
        item.is_canary = True
    yield


def make_canaries(items):
    """Returns a test for each directory that has test modules."""
    made, seen = [], set()
    for item in items:
        module = item.getparent(pytest.Module)
        if module is None:
            continue
        where = os.path.dirname(str(module.fspath))
        if where in seen or len(made) == DIRECTORIES_MAX:
            continue
        seen.add(where)
        name = "test_" + os.urandom(6).hex()
        path = type(getattr(module, "path", None) or module.fspath)(os.path.join(where, name + ".py"))
        parent = make_module(module.parent, path)
        made.append(pytest.Function.from_parent(parent, name=name, callobj=failing_function(name, str(path))))
    return made


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_collection_modifyitems(session, config, items):
    if not Session.is_canary:
        yield
        return
    Session.canaries = made = make_canaries(items)
    for option in ("keyword", "markexpr"):  # what the caller selects is no wrong
        if hasattr(config.option, option):
            setattr(config.option, option, "")
    items[:0] = made
    made += [i for i in items if hasattr(i, "is_canary")]
    yield
    items[:] = [i for i in items if any(i is c for c in made)]


def forbid_writing():
    """Landlock: only files below these directories can be written. False if the kernel cannot do that."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    write_file, kinds = 1 << 1, sum(1 << bit for bit in range(4, 13))  # removing and making entries
    rules = ctypes.create_string_buffer((write_file | kinds).to_bytes(8, sys.byteorder))
    ruleset = libc.syscall(444, rules, ctypes.c_size_t(8), 0)
    if ruleset < 0:
        return False
    for path in ("/tmp", "/dev", "/caisson/reports", tempfile.gettempdir()):
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = (write_file | kinds).to_bytes(8, sys.byteorder) + fd.to_bytes(4, sys.byteorder)
        libc.syscall(445, ctypes.c_int(ruleset), 1, ctypes.create_string_buffer(rule), 0)
        os.close(fd)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, as everywhere in the box
    return libc.syscall(446, ctypes.c_int(ruleset), 0) == 0


def run_canary(config, report):
    """Runs in the child, and never returns."""
    code = 70
    try:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        if not forbid_writing():
            os._exit(71)
        Session.is_canary = True
        given = config.invocation_params
        more = ["--junitxml=" + report]
        if config.pluginmanager.hasplugin("xdist"):
            more.append("-n0")
        if config.pluginmanager.hasplugin("_cov"):
            more.append("--no-cov")
        code = int(pytest.main([str(a) for a in given.args] + more, plugins=given.plugins))
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else 1
    finally:
        os._exit(code if Session.canaries else 72)


# ---- the session of the person ----


def read_counts(path):
    from xml.etree import ElementTree

    counts = {"passed": 0, "failed": 0, "skipped": 0}
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return counts
    for case in cases:
        kinds = {child.tag for child in case}
        counts["failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"] += 1
    return counts


def wait_for(pid):
    end = time.monotonic() + SECONDS_MAX
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 70
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return 73


WHY = {70: "it crashed", 71: "the kernel has no Landlock", 72: "no test module was collected", 73: "it took too long"}


def attempt(config, report, replaced):
    pid = os.fork()
    if pid == 0:
        Session.replaced = frozenset(replaced)
        run_canary(config, report)
    return wait_for(pid)


def try_canary(config):
    """Fixtures of replaced tests may not work a second time: then only new tests are tried."""
    fd, report = tempfile.mkstemp(suffix=".xml")
    os.close(fd)
    passed = sorted(Session.passed)
    try:
        code = attempt(config, report, random.SystemRandom().sample(passed, min(len(passed), REPLACED_MAX)))
        if code in (70, 73) and passed:
            code = attempt(config, report, ())
        if code in WHY:
            say(state="skipped", why=WHY[code])
        else:
            say(state="done", exit=code, **read_counts(report))
    finally:
        os.unlink(report)


def pytest_configure(config):
    manager = config.pluginmanager
    known = getattr(manager, "_plugin_distinfo", None)
    if isinstance(known, list):  # the header lists the plugins of the project only
        known[:] = [(p, d) for p, d in known if getattr(p, "__name__", "") != __name__]
    if Session.is_canary or os.environ.get(OWNER) or not os.path.exists(PIPE):
        return
    os.environ[OWNER] = str(os.getpid())
    Session.config = config
    say(state="started")


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_logreport(report):
    yield
    if Session.config and report.when == "call" and report.passed and not hasattr(report, "wasxfail"):
        Session.passed.add(report.nodeid)


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_sessionfinish(session, exitstatus):
    yield
    if session.config is Session.config:
        Session.exit_code = int(session.exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    if Session.config is not config or Session.is_canary:
        return
    os.environ.pop(OWNER, None)
    Session.config = None
    if Session.exit_code:
        say(state="skipped", why="the tests did not pass")
        return
    try:
        try_canary(config)
    except Exception as e:
        say(state="skipped", why=type(e).__name__)
