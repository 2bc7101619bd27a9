/*
 * The effects of functions of Node, Bun and Deno, by qualified name. A row "fs.rm" also matches fs.rmSync and
 * fs.promises.rm.
 */
#include "code/javascript.h"

#define PURE JS_ACT_PURE, ""
#define INERT JS_ACT_INERT, ""
#define MARK(id) JS_ACT_MARK, id
#define FILES(what) JS_ACT_FILES, what

/*
 * Not sorted: searched from the top, the first match wins. Rows with a star come after the names they would
 * hide.
 */
static const struct js_row rows[] = {
	/* fs */
	{"fs.rm", FILES("o0")}, {"fs.rmdir", FILES("o0")}, {"fs.unlink", FILES("d0")},
	{"fs.rename", FILES("D0W1")},
	{"fs.copyFile", FILES("r0w1")}, {"fs.cp", FILES("R0W1")}, {"fs.mkdir", FILES("w0")},
	{"fs.mkdtemp", FILES("m0")}, {"fs.mkdtempDisposable", FILES("m0")},
	{"fs.writeFile", FILES("w0")}, {"fs.appendFile", FILES("w0")}, {"fs.truncate", FILES("w0")},
	{"fs.createWriteStream", FILES("w0")},
	{"fs.open", JS_ACT_OPEN, "r"}, {"fs.createReadStream", FILES("f0")}, {"fs.readFile", FILES("f0")},
	{"fs.openAsBlob", FILES("f0")},
	{"fs.readdir", FILES("r0")}, {"fs.opendir", FILES("r0")}, {"fs.stat", FILES("r0")},
	{"fs.lstat", FILES("r0")}, {"fs.statfs", FILES("r0")},
	{"fs.access", FILES("r0")}, {"fs.exists", FILES("r0")}, {"fs.realpath", FILES("r0")},
	{"fs.realpath.native", FILES("r0")}, {"fs.realpathSync.native", FILES("r0")},
	{"fs.readlink", FILES("r0")}, {"fs.glob", PURE}, {"fs.watch", FILES("r0")},
	{"fs.watchFile", FILES("r0")}, {"fs.unwatchFile", PURE},
	{"fs.chmod", FILES("w0")}, {"fs.lchmod", FILES("w0")}, {"fs.chown", FILES("w0")},
	{"fs.lchown", FILES("w0")}, {"fs.utimes", FILES("w0")}, {"fs.lutimes", FILES("w0")},
	{"fs.symlink", FILES("l0w1")}, {"fs.link", FILES("w0w1")},
	{"fs.open().chmod", MARK("descriptor")}, {"fs.open().chown", MARK("descriptor")},
	{"fs.open().utimes", MARK("descriptor")}, {"fs.open().*", PURE}, {"fs.open()", MARK("escape")},
	{"fs.write", PURE}, {"fs.writev", PURE}, {"fs.read", PURE}, {"fs.readv", PURE}, {"fs.close", PURE},
	{"fs.fstat", PURE}, {"fs.fsync", PURE}, {"fs.fdatasync", PURE},
	{"fs.ftruncate", PURE}, {"fs.fchmod", MARK("descriptor")}, {"fs.fchown", MARK("descriptor")},
	{"fs.futimes", MARK("descriptor")},
	{"fs.constants.*", PURE}, {"fs.constants", PURE}, {"fs.Stats", PURE}, {"fs.Dirent", PURE},
	{"fs.F_OK", PURE}, {"fs.R_OK", PURE}, {"fs.W_OK", PURE}, {"fs.X_OK", PURE},
	{"fs.WriteStream", FILES("w0")}, {"fs.ReadStream", FILES("f0")}, {"fs.FileWriteStream", FILES("w0")},
	{"fs.FileReadStream", FILES("f0")},
	/* child_process */
	{"child_process.exec", JS_ACT_SHELL, ""}, {"child_process.spawn", JS_ACT_SPAWN, ""},
	{"child_process.execFile", JS_ACT_SPAWN, ""},
	{"child_process.fork", JS_ACT_FORK, ""},
	/* process */
	{"process.exit", PURE}, {"process.reallyExit", PURE}, {"process.abort", PURE},
	{"process.kill", MARK("process-kill")}, {"process._kill", MARK("process-kill")},
	{"process.chdir", PURE},
	{"process.binding", MARK("process-binding")}, {"process._linkedBinding", MARK("process-binding")},
	{"process.dlopen", MARK("process-dlopen")},
	{"process._rawDebug", INERT}, {"process._debugProcess", MARK("process-debug")},
	{"process._startProfilerIdleNotifier", PURE},
	{"process.getBuiltinModule", JS_ACT_REQUIRE, ""}, {"process.loadEnvFile", FILES("r0e0")},
	{"process.umask", PURE},
	{"process.setuid", MARK("process-user")}, {"process.setgid", MARK("process-user")},
	{"process.seteuid", MARK("process-user")},
	{"process.setegid", MARK("process-user")}, {"process.setgroups", MARK("process-user")},
	{"process.initgroups", MARK("process-user")},
	{"process.execve", MARK("process")}, {"process.stdout.write", INERT}, {"process.stderr.write", INERT},
	{"process.stdout.*", PURE}, {"process.stderr.*", PURE}, {"process.stdin.*", PURE},
	{"process.stdout", PURE}, {"process.stderr", PURE}, {"process.stdin", PURE}, {"process.env.*", PURE},
	{"process.env", PURE}, {"process.argv", PURE}, {"process.argv.*", PURE}, {"process.execArgv", PURE},
	{"process.execArgv.*", PURE},
	{"process.argv0", PURE}, {"process.execPath", PURE}, {"process.version", PURE},
	{"process.versions", PURE}, {"process.versions.*", PURE}, {"process.release", PURE},
	{"process.release.*", PURE},
	{"process.platform", PURE}, {"process.arch", PURE}, {"process.pid", PURE}, {"process.ppid", PURE},
	{"process.title", PURE}, {"process.exitCode", PURE}, {"process.cwd", PURE},
	{"process.uptime", PURE}, {"process.hrtime", PURE}, {"process.hrtime.bigint", PURE},
	{"process.memoryUsage", PURE}, {"process.memoryUsage.rss", PURE}, {"process.cpuUsage", PURE},
	{"process.resourceUsage", PURE}, {"process.constrainedMemory", PURE},
	{"process.availableMemory", PURE}, {"process.config", PURE}, {"process.config.*", PURE},
	{"process.features", PURE}, {"process.features.*", PURE},
	{"process.getuid", PURE}, {"process.getgid", PURE}, {"process.geteuid", PURE},
	{"process.getegid", PURE}, {"process.getgroups", PURE}, {"process.emitWarning", INERT},
	{"process.nextTick", PURE}, {"process.on", PURE}, {"process.once", PURE},
	{"process.addListener", PURE}, {"process.prependListener", PURE},
	{"process.prependOnceListener", PURE}, {"process.off", PURE}, {"process.removeListener", PURE},
	{"process.removeAllListeners", PURE},
	{"process.emit", PURE}, {"process.listenerCount", PURE},
	{"process.setUncaughtExceptionCaptureCallback", PURE}, {"process.allowedNodeEnvironmentFlags", PURE},
	{"process.setMaxListeners", PURE},
	{"process.getActiveResourcesInfo", PURE}, {"process.setSourceMapsEnabled", PURE},
	{"process.send", PURE}, {"process.connected", PURE}, {"process.disconnect", PURE},
	{"process.isTTY", PURE}, {"process.report.getReport", PURE},
	/* code from text; modules */
	{"eval", JS_ACT_EVAL, "0"}, {"Function", JS_ACT_FUNCTION, ""},
	{"vm.runInThisContext", JS_ACT_EVAL, "0"}, {"vm.runInNewContext", JS_ACT_EVAL, "0"},
	{"vm.runInContext", JS_ACT_EVAL, "0"},
	{"vm.Script", JS_ACT_EVAL, "0"}, {"vm.compileFunction", JS_ACT_EVAL, "0"}, {"vm.createContext", PURE},
	{"vm.isContext", PURE},
	{"require", JS_ACT_REQUIRE, ""}, {"require.resolve", PURE}, {"require.resolve.paths", PURE},
	{"require.cache", MARK("require")}, {"require.extensions", MARK("require")},
	{"import.meta.require", JS_ACT_REQUIRE, ""},
	{"module.exports", PURE}, {"module.exports.*", PURE}, {"module.id", PURE}, {"module.filename", PURE},
	{"module.paths", PURE}, {"module.paths.*", PURE}, {"module.loaded", PURE}, {"module.path", PURE},
	{"Module.createRequire", JS_ACT_CREATE_REQUIRE, ""},
	{"Module.createRequireFromPath", JS_ACT_CREATE_REQUIRE, ""}, {"Module._load", JS_ACT_REQUIRE, ""},
	{"Module.builtinModules", PURE}, {"Module.builtinModules.*", PURE},
	{"Module.isBuiltin", PURE}, {"Module.findPackageJSON", PURE}, {"Module.stripTypeScriptTypes", PURE},
	{"import.meta.url", PURE}, {"import.meta.dirname", PURE}, {"import.meta.filename", PURE},
	{"import.meta.dir", PURE}, {"import.meta.main", PURE}, {"import.meta.path", PURE},
	{"import.meta.resolve", PURE}, {"import.meta.env.*", PURE}, {"import.meta.env", PURE},
	{"setTimeout", JS_ACT_TIMER, ""}, {"setInterval", JS_ACT_TIMER, ""},
	{"setImmediate", JS_ACT_TIMER, ""}, {"timers.promises.*", PURE}, {"timers.*", PURE},
	{"util.promisify", JS_ACT_PROMISIFY, ""}, {"util.callbackify", JS_ACT_PROMISIFY, ""},
	{"util.deprecate", JS_ACT_PROMISIFY, ""}, {"util.inspect", INERT}, {"util.format", INERT},
	{"util.types.*", INERT}, {"util.inherits", MARK("tampering")}, {"util.*", PURE},
	{"worker_threads.Worker", JS_ACT_WORKER, ""}, {"worker_threads.isMainThread", PURE},
	{"worker_threads.parentPort", PURE}, {"worker_threads.parentPort.*", PURE},
	{"worker_threads.workerData", PURE}, {"worker_threads.workerData.*", PURE},
	{"worker_threads.threadId", PURE}, {"worker_threads.MessageChannel", PURE},
	{"Worker", JS_ACT_WORKER, ""}, {"cluster.isMaster", PURE}, {"cluster.isPrimary", PURE},
	{"cluster.isWorker", PURE},
	/* network */
	{"fetch", JS_ACT_NET, "0"}, {"WebSocket", JS_ACT_NET, "0"}, {"EventSource", JS_ACT_NET, "0"},
	{"XMLHttpRequest", JS_ACT_NET, ""}, {"WebSocketStream", JS_ACT_NET, "0"},
	{"http.request", JS_ACT_NET, "0"}, {"http.get", JS_ACT_NET, "0"}, {"https.request", JS_ACT_NET, "0"},
	{"https.get", JS_ACT_NET, "0"}, {"http.ClientRequest", JS_ACT_NET, "0"},
	{"http.STATUS_CODES", PURE}, {"http.STATUS_CODES.*", PURE}, {"http.METHODS", PURE},
	{"http.METHODS.*", PURE}, {"http.Agent", PURE}, {"https.Agent", PURE},
	{"http.validateHeaderName", PURE}, {"http.maxHeaderSize", PURE},
	{"http.createServer", JS_ACT_NET, "server"}, {"https.createServer", JS_ACT_NET, "server"},
	{"http.Server", JS_ACT_NET, "server"}, {"https.Server", JS_ACT_NET, "server"},
	{"net.createServer", JS_ACT_NET, "server"}, {"net.Server", JS_ACT_NET, "server"},
	{"tls.createServer", JS_ACT_NET, "server"},
	{"http2.createServer", JS_ACT_NET, "server"}, {"http2.createSecureServer", JS_ACT_NET, "server"},
	{"net.Server().listen", JS_ACT_NET, "bind"}, {"net.Server().*", PURE},
	{"net.Server()", JS_ACT_NET, "listen"}, {"http2.connect", JS_ACT_NET, "0"},
	{"net.connect", JS_ACT_NET, "port"}, {"net.createConnection", JS_ACT_NET, "port"},
	{"net.Socket", JS_ACT_NET, ""}, {"tls.connect", JS_ACT_NET, "port"}, {"net.isIP", PURE},
	{"net.isIPv4", PURE}, {"net.isIPv6", PURE}, {"net.BlockList", PURE},
	{"tls.TLSSocket", JS_ACT_NET, ""}, {"tls.rootCertificates", PURE}, {"tls.rootCertificates.*", PURE},
	{"tls.getCiphers", PURE}, {"tls.DEFAULT_MIN_VERSION", PURE}, {"tls.DEFAULT_MAX_VERSION", PURE},
	{"dgram.createSocket", JS_ACT_NET, ""}, {"dgram.Socket", JS_ACT_NET, ""},
	{"dns.getServers", PURE}, {"dns.setDefaultResultOrder", PURE}, {"dns.lookup", JS_ACT_NET, "0"},
	{"dns.resolve", JS_ACT_NET, "0"}, {"dns.promises.*", JS_ACT_NET, "0"}, {"dns.*", JS_ACT_NET, "0"},
	/* reflection, and changes of other objects */
	{"Object.assign", JS_ACT_STORE, ""}, {"Object.defineProperty", JS_ACT_STORE, ""},
	{"Object.defineProperties", JS_ACT_STORE, ""}, {"Object.freeze", JS_ACT_PROMISIFY, "literal"},
	{"Object.seal", JS_ACT_PROMISIFY, "literal"},
	{"Object.preventExtensions", JS_ACT_PROMISIFY, "literal"}, {"Object.isFrozen", INERT},
	{"Object.keys", INERT}, {"Object.getOwnPropertyNames", INERT},
	{"Object.getPrototypeOf", MARK("prototype")}, {"Object.setPrototypeOf", MARK("prototype")},
	{"Object.getOwnPropertyDescriptor", MARK("reflection")},
	{"Object.getOwnPropertyDescriptors", MARK("reflection")},
	{"Object.getOwnPropertySymbols", MARK("reflection")}, {"Object.prototype.toString", INERT},
	{"Object.prototype.hasOwnProperty", INERT}, {"Object.prototype.propertyIsEnumerable", INERT},
	{"Object.prototype.*", MARK("prototype")}, {"Function.prototype.*", MARK("prototype")},
	{"Object.hasOwn", INERT}, {"Object.is", INERT}, {"Object.*", PURE}, {"Object", MARK("reflection")},
	{"Reflect.has", INERT}, {"Reflect.*", MARK("reflection")}, {"Reflect", MARK("reflection")},
	{"Proxy", MARK("proxy")}, {"Proxy.*", MARK("proxy")},
	/* without effects */
	{"console.Console", MARK("console")}, {"console.*", INERT}, {"console", PURE}, {"JSON.*", PURE},
	{"JSON", PURE}, {"Math.*", PURE}, {"Math", PURE}, {"Array.*", PURE}, {"Array", PURE},
	{"String.*", PURE}, {"String", PURE}, {"Number.*", PURE}, {"Number", PURE}, {"Boolean", PURE},
	{"Boolean.*", PURE},
	{"BigInt.*", PURE}, {"BigInt", PURE}, {"Symbol.*", PURE}, {"Symbol", PURE}, {"Date.*", PURE},
	{"Date", PURE}, {"RegExp.*", PURE}, {"RegExp", PURE}, {"Map.*", PURE}, {"Map", PURE}, {"Set.*", PURE},
	{"Set", PURE}, {"WeakMap", PURE}, {"WeakSet", PURE}, {"WeakRef", PURE},
	{"FinalizationRegistry", PURE},
	{"Promise.*", PURE}, {"Promise", PURE}, {"Intl.*", PURE}, {"Intl", PURE}, {"Iterator.*", PURE},
	{"Iterator", PURE}, {"Temporal.*", PURE}, {"Error.*", PURE}, {"Error", PURE}, {"TypeError", PURE},
	{"RangeError", PURE}, {"SyntaxError", PURE}, {"ReferenceError", PURE}, {"EvalError", PURE},
	{"URIError", PURE}, {"AggregateError", PURE}, {"DOMException", PURE},
	{"ArrayBuffer.*", PURE}, {"ArrayBuffer", PURE}, {"SharedArrayBuffer", PURE}, {"DataView", PURE},
	{"Atomics.*", PURE}, {"Int8Array.*", PURE}, {"Int8Array", PURE}, {"Uint8Array.*", PURE},
	{"Uint8Array", PURE}, {"Uint8ClampedArray.*", PURE}, {"Uint8ClampedArray", PURE},
	{"Int16Array.*", PURE}, {"Int16Array", PURE}, {"Uint16Array.*", PURE}, {"Uint16Array", PURE},
	{"Int32Array.*", PURE}, {"Int32Array", PURE}, {"Uint32Array.*", PURE}, {"Uint32Array", PURE},
	{"Float32Array.*", PURE}, {"Float32Array", PURE}, {"Float64Array.*", PURE}, {"Float64Array", PURE},
	{"BigInt64Array.*", PURE}, {"BigInt64Array", PURE}, {"BigUint64Array.*", PURE},
	{"BigUint64Array", PURE}, {"Float16Array", PURE},
	{"Buffer.*", PURE}, {"Buffer", PURE}, {"buffer.*", PURE}, {"Blob", PURE}, {"File", PURE},
	{"FormData", PURE}, {"Headers", PURE}, {"Request", PURE}, {"Response.*", PURE}, {"Response", PURE},
	{"URL.*", PURE}, {"URL", PURE}, {"URLSearchParams.*", PURE}, {"URLSearchParams", PURE},
	{"URLPattern", PURE}, {"TextEncoder", PURE}, {"TextDecoder", PURE}, {"TextEncoderStream", PURE},
	{"TextDecoderStream", PURE},
	{"AbortController", PURE}, {"AbortSignal.*", PURE}, {"AbortSignal", PURE}, {"Event", PURE},
	{"EventTarget", PURE}, {"CustomEvent", PURE}, {"MessageChannel", PURE}, {"MessageEvent", PURE},
	{"BroadcastChannel", PURE}, {"ReadableStream.*", PURE}, {"ReadableStream", PURE},
	{"WritableStream", PURE}, {"TransformStream", PURE}, {"CompressionStream", PURE},
	{"DecompressionStream", PURE},
	{"parseInt", PURE}, {"parseFloat", PURE}, {"isNaN", PURE}, {"isFinite", PURE},
	{"encodeURIComponent", PURE}, {"decodeURIComponent", PURE}, {"encodeURI", PURE}, {"decodeURI", PURE},
	{"escape", PURE}, {"unescape", PURE}, {"btoa", PURE}, {"atob", PURE}, {"structuredClone", PURE},
	{"queueMicrotask", PURE},
	{"clearTimeout", PURE}, {"clearInterval", PURE}, {"clearImmediate", PURE}, {"performance.*", PURE},
	{"performance", PURE}, {"navigator.*", PURE}, {"navigator", PURE}, {"gc", PURE}, {"alert", PURE},
	{"NaN", PURE}, {"Infinity", PURE}, {"undefined", PURE}, {"arguments", PURE},
	{"arguments.length", PURE}, {"exports", PURE}, {"exports.*", PURE}, {"__dirname", PURE},
	{"__filename", PURE},
	{"crypto.setEngine", MARK("native")}, {"crypto.*", PURE}, {"crypto", MARK("native")},
	{"path.*", PURE}, {"path", MARK("escape")}, {"os.setPriority", MARK("process-priority")},
	{"os.*", PURE}, {"os", MARK("escape")}, {"url.*", PURE}, {"url", PURE}, {"querystring.*", PURE},
	{"querystring", PURE}, {"assert.*", PURE}, {"assert", PURE}, {"util", PURE},
	{"zlib.*", PURE}, {"zlib", PURE}, {"events.*", PURE}, {"events", PURE}, {"string_decoder.*", PURE},
	{"string_decoder", PURE}, {"perf_hooks.*", PURE}, {"perf_hooks", PURE}, {"readline.*", PURE},
	{"readline", PURE}, {"stream.*", PURE}, {"stream", PURE}, {"punycode.*", PURE}, {"punycode", PURE},
	{"tty.*", PURE}, {"constants.*", PURE}, {"constants", PURE},
	{"async_hooks.createHook", MARK("reflection")},
	{"async_hooks.executionAsyncResource", MARK("reflection")}, {"async_hooks.*", PURE},
	{"async_hooks", PURE}, {"diagnostics_channel.*", MARK("reflection")}, {"test.run", MARK("process")},
	{"test.mock", MARK("tampering")}, {"test.mock.*", MARK("tampering")}, {"test.*", PURE},
	{"test", PURE}, {"timers", PURE}, {"buffer", PURE}, {"v8.serialize", PURE}, {"v8.deserialize", PURE},
	{"v8.getHeapStatistics", PURE}, {"v8.getHeapSpaceStatistics", PURE},
	{"v8.cachedDataVersionTag", PURE}, {"v8.writeHeapSnapshot", FILES("w0")},
	{"sqlite.DatabaseSync", MARK("database")}, {"bun:sqlite.Database", MARK("database")},
	{"bun:test.*", PURE},
	/* Bun */
	{"Bun.write", FILES("w0")}, {"Bun.file", FILES("r0")}, {"Bun.file().text", PURE},
	{"Bun.file().json", PURE}, {"Bun.file().exists", PURE}, {"Bun.file().arrayBuffer", PURE},
	{"Bun.file().bytes", PURE}, {"Bun.file().size", PURE}, {"Bun.file().type", PURE},
	{"Bun.file().stream", PURE}, {"Bun.file().slice", PURE}, {"Bun.file().lastModified", PURE},
	{"Bun.file().stat", PURE}, {"Bun.file().name", PURE},
	{"Bun.spawn", JS_ACT_ARGV, ""}, {"Bun.$", JS_ACT_MARK, "shell"}, {"Bun.serve", JS_ACT_NET, "listen"},
	{"Bun.listen", JS_ACT_NET, "listen"}, {"Bun.connect", JS_ACT_NET, ""}, {"Bun.version", PURE},
	{"Bun.revision", PURE}, {"Bun.env", PURE}, {"Bun.env.*", PURE}, {"Bun.argv", PURE},
	{"Bun.argv.*", PURE}, {"Bun.main", PURE}, {"Bun.cwd", PURE},
	{"Bun.sleep", PURE}, {"Bun.sleepSync", PURE}, {"Bun.which", PURE}, {"Bun.hash", PURE},
	{"Bun.hash.*", PURE}, {"Bun.inspect", INERT}, {"Bun.nanoseconds", PURE}, {"Bun.deepEquals", PURE},
	{"Bun.escapeHTML", PURE}, {"Bun.stringWidth", PURE}, {"Bun.fileURLToPath", PURE},
	{"Bun.pathToFileURL", PURE}, {"Bun.gzipSync", PURE}, {"Bun.gunzipSync", PURE},
	{"Bun.deflateSync", PURE}, {"Bun.inflateSync", PURE},
	{"Bun.semver.*", PURE}, {"Bun.color", PURE}, {"Bun.randomUUIDv7", PURE}, {"Bun.CryptoHasher", PURE},
	{"Bun.CryptoHasher.*", PURE}, {"Bun.password.*", PURE}, {"Bun.stdout", PURE}, {"Bun.stderr", PURE},
	{"Bun.stdin", PURE}, {"Bun.stdin.*", PURE}, {"Bun.resolveSync", PURE}, {"Bun.resolve", PURE},
	{"Bun.Glob", PURE}, {"Bun.TOML.*", PURE}, {"Bun.YAML.*", PURE}, {"Bun.readableStreamToText", PURE},
	{"Bun.MD5.*", PURE}, {"Bun.SHA1.*", PURE}, {"Bun.SHA256.*", PURE}, {"Bun.isMainThread", PURE},
	{"Bun.gc", PURE}, {"Bun.Transpiler", PURE},
	/* Deno */
	{"Deno.remove", FILES("o0")}, {"Deno.writeTextFile", FILES("w0")}, {"Deno.writeFile", FILES("w0")},
	{"Deno.create", FILES("w0")}, {"Deno.mkdir", FILES("w0")}, {"Deno.rename", FILES("D0W1")},
	{"Deno.copyFile", FILES("r0w1")}, {"Deno.chmod", FILES("w0")}, {"Deno.chown", FILES("w0")},
	{"Deno.truncate", FILES("w0")}, {"Deno.symlink", FILES("l0w1")}, {"Deno.link", FILES("w0w1")},
	{"Deno.utime", FILES("w0")},
	{"Deno.makeTempFile", FILES("w0")}, {"Deno.makeTempDir", FILES("w0")},
	{"Deno.readTextFile", FILES("r0")}, {"Deno.readFile", FILES("r0")}, {"Deno.readDir", FILES("r0")},
	{"Deno.stat", FILES("r0")}, {"Deno.lstat", FILES("r0")}, {"Deno.realPath", FILES("r0")},
	{"Deno.readLink", FILES("r0")}, {"Deno.watchFs", FILES("r0")}, {"Deno.open", JS_ACT_MARK, "open"},
	{"Deno.Command", JS_ACT_COMMAND, ""}, {"Deno.run", JS_ACT_ARGV, ""},
	{"Deno.serve", JS_ACT_NET, "listen"}, {"Deno.listen", JS_ACT_NET, "listen"},
	{"Deno.connect", JS_ACT_NET, "port"}, {"Deno.connectTls", JS_ACT_NET, "port"},
	{"Deno.resolveDns", JS_ACT_NET, "0"}, {"Deno.kill", MARK("process-kill")},
	{"Deno.dlopen", MARK("native")},
	{"Deno.exit", PURE}, {"Deno.cwd", PURE}, {"Deno.chdir", PURE}, {"Deno.args", PURE},
	{"Deno.args.*", PURE}, {"Deno.env.get", PURE}, {"Deno.env.has", PURE}, {"Deno.env.toObject", PURE},
	{"Deno.env.set", MARK("environment")}, {"Deno.env.delete", PURE}, {"Deno.pid", PURE},
	{"Deno.version", PURE}, {"Deno.version.*", PURE}, {"Deno.build", PURE}, {"Deno.build.*", PURE},
	{"Deno.hostname", PURE},
	{"Deno.osRelease", PURE}, {"Deno.memoryUsage", PURE}, {"Deno.inspect", INERT},
	{"Deno.stdout.*", PURE}, {"Deno.stderr.*", PURE}, {"Deno.stdin.*", PURE}, {"Deno.stdout", PURE},
	{"Deno.stderr", PURE}, {"Deno.stdin", PURE}, {"Deno.errors.*", PURE}, {"Deno.execPath", PURE},
	{"Deno.noColor", PURE}, {"Deno.mainModule", PURE}, {"Deno.test", PURE}, {"Deno.consoleSize", PURE},
	{"Deno.isatty", PURE},
};

#undef PURE
#undef INERT
#undef MARK
#undef FILES

struct module {
	char specifier[24], path[20];
};

/* Modules whose qualified name differs from their specifier; then all others. */
static const struct module renamed[] = {
	{"fs/promises", "fs.promises"}, {"path/posix", "path"}, {"path/win32", "path.win32"},
	{"assert/strict", "assert"}, {"util/types", "util.types"}, {"sys", "util"}, {"module", "Module"},
	{"stream/promises", "stream"}, {"stream/web", "stream"}, {"stream/consumers", "stream"},
	{"timers/promises", "timers.promises"}, {"dns/promises", "dns.promises"},
	{"readline/promises", "readline"},
	{"test/reporters", "test"}, {"inspector/promises", "inspector"}, {"bun", "Bun"},
};
static const char modules[][20] = {
	"fs", "path", "os", "child_process", "http", "https", "http2", "net", "tls", "dgram", "dns", "crypto",
	"util", "url", "querystring", "zlib", "stream", "events", "assert", "buffer", "vm", "v8",
	"readline", "repl", "worker_threads", "cluster", "perf_hooks", "process", "console", "timers", "tty",
	"string_decoder", "punycode", "constants", "async_hooks", "diagnostics_channel", "inspector",
	"trace_events", "wasi", "domain", "test", "sqlite", "sea", "bun:sqlite", "bun:ffi", "bun:jsc",
	"bun:test",
};

/* Prefixes that mean another qualified name. */
static const struct module spellings[] = {
	{"process.mainModule", "module"}, {"require.main", "module"}, {"module.require", "require"},
	{"path.posix", "path"}, {"buffer.Buffer", "Buffer"}, {"Module.Module", "Module"},
	{"util.promisify.custom", "util.custom"}, {"timers.setTimeout", "setTimeout"},
	{"timers.setInterval", "setInterval"}, {"timers.setImmediate", "setImmediate"},
	{"assert.strict", "assert"},
	{"Bun.fetch", "fetch"}, {"perf_hooks.performance", "performance"}, {"process.process", "process"},
	{"worker_threads.default", "worker_threads"},
};
static const char worlds[][12] = {"globalThis", "global", "window", "self"};
static const char effects[][20] = {
	"rmSync", "rmdirSync", "unlinkSync", "writeFileSync", "appendFileSync", "renameSync", "copyFileSync",
	"cpSync", "mkdirSync", "symlinkSync", "linkSync", "chmodSync", "chownSync", "truncateSync",
	"createWriteStream",
	"writeFile", "appendFile", "rmdir", "unlink", "copyFile", "symlink", "chmod", "chown", "execSync",
	"execFile", "execFileSync", "spawn", "spawnSync", "fork", "dlopen", "binding", "runInThisContext",
	"runInNewContext",
	"rm", "cp", "utimes", "lutimes", "createConnection", "execve", "setuid", "setgid",
};

static bool first_part_is(const char *name, struct str first)
{
	return !strncmp(name, first.p, first.n) && (name[first.n] == '\0' || name[first.n] == '.');
}

static struct str first_part(struct str path)
{
	ptrdiff_t dot = str_find(path, '.', 0);

	return dot < 0 ? path : str_sub(path, 0, (size_t)dot);
}

static const struct js_row *find_exact(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (name.n && rows[i].name[0] == name.p[0] && str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

static const struct js_row *find_starred(struct str path)
{
	for (size_t i = 0; path.n && i < ARRAY_SIZE(rows); i++) {
		size_t n = rows[i].name[0] == path.p[0] ? strlen(rows[i].name) : 0;

		if (n > 1 && rows[i].name[n - 1] == '*' && path.n > n - 1 &&
				!memcmp(path.p, rows[i].name, n - 1))
			return &rows[i];
	}
	return NULL;
}

static const struct js_row *find_row(struct code_walk *w, struct str path)
{
	static const char paired[][16] = {"fs", "child_process", "Bun", "Deno"};
	const struct js_row *r = find_exact(path);
	struct str name = path;

	for (size_t i = 0; !r && i < ARRAY_SIZE(paired); i++) {
		if (!str_is(first_part(path), paired[i]))
			continue;
		if (str_starts(path, "fs.promises."))
			name = str_cat(w->a, STR("fs."), str_sub(path, strlen("fs.promises."), path.n));
		else if (str_ends(path, "Sync"))
			name = str_sub(path, 0, path.n - strlen("Sync"));
		r = find_exact(name);
	}
	return r ? r : find_starred(name);
}

const struct js_row *js_row(struct code_walk *w, struct str path)
{
	struct js_name *n = js_name_get(w, path);

	if (!n->row_known)
		n->row = find_row(w, path);
	n->row_known = true;
	return n->row;
}

struct str js_builtin(struct str specifier)
{
	struct str s = str_starts(specifier, "node:") ? str_sub(specifier, 5, specifier.n) : specifier;

	for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
		if (str_is(s, renamed[i].specifier))
			return str_of(renamed[i].path);
	if (s.n == specifier.n && (str_is(s, "test") || str_is(s, "sqlite") || str_is(s, "sea")))
		return STR(""); /* only with the prefix node: */
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		if (str_is(s, modules[i]))
			return str_of(modules[i]);
	return STR("");
}

static bool is_world(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		if (str_is(name, worlds[i]))
			return true;
	return false;
}

static bool find_global(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].name[0] == name.p[0] && first_part_is(rows[i].name, name))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		if (str_is(name, modules[i]))
			return true;
	return is_world(name) || str_is(name, "Module");
}

bool js_global(struct code_walk *w, struct str name)
{
	struct js_name *n = name.n ? js_name_get(w, name) : NULL;

	if (n && n->global == JS_GLOBAL_UNKNOWN)
		n->global = find_global(name) ? JS_GLOBAL_YES : JS_GLOBAL_NO;
	return n && n->global == JS_GLOBAL_YES;
}

/* Replaces a prefix of `path` that ends at a dot or at its end. False if it does not match. */
static bool respell_path(struct code_walk *w, struct str *path, const struct module *m)
{
	size_t n = strlen(m->specifier);

	if (!str_starts(*path, m->specifier) || (path->n > n && path->p[n] != '.'))
		return false;
	*path = str_cat(w->a, str_of(m->path), str_sub(*path, n, path->n));
	return true;
}

struct str js_canonical(struct code_walk *w, struct str path)
{
	bool changed = true;

	for (unsigned round = 0; changed && round < JS_PATH_PARTS_MAX; round++) {
		struct str first = first_part(path), rest = str_sub(path, first.n + 1, path.n);

		changed = false;
		if (is_world(first) && rest.n) {
			path = rest;
			changed = true;
		}
		for (size_t i = 0; i < ARRAY_SIZE(spellings); i++)
			changed |= respell_path(w, &path, &spellings[i]);
		if (str_ends(path, ".default") && js_builtin(str_sub(path, 0, path.n - 8)).n)
			path = str_sub(path, 0, path.n - 8);
	}
	return path;
}

bool js_effect_name(struct str method)
{
	for (size_t i = 0; i < ARRAY_SIZE(effects); i++)
		if (str_is(method, effects[i]))
			return true;
	return false;
}
