/*
 * The execution oracle: runs shell programs in a jail of stubs and says what really happened.
 *
 *     jail --stub FILE [--wall MS] [--linger MS] [--memory MB] < frames > lines
 *
 * --memory 0 sets no limit of address space: node reserves far more than it uses.
 *
 * Theory. Three kinds of processes:
 *   - The outer process makes the namespaces (mount, pid, net, ipc, uts; user as well if it is not root),
 *     starts the keeper and waits.
 *   - The keeper is pid 1 of the new pid namespace. It builds a root file system of tmpfs and pivots into it.
 *     Then it takes one frame after the other from standard input: it starts the shell, waits until nothing
 *     is left alive (or kills everything: kill(-1) from pid 1 reaches the whole namespace), reads the log,
 *     compares the writable directories with their state before, and restores them.
 *   - The shell and its children: another user, no capabilities, limits, no network, everything read-only but
 *     /w, /tmp and home.
 * When the outer process dies the keeper dies, and with it the namespaces, mounts and files: nothing is left
 * behind, as nothing outside was ever written.
 *
 * In the jail /bin holds one file under many names (stub.c): every command that is executed leaves its argv
 * in the log. /.host/usr is the machine's own /usr, read-only; /.real/NAME leads to the real tool for the
 * names that need one (cat, xargs, bash ...).
 *
 * A frame: "ID SHELL MODE LENGTH\n" and LENGTH bytes; SHELL is bash or sh (dash), MODE is c (-c TEXT) or f (a
 * script file). An answer: {"id", "exit" or "signal", "timeout", "ran": [{"path", "cwd", "argv"}], "made":
 * [], "changed": [], "gone": []}. A character in an answer's strings is one byte (0 to 255): real argvs need
 * not be UTF-8. Exit 77 with one line on stderr when this machine does not let us build the jail.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SKIP_EXIT 77
#define PROGRAM_MAX ((size_t)1 << 20)
/* longer texts do not fit into one argument: they run as a file */
#define PROGRAM_ARG_MAX ((size_t)120 << 10)
#define LOG_MAX ((size_t)1 << 20)
#define RECORDS_MAX 512 /* different records reported per program */
#define ENTRIES_MAX 4096
#define TREE_DEPTH 24
#define JAIL_UID 64123
#define OLD_TIME 1577836800 /* fixtures are this old, so that every write shows */

struct entry {
	char *path;
	mode_t mode;
	uint64_t hash;
	struct timespec mtime;
};

struct tree {
	struct entry e[ENTRIES_MAX];
	size_t n;
};

struct jail {
	char home[256], user[64], root[64];
	int log_fd;
	int stub; /* open: the tmpfs is mounted over /tmp, where the file may be */
	int wall_ms, linger_ms, memory_mb;
	bool was_root;
	uid_t uid;
	struct tree before, after;
	char *program, *log;
};

static const char *const reals[] = {
	"env", "xargs", "find", "timeout", "nohup", "nice", "ionice", "stdbuf", "setsid", "cat", "printf",
	"echo", "base64", "base32", "tr", "rev",
	"cut", "head", "tail", "seq", "basename", "dirname", "tee", "cp", "mv", "touch", "mkdir", "rmdir",
	"rm", "ln", "sed", "sort", "uniq", "wc",
	"mktemp", "flock", "chrt", "taskset", "test", "[", "true", "false", "pwd", "dd", "install",
	"truncate", "chmod", "split", "comm", "paste",
	"fold", "nl", "tac", "expr", "date", "id", "uname", "readlink", "realpath", "ls", "grep", "egrep",
	"fgrep", "awk", "mawk", "od", "xxd", "yes",
	"cmp", "diff", "stat", "bash", "dash", "rbash", "time", "whoami", "printenv", "shuf", "factor",
	"link", "unlink", "getopt", "join", "csplit",
	"expand", "unexpand", "md5sum", "sha256sum", "cksum", "pr", "tsort", "script", "strings", "hexdump",
	"run-parts", "which", "perl",
};
static const char *const stubs[] = {
	"evil", "canary", "evil_cmd", "evill", "evl", "rm_", "git", "curl", "wget", "node", "npm", "npx",
	"make", "cargo", "python3", "python", "pip",
	"docker", "kubectl", "ssh", "scp", "rsync", "sudo", "doas", "su", "sleep", "vim", "less", "man",
	"tar", "zip", "unzip", "gcc", "go", "pytest",
	"jq", "systemctl", "crontab", "at", "ps", "pkill", "killall", "mkfs", "shutdown", "reboot", "chown",
	"rg", "fd", "tree", "file", "yarn", "pnpm",
	"tsc", "ruby", "java", "mvn", "gradle", "psql", "sqlite3", "gh", "code", "open", "xdg-open", "nc",
	"eval1", "then1", "deploy", "prettier",
};
static const struct {
	const char *path, *text;
} fixtures[] = {
	{"/w/a.txt", "alpha\nevil from a.txt\n"},
	{"/w/b.txt", "beta\n"},
	{"/w/run.sh", "evil from run.sh \"$@\"\n"},
	{"/w/sub/c.txt", "evil c\n"},
};

static void fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));
static void fail(int code, const char *fmt, ...)
{
	int e = errno;
	va_list ap;

	fputs(code == SKIP_EXIT ? "SKIP jail: " : "jail: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, e ? ": %s\n" : "\n", strerror(e));
	exit(code);
}

/* ---- building the jail (keeper, before the pivot) ---- */

static void write_text(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
	size_t n = strlen(text);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n)
		fail(70, "cannot write '%s'", path);
	close(fd);
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		fail(70, "cannot make '%s'", path);
}

static void mount_tmpfs(const char *path, const char *options)
{
	make_dir(path);
	if (mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
		fail(SKIP_EXIT, "cannot mount a tmpfs on '%s'", path);
}

static void bind(const char *from, const char *to, unsigned long flags)
{
	struct statvfs st;

	if (mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0 || statvfs(to, &st) < 0)
		fail(SKIP_EXIT, "cannot bind '%s'", from);
	/* in a user namespace the flags that the original mount has are locked: they must be named again */
	flags |= st.f_flag & (ST_NOSUID | ST_NODEV | ST_NOEXEC | ST_NOATIME | ST_NODIRATIME | ST_RELATIME);
	if (flags & MS_RDONLY && mount(NULL, to, NULL, MS_REMOUNT | MS_BIND | flags, NULL) < 0)
		fail(SKIP_EXIT, "cannot make '%s' read-only", to);
}

static void setup_host(void)
{
	static const char *const dirs[] = {"usr", "lib", "lib64", "lib32", "libx32"};

	make_dir(".host");
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		char from[64], to[64], link[PATH_MAX];
		struct stat st;
		ssize_t n;

		snprintf(from, sizeof from, "/%s", dirs[i]);
		snprintf(to, sizeof to, ".host/%s", dirs[i]);
		if (lstat(from, &st) < 0)
			continue;
		if (S_ISLNK(st.st_mode) && (n = readlink(from, link, sizeof link - 1)) > 0) {
			link[n] = 0;
			if (symlink(link[0] == '/' ? link + 1 : link, to) < 0)
				fail(70, "cannot link '%s'", to);
		} else {
			make_dir(to);
			bind(from, to, MS_RDONLY | MS_NOSUID | MS_NODEV);
		}
		snprintf(from, sizeof from, ".host/%s", dirs[i]);
		if (i > 0 && symlink(from, dirs[i]) < 0)
			fail(70, "cannot link '%s'", dirs[i]);
	}
	make_dir("usr");
	if (symlink("/.host/usr/lib", "usr/lib") < 0 || symlink("/bin", "usr/bin") < 0 ||
			symlink("/.host/usr/share", "usr/share") < 0 ||
	    symlink("/.host/usr/libexec", "usr/libexec") < 0)
		fail(70, "cannot link into usr");
}

static void copy_stub(int in, const char *to)
{
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	char b[65536];
	ssize_t n;

	if (out < 0)
		fail(70, "cannot make '%s'", to);
	while ((n = read(in, b, sizeof b)) > 0)
		if (write(out, b, (size_t)n) != n)
			fail(70, "cannot write '%s'", to);
	close(in);
	close(out);
}

static void add_name(const char *name, const char *real)
{
	char path[128], to[128];

	snprintf(path, sizeof path, "bin/%s", name);
	if (link(".stub", path) < 0 && errno != EEXIST)
		fail(70, "cannot link '%s'", path);
	if (!real)
		return;
	snprintf(path, sizeof path, ".real/%s", name);
	snprintf(to, sizeof to, "/.host%s", real);
	if (symlink(to, path) < 0 && errno != EEXIST)
		fail(70, "cannot link '%s'", path);
}

/*
 * A tool that is a script would be run by the jail's own sh, and what it runs would be logged as the
 * program's.
 */
static bool is_script(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char b[2] = {0};
	bool yes = fd >= 0 && read(fd, b, 2) == 2 && b[0] == '#' && b[1] == '!';

	if (fd >= 0)
		close(fd);
	return yes;
}

static void setup_bin(int stub)
{
	make_dir("bin");
	make_dir(".real");
	copy_stub(stub, ".stub");
	for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++)
		add_name(stubs[i], NULL);
	for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
		char path[128], to[PATH_MAX];

		snprintf(path, sizeof path, "/usr/bin/%s", reals[i]);
		/* awk leads through /etc/alternatives, which the jail does not have */
		if (realpath(path, to) && strlen(to) < 100)
			add_name(reals[i], is_script(to) ? NULL : to);
	}
	if (access("/usr/bin/dash", X_OK) != 0 || access("/usr/bin/bash", X_OK) != 0)
		fail(SKIP_EXIT, "bash and dash are needed below /usr/bin");
	add_name("sh", "/usr/bin/dash");
	unlink(".stub");
}

static void setup_dev(void)
{
	static const char *const nodes[] = {"null", "zero", "urandom"};
	static const char *const links[][2] = {
		{"/proc/self/fd", "dev/fd"}, {"/proc/self/fd/0", "dev/stdin"},
		{"/proc/self/fd/1", "dev/stdout"}, {"/proc/self/fd/2", "dev/stderr"}};
	char from[64], to[64];

	make_dir("dev");
	for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
		snprintf(from, sizeof from, "/dev/%s", nodes[i]);
		snprintf(to, sizeof to, "dev/%s", nodes[i]);
		write_text(to, "", 0666);
		bind(from, to, 0);
	}
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		if (symlink(links[i][0], links[i][1]) < 0)
			fail(70, "cannot link '%s'", links[i][1]);
	make_dir("proc");
	if (mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		fail(SKIP_EXIT, "cannot mount /proc in the new pid namespace");
}

static void setup_home(struct jail *j)
{
	char path[300];

	snprintf(path, sizeof path, ".%s", j->home);
	for (char *p = path + 2; *p; p++) {
		if (*p != '/')
			continue;
		*p = 0;
		make_dir(path);
		*p = '/';
	}
	mount_tmpfs(path, "size=4m,nr_inodes=2000,mode=0777");
}

static void setup_etc(const struct jail *j)
{
	char b[512];

	make_dir("etc");
	/* every machine has root: ~root is a name */
	snprintf(b, sizeof b, "%s:x:%u:%u::%s:/bin/bash\n%s", j->user, (unsigned)j->uid, (unsigned)j->uid,
			j->home, strcmp(j->user, "root") ? "root:x:0:0::/root:/bin/bash\n" : "");
	write_text("etc/passwd", b, 0644);
}

static void enter_root(struct jail *j)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		fail(SKIP_EXIT, "cannot make the mounts private");
	if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,mode=0755") < 0 ||
			chdir("/tmp") < 0)
		fail(SKIP_EXIT, "cannot mount a tmpfs");
	umask(0);
	setup_host();
	setup_bin(j->stub);
	setup_dev();
	mount_tmpfs("w", "size=4m,nr_inodes=2000,mode=0777");
	mount_tmpfs("tmp", "size=4m,nr_inodes=2000,mode=0777");
	mount_tmpfs(".prog", "size=2m,mode=0755");
	setup_home(j);
	setup_etc(j);
	mount_tmpfs(".logs", "size=4m,mode=0755");
	write_text(".logs/log", "", 0622);
	write_text(".log", "", 0622);
	bind(".logs/log", ".log", 0); /* a mount point cannot be unlinked, and the file has no other name */
	j->log_fd = open(".logs/log", O_RDWR | O_CLOEXEC);
	if (j->log_fd < 0 || unlink(".logs/log") < 0 || umount2(".logs", MNT_DETACH) < 0)
		fail(70, "cannot make the log");
	write_text(".in", "1\nevil from stdin\nsecond line\n", 0644);
	if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		fail(SKIP_EXIT, "cannot pivot into the new root");
	if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0)
		fail(SKIP_EXIT, "cannot make the new root read-only");
	(void)mount(NULL, "/proc", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
			NULL);
}

/* ---- the writable directories: what is there, and putting it back ---- */

static uint64_t hash_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	uint64_t h = 14695981039346656037u;
	unsigned char b[8192];
	ssize_t n;

	if (fd < 0)
		return 1;
	while ((n = read(fd, b, sizeof b)) > 0)
		for (ssize_t i = 0; i < n; i++)
			h = (h ^ b[i]) * 1099511628211u;
	close(fd);
	return h;
}

static void scan(struct tree *t, int dir, const char *path, int depth)
{
	DIR *d = dir < 0 ? NULL : fdopendir(dir);
	struct dirent *de;

	while (d && (de = readdir(d))) {
		struct entry *e;
		struct stat st;

		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, "..") || t->n == ENTRIES_MAX)
			continue;
		if (fstatat(dirfd(d), de->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		e = &t->e[t->n++];
		if (asprintf(&e->path, "%s/%s", path, de->d_name) < 0)
			fail(70, "no memory");
		e->mode = st.st_mode;
		e->mtime = S_ISREG(st.st_mode) ? st.st_mtim : (struct timespec){0, 0};
		e->hash = S_ISREG(st.st_mode) ? hash_file(dirfd(d), de->d_name) : 0;
		if (S_ISDIR(st.st_mode) && depth < TREE_DEPTH) {
			/* e may not be used after the recursion: t->e is one array, but keep it plain */
			char *name = e->path;

			scan(t, openat(dirfd(d), de->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
					name, depth + 1);
		}
	}
	if (d)
		closedir(d);
}

static int by_path(const void *x, const void *y)
{
	return strcmp(((const struct entry *)x)->path, ((const struct entry *)y)->path);
}

static void scan_all(struct jail *j, struct tree *t)
{
	const char *const roots[] = {"/w", "/tmp", j->home};

	for (size_t i = 0; i < t->n; i++)
		free(t->e[i].path);
	t->n = 0;
	for (size_t i = 0; i < 3; i++)
		scan(t, open(roots[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC), roots[i], 0);
	qsort(t->e, t->n, sizeof t->e[0], by_path);
}

static void empty(int dir, int depth)
{
	DIR *d = dir < 0 ? NULL : fdopendir(dir);
	struct dirent *de;

	while (d && (de = readdir(d))) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		if (unlinkat(dirfd(d), de->d_name, 0) == 0 || depth > TREE_DEPTH * 8)
			continue;
		fchmodat(dirfd(d), de->d_name, 0700, 0);
		empty(openat(dirfd(d), de->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
				depth + 1);
		unlinkat(dirfd(d), de->d_name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
}

static void put_back(struct jail *j)
{
	const char *const roots[] = {"/w", "/tmp", j->home};
	const struct timespec old[2] = {{OLD_TIME, 0}, {OLD_TIME, 0}};

	for (size_t i = 0; i < 3; i++) {
		empty(open(roots[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
		if (chmod(roots[i], 0777) < 0)
			fail(70, "cannot put '%s' back", roots[i]);
	}
	if (mkdir("/w/sub", 0777) < 0)
		fail(70, "cannot put '/w/sub' back");
	for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
		write_text(fixtures[i].path, fixtures[i].text, 0666);
		if (utimensat(AT_FDCWD, fixtures[i].path, old, 0) < 0)
			fail(70, "cannot put '%s' back", fixtures[i].path);
	}
	scan_all(j, &j->before);
}

/* ---- answers ---- */

static void put_string(const char *s)
{
	putchar('"');
	for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
		if (*p == '"' || *p == '\\' || *p < 32 || *p > 126)
			printf("\\u%04x", *p);
		else
			putchar(*p);
	}
	putchar('"');
}

static uint64_t hash_bytes(const char *p, size_t n)
{
	uint64_t h = 14695981039346656037u;

	while (n--)
		h = (h ^ (unsigned char)*p++) * 1099511628211u;
	return h;
}

/* One record of the log, p[0..n): strings that end in NUL. */
static void put_record(const char *p, size_t n, bool first)
{
	static const char *const before[] = {"{\"path\":", ",\"cwd\":", ",\"argv\":["};
	size_t i = 0;

	if (!first)
		putchar(',');
	for (const char *end = p + n; p < end; p += strlen(p) + 1, i++) {
		fputs(i < 3 ? before[i] : ",", stdout);
		put_string(p);
	}
	fputs(i < 3 ? ",\"argv\":[]}" : "]}", stdout);
}

static void put_log(struct jail *j)
{
	uint64_t seen[RECORDS_MAX];
	size_t nseen = 0, at = 0;
	ssize_t n = pread(j->log_fd, j->log, LOG_MAX, 0);
	uint32_t len;

	if (n < 0 || ftruncate(j->log_fd, 0) < 0)
		fail(70, "cannot read the log");
	fputs(",\"ran\":[", stdout);
	for (; at + 8 <= (size_t)n && !memcmp(j->log + at, "RECO", 4) && nseen < RECORDS_MAX; at += 8 + len) {
		uint64_t h;
		size_t i;

		memcpy(&len, j->log + at + 4, sizeof len);
		if (len == 0 || len > (size_t)n - at - 8 || j->log[at + 8 + len - 1])
			break;
		h = hash_bytes(j->log + at + 8, len);
		for (i = 0; i < nseen && seen[i] != h; i++)
			;
		if (i < nseen)
			continue;
		put_record(j->log + at + 8, len, nseen == 0);
		seen[nseen++] = h;
	}
	fputs("]", stdout);
}

enum change { MADE, CHANGED, GONE, MODE };

static bool is_change(const struct entry *old, const struct entry *new, enum change what)
{
	if (!old || !new)
		return what == (old ? GONE : MADE);
	if ((old->mode & S_IFMT) != (new->mode & S_IFMT) || old->hash != new->hash ||
			memcmp(&old->mtime, &new->mtime, sizeof old->mtime))
		return what == CHANGED;
	return what == MODE && old->mode != new->mode;
}

/* Walks both sorted lists; prints the paths with this kind of change; returns how many there are. */
static size_t put_changes(const struct tree *a, const struct tree *b, enum change what)
{
	size_t i = 0, k = 0, found = 0;

	while (i < a->n || k < b->n) {
		int c = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->e[i].path, b->e[k].path);
		const struct entry *old = c <= 0 ? &a->e[i++] : NULL, *new = c >= 0 ? &b->e[k++] : NULL;

		if (!is_change(old, new, what))
			continue;
		if (found++)
			putchar(',');
		put_string(old ? old->path : new->path);
	}
	return found;
}

static void answer(struct jail *j, const char *id, int status, bool timeout)
{
	static const char *const names[] = {"made", "changed", "gone", "mode"};
	size_t found = 0;

	printf("{\"id\":%s,\"%s\":%d,\"timeout\":%s", id, WIFSIGNALED(status) ? "signal" : "exit",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), timeout ? "true" : "false");
	put_log(j);
	scan_all(j, &j->after);
	for (enum change c = MADE; c <= MODE; c++) {
		printf(",\"%s\":[", names[c]);
		found += put_changes(&j->before, &j->after, c);
		putchar(']');
	}
	puts("}");
	fflush(stdout);
	if (found)
		put_back(j);
}

/* ---- one program ---- */

static void limit(int what, rlim_t n)
{
	struct rlimit r = {n, n}, have;

	if (getrlimit(what, &have) == 0 && have.rlim_max != RLIM_INFINITY && have.rlim_max < n)
		r.rlim_cur = r.rlim_max = have.rlim_max;
	if (setrlimit(what, &r) < 0)
		_exit(124);
}

static void drop_everything(const struct jail *j)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[2] = {{0, 0, 0}, {0, 0, 0}};

	limit(RLIMIT_CPU, 1);
	limit(RLIMIT_FSIZE, LOG_MAX);
	if (j->memory_mb)
		limit(RLIMIT_AS, (rlim_t)j->memory_mb << 20);
	limit(RLIMIT_NOFILE, 256);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NPROC, 200);
	for (int c = 0; c <= 63; c++)
		prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
	if (j->was_root && (setresgid(j->uid, j->uid, j->uid) < 0 || setresuid(j->uid, j->uid, j->uid) < 0))
		_exit(124);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(SYS_capset, &h, d) < 0)
		_exit(124);
}

static void child(const struct jail *j, const char *shell, char mode, const sigset_t *mask)
{
	char home[300], user[80], log[80];
	char *env[] = {"PATH=/bin", home, user, log, "SHELL=/bin/bash", "LANG=C.UTF-8", "TERM=dumb",
			"TMPDIR=/tmp", "FOO=evil from-env", "PWD=/w", NULL};
	char *c_argv[] = {(char *)shell, "-c", j->program, NULL},
			*f_argv[] = {(char *)shell, "/.prog/script", NULL};
	int in = open("/.in", O_RDONLY | O_CLOEXEC), out = open("/dev/null", O_RDWR | O_CLOEXEC);

	snprintf(home, sizeof home, "HOME=%s", j->home);
	snprintf(user, sizeof user, "USER=%s", j->user);
	snprintf(log, sizeof log, "LOGNAME=%s", j->user);
	setsid();
	if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 || chdir("/w") < 0)
		_exit(124);
	umask(022);
	drop_everything(j);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execve(strcmp(shell, "bash") ? "/.real/sh" : "/.real/bash", mode == 'f' ? f_argv : c_argv, env);
	_exit(124);
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/*
 * Collects every process that ends until none is left. Processes that outlive the shell get linger_ms more.
 */
static bool wait_all(const struct jail *j, pid_t shell, int *ret_status)
{
	long end = now_ms() + j->wall_ms;
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	for (;;) {
		int status;
		pid_t p = waitpid(-1, &status, WNOHANG);
		long left = end - now_ms();
		struct timespec t;

		if (p < 0)
			return false;
		if (p == shell) {
			*ret_status = status;
			if (left > j->linger_ms)
				end = now_ms() + j->linger_ms;
		}
		if (p > 0)
			continue;
		if (left <= 0)
			return true;
		t = (struct timespec){left / 1000, left % 1000 * 1000000};
		sigtimedwait(&chld, NULL, &t);
	}
}

static void run_program(struct jail *j, const char *id, const char *shell, char mode, size_t n)
{
	sigset_t chld, old;
	int status = 9;
	bool late;
	pid_t p;

	if (mode != 'f' && (n > PROGRAM_ARG_MAX || memchr(j->program, 0, n)))
		mode = 'f';
	if (mode == 'f') {
		int fd = open("/.prog/script", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

		if (fd < 0 || write(fd, j->program, n) != (ssize_t)n)
			fail(70, "cannot write the script");
		close(fd);
	}
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, &old);
	p = fork();
	if (p < 0)
		fail(70, "cannot fork");
	if (p == 0)
		child(j, shell, mode, &old);
	late = wait_all(j, p, &status);
	if (late)
		kill(-1, SIGKILL);
	while (waitpid(-1, late && status == 9 ? &status : NULL, 0) > 0)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 124 && !late && n == 0)
		fail(70, "the shell did not start");
	answer(j, id, status, late);
}

static int keep(struct jail *j)
{
	char line[256], id[64], shell[16], mode;
	size_t n;

	enter_root(j);
	put_back(j);
	while (fgets(line, sizeof line, stdin)) {
		if (sscanf(line, "%63s %15s %c %zu", id, shell, &mode, &n) != 4 || n > PROGRAM_MAX)
			fail(64, "not a frame: %s", line);
		if (fread(j->program, 1, n, stdin) != n)
			fail(64, "a frame ends early");
		j->program[n] = 0;
		run_program(j, id, shell, mode, n);
	}
	return 0;
}

/* ---- the outer process ---- */

static void map_user(uid_t uid, gid_t gid)
{
	char b[64];

	write_text("/proc/self/setgroups", "deny", 0);
	snprintf(b, sizeof b, "0 %u 1", (unsigned)uid);
	write_text("/proc/self/uid_map", b, 0);
	snprintf(b, sizeof b, "0 %u 1", (unsigned)gid);
	write_text("/proc/self/gid_map", b, 0);
}

static void who(struct jail *j)
{
	struct passwd *pw = getpwuid(getuid());

	snprintf(j->home, sizeof j->home, "%s", pw && pw->pw_dir[0] == '/' && pw->pw_dir[1] &&
			strlen(pw->pw_dir) < 200 ? pw->pw_dir : "/home/u");
	if (!strncmp(j->home, "/tmp", 4) || !strcmp(j->home, "/w") || !strncmp(j->home, "/usr", 4))
		snprintf(j->home, sizeof j->home, "/home/u");
	snprintf(j->user, sizeof j->user, "%s", pw && strlen(pw->pw_name) < 60 ? pw->pw_name : "u");
}

static void enter_namespaces(struct jail *j)
{
	uid_t uid = getuid();
	gid_t gid = getgid();
	int flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

	j->was_root = geteuid() == 0;
	/* jails side by side do not share a count of processes */
	j->uid = j->was_root ? JAIL_UID + (uid_t)getpid() % 1000 : 0;
	if (unshare(j->was_root ? flags : flags | CLONE_NEWUSER) < 0)
		fail(SKIP_EXIT, "this machine does not let us make namespaces");
	if (!j->was_root)
		map_user(uid, gid);
}

int main(int argc, char **argv)
{
	static struct jail j = {.wall_ms = 1500, .linger_ms = 400, .memory_mb = 512, .stub = -1};
	int status;
	pid_t p;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--wall"))
			j.wall_ms = (int)strtol(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--linger"))
			j.linger_ms = (int)strtol(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--memory"))
			j.memory_mb = (int)strtol(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--stub"))
			j.stub = open(argv[i + 1], O_RDONLY | O_CLOEXEC);
	}
	j.program = malloc(PROGRAM_MAX + 1);
	j.log = malloc(LOG_MAX + 1);
	if (j.stub < 0 || !j.program || !j.log || j.wall_ms <= 0 || j.linger_ms <= 0 || j.memory_mb < 0)
		fail(64, "usage: jail --stub FILE [--wall MS] [--linger MS] [--memory MB]");
	who(&j);
	enter_namespaces(&j);
	p = fork();
	if (p < 0)
		fail(SKIP_EXIT, "cannot fork into the new pid namespace");
	if (p == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		return keep(&j);
	}
	if (waitpid(p, &status, 0) < 0)
		fail(70, "cannot wait");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 70;
}
