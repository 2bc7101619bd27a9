/*
 * Preload of every node process in the box of a declared test run (NODE_OPTIONS=--require). It acts in three
 * kinds of processes, and does nothing in all others:
 *
 *   node --test    starts itself again with a second reporter that writes to a pipe out of the box
 *   jest, vitest   get arguments that write a report there
 *   mocha          its runner is listened to
 *
 * After node --test, jest and mocha passed, it runs the canary of docs/validators.md: a file outside of the project
 * with tests that must fail, under the same flags and configuration. With node --test the files of the call
 * are loaded once more, too, and get such tests beside their own, which are left out. Nothing of that is printed.
 */
'use strict';

const REPORTS = '/caisson/reports/';
const OWNER = 'CAISSON_WITNESS'; // set: another process has the reports and the canary
const IN_FILE = 'CAISSON_CANARY'; // the canary's directory: a test file that finds it adds the canary
const SECONDS_MAX = 10; // for each of two attempts
const FILES_MAX = 8;
const IN_FILE_MS = 100; // a test file is loaded after that
const NODE_CANARY = `
const test = require('node:test'), assert = require('node:assert');
test('NAME a', () => { assert.strictEqual(1, 2); });
test('NAME b', () => { throw new Error('must fail'); });
`;
const JEST_CANARY = `
test('NAME a', () => { expect(1).toBe(2); });
test('NAME b', () => { throw new Error('must fail'); });
test('NAME c', () => { expect([1]).toEqual([2]); });
`;

/* Files of mocha share one process, so one canary meets what all of them patch. */
const MOCHA_CANARY = `
const run = globalThis.it || globalThis.test, assert = require('node:assert');
run('NAME a', () => { assert.strictEqual(1, 2); });
run('NAME b', () => { throw new Error('must fail'); });
run('NAME c', () => { assert.ok(false); });
`;

function tell(fields) {
	try {
		require('node:fs').appendFileSync(REPORTS + 'canary', JSON.stringify(fields) + '\n');
	} catch {}
}

function has(args, words) {
	return args.some((a) => words.some((w) => a === w || a.startsWith(w + '=')));
}

/* The runner writes a report of its own choice, and not ours. */
function decline(runner) {
	tell({runner, state: 'own'});
}

function wants(name) {
	return require('node:fs').existsSync(REPORTS + name);
}

/* Calls check() with the canary's file and a name for its report, and removes both. */
function withCanary(runner, source, ending, check) {
	const fs = require('node:fs'), os = require('node:os'), path = require('node:path');
	const name = require('node:crypto').randomBytes(6).toString('hex');
	const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'c'));
	const file = path.join(dir, name + ending), report = path.join(dir, 'report');
	try {
		fs.writeFileSync(file, source.replaceAll('NAME', name));
		const {status, error} = check(file, report, name);
		const found = counts(fs, report, name);
		if (status === null)
			tell({runner, state: 'skipped', why: error && error.code === 'ETIMEDOUT' ? 'it took too long' : 'it crashed'});
		else if (status !== 0 && found.passed + found.failed + found.skipped === 0)
			tell({runner, state: 'skipped', why: 'it could not be run'});
		else
			tell({runner, state: 'done', exit: status, ...found});
	} catch (e) {
		tell({runner, state: 'skipped', why: e.name});
	} finally {
		fs.rmSync(dir, {recursive: true, force: true});
	}
}

function counts(fs, report, name) {
	const text = fs.existsSync(report) ? fs.readFileSync(report, 'utf8') : '';
	if (text.startsWith('{')) {
		const r = JSON.parse(text);
		if (r.stats)
			return {passed: r.stats.passes, failed: r.stats.failures, skipped: r.stats.pending};
		return {passed: r.numPassedTests, failed: r.numFailedTests + r.numRuntimeErrorTestSuites, skipped: r.numPendingTests};
	}
	const tests = text.split('<testcase').slice(1).filter((t) => t.startsWith(' name="' + name));
	const failed = tests.filter((t) => t.includes('<failure')).length;
	const skipped = tests.filter((t) => !t.includes('<failure') && t.includes('<skipped')).length;
	return {passed: tests.length - failed - skipped, failed, skipped};
}

function again(args, options, variables) {
	const env = {...process.env, [OWNER]: String(process.pid), ...variables};
	return require('node:child_process').spawnSync(process.execPath, args, {env, ...options});
}

function quietly(args, variables) {
	return again(args, {stdio: 'ignore', timeout: SECONDS_MAX * 1000, killSignal: 'SIGKILL'}, variables);
}

/* ---- node --test ---- */

const OWN_FLAGS = /^--(test|watch|experimental-test)/;

/* Flags of the call, without those that select or report tests. Values of such flags stand behind '='. */
function keptFlags() {
	const values = ['--test-name-pattern', '--test-skip-pattern', '--test-reporter', '--test-reporter-destination',
		'--test-concurrency', '--test-timeout', '--test-shard', '--test-isolation', '--watch-path'];
	const kept = [];
	for (let i = 0; i < process.execArgv.length; i++) {
		if (values.includes(process.execArgv[i]))
			i++;
		else if (!OWN_FLAGS.test(process.execArgv[i]))
			kept.push(process.execArgv[i]);
	}
	return kept;
}

function nodeCanary() {
	withCanary('node', NODE_CANARY, '.test.cjs', (file, report, name) => {
		const call = (...words) => [...keptFlags(), '--test', '--test-reporter=junit',
			'--test-reporter-destination=' + report, '--test-name-pattern=^' + name, ...words, file];
		const done = quietly(call(...process.argv.slice(1)), {[IN_FILE]: require('node:path').dirname(file)});
		/* files that do not end when they are loaded again have none */
		return done.status === null ? quietly(call()) : done;
	});
}

/* True for the first test files of a canary's call. */
function hasPlace(dir) {
	for (let i = 0; i < FILES_MAX; i++) {
		try {
			require('node:fs').mkdirSync(dir + '/file' + i);
			return true;
		} catch {}
	}
	return false;
}

/*
 * In the process of a test file: tests that must fail, after the file and what it loads have changed what they
 * want to change. The last one is made by the node:test that the file would get.
 */
function addCanary(dir) {
	const [file] = require('node:fs').readdirSync(dir).filter((f) => f.endsWith('.test.cjs'));
	if (!file || process.argv[1] === dir + '/' + file)
		return;
	if (!hasPlace(dir))
		process.exit(0);
	const name = file.slice(0, -'.test.cjs'.length) + ' ', test = require('node:test');
	const later = setTimeout; // a file may put a clock of its own in its place
	const loaded = () => new Promise((done) => later(done, IN_FILE_MS));
	test(name + 'equal', async () => { await loaded(); require('node:assert').strictEqual(1, 2); });
	test(name + 'strict', async () => { await loaded(); require('node:assert/strict').equal(1, 2); });
	test(name + 'ok', async () => { await loaded(); require('node:assert').ok(false); });
	test(name + 'throw', async () => {
		await loaded();
		const given = require('node:test');
		await (given.test || given)(name + 'inner', () => { throw new Error('must fail'); });
		throw new Error('must fail');
	});
}

function nodeTest() {
	const [major, minor] = process.versions.node.split('.').map(Number);
	const canary = wants('canary'), flags = process.execArgv;
	if (major < 18 || (major === 18 && minor < 17) || major === 19) {
		decline('node');
		return;
	}
	if (canary)
		tell({runner: 'node', state: 'started'});
	if (!wants('node.xml') || has(flags, ['--watch', '--test-reporter']) ||
			(process.env.NODE_OPTIONS || '').includes('--test-reporter')) {
		decline('node');
		process.once('exit', (code) => {
			if (canary && code === 0)
				nodeCanary();
			else if (canary)
				tell({runner: 'node', state: 'skipped', why: 'the tests did not pass'});
		});
		return;
	}
	const {status, signal} = again([...flags, '--test-reporter=spec', '--test-reporter-destination=stdout',
		'--test-reporter=junit', '--test-reporter-destination=' + REPORTS + 'node.xml', ...process.argv.slice(1)],
		{stdio: 'inherit'});
	if (canary && status === 0)
		nodeCanary();
	else if (canary)
		tell({runner: 'node', state: 'skipped', why: 'the tests did not pass'});
	if (signal)
		process.kill(process.pid, signal);
	process.exit(status);
}

/* ---- jest, vitest ---- */

function addArguments(words) {
	const end = process.argv.indexOf('--');
	process.argv.splice(end < 0 ? process.argv.length : end, 0, ...words);
}

/* Options of jest that choose its configuration or its parts; what they select is left out. */
const JEST_KEPT = ['-c', '--config', '--rootDir', '--projects', '--testRunner', '--runner', '--env', '--testEnvironment',
	'--preset', '--resolver', '--setupFiles', '--setupFilesAfterEnv', '--globalSetup', '--globalTeardown', '--globals'];

function jestKept(args) {
	const kept = [];
	for (let i = 0; i < args.length; i++) {
		if (JEST_KEPT.includes(args[i]))
			kept.push(args[i], args[++i]);
		else if (JEST_KEPT.some((o) => args[i].startsWith(o + '=')))
			kept.push(args[i]);
	}
	return kept.filter((a) => a !== undefined);
}

function jest(script) {
	const args = process.argv.slice(2);
	if (has(args, ['--watch', '--watchAll', '--listTests', '--showConfig', '--init', '--clearCache', '--version', '-v',
		'--help', '-h']))
		return;
	process.env[OWNER] = String(process.pid);
	if (wants('jest.json') && !has(args, ['--json', '--outputFile']))
		addArguments(['--json', '--outputFile=' + REPORTS + 'jest.json']);
	else
		decline('jest');
	if (!wants('canary'))
		return;
	tell({runner: 'jest', state: 'started'});
	process.once('exit', (code) => {
		if (code !== 0) {
			tell({runner: 'jest', state: 'skipped', why: 'the tests did not pass'});
			return;
		}
		withCanary('jest', JEST_CANARY, '.test.js', (file, report) => {
			const call = (pattern) => quietly([...process.execArgv, script, ...jestKept(args), '--json',
				'--outputFile=' + report, '--coverage=false', '--reporters=default', '--ci',
				'--roots=' + require('node:path').dirname(file), '--testPathIgnorePatterns=^$', pattern + file,
				'--runTestsByPath', file]);
			const done = call('--testMatch=');
			/* a project has either patterns or expressions for its files, and jest refuses both */
			return require('node:fs').existsSync(report) ? done : call('--testRegex=');
		});
	});
}

/* ---- mocha ---- */

function mochaReport(runner) {
	const found = {tests: [], passes: [], failures: [], pending: []};
	const shown = (t) => ({fullTitle: t.fullTitle(), duration: t.duration});
	runner.on('pass', (t) => found.passes.push(shown(t)));
	runner.on('fail', (t) => found.failures.push(shown(t)));
	runner.on('pending', (t) => found.pending.push(shown(t)));
	runner.on('test end', (t) => found.tests.push(shown(t)));
	runner.once('end', () => {
		const stats = {tests: found.tests.length, passes: found.passes.length, pending: found.pending.length,
			failures: found.failures.length};
		try {
			require('node:fs').appendFileSync(REPORTS + 'mocha.json', JSON.stringify({stats, ...found}) + '\n');
		} catch {}
	});
}

function listenToMocha(file) {
	if (!require('node:fs').existsSync(file))
		return;
	const {prototype} = require(file), {run} = prototype;
	prototype.run = function (...given) {
		mochaReport(this);
		return run.apply(this, given);
	};
}

/* Arguments of the call without those that select tests or choose a reporter. */
function mochaKept(args) {
	const values = ['-g', '--grep', '-f', '--fgrep', '-R', '--reporter', '-O', '--reporter-option', '--reporter-options'];
	return args.filter((a, i) => !values.includes(a) && !values.includes(args[i - 1]) &&
		!values.some((v) => a.startsWith(v + '=')) && !['-p', '--parallel', '-i', '--invert'].includes(a));
}

function mochaCanary(script, args) {
	withCanary('mocha', MOCHA_CANARY, '.cjs', (file, report, name) => quietly([...process.execArgv, script,
		...mochaKept(args), '--file', file, '--fgrep', name, '--no-parallel', '--reporter', 'json',
		'--reporter-option', 'output=' + report]));
}

function mocha(script) {
	const args = process.argv.slice(2), path = require('node:path');
	if (has(args, ['--watch', '-w', '--dry-run', '--list-files', '--list-reporters', '--version', '-V', '--help', '-h']))
		return;
	process.env[OWNER] = String(process.pid);
	if (wants('mocha.json')) {
		for (const file of ['runner.js', 'nodejs/parallel-buffered-runner.js'])
			listenToMocha(path.join(path.dirname(script), '../lib', file));
	}
	if (!wants('canary'))
		return;
	tell({runner: 'mocha', state: 'started'});
	process.once('exit', (code) => {
		if (code === 0)
			mochaCanary(script, args);
		else
			tell({runner: 'mocha', state: 'skipped', why: 'the tests did not pass'});
	});
}

function vitest() {
	const args = process.argv.slice(2);
	if (!wants('vitest.json') || has(args, ['--reporter', '--outputFile', '--watch', '-w', 'watch', 'dev', 'list', 'bench',
		'init', '--version', '-v', '--help', '-h'])) {
		decline('vitest');
		return;
	}
	process.env[OWNER] = String(process.pid);
	addArguments(['--reporter=default', '--reporter=json', '--outputFile.json=' + REPORTS + 'vitest.json']);
}

function main() {
	if (process.env[IN_FILE] && process.env.NODE_TEST_CONTEXT)
		addCanary(process.env[IN_FILE]);
	if (process.env[OWNER] || process.env.NODE_TEST_CONTEXT || !require('node:worker_threads').isMainThread)
		return;
	if (process.execArgv.includes('--test')) {
		nodeTest();
		return;
	}
	if (!process.argv[1])
		return;
	const script = require('node:fs').realpathSync(process.argv[1]);
	if (/\/jest(-cli)?\/bin\/jest\.js$/.test(script))
		jest(script);
	else if (/\/mocha\/bin\/_?mocha(\.js)?$/.test(script))
		mocha(script);
	else if (/\/vitest\/vitest\.mjs$/.test(script))
		vitest();
}

try {
	main();
} catch {}
