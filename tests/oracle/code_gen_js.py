"""Random JavaScript programs for the oracle of inline code, as code_gen_py.py makes them for Python: hostile, state, harmless.

Templates: $P a path, $E an expression with an effect, $N and $M fresh names, $f a function of fs, $g and $h its halves.
"""
import base64
import random

PATHS = ["a.txt", "b.txt", "sub/c.txt", "/w/a.txt", "/tmp/t1", "/etc/zz", "new1", "../w/b.txt",
        "sub/../a.txt"]

# function of fs and its arguments after the path
SINKS = [
    ("unlinkSync", ""), ("rmSync", ", {force: true}"), ("rmSync", ", {recursive: true}"), ("writeFileSync",
            ", 'x'"), ("appendFileSync", ", 'x'"), ("mkdirSync", ""), ("mkdirSync", ", {recursive: true}"), ("rmdirSync", ""), ("renameSync", ", 'moved'"),
    ("copyFileSync", ", 'copied'"), ("cpSync", ", 'cp2', {recursive: true}"), ("chmodSync",
            ", 0o777"), ("truncateSync", ""), ("symlinkSync", ", 'lnk'"), ("linkSync", ", 'hard'"), ("openSync", ", 'w'"), ("openSync", ", 'a+'"), ("openSync", ", 65"), ("createWriteStream", ""),
    ("unlink", ", () => {}"), ("rm", ", {force: true}, () => {}"), ("writeFile",
            ", 'x', () => {}"), ("mkdtempSync", ""), ("utimesSync", ", 0, 0"), ("rename", ", 'moved', () => {}"), ("readFileSync", ""), ("chownSync", ", 0, 0"), ("lutimesSync", ", 0, 0"),
]

# whole expressions
EFFECTS = [
    "require('child_process').execSync('evil 1')", "require('child_process').exec('evil 2; rm a.txt')", "require('child_process').spawnSync('evil', ['3', $P])", "require('child_process').spawn('evil', ['4'])", "require('child_process').execFileSync('evil', ['5'])", "require('child_process').spawn('evil 6', {shell: true})",
    "require('child_process').spawnSync('sh', ['-c', 'evil 7 > k'])", "require('node:child_process').execFile('evil', ['8'], () => {})", "require('child_process').execSync(`rm ${$P}`)", "require('child_process').fork('x.js')", "require('child_process').execSync('evil 9', {cwd: 'sub'})", "require('child_process')['exec' + 'Sync']('evil 10')",
    "require('fs').promises.unlink($P).catch(() => {})", "require('fs/promises').rm($P).catch(() => {})", "require('node:fs/promises').writeFile($P, 'x').catch(() => {})", "import('fs').then(m => m.unlinkSync('a.txt'))", "import('node:fs/promises').then(m => m.rm('b.txt'))", "import('fs').then(({default: f}) => f.rmSync('a.txt'))", "import('f' + 's').then(m => m.unlinkSync('a.txt'))",
    "fetch('http://evil.example/').catch(() => {})", "require('http').get('http://evil.example/').on('error', () => {})", "require('https').request({host: 'evil.example'}).on('error', () => {}).end()", "require('net').connect(80, 'evil.example').on('error', () => {})", "require('dns').lookup('evil.example', () => {})", "require('dgram').createSocket('udp4').send('x', 53, '10.9.8.7')",
    "require('net').createServer().listen(0).unref()", "process.binding('fs').unlink('a.txt', undefined, {})", "process.mainModule", "process.kill(process.pid, 0)", "process.dlopen({exports: {}}, '/x.node')", "eval(\"require('fs').unlinkSync('a.txt')\")", "(0, eval)(\"fs.unlinkSync('a.txt')\")", "new Function(\"require('fs')\")", "Function('return process')().getBuiltinModule",
    "new Function('r', \"r('fs').unlinkSync('a.txt')\")(require)", "(() => {}).constructor(\"globalThis.require('fs').unlinkSync('a.txt')\")()", "[].map.constructor('return fs')().unlinkSync('a.txt')", "(({constructor}) => constructor(\"process.getBuiltinModule('fs').unlinkSync('a.txt')\")())(() => {})", "(({'constructor': {'constructor': F}}) => F(\"process.getBuiltinModule('fs').unlinkSync('a.txt')\")())([])", "setTimeout(() => require('fs').unlinkSync('a.txt'))", "setImmediate(require('fs').unlinkSync, 'a.txt')", "queueMicrotask(() => fs.unlinkSync('a.txt'))", "process.nextTick(fs.unlinkSync, 'a.txt')", "process.on('exit', () => fs.unlinkSync('a.txt'))",
    "require('vm').runInThisContext(\"fs.unlinkSync('a.txt')\")", "require('vm').runInNewContext(\"f.unlinkSync('a.txt')\", {f: fs})", "new (require('vm').Script)(\"fs.unlinkSync('b.txt')\").runInThisContext()", "require('module').createRequire('/w/x.js')('fs').unlinkSync('a.txt')", "module.constructor._load('fs').unlinkSync('a.txt')", "module.require('fs').unlinkSync('a.txt')", "require.main", "require.cache",
    "module.constructor.prototype.require('fs').unlinkSync('a.txt')", "process.mainModule?.require('fs')", "globalThis.process.binding('spawn_sync')", "globalThis['req' + 'uire']('fs').unlinkSync('a.txt')", "global.require('fs').unlinkSync('a.txt')", "globalThis.fs.unlinkSync('a.txt')", "global.fs['unlinkSync']('a.txt')", "this.fs.unlinkSync('a.txt')", "fs.unlinkSync('a.txt')", "child_process.execSync('evil 11')",
    "fs?.unlinkSync?.('a.txt')", "fs.unlinkSync.call(null, 'a.txt')", "fs.unlinkSync.apply(fs, ['a.txt'])", "fs.unlinkSync.bind(fs, 'a.txt')()", "Reflect.apply(fs.unlinkSync, fs, ['a.txt'])", "Reflect.get(fs, 'unlinkSync')('a.txt')", "['a.txt', 'b.txt'].forEach(p => fs.unlinkSync(p))", "['a.txt'].map(fs.unlinkSync)", "['a.txt'].forEach(fs.unlinkSync, fs)", "Array.from(['a.txt'], p => fs.unlinkSync(p))", "[...'x'].map(() => fs.unlinkSync('a.txt'))",
    "Object.values(fs).find(f => f.name === 'unlinkSync')('a.txt')", "fs[Object.keys(fs).find(k => k === 'unlinkSync')]('a.txt')", "Object.entries({u: fs.unlinkSync})[0][1]('a.txt')", "'a.txt'.replace(/.+/, p => fs.unlinkSync(p))", "['a.txt', 'b.txt'].sort((a, b) => fs.unlinkSync(a) || 0)", "['a.txt'].reduce((_, p) => fs.unlinkSync(p), 0)", "JSON.stringify({toJSON() { fs.unlinkSync('a.txt') }})", "JSON.parse('[1]', () => fs.unlinkSync('a.txt'))",
    "`${{toString() { fs.unlinkSync('a.txt'); return '' }}}`", "+{valueOf() { fs.unlinkSync('a.txt'); return 1 }}", "({get x() { fs.unlinkSync('a.txt') }}).x", "({set x(v) { fs.unlinkSync(v) }}).x = 'a.txt'", "new Proxy({}, {get: () => fs.unlinkSync('a.txt')}).y", "new Proxy(fs, {}).unlinkSync('a.txt')", "[...{*[Symbol.iterator]() { fs.unlinkSync('a.txt') }}]", "Promise.resolve('a.txt').then(fs.unlinkSync)", "Promise.resolve().then(() => fs.unlinkSync('a.txt'))",
    "({then(r) { fs.unlinkSync('a.txt') }}) && Promise.resolve({then(r) { fs.unlinkSync('a.txt') }})", "new Promise(r => r(fs.unlinkSync('a.txt')))", "(async () => { await fs.promises.unlink('a.txt') })()", "(function* () { yield fs.unlinkSync('a.txt') })().next()", "((a, b = fs.unlinkSync('a.txt')) => 1)()", "(({x = fs.unlinkSync('a.txt')}) => 1)({})", "(p => fs.unlinkSync(p))`a.txt`", "fs.unlinkSync`a.txt`", "((s) => fs.unlinkSync(s[0]))`a.txt`", "new (class { constructor() { fs.unlinkSync('a.txt') } })()", "(class { static { fs.unlinkSync('a.txt') } })",
    "(class { static x = fs.unlinkSync('a.txt') })", "(class { [fs.unlinkSync('a.txt')]() {} })", "({[fs.unlinkSync('a.txt')]: 1})", "new (require('worker_threads').Worker)(\"require('fs').unlinkSync('a.txt')\", {eval: true})", "require('cluster').isPrimary && fs.unlinkSync('a.txt')", "require('repl').builtinModules && fs.unlinkSync('a.txt')", "new (require('events'))().on('x', fs.unlinkSync).emit('x', 'a.txt')", "require('stream').pipeline(fs.createReadStream('a.txt'), fs.createWriteStream('k'), () => {})",
    "fs.createReadStream('a.txt').pipe(fs.createWriteStream('k'))", "require('util').promisify(fs.unlink)('a.txt')", "require('util').promisify(child_process.exec)('evil 12')", "require('fs').constants && require('fs').rmSync('sub', {recursive: true})", "fs.readdirSync('.').filter(f => f.endsWith('.txt')).forEach(f => fs.unlinkSync(f))", "for (const f of fs.readdirSync('sub')) fs.unlinkSync('sub/' + f)", "process.chdir('sub'), fs.unlinkSync('c.txt')", "fs.unlinkSync(require('path').join('sub', 'c.txt'))",
    "fs.unlinkSync(require('path').resolve('sub', '..', 'a.txt'))", "fs.writeFileSync(require('os').homedir() + '/x', '')", "fs.unlinkSync(new URL('file:///w/a.txt'))", "fs.unlinkSync(Buffer.from('a.txt'))", "fs.unlinkSync(process.argv0 && 'a.txt')", "fs.writeSync(fs.openSync('k', 'w'), 'x')", "fs.writeFileSync(1, 'x') || fs.writeFileSync('k', '')", "import('data:text/javascript,import fs from \"fs\"; fs.unlinkSync(\"a.txt\")')", "require('./run.sh')", "require('/w/run.js')", "require('nope')",
    "process.getBuiltinModule?.('fs').unlinkSync('a.txt') ?? fs.unlinkSync('b.txt')", "process.report.writeReport('k.json')", "require('v8').writeHeapSnapshot('k.heap')", "require('inspector').url", "require('fs').promises.open('k', 'w')", "require('timers/promises').setTimeout(1).then(() => fs.unlinkSync('a.txt'))", "new (require('console').Console)(fs.createWriteStream('k'))", "AbortSignal.timeout(1).addEventListener('abort', () => fs.unlinkSync('a.txt'))", "process.emitWarning('x') ?? fs.unlinkSync('a.txt')",
    "import.meta", "WebAssembly && fs.unlinkSync('a.txt')", "process.openStdin && fs.unlinkSync('a.txt')", "process.stdout.constructor && fs.unlinkSync('a.txt')", "require('os').setPriority", "structuredClone && fs.unlinkSync('a.txt')", "require('zlib').createGzip().pipe(fs.createWriteStream('k'))", "Object.assign({}, fs).unlinkSync('a.txt')", "({...fs}).unlinkSync('a.txt')", "Object.create(fs).unlinkSync('a.txt')", "require('fs').Stats && require('fs')[`unlinkSync`]('a.txt')", "fs['\\x75nlinkSync']('a.txt')", "fs.\\u0075nlinkSync('a.txt')",
]

FUNCTIONS = [
    ("const fs1 = require('fs')", "fs1.$f"), ("var $N = require('node:fs')",
            "$N.$f"), ("const {$f} = require('fs')", "$f"), ("const {$f: $N} = require('fs')", "$N"), ("let $N; ({$f: $N} = require('fs'))", "$N"), ("const $N = require('fs').$f", "$N"), ("", "require('fs').$f"), ("", "require('fs')['$f']"), ("", "require('fs')['$g' + '$h']"), ("const $N = '$f'", "require('fs')[$N]"),
    ("const $N = require, $M = $N('fs')", "$M.$f"), ("const $N = 'f' + 's', $M = require($N)", "$M.$f"), ("",
            "require(`fs`).$f"), ("", "fs.$f"), ("const $N = fs", "$N.$f"), ("const $N = fs, $M = $N.$f", "$M"), ("", "globalThis.fs.$f"), ("", "({k: fs.$f}).k"), ("const $N = {k: fs.$f}", "$N.k"), ("const $N = {fs}", "$N.fs.$f"), ("const $N = [0, fs.$f]", "$N[1]"), ("", "(() => fs.$f)()"), ("", "((...a) => fs.$f(...a))"),
    ("function $N(...a) { return fs.$f(...a) }", "$N"), ("const $N = (...a) => fs.$f.apply(fs, a)",
            "$N"), ("const $N = fs.$f.bind(fs)", "$N"), ("", "(0, fs.$f)"), ("", "(fs.$f || 0)"), ("", "(1 ? fs : 0).$f"), ("", "fs?.$f"), ("class $N { static m(...a) { return fs.$f(...a) } }", "$N.m"), ("class $N { m(...a) { return fs.$f(...a) } }", "new $N().m"), ("class $N { m = fs.$f }", "new $N().m"), ("class $N { constructor() { this.g = fs.$f } }", "new $N().g"),
    ("console.log = fs.$f", "console.log"), ("console['log'] = fs.$f", "console.log"), ("JSON.parse = fs.$f",
            "JSON.parse"), ("globalThis.parseInt = fs.$f", "parseInt"), ("parseInt = fs.$f", "parseInt"), ("Math.max = fs.$f", "Math.max"), ("String.prototype.trim = function () { return fs.$f }", "''.trim()"), ("Array.prototype.at = () => fs.$f", "[].at()"), ("Object.assign(console, {log: fs.$f})", "console.log"), ("Object.defineProperty(Math, 'abs', {value: fs.$f})", "Math.abs"),
    ("let $N; [$N] = [fs.$f]", "$N"), ("let [$N, ...$M] = [fs.$f, 1]",
            "$N"), ("let $N = console.log; $N = fs.$f", "$N"), ("let $N = console.log; function $M() { $N = fs.$f } $M()", "$N"), ("let $N = console.log; for (let i = 0; i < 2; i++) if (i) $N = fs.$f", "$N"), ("let $N; try { $N = fs.$f } catch {}", "$N"), ("var $N = fs.$f, $N", "$N"), ("{ var $N = fs.$f }", "$N"), ("const $N = new Map([['k', fs.$f]])", "$N.get('k')"), ("const $N = {get g() { return fs.$f }}", "$N.g"),
    ("const $N = new Proxy({}, {get: () => fs.$f})", "$N.x"), ("const {$f: $N = 1} = fs",
            "$N"), ("const {['$f']: $N} = fs", "$N"), ("const {['$g' + '$h']: $N} = fs", "$N"), ("let $N; ({['$f']: $N} = fs)", "$N"), ("const {0x0: $N} = [fs.$f]", "$N"), ("const $N = {0x10: fs.$f}", "$N[16]"), ("const {a: {[`$f`]: $N}} = {a: fs}", "$N"), ("const {...$N} = fs", "$N.$f"), ("const {promises: {unlink: $N}} = fs", "fs.$f"), ("const $N = function () { return fs }", "$N().$f"), ("const $N = (f = fs) => f.$f", "$N()"), ("const $N = ({f}) => f", "$N({f: fs.$f})"), ("function* $N() { yield fs.$f }", "$N().next().value"), ("for (var $N of [fs.$f]);", "$N"), ("var $N; for (var k in fs) if (k == '$f') $N = fs[k]", "$N"), ("switch (1) { case 1: var $N = fs.$f }", "$N"),
    ("label: { var $N = fs.$f; break label }", "$N"), ("eval('var $N = fs.$f')", "$N"), ("this.$N = fs.$f",
            "$N"), ("globalThis['$N'] = fs.$f", "$N"), ("with ({$N: fs.$f}) { var $M = $N }", "$M"), ("const $N = Object.freeze({f: fs.$f})", "$N.f"), ("function $N() {} $N.prototype.g = fs.$f", "new $N().g"), ("const $N = fs; const console = {log: $N.$f}", "console.log"), ("const $N = require('fs'), require2 = require", "$N.$f"), ("function require1(x) { return require(x) }", "require1('fs').$f"),
    ("const require1 = x => fs", "require1('path').$f"), ("const path = fs",
            "path.$f"), ("var path = require('fs')", "path.$f"), ("const $N = [fs.$f]; const $M = $N; $M.push(1)", "$N[0]"), ("const $N = [1]; const $M = $N; $M[0] = fs.$f", "$N[0]"), ("const $N = {}; Object.assign($N, {g: fs.$f})", "$N.g"), ("const $N = {}; $N['g'] = fs.$f", "$N.g"), ("async function $N(...a) { return fs.$f(...a) }", "$N"), ("const $N = fs /* x */ . $f // y\n", "$N"),
]

VALUES = [
    ("", "'$p'"), ("", '"$p"'), ("", "`$p`"), ("", "'$q' + '$r'"), ("const $N = '$r'", "`$q${$N}`"), ("",
            "`$q${'$r'}`"), ("", "['$q', '$r'].join('')"), ("const $N = '$p'", "$N"), ("let $N = 'x'; $N = '$p'", "$N"), ("let $N = '$q'; $N += '$r'", "$N"), ("const $N = ['x', '$p']", "$N[1]"), ("const $N = {k: '$p'}", "$N.k"), ("const $N = {k: '$p'}", "$N['k']"), ("const [$N, $M] = ['$q', '$r']", "$N + $M"), ("", "'$v'.split('').reverse().join('')"),
    ("", "'$p '.trim()"), ("", "'$pXX'.replace('XX', '')"), ("",
            "Buffer.from('$b', 'base64').toString()"), ("", "atob('$b')"), ("", "String.fromCharCode($o)"), ("", "require('path').join('/w', 'a.txt')"), ("", "require('path').resolve('$p')"), ("", "path.normalize('$p')"), ("", "process.cwd() + '/$p'"), ("", "process.env.NOPE || '$p'"), ("", "process.env.FOO"), ("", "process.argv[1] ?? '$p'"), ("function $N() { return '$p' }", "$N()"), ("const $N = (a, b = '$r') => a + b", "$N('$q')"),
    ("class $N { static p = '$p' }", "$N.p"), ("class $N { constructor(p) { this.p = p } }",
            "new $N('$p').p"), ("", "1 ? '$p' : 'x'"), ("", "'' || '$p'"), ("", "'$p'.toLowerCase()"), ("", "'$p'.slice(0)"), ("", "'x|$p'.split('|')[1]"), ("const $N = ['x'], $M = $N; $M[0] = '$p'", "$N[0]"), ("let $N = 'x'; function $M() { $N = '$p' } $M()", "$N"), ("var $N = 'x'; for (var $N of ['$p']);", "$N"), ("let $N = 'x'; try { $N = '$p'; null.x } catch {}", "$N"), ("var $N = 'x'; globalThis.$N = '$p'", "$N"),
    ("var $N = 'x'; eval(\"$N = '$p'\")", "$N"), ("process.chdir('sub')", "'$p'"), ("process.chdir('/tmp')",
            "'$p'"), ("", "require('os').homedir() + '/$p'"), ("", "fs.readdirSync('.').sort()[0]"), ("", "fs.readFileSync('b.txt', 'utf8').trim()"), ("", "JSON.parse('\"$p\"')"), ("", "String.raw`$p`"), ("", "'$q'.concat('$r')"), ("", "decodeURIComponent('$p')"), ("let $N = 'x'; if ('ab'.length > 1) $N = '$p'", "$N"), ("let $N = 'x'; for (let i = 0; i < 2; i++) $N = '$p'", "$N"), ("let $N = 'x'; while ($N == 'x') $N = '$p'", "$N"),
    ("const {a: $N} = {a: '$p'}", "$N"), ("const {a: $N = '$p'} = {}", "$N"), ("", "'\\x2e/$p'"), ("",
            "'\\u{2e}/$p'"), ("", "'$q\\\n$r'"), ("const $N = {toString: () => '$p'}", "`${$N}`"), ("const $N = {toString: () => '$p'}", "String($N)"), ("let $N; $N ??= '$p'", "$N"), ("let $N = 'x'; $N &&= '$p'", "$N"), ("let $N = 'x', $M = '$p'; [$N, $M] = [$M, $N]", "$N"), ("", "__dirname === '.' ? '$p' : '$p'"), ("var $N = '$p'; var $N", "$N"), ("const $N = (...a) => a[1]", "$N('x', '$p')"), ("", "(() => '$p')()"), ("", "('x', '$p')"),
    ("", "new URL('file:///w/a.txt')"), ("",
            "Buffer.from('$p')"), ("const $N = new URL('file:///w/x'); $N.pathname = '/w/a.txt'", "$N"), ("const $N = {p: 'x'}; const $M = {...$N, p: '$p'}", "$M.p"), ("const $N = {p: 'x'}; const $M = $N; $M.p = '$p'", "$N.p"), ("String.prototype.trim = () => '$p'", "'zz'.trim()"), ("path.join = () => '$p'", "path.join('x', 'y')"), ("process.cwd = () => '/tmp'", "process.cwd() + '/../w/b.txt'"), ("const $N = a => a.p = '$p', $M = {}; $N($M)", "$M.p"),
]

CONTEXTS = [
    "$E", "var $N = $E", "console.log($E)", "if (1) { $E }", "if ($E) {}", "while (!$E) break", "for (const $N of [1]) $E", "for (const $N of [$E]);", "for ($E; 0;);", "try { $E } catch {}", "try { null.x } catch { $E }", "try {} finally { $E }", "(() => { $E })()", "(function () { $E })()", "!function () { $E }()", "function $N() { $E } $N()", "const $N = () => $E; $N()", "(async () => { $E })()", "(async () => { await ($E) })()", "[1].map(() => $E)", "[1].forEach(function () { $E })",
    "new Promise(r => { $E; r() })", "Promise.resolve().then(() => $E)", "setTimeout(() => $E)", "setImmediate(() => $E)", "process.nextTick(() => $E)", "process.on('exit', () => $E)", "`${$E}`", "1 ? $E : 0", "0 || $E", "1 && $E", "null ?? $E", "!($E)", "void ($E)", "typeof ($E)", "({a: $E})", "[$E]", "[...[$E]]", "({...($E)})", "(($N = $E) => 1)()", "(({$N = $E}) => 1)({})", "class $N { static x = $E }", "class $N { static { $E } }", "class $N { constructor() { $E } } new $N()", "class $N { x = $E } new $N()", "class $N { get x() { $E } } new $N().x",
    "class $N extends ($E, Object) {}", "class $N { m() { $E } } class $M extends $N {} new $M().m()", "switch (1) { case 1: $E }", "switch ($E) {}", "label: for (;;) { $E; break label }", "do { $E } while (0)", "throw $E", "var $N = {f() { $E }}; $N.f()", "var $N = {f: () => $E}; $N['f']()", "var $N = {get x() { $E }}; $N.x", "var $N = {toString() { $E; return '' }}; `${$N}`", "var $N = {valueOf() { $E; return 1 }}; $N + 1", "function* $N() { yield $E } [...$N()]", "var $N = {*[Symbol.iterator]() { $E }}; for (const x of $N);", "$N = $E", "{ $E }", ";$E;", "$E // fs.unlinkSync",
    "/* x */ $E", "if (0) {} else $E", "process.on('uncaughtException', () => $E); null.x", "function $N(f) { f() } $N(() => $E)", "function $N(...a) { a[0]() } $N(...[() => $E])", "[2, 1].sort(() => $E || 0)", "'a'.replace('a', () => $E)", "JSON.stringify({toJSON() { $E }})", "var $N = () => {}; $N = () => $E; $N()", "function $N() {} function $N() { $E } $N()", "$N(); function $N() { $E }", "var $N = new Proxy({}, {get() { $E }}); $N.x", "var $N = [() => $E]; $N[0]()", "(() => {\n$E\n})()", "new (function () { $E })", "const $N = {set x(v) { $E }}; $N.x = 1", "(a => a())(() => $E)",
    "Array.from({length: 1}, () => $E)", "Object.defineProperty({}, 'x', {get: () => $E}).x", "delete ($E)", "with ({}) { $E }", "const $N = {}; $N.__proto__ = {get y() { $E }}; $N.y", "Error.prepareStackTrace = () => $E; new Error().stack", "console.log = () => $E; console.log('x')", "Array.prototype.push = () => $E; [].push(1)", "Object.prototype.toString = () => $E; `${{}}`", "String.prototype.trim = function () { $E }; ' '.trim()", "const $N = {[Symbol.toPrimitive]() { $E; return 1 }}; +$N", "const $N = {then(f) { $E; f() }}; (async () => await $N)()", "queueMicrotask(() => $E)",
    "x = 1\n;$E", "var $N = 1, $M = $E", "$E, 1", "if (1) $E\nelse 2", "var $N = async () => { for await (const x of [$E]); }; $N()", "var $N = {async *[Symbol.asyncIterator]() { $E }}; (async () => { for await (const x of $N); })()", "Promise.reject().catch(() => $E)", "Promise.resolve().finally(() => $E)", "new (require('events'))().once('x', () => $E).emit('x')",
]

STATE = [
    "let p = 'a.txt'; for (let i = 0; i < 2; i++) { fs.unlinkSync(p); p = 'b.txt' }", "let f = console.log; for (let i = 0; i < 2; i++) { f('a.txt'); f = fs.unlinkSync }", "function go() { fs.unlinkSync(p) } var p = 'a.txt'; go(); p = 'b.txt'; go()", "var fs2 = []; for (var p of ['a.txt', 'b.txt']) fs2.push(() => fs.unlinkSync(p)); fs2[0]()", "const l = ['a.txt']; for (const p of l) { fs.unlinkSync(p); if (l.length < 2) l.push('b.txt') }", "let a = 'x', b = 'a.txt'; [a, b] = [b, a]; fs.unlinkSync(a)",
    "const o = {p: 'x'}; const q = o; q.p = 'a.txt'; fs.unlinkSync(o.p)", "const o = {p: 'x'}; (x => { x.p = 'a.txt' })(o); fs.unlinkSync(o.p)", "class C { p = 'x'; set() { this.p = 'b.txt' } } const c = new C(); c.set(); fs.unlinkSync(c.p)", "let p = 'x'; try { p = 'a.txt'; null.x; p = 'y' } catch {} fs.unlinkSync(p)", "process.chdir('sub'); fs.unlinkSync('c.txt')", "const d = () => process.chdir('sub'); d(); fs.unlinkSync('c.txt')", "for (let i = 0; i < 2; i++) { fs.writeFileSync('k', ''); process.chdir('/tmp') }",
    "path.join = () => 'a.txt'; fs.unlinkSync(path.join('x', 'y'))", "fs.existsSync = fs.unlinkSync; fs.existsSync('a.txt')", "fs.readFileSync = fs.unlinkSync; fs.readFileSync('a.txt')", "Object.assign(fs, {statSync: fs.unlinkSync}); fs.statSync('a.txt')", "const console = {log: fs.unlinkSync}; console.log('a.txt')", "{ const console = {log: fs.unlinkSync}; console.log('a.txt') }", "function f(console) { console.log('a.txt') } f({log: fs.unlinkSync})", "var JSON = {parse: fs.unlinkSync}; JSON.parse('a.txt')", "const Math = fs; Math.unlinkSync('a.txt')",
    "let m = 'fs'; m = 'fs'; require(m).unlinkSync('a.txt')", "const r = require; r('fs').unlinkSync('a.txt')", "const {unlinkSync: remove} = fs; const l = {remove}; l.remove('a.txt')", "const s = new Set(); s.delete = fs.unlinkSync; s.delete('a.txt')", "class S extends Set { delete(x) { fs.unlinkSync(x) } } new S().delete('a.txt')", "const m = new Map(); m.rm = fs.rmSync; m.rm('a.txt')", "let args = ['1']; args.push('2'); child_process.spawnSync('evil', args)", "let args = ['-c', 'true']; args[1] = 'evil 1'; child_process.spawnSync('sh', args)", "const o = {shell: true}; child_process.spawnSync('evil 1; evil 2', o)",
    "child_process.execSync('sh', {input: 'evil 3'})", "child_process.spawnSync('bash', {input: 'evil 4'})", "const c = child_process.spawn('sh'); c.stdin.end('evil 5')", "child_process.execSync('$X', {env: {X: 'evil 6', PATH: '/bin'}})", "process.env.X = 'evil 7'; child_process.execSync('$X')", "process.env['X'] = 'evil 8'; child_process.execSync('eval \"$X\"')", "child_process.execFileSync('evil', ['9'], {shell: '/bin/sh'})", "child_process.spawnSync('ls', {shell: '/bin/evil'})", "child_process.spawnSync('evil', ['10'], {argv0: 'ls'})", "child_process.exec('evil 11', () => fs.unlinkSync('a.txt'))",
    "fs.writeFile('k', 'x', () => fs.unlinkSync('a.txt'))", "fs.readFile('a.txt', () => fs.unlinkSync('a.txt'))", "fs.open('k', 'w', () => {})", "const m = 'w'; fs.openSync('k', m)", "fs.openSync('k', fs.constants.O_CREAT | fs.constants.O_WRONLY)", "fs.readFileSync('k', {flag: 'w+'})", "fs.createReadStream('k', {flags: 'w'})", "fs.writeFileSync('a.txt', '', {flag: 'r+'})", "fs.cpSync('sub', 'x1', {recursive: true})", "fs.renameSync('sub', 'sub9')", "fs.mkdirSync('m/n/o', {recursive: true})", "fs.promises.mkdtemp('tmp-')", "fs.promises.writeFile('k', 'x').then(() => fs.promises.rename('k', 'k2'))",
    "(async () => { const h = await fs.promises.open('k', 'w'); await h.write('x'); await h.close() })()", "const {rm} = fs.promises; rm('a.txt')", "const p = fs.promises; p.rm('a.txt')", "const {promises: p} = require('fs'); p.rm('a.txt')", "const fsp = require('fs').promises; (async () => { for (const f of await fsp.readdir('sub')) await fsp.unlink(path.join('sub', f)) })()", "require('fs/promises').cp('a.txt', 'k')", "const x = require('fs'); x['rm' + 'Sync']('a.txt')", "const k = ['unlink', 'Sync'].join(''); fs[k]('a.txt')",
    "f\\u0073.unlinkSync('a.txt')", "const ｆｓ = fs; ｆｓ.unlinkSync('a.txt')", "var \\u{61}b = fs; ab.unlinkSync('a.txt')", "/a/.test('x'); fs.unlinkSync('a.txt') // /", "x = 1 /2/ 1; fs.unlinkSync('a.txt')", "let x = 1\n/2/fs.unlinkSync('a.txt')/1", "var a = `${`${fs.unlinkSync('a.txt')}`}`", "a = 1 <!-- fs\nfs.unlinkSync('a.txt')", "--> comment\nfs.unlinkSync('a.txt')", "#!/usr/bin/node\nfs.unlinkSync('a.txt')", "'use strict'; fs.unlinkSync('a.txt')", "// x\rfs.unlinkSync('a.txt')", "// x\u2028fs.unlinkSync('a.txt')", "/* \n */ fs.unlinkSync('a.txt')", "let async = fs; async.unlinkSync('a.txt')", "var of = fs; of.unlinkSync('a.txt')", "var get = fs.unlinkSync; get('a.txt')",
    "var let_ = fs, yield_ = 1; let_.unlinkSync('a.txt')", "return_ = fs.unlinkSync\n('a.txt')", "const f = fs.unlinkSync\n;['a.txt'].forEach(f)", "var a = 1\n++a\nfs\n.unlinkSync\n('a.txt')", "if (0) function f() {}\nfs.unlinkSync('a.txt')", "a: fs.unlinkSync('a.txt')", "if (1) ; fs.unlinkSync('a.txt')", "(fs.unlinkSync)('a.txt')", "fs.unlinkSync?.('a.txt')", "(fs)?.['unlinkSync']('a.txt')", "new fs.WriteStream('k')", "fs.WriteStream('k')", "new fs.unlinkSync('a.txt')", "new (require('fs').unlinkSync)('a.txt')", "new child_process.ChildProcess().spawn({file: 'evil', args: ['evil', '12'], stdio: []})",
    "console.table.constructor(\"return fs\")().unlinkSync('a.txt')", "async function f() {} ; f.constructor(\"fs.unlinkSync('a.txt')\")()", "Reflect.construct(Function, [\"fs.unlinkSync('a.txt')\"])()", "setTimeout.call(null, () => fs.unlinkSync('a.txt'))", "Array.prototype.map.call(['a.txt'], fs.unlinkSync)", "Function.prototype.call.call(fs.unlinkSync, fs, 'a.txt')", "[fs.unlinkSync].forEach(f => f('a.txt'))", "[['unlinkSync', 'a.txt']].forEach(([k, p]) => fs[k](p))", "Object.keys(fs).filter(k => /^unlinkS/.test(k)).forEach(k => fs[k]('a.txt'))", "for (const [k, v] of Object.entries(fs)) if (k == 'unlinkSync') v('a.txt')",
    "const h = {a: {b: fs}}; h.a.b.unlinkSync('a.txt')", "const h = {a: {b: fs}}; const {a: {b: {unlinkSync: u}}} = h; u('a.txt')", "function F() { this.x = fs } new F().x.unlinkSync('a.txt')", "const wm = new WeakMap(); wm.set(fs, fs.unlinkSync); wm.get(fs)('a.txt')", "const e = new Event('x'); const t = new EventTarget(); t.addEventListener('x', () => fs.unlinkSync('a.txt')); t.dispatchEvent(e)", "process.stdout.write = () => fs.unlinkSync('a.txt'); console.log('x')", "process.stdout.on('pipe', () => fs.unlinkSync('a.txt')); process.stdin.pipe(process.stdout)", "process.stdin.on('data', d => fs.writeFileSync('k', d))", "process.on('beforeExit', () => { if (!globalThis.z) { z = 1; fs.unlinkSync('a.txt') } })",
    "process.exitCode = {valueOf() { fs.unlinkSync('a.txt') }}", "const u = require('util'); console.log({[u.inspect.custom]() { fs.unlinkSync('a.txt') }})", "console.log({get x() { fs.unlinkSync('a.txt') }})", "console.log('%s', {toString() { fs.unlinkSync('a.txt'); return '' }})", "class C { static [Symbol.hasInstance]() { fs.unlinkSync('a.txt') } } 1 instanceof C", "const o = {[Symbol.asyncDispose]() {}}; 'x' in new Proxy({}, {has() { fs.unlinkSync('a.txt') }})", "delete new Proxy({}, {deleteProperty() { fs.unlinkSync('a.txt'); return true }}).x", "new (new Proxy(class {}, {construct() { fs.unlinkSync('a.txt'); return {} }}))()", "Promise.all([fs.promises.unlink('a.txt')])",
    "const old = Module = module.constructor; old._extensions['.sh'] = () => fs.unlinkSync('a.txt'); require('./run.sh')", "require('module')._load('child_process').execSync('evil 13')", "require('module').createRequire('/w/')('fs').unlinkSync('a.txt')", "process.binding('process_wrap')", "http.createServer().listen(0, '127.0.0.1').unref()", "new WebSocket('ws://evil.example')", "import('./x.mjs').catch(() => fs.unlinkSync('a.txt'))", "fs.watchFile('a.txt', () => {}); fs.unwatchFile('a.txt'); fs.unlinkSync('a.txt')", "fs.symlinkSync('/w/a.txt', 'l'); fs.chmodSync('l', 0)", "fs.promises.constructor('fs.unlinkSync(\"a.txt\")')",
]

MODULES = [
    "import fs from 'fs'; fs.unlinkSync('a.txt')", "import {unlinkSync} from 'fs'; unlinkSync('a.txt')", "import {unlinkSync as u} from 'node:fs'; u('a.txt')", "import * as f from 'fs'; f.unlinkSync('a.txt')", "import f, {rm as x} from 'node:fs'; x('a.txt', () => {}); f.rmSync('b.txt')", "import {promises as p} from 'fs'; await p.rm('a.txt')", "import {rm} from 'fs/promises'; await rm('a.txt')", "const {default: f} = await import('fs'); f.rmSync('a.txt')", "const m = await import('node:child_process'); m.execSync('evil 1')",
    "import {execSync as e} from 'child_process'; e('evil 2; rm a.txt')", "import {createRequire} from 'module'; createRequire('/w/x')('fs').unlinkSync('a.txt')", "import {default as f} from 'fs'; f.unlinkSync('a.txt')", "import 'nope'", "import './x.mjs'", "import x from 'data:text/javascript,import fs from \"fs\"; fs.unlinkSync(\"a.txt\"); export default 1'", "export * from 'data:text/javascript,import \"fs\"'; import {writeFileSync} from 'fs'; writeFileSync('k', '')", "import {'unlinkSync' as u} from 'fs'; u('a.txt')", "import process from 'process'; process.chdir('sub'); import fs from 'fs'; fs.unlinkSync('c.txt')",
    "for await (const f of (await import('fs/promises')).opendir ? ['a.txt'] : []) (await import('fs')).unlinkSync(f)", "fs.unlinkSync('a.txt'); import fs from 'fs'", "import p from 'path'; import {rmSync} from 'fs'; rmSync(p.join('sub', 'c.txt'))", "export default (await import('fs')).unlinkSync('a.txt')", "import.meta.x = (await import('fs')).unlinkSync('a.txt')", "import cp from 'child_process'; cp.spawnSync('evil', ['3'])", "const {unlinkSync: f = 1} = await import('fs'); f('a.txt')",
]

HARMLESS = [
    "console.log('hello')", "console.log(1 + 2)", "console.log(process.version)", "console.log(process.versions.v8, process.platform, process.arch)", "console.log(process.cwd())", "console.log(process.env.HOME)", "console.log(process.argv.slice(1))", "console.log(JSON.stringify({a: [1, 2]}, null, 2))", "console.log(JSON.parse('{\"a\": 1}').a)", "const fs = require('fs'); console.log(fs.readFileSync('a.txt', 'utf8'))", "console.log(require('fs').existsSync('a.txt'))", "console.log(require('fs').readdirSync('.'))", "console.log(require('path').join('a', 'b'))", "const path = require('path'); console.log(path.resolve('x'), path.basename('/a/b.c'))",
    "console.log([3, 1, 2].sort().map(x => x * 2))", "console.log([1, 2, 3].filter(x => x > 1).reduce((a, b) => a + b, 0))", "for (let i = 0; i < 3; i++) console.log(i)", "for (const x of ['a', 'b']) { console.log(x.toUpperCase()) }", "const s = new Set([1, 2]); s.delete(1); console.log(s.size)", "const m = new Map(); m.set('a', 1); m.delete('a'); console.log(m.size)", "console.log('fs.unlinkSync(\"a.txt\")')", "// fs.rmSync('/')\nconsole.log('done')", "console.log(`rm -rf ${'x'}`)", "console.log(Math.max(1, 2), Math.floor(2.5), Math.random() < 1)", "console.log(new Date().toISOString())", "console.log(Date.now())",
    "console.log(typeof undefined, [] instanceof Array)", "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }\nconsole.log(fib(10))", "const add = (a, b) => a + b; console.log(add(1, 2))", "class P { constructor(x) { this.x = x } get double() { return this.x * 2 } }\nconsole.log(new P(2).double)", "class Stack { items = []; push(x) { this.items.push(x) } rm() { return this.items.pop() } }\nconst s = new Stack(); s.push(1); console.log(s.rm())", "console.log('a-b-c'.split('-').join('+'), 'x'.padStart(3))", "console.log('abc'.replace(/b/g, 'x'), /a(.)/.exec('ab')[1])", "const {a, ...r} = {a: 1, b: 2}; console.log(a, r)",
    "const [x, y] = [1, 2]; console.log(x, y)", "console.log(Object.keys({a: 1}), Object.entries({b: 2}))", "console.log(parseInt('12', 10), Number('3'), isNaN('x'))", "console.log(Buffer.from('hi').toString('base64'))", "console.log(require('os').cpus().length, require('os').platform())", "console.log(require('crypto').createHash('sha256').update('x').digest('hex'))", "console.log(require('crypto').randomUUID())", "console.log(require('util').inspect({a: {b: 1}}, {depth: 0}))", "console.log(new URL('http://x.y/z?a=1').searchParams.get('a'))", "console.log(encodeURIComponent('a b'))", "try { null.x } catch (e) { console.log(e.message) }",
    "setTimeout(() => console.log('later'), 1)", "(async () => { await null; console.log('async') })()", "Promise.resolve(1).then(v => console.log(v))", "const p = new Promise(r => setTimeout(r, 1)); p.then(() => console.log('ok'))", "process.stdin.on('data', d => process.stdout.write(String(d)))", "process.stdout.write('x\\n')", "console.error('warn')", "process.exit(0)", "let n = 27, c = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; c++ } console.log(c)", "console.log([...Array(5).keys()])", "console.log(Array.from({length: 3}, (_, i) => i))", "switch (2) { case 1: console.log('a'); break; default: console.log('b') }", "const o = {a: {b: null}}; console.log(o?.a?.b ?? 'none')",
    "const data = [{n: 'a', v: 1}, {n: 'b', v: 2}]; console.log(data.filter(d => d.v > 1).map(d => d.n))", "const fs = require('fs'); const t = fs.readFileSync('a.txt', 'utf8').split('\\n'); console.log(t.length)", "const {readFileSync} = require('fs'); console.log(readFileSync('a.txt').length)", "console.log(require('fs').statSync('a.txt').size)", "console.log([1, [2, [3]]].flat(Infinity))", "console.log('%d items', 3)", "console.table([{a: 1}])", "console.log(Number.MAX_SAFE_INTEGER, 2n ** 64n)", "const assert = require('assert'); assert.strictEqual(1, 1)", "console.log(new Intl.NumberFormat('en').format(1234.5))", "console.log(structuredClone({a: 1}))", "function* g() { yield 1; yield 2 }\nconsole.log([...g()])",
    "console.log(performance.now() > 0)", "const qs = require('querystring'); console.log(qs.parse('a=1'))", "console.log(typeof require, typeof module)", "console.log(process.memoryUsage().heapUsed > 0)", "console.log(process.uptime(), process.pid)", "const l = ['b', 'a']; l.sort((x, y) => x.localeCompare(y)); console.log(l)", "console.log(Object.assign({}, {a: 1}), {...{b: 2}})", "const memo = {}; const f = n => memo[n] ?? (memo[n] = n * 2); console.log(f(2), f(2))",
]


# ways of an expression $X, a function or a path, through other places; they can be put on top of each other
WRAPS = [
    ("const $N = $X", "$N"), ("let $N; $N = $X", "$N"), ("", "($X)"), ("", "[$X][0]"), ("", "(0, $X)"), ("",
            "({k: $X}).k"), ("", "({k: $X})['k']"), ("", "(1 ? $X : 0)"), ("", "(0 || $X)"), ("", "(1 && $X)"), ("", "(null ?? $X)"), ("var $N", "($N = $X)"), ("", "(() => $X)()"), ("", "(v => v)($X)"), ("", "((v = $X) => v)()"), ("", "(({v}) => v)({v: $X})"),
    ("function $N() { return $X }", "$N()"), ("function $N(v) { return v }",
            "$N($X)"), ("function $N(...v) { return v[1] }", "$N(1, $X)"), ("function $N() { return arguments[0] }", "$N($X)"), ("const $N = [$X]", "$N[0]"), ("const $N = [0]; $N[0] = $X", "$N[0]"), ("const $N = []; $N.push($X)", "$N[0]"), ("const $N = []; $N.push($X)", "$N.pop()"), ("const $N = []; $N.unshift($X)", "$N.shift()"), ("const $N = {}; $N.k = $X", "$N.k"),
    ("const $N = {}; $N['k'] = $X", "$N.k"), ("const $N = {k: $X}, $M = $N",
            "$M.k"), ("const $N = {k: $X}, $M = {...$N}", "$M.k"), ("const {k: $N} = {k: $X}", "$N"), ("const {k: {l: $N}} = {k: {l: $X}}", "$N"), ("const {k: $N = 1} = {k: $X}", "$N"), ("const {z: $N = $X} = {}", "$N"), ("const [, $N] = [1, $X]", "$N"), ("const [...$N] = [$X]", "$N[0]"), ("const {...$N} = {k: $X}", "$N.k"), ("let $N; [$N] = [$X]", "$N"), ("let $N; ({k: $N} = {k: $X})", "$N"),
    ("var $N; for ($N of [$X]);", "$N"), ("var $N; for (const v of [1, $X]) $N = v",
            "$N"), ("var $N; for (const [k, v] of Object.entries({k: $X})) $N = v", "$N"), ("var $N; for (const k in {k: 1}) $N = {k: $X}[k]", "$N"), ("var $N; [$X].forEach(v => $N = v)", "$N"), ("", "[$X].map(v => v)[0]"), ("", "[$X].find(v => v)"), ("", "[$X].filter(v => v)[0]"), ("", "[0, $X].reduce((a, b) => b)"), ("", "[0, $X].at(-1)"), ("", "[0, $X].slice(1)[0]"), ("", "[0].concat([$X])[1]"), ("", "[...[$X]][0]"),
    ("", "[$X, 0].reverse()[1]"), ("", "[[$X]].flat()[0]"), ("", "Object.values({k: $X})[0]"), ("",
            "Object.entries({k: $X})[0][1]"), ("", "Object.assign({}, {k: $X}).k"), ("", "Object.fromEntries([['k', $X]]).k"), ("", "Object.freeze({k: $X}).k"), ("", "Array.of($X)[0]"), ("", "Array.from([$X])[0]"), ("", "Array.from({length: 1}, () => $X)[0]"), ("", "new Map([['k', $X]]).get('k')"), ("", "[...new Set([$X])][0]"), ("", "new Set([$X]).values().next().value"), ("", "Reflect.get({k: $X}, 'k')"),
    ("const $N = new Map(); $N.set('k', $X)", "$N.get('k')"), ("const $N = new Proxy({}, {get: () => $X})",
            "$N.zzz"), ("const $N = {get k() { return $X }}", "$N.k"), ("const $N = {k() { return $X }}", "$N.k()"), ("const $N = {k: () => $X}", "$N.k()"), ("class $N { static v = $X }", "$N.v"), ("class $N { v = $X }", "new $N().v"), ("class $N { constructor(v) { this.v = v } }", "new $N($X).v"), ("class $N { #v = $X; get() { return this.#v } }", "new $N().get()"), ("class $N { static get v() { return $X } }", "$N.v"),
    ("class $N { get() { return $X } } class $M extends $N {}",
            "new $M().get()"), ("class $N { set(v) { this.v = v; return this } }", "new $N().set($X).v"), ("function $N(v) { this.v = v }", "new $N($X).v"), ("function $N() {} $N.prototype.v = $X", "new $N().v"), ("function $N() {} $N.v = $X", "$N.v"), ("function* $N() { yield $X }", "$N().next().value"), ("function* $N() { yield* [$X] }", "[...$N()][0]"), ("function $N() { let v = $X; return () => v }", "$N()()"), ("let $N; function $M() { $N = $X } $M()", "$N"), ("let $N; (() => { $N = $X })()", "$N"),
    ("let $N; try { $N = $X } catch {}", "$N"), ("let $N; try { throw $X } catch (e) { $N = e }",
            "$N"), ("let $N; try { throw {e: $X} } catch ({e}) { $N = e }", "$N"), ("let $N; if (1) $N = $X; else $N = 0", "$N"), ("let $N; switch (1) { case 1: $N = $X }", "$N"), ("let $N; while (1) { $N = $X; break }", "$N"), ("let $N; do { $N = $X } while (0)", "$N"), ("let $N; for (let i = 0; i < 2; i++) if (i) $N = $X", "$N"), ("let $N = 0; const $M = () => $N; $N = $X", "$M()"), ("const $N = [0], $M = l => { l[0] = $X }; $M($N)", "$N[0]"),
    ("const $N = {}, $M = o => { o.k = $X }; $M($N)", "$N.k"), ("const $N = {k: {l: 0}}; $N.k.l = $X",
            "$N.k.l"), ("const $N = {}; Object.defineProperty($N, 'k', {value: $X})", "$N.k"), ("const $N = Object.create({k: $X})", "$N.k"), ("const $N = {__proto__: {k: $X}}", "$N.k"), ("const $N = {}; $N.__proto__ = {k: $X}", "$N.k"), ("const $N = Object.setPrototypeOf({}, {k: $X})", "$N.k"), ("const $N = {k: $X}; with ($N) { var $M = k }", "$M"), ("globalThis.$N = $X", "$N"), ("globalThis['$N'] = $X", "$N"), ("$N = $X", "$N"), ("const $N = f => v => f(v)", "$N(v => v)($X)"),
    ("const $N = (s, v) => v", "$N`${$X}`"), ("const $N = {f() { return this.v }, v: $X}",
            "$N.f()"), ("const $N = function () { return this.v }", "$N.call({v: $X})"), ("const $N = v => v", "$N.call(null, $X)"), ("const $N = v => v", "$N.apply(null, [$X])"), ("const $N = (v => v).bind(null, $X)", "$N()"), ("let $N; $N ??= $X", "$N"), ("let $N = 1; $N &&= $X", "$N"), ("let $N = 0; $N ||= $X", "$N"), ("const $N = new (class extends Array {})(); $N.push($X)", "$N[0]"), ("const $N = [1, $X]; $N.shift()", "$N[0]"), ("const $N = [1, $X]; $N.splice(0, 1)", "$N[0]"),
    ("const $N = [0]; $N.fill($X)", "$N[0]"), ("const $N = [0]; const $M = $N; $M[0] = $X",
            "$N[0]"), ("const $N = new WeakMap(), $M = {}; $N.set($M, $X)", "$N.get($M)"), ("const $N = {[Symbol.for('k')]: $X}", "$N[Symbol.for('k')]"), ("const $N = {*[Symbol.iterator]() { yield $X }}; const [$M] = $N", "$M"), ("a: { var $N = $X; break a }", "$N"), ("var $N = 0; { var $N = $X }", "$N"), ("var $N = $X; { let $N = 0 }", "$N"), ("const $N = {v: $X, get w() { return this.v }}", "$N.w"),
]


class Names:
    def __init__(self, rng):
        self.rng, self.n = rng, 0

    def fresh(self):
        self.n += 1
        return self.rng.choice(["x", "f", "p", "item", "q", "$a", "_b", "é"]) + str(self.n)


def fill(names, text, **values):
    for key in ("N", "M"):
        if "$" + key in text:
            values[key] = names.fresh()
    for key in ("N", "M"):
        if key in values:
            text = text.replace("$" + key, "\1" + key)
    for key, value in values.items():
        text = text.replace(("\1" if key in "NM" else "$") + key, value)
    return text


def pair(names, row, **values):
    return fill(names, row[0] + "\0" + row[1], **values).split("\0")


def value(rng, names):
    p = rng.choice(PATHS)
    k = rng.randrange(1, len(p))
    row = rng.choice(VALUES) if rng.random() < 0.6 else ("", "'$p'")
    return wrap(rng, names, *pair(names, row, p=p, q=p[:k], r=p[k:], v=p[::-1],
            o=", ".join(str(ord(c)) for c in p), b=base64.b64encode(p.encode()).decode()))


def wrap(rng, names, prelude, expr):
    """The expression on its way through other places, each of which sees the one before."""
    while rng.random() < 0.4:
        before, expr = pair(names, rng.choice(WRAPS), X=expr)
        prelude = "; ".join(x for x in (prelude, before) if x)
    return prelude, expr


def call(rng, names):
    if rng.random() < 0.4:
        text = rng.choice(EFFECTS)
        before, expr = value(rng, names) if "$P" in text else ("", "")
        return before, text.replace("$P", "(%s)" % expr)
    name, more = rng.choice(SINKS)
    row = rng.choice(FUNCTIONS) if rng.random() < 0.85 else FUNCTIONS[0]
    k = len(name) // 2
    pre, f = pair(names, row, f=name, g=name[:k], h=name[k:])
    pre, f = wrap(rng, names, pre, f)
    first, arg = value(rng, names)
    return "; ".join(x for x in ((first, pre) if rng.random() < 0.5 else (pre, first)) if x), "%s(%s%s)" % (f,
            arg, more)


def block(rng, names):
    prelude, expr = call(rng, names)
    context = "$E" if rng.random() < 0.4 or expr.startswith("for ") else rng.choice(CONTEXTS)
    text = fill(names, context, E=expr)
    text = prelude + rng.choice(["; ", "\n;", ";\n"]) + text if prelude else text
    if rng.random() < 0.1:
        text = "{ %s\n}" % text
    elif rng.random() < 0.1:
        text = "(() => { %s\n})()" % text
    return text


def mutate(rng, text):
    if len(text) < 3:
        return text
    i = rng.randrange(len(text) - 1)
    return rng.choice([
        lambda: text[:i] + text[i + 1:], lambda: text[:i] + rng.choice(
                "()[]{}'\"`\\/;:\n\t ,.=*!%<>?") + text[i:], lambda: text[:i] + rng.choice([" ", "\u2028", "\x0c", "\u00a0", "/**/", "\r", "\n", "//\n", "\ufeff"]) + text[i:],
        lambda: text.replace(";", "\n"), lambda: text.replace("\n", "\r\n"), lambda: text.replace(".", " ?. ",
                1), lambda: text.replace("'", '"'), lambda: text.replace("'", "`"), lambda: "'use strict'; " + text, lambda: text + "\n//", lambda: text.replace("fs", "f\\u0073"),
    ])()


def make(seed, number):
    rng = random.Random("%s/js/%d" % (seed, number))
    names = Names(rng)
    kind, module = rng.random(), False
    if kind < 0.3:
        klass = "harmless"
        lines = rng.sample(HARMLESS, rng.choice([1, 1, 1, 2]))
        code = "\n".join(lines if len(lines) < 2 else ["{ %s\n}" % x for x in lines])
    elif kind < 0.5:
        klass, code = "state", rng.choice(STATE)
        if rng.random() < 0.2:
            code = mutate(rng, code)
    elif kind < 0.56:
        klass, code, module = "state", rng.choice(MODULES), True
    else:
        klass = "hostile"
        parts = [block(rng, names) for _ in range(rng.choice([1, 1, 1, 2]))]
        if rng.random() < 0.25:
            parts.insert(rng.randrange(len(parts) + 1), "{ %s\n}" % rng.choice(HARMLESS))
        code = "\n".join(parts)
        if rng.random() < 0.1:
            code = mutate(rng, code)
    return {"lang": "javascript", "class": klass, "code": code.replace("\0", ""), "module": module,
            "shell": "bash", "id": number}


if __name__ == "__main__":
    import sys
    for n in range(int(sys.argv[2])):
        print("%% %d %s\n%s" % (n, make(sys.argv[1], n)["class"], make(sys.argv[1], n)["code"]))
