/*
 * The attempts, and the checks outside the box after each. Scripts get the canaries in variables:
 *   OUT        a directory outside the box
 *   TOKEN      a word that occurs in no other file name
 *   HOST_HOME  the caller's home
 *   PORT       a listener on the host
 *
 * An attempt must do no harm even if a wall is missing: it writes only new names, or the previous content,
 * and kills only after it has seen that it is alone.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "self/selftest_box.h"
#include "sys/file.h"

#define COMMAND_LINE_MAX 65536 /* bytes read of a process's arguments */
#define PROCESSES_MAX 100000   /* bound for processes of this host */
#define SMALL_MAX 256

/* ---- checks outside the box ---- */

/* True if the file below the test's directory holds exactly this. */
static bool file_holds(const struct trial_place *p, const char *name, const char *text)
{
	char path[TRIAL_PATH_MAX + SMALL_MAX], got[SMALL_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	n = fd < 0 ? -1 : read(fd, got, sizeof(got));
	return n == (ssize_t)strlen(text) && !memcmp(got, text, (size_t)n);
}

static bool is_there(const struct trial_place *p, const char *name)
{
	char path[TRIAL_PATH_MAX + SMALL_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	return lstat(path, &st) == 0;
}

/* Checks a new name in a directory of the host. If it exists, an attempt made it, and it is removed. */
static bool is_planted(const char *dir, const struct trial_place *p)
{
	char path[TRIAL_PATH_MAX + SMALL_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, p->token);
	return unlink(path) == 0;
}

static const char *check_work(struct trial_place *p)
{
	return file_holds(p, "workspace/made", "made\n") ? NULL
							 : "what was written in the workspace is not there";
}

static const char *check_outside(struct trial_place *p)
{
	char home[TRIAL_PATH_MAX];
	bool etc = is_planted("/etc", p), usr = is_planted("/usr", p), var = is_planted("/var/tmp", p),
	     at_home;

	snprintf(home, sizeof(home), "%.*s", STR_ARG(p->home));
	at_home = is_planted(home, p);
	if (!file_holds(p, "outside/canary", "canary\n"))
		return "a file outside was changed";
	if (is_there(p, "outside/new"))
		return "a file was made outside";
	return etc || usr || var || at_home ? "a file was made in a directory of the system or the home" :
			NULL;
}

static const char *check_protected(struct trial_place *p)
{
	if (!file_holds(p, "workspace/.git/config", "[core]\n\tbare = false\n"))
		return "the repository's configuration was changed";
	if (is_there(p, "workspace/.git/hooks/pre-commit"))
		return "a hook was planted";
	return file_holds(p, "workspace/.claude/settings.json", "{}\n") ? NULL :
			"an agent's settings were changed";
}

static const char *check_listener(struct trial_place *p)
{
	int fd = p->listener < 0 ? -1 : accept4(p->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return NULL;
	close(fd);
	return "it reached a listener of this host";
}

/* True if a process of this host has our token among its arguments. */
static bool is_alive(const struct trial_place *p)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	bool found = false;

	for (size_t n = 0; proc && !found && n < PROCESSES_MAX && (entry = readdir(proc)); n++) {
		char path[SMALL_MAX + 32], line[COMMAND_LINE_MAX];
		ssize_t got;

		if (!ascii_is_digit(entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC);
		got = fd < 0 ? -1 : read(fd, line, sizeof(line));
		found = got > 0 && memmem(line, (size_t)got, p->token, strlen(p->token));
	}
	if (proc)
		closedir(proc);
	return found;
}

const char *attempts_leftover(struct trial_place *p)
{
	if (is_there(p, "workspace/survived"))
		return "a process wrote a file after the end of its box";
	return is_alive(p) ? "a process is still there" : NULL;
}

/* ---- the table ---- */

#define OK (1u << STATUS_OK)
#define FAILS (1u << STATUS_EXIT_NONZERO)
#define TIMEOUT (1u << STATUS_TIMEOUT)
#define OOM (1u << STATUS_OOM)
#define FLOOD (1u << STATUS_OUTPUT_LIMIT)

const char *attempt_look(enum attempt_look look, struct trial_place *p)
{
	switch (look) {
	case LOOK_NOWHERE: break;
	case LOOK_WORK: return check_work(p);
	case LOOK_OUTSIDE: return check_outside(p);
	case LOOK_PROTECTED: return check_protected(p);
	case LOOK_LISTENER: return check_listener(p);
	}
	return NULL;
}

const struct attempt attempts[] = {
	{.name = "work", .title = "ordinary work, which must succeed", .workspace = true, .ends = OK,
			.must = "hello", .look = LOOK_WORK,
	 .script = "echo hello >/tmp/f && cat /tmp/f && echo made >made && [ -d \"$HOME\" ] && "
	 "for f in /*; do [ -d \"$f\" ] && exit 0; done; exit 1"},
	{.name = "survive", .title = "daemons that outlive their box", .wall = BY_PID_NAMESPACE,
			.workspace = true, .ends = OK, .need = "setsid sleep",
	 .script = "(setsid sh -c 'trap \"\" HUP TERM; sleep 1; echo >survived' \"$TOKEN\" & ) & exit 0"},

	{.name = "memory", .title = "10 GB of memory, 256 MB allowed", .wall = BY_MEMORY,
			.limits = {[LIMIT_MEMORY] = 256 * MB, [LIMIT_TIME] = 20000},
			.ends = OOM, .need = "head tail",
	 .script = "head -c 10737418240 /dev/zero | tail -c 10737418240 >/dev/null && echo BREACH; exit 1"},
	{.name = "memory-many", .title = "the same by many small processes", .wall = BY_MEMORY,
			.limits = {[LIMIT_MEMORY] = 256 * MB, [LIMIT_TIME] = 20000},
			.ends = OOM, .need = "head tail sleep",
	 .script = "for i in 1 2 3 4 5 6; do head -c 125829120 /dev/zero | tail -c 125829120 | sleep 4 & "
			"done; wait; echo BREACH"},
	{.name = "memory-files", .title = "memory by files in the scratch", .wall = BY_SCRATCH,
			.limits = {[LIMIT_MEMORY] = 256 * MB, [LIMIT_SCRATCH] = 32 * MB,
			[LIMIT_TIME] = 20000},
			.ends = FAILS, .need = "head",
	 .script = "for d in /tmp /dev/shm \"$HOME\"; do head -c 20971520 /dev/zero >$d/fill || exit 3; "
			"done; echo BREACH"},
	{.name = "inodes", .title = "100,000 files", .wall = BY_SCRATCH,
			.limits = {[LIMIT_SCRATCH] = 16 * MB, [LIMIT_MEMORY] = 128 * MB,
				[LIMIT_TIME] = 20000},
			/* gVisor limits no number of files, but counts them as memory */
			.ends = FAILS | OOM | TIMEOUT,
	 .script = "i=0; while [ $i -lt 100000 ]; do : >/tmp/$i || exit 3; i=$((i + 1)); done; echo BREACH"},
	{.name = "busy", .title = "an endless loop, 500 ms allowed", .wall = BY_TIME,
			.limits = {[LIMIT_TIME] = 500},
			.ends = TIMEOUT, .script = "while :; do :; done"},
	{.name = "deaf", .title = "signals ignored, 500 ms allowed", .wall = BY_TIME,
			.limits = {[LIMIT_TIME] = 500},
			.ends = TIMEOUT, .need = "sleep",
	 .script = "trap '' HUP INT QUIT TERM; while :; do sleep 1; done"},
	{.name = "forks", .title = "500 processes, 64 allowed", .wall = BY_PIDS,
			.limits = {[LIMIT_PIDS] = 64, [LIMIT_TIME] = 2000},
			.ends = FAILS | TIMEOUT, .need = "sleep",
	 .script = "i=0; while [ $i -lt 500 ]; do sleep 9 & i=$((i + 1)); done; echo BREACH; exit 1"},
	{.name = "threads", .title = "500 threads, 64 allowed", .wall = BY_PIDS,
			.limits = {[LIMIT_PIDS] = 64, [LIMIT_TIME] = 5000},
			.ends = FAILS, .need = "python3",
	 .script = "python3 -c 'import threading, time\nn = 0\ntry:\n while n < 500: "
			"threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); n += "
			"1\nexcept RuntimeError: pass\n"
		   "print(\"BREACH\" if n >= 500 else n)'; exit 1"},
	{.name = "fork-bomb", .title = "a fork bomb", .wall = BY_PIDS,
			.limits = {[LIMIT_PIDS] = 64, [LIMIT_TIME] = 500},
			.ends = OK | FAILS | TIMEOUT, .need = "sleep",
	 .script = "b() { b | b & }; b; while :; do :; done"},
	{.name = "flood", .title = "endless output, 1 MB allowed", .wall = BY_OUTPUT,
			.limits = {[LIMIT_OUTPUT] = MB, [LIMIT_TIME] = 20000},
			.ends = FLOOD,
	 .script = "while :; do echo 0123456789012345678901234567890123456789012345678901234567890123456789;"
	 " done"},

	{.name = "network", .title = "a connection to this host", .wall = BY_NETWORK, .ends = OK,
			.need = "bash", .look = LOOK_LISTENER,
	 .script = "bash -c 'exec 3<>/dev/tcp/127.0.0.1/$PORT' && echo BREACH; exit 0"},
	{.name = "hosts", .title = "other hosts than the listed one", .wall = BY_NETWORK, .ends = OK,
			.need = "bash", .look = LOOK_LISTENER, .network = "selftest.invalid",
	 .script = "for a in 127.0.0.1/$PORT 0.0.0.0/$PORT localhost/$PORT 198.18.0.1/$PORT "
	 "198.19.0.1/$PORT ::1/$PORT selftest.invalid/$PORT 192.0.2.1/80 example.com/80 198.18.0.1/53; do "
	 "bash -c \"exec 3<>/dev/tcp/$a\" && echo BREACH; done; exit 0"},
	{.name = "write", .title = "writing outside", .wall = BY_MOUNTS, .workspace = true, .ends = OK,
			.look = LOOK_OUTSIDE,
	 .script = "for f in \"$OUT/canary\" \"$OUT/new\" /etc/$TOKEN /usr/$TOKEN /var/tmp/$TOKEN "
	 "\"$HOST_HOME/$TOKEN\"; do (echo changed >\"$f\"); done; exit 0"},
	{.name = "links", .title = "writing through links", .wall = BY_MOUNTS, .workspace = true, .ends = OK,
			.need = "ln", .look = LOOK_OUTSIDE,
	 .script = "(echo changed >link); ln -s \"$OUT/canary\" mine; (echo changed >mine); ln "
	 "\"$OUT/canary\" hard && echo changed >hard; exit 0"},
	{.name = "protected", .title = "hooks, git's and agents' settings", .wall = BY_PROTECTION,
			.workspace = true, .ends = OK, .need = "mv mkdir rm", .look = LOOK_PROTECTED,
	 .script = "(echo evil >.git/hooks/pre-commit); (echo evil >.git/config); mv .git away; mkdir -p "
	 ".git/hooks; (echo evil >.git/hooks/pre-commit); (echo evil >.git/config); "
		   "(echo evil >.claude/settings.json); rm -rf .claude; mkdir .claude; (echo evil "
		   ">.claude/settings.json); exit 0"},
	{.name = "secrets", .title = "reading files outside", .wall = BY_MOUNTS, .ends = OK,
			.need = "cat head",
	 .script = "cat \"$OUT/secret\" \"/proc/1/root$OUT/secret\"; for f in /etc/shadow /root/.ssh/* "
			"\"$HOST_HOME\"/.ssh/* \"$HOST_HOME\"/.bash_history; do [ -z \"$(head -c 1 "
			"\"$f\")\" ] || echo BREACH; done; exit 0"},
	{.name = "environment", .title = "credentials in the environment", .wall = BY_ENVIRONMENT, .ends = OK,
			.need = "env cat",
	 .script = "env; cat /proc/self/environ; [ -z \"$(cat /proc/1/environ | tr -d '\\0')\" ] || echo "
			"BREACH; exit 0"},
	{.name = "init", .title = "killing the box's init process", .wall = BY_PID_NAMESPACE, .ends = OK,
			.must = "alive",
	 .script = "[ $$ -lt 10 ] || { echo BREACH; exit 0; }; for s in KILL STOP TERM; do kill -s $s 1; "
			"done; kill -s KILL -- -1; [ -d /proc/1 ] && echo alive; exit 0"},
	{.name = "peek", .title = "reading its state through /proc", .wall = BY_PRIVILEGES, .ends = OK,
			.need = "ls head readlink",
	 .script = "for d in root cwd; do ls /proc/1/$d/ && echo BREACH; done; for f in exe fd/0 fd/1 fd/2 "
			"fd/3 fd/4 fd/5; do readlink /proc/1/$f && echo BREACH; done; for f in mem maps; "
			"do [ -z \"$(head -c 1 /proc/1/$f)\" ] || echo BREACH; done; exit 0"},
	{.name = "kernel", .title = "settings of the kernel", .wall = BY_MOUNTS, .ends = OK, .need = "cat",
	 .script = "for f in kernel/core_pattern vm/swappiness kernel/hostname; do v=$(cat /proc/sys/$f) && "
			"(printf '%s\\n' \"$v\" >/proc/sys/$f) && echo BREACH; done; exit 0"},
	{.name = "machine", .title = "facts about the machine in /proc", .wall = BY_MOUNTS, .ends = OK,
			.need = "head",
	 .script = "for f in cmdline config.gz interrupts keys key-users locks modules partitions "
			"sys/kernel/random/boot_id; do [ ! -e /proc/$f ] || [ -z \"$(head -c 1 /proc/$f | "
			"tr -d '\\0')\" ] || echo BREACH; done; exit 0"},
	{.name = "privilege", .title = "capabilities, root, new privileges", .wall = BY_PRIVILEGES,
			.ends = OK, .need = "grep id",
	 .script = "grep -q '^Cap[EPIB][a-z]*:.*[1-9a-f]' /proc/self/status && echo BREACH; grep -q "
			"'^NoNewPrivs:.0' /proc/self/status && echo BREACH; [ \"$(id -u)\" != 0 ] || echo "
			"BREACH; exit 0"},
	{.name = "devices", .title = "devices", .wall = BY_MOUNTS, .ends = OK, .need = "mknod",
	 .script = "for d in mem kmem kvm fuse sda vda nvme0n1 dm-0 loop-control; do [ -e /dev/$d ] && echo "
			"BREACH; done; mknod /tmp/d c 1 1 && echo BREACH; exit 0"},
	{.name = "mount", .title = "mounts", .wall = BY_FILTER, .ends = OK, .need = "mount umount mkdir",
	 .script = "mkdir /tmp/m; mount -t tmpfs none /tmp/m && echo BREACH; mount -o remount,bind,rw / && "
			"echo BREACH; umount /proc && echo BREACH; exit 0"},
	{.name = "namespaces", .title = "namespaces in the box", .wall = BY_FILTER, .ends = OK,
			.need = "unshare nsenter",
	 .script = "for n in -U -m -n -p -u -Ur; do unshare $n true && echo BREACH; done; nsenter -t 1 -m "
			"true && echo BREACH; exit 0"},
	{.name = "cores", .title = "the host's program for core dumps", .wall = BY_FILTER, .ends = OK,
			.need = "grep",
	 .script = "ulimit -c unlimited; ulimit -c 0; grep -q '^Max core file size  *1  *1 ' "
			"/proc/self/limits && exit 0; [ -e /proc/self/limits ] || [ -e "
			"/proc/sys/kernel/core_pattern ] || exit 0; IFS= read -r p "
			"</proc/sys/kernel/core_pattern || "
			"p='|'; case $p in '|'*|@*) echo BREACH;; esac; exit 0"},
	{.name = "trace", .title = "tracing a process", .wall = BY_FILTER, .ends = OK, .need = "strace",
			.script = "strace -o /dev/null true && echo BREACH; exit 0"},
};
const size_t nattempts = ARRAY_SIZE(attempts);
