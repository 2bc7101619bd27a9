// Runs inside of the jail, before a generated JavaScript program (node --import): writes what the program is about to do into the jail's
// log, as records of stub.c's form whose path is "@audit". It sits below the library, at the bindings that every form of fs, net and
// dns ends in, reports and lets go on: the jail is what keeps the program from doing harm.
import fs from "node:fs";
import path from "node:path";
import { Buffer } from "node:buffer";
import process from "node:process";

const log_fd = fs.openSync("/.log", fs.constants.O_WRONLY | fs.constants.O_APPEND);
const { writeSync, readlinkSync } = fs;
const { join, isAbsolute } = path;
const cwd = process.cwd;
const concat = Buffer.concat, from = Buffer.from, alloc = Buffer.alloc;
const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_DIRECTORY } = fs.constants;
const CHANGING = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
let busy = false;

const bytes = (x) => (typeof x === "string" ? from(x) : ArrayBuffer.isView(x) ? from(x) : from(String(x)));

function log(...words) {
	if (busy) return;
	busy = true;
	try {
		const parts = [];
		for (const w of ["@audit", cwd(), ...words]) {
			const b = bytes(w);
			for (let i = 0; i < b.length; i++) if (b[i] === 0) b[i] = 63;
			parts.push(b, alloc(1));
		}
		const rec = concat(parts);
		const head = alloc(8);
		head.write("RECO");
		head.writeUInt32LE(rec.length, 4);
		writeSync(log_fd, concat([head, rec]));
	} finally {
		busy = false;
	}
}

const full = (p) => (typeof p === "number" ? readlinkSync("/proc/self/fd/" + p) : isAbsolute(String(p)) ? String(p) : join(cwd(), String(p)));
const write = (p) => log("write", full(p));
const remove = (p) => log("delete", full(p));
const move = (a, b) => (remove(a), write(b));
const second = (a, b) => write(b);

function open(p, flags) {
	if (flags & O_DIRECTORY) return;
	if (flags & CHANGING) write(p);
	else log("read", full(p));
}

const calls = {
	open, openSync: open, openFileHandle: open, unlink: remove, rmdir: remove, rmSync: remove, rename: move, mkdir: write, mkdtemp: (p) => write(p + "XXXXXX"),
	chmod: write, chown: write, lchown: write, utimes: write, lutimes: write, symlink: second, link: second, copyFile: second,
	cpSyncCopyDir: second, cpSyncOverrideFile: second, writeFileUtf8: (p) => typeof p !== "number" && write(p), readFileUtf8: (p) => typeof p !== "number" && log("read", full(p)),
	fchmod: write, fchown: write, ftruncate: write, futimes: write,
};

function wrap(object, name, before) {
	const real = object[name];

	if (typeof real !== "function") return;
	object[name] = function (...args) {
		if (!busy) {
			try {
				before(...args);
			} catch (e) {
				log("call", "hook failed at " + name + ": " + e);
			}
		}
		return Reflect.apply(real, this, args);
	};
}

const binding = process.binding;
const fs_binding = binding("fs");

for (const name of Object.keys(calls)) wrap(fs_binding, name, calls[name]);

const network = (address) => log("network", address);
const { TCP } = binding("tcp_wrap"), { UDP } = binding("udp_wrap"), { Pipe } = binding("pipe_wrap");

for (const name of ["connect", "connect6"]) wrap(TCP.prototype, name, (req, address) => network(address));
for (const name of ["bind", "bind6"]) for (const it of [TCP, UDP]) wrap(it.prototype, name, (address) => log("listen", address));
for (const name of ["send", "send6"]) wrap(UDP.prototype, name, (...a) => network(a.find((x) => typeof x === "string") ?? ""));
wrap(Pipe.prototype, "connect", (req, address) => network(address));
wrap(Pipe.prototype, "bind", (address) => write(address));
wrap(binding("cares_wrap"), "getaddrinfo", (req, host) => network(host));
for (const name of ["queryA", "queryAaaa", "queryMx", "queryTxt", "querySrv", "queryAny"]) wrap(binding("cares_wrap").ChannelWrap.prototype, name, (req, host) => network(host));

const run = (o) => log("run", o.file, ...(o.args ?? [o.file]));

wrap(binding("process_wrap").Process.prototype, "spawn", run);
wrap(binding("spawn_sync"), "spawn", run);
wrap(process, "dlopen", (m, file) => log("escape", "dlopen " + file));
wrap(process, "kill", () => log("call", "kill"));
wrap(process, "_kill", () => log("call", "kill"));
