/*
 * Protected names of a workspace, with the real box and the real git: attacks with their benign twins, as
 * root and as an ordinary user.
 *
 * A row is three scripts: the workspace is made on the host, a program runs in the box with the workspace
 * writable, and the host looks at what is left. Everything happens in a temporary directory; whatever an
 * attack plants would write the file "canary" there when run.
 */
#define _GNU_SOURCE
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "box/box.h"
#include "box/protect_inner.h"
#include "gate/path_table.h"
#include "place.h"
#include "sys/clock.h"

#define ORDINARY 12345 /* user id */

static struct str page; /* docs/protected-paths.md */

/* On the host, in the workspace. The status. */
static int host(const char *script)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		int log = open(at("log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

		setenv("HOME", at("home"), 1);
		setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
		setenv("T", dir, 1);
		if (chdir(at("ws")) != 0 || log < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
			_exit(99);
		execl("/bin/bash", "bash", "-c", script, (char *)NULL);
		_exit(98);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

static struct spec_var *var(struct spec_var *next, const char *name, const char *value)
{
	struct spec_var *v = arena_new(A, struct spec_var);

	*v = (struct spec_var){.next = next, .name = str_of(name), .value = str_of(value)};
	return v;
}

static void spec_for(struct spec *s, char **argv)
{
	*s = (struct spec){
		.argv = argv, .workspace = str_of(at("ws")), .workspace_writable = true,
				.protected = protect_names(A),
				.quarantine = str_of(at("state/quarantine/run")),
		.home = STR("/home/dev"), .input = -1,
		.limits = {.cpu_milli = 2000, .pids = 200, .memory = 512 * MB, .scratch = 64 * MB,
		.output = MB, .time_ms = 20000},
	};
	s->env = var(var(var(NULL, "PATH", "/usr/bin:/bin"), "HOME", "/home/dev"), "LANG", "C.UTF-8");
}

static struct outcome box(const char *script)
{
	char *argv[] = {"/bin/bash", "-c", (char *)(uintptr_t)script, NULL};
	struct outcome out = {0};
	struct spec s;
	struct err e = {0};

	spec_for(&s, argv);
	struct box box = {0};
	int rc = box_run(&box, A, box_backend(NULL), &(struct box_start){0}, &s, NULL, &out, &e);
	box_wait(&box, &out);
	if (rc != 0)
		unit_fail(__FILE__, __LINE__, "box_run: %s", e.text);
	return out;
}

static const struct change *find_change(const struct change *c, const char *path)
{
	while (c && !str_is(c->path, path))
		c = c->next;
	return c;
}

#define REPO \
	"git init -q . && git config user.name x && git config user.email x@y && echo a >a && git add a " \
			"&& git commit -qm one"

struct row {
	const char *name;
	const char *before; /* on the host */
	const char *inside; /* in the box; every command is tried */
	const char *after;  /* on the host; must be true */
	const char *change; /* a path that must be in the report; NULL: the report must be empty */
	const char *what;
	bool works;         /* the program in the box must succeed */
};

#define REFUSED "settings made in the box, not taken over (set them outside of it): "
#define UNREADABLE "settings made in the box, not taken over: they cannot be read"
/* with a remote, branch main */
#define CLONE \
	"git init -q -b main ../up && git -C ../up -c user.name=x -c user.email=x@y commit -q " \
			"--allow-empty -m one && git clone -q $T/up . && git config user.name x && git " \
			"config user.email x@y"

/* a repository outside of the workspace */
#define SECRET \
	"git init -q -b main ../mine && git -C ../mine -c user.name=x -c user.email=x@y commit -q " \
			"--allow-empty -m hidden"

/* Only plain files stay of the copies of configurations, in the directory that the next run uses. */
#define COPIES_CLEAN \
	"[ -z \"$(find $T/state/git -mindepth 1 -maxdepth 1 -name '*-*'; " \
	"find $T/state/git -mindepth 2 ! -type f)\" ]"
#define MODULES_5 "/modules/x/modules/x/modules/x/modules/x/modules/x"
#define MODULES_20 MODULES_5 MODULES_5 MODULES_5 MODULES_5
#define DEEP_MODULE ".git" MODULES_20 MODULES_20 MODULES_20

static const struct row rows[] = {
	/* ---- git: what is there stays, git works ---- */
	{"hooks and config cannot be written", REPO,
	 "echo 'touch '$PWD/../canary >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config "
	 "core.fsmonitor 'touch /tmp/canary'; echo x >>.git/config; rm -f .git/config; "
	 "ln -s /tmp .git/hooks/x; truncate -s0 .git/config",
	 "[ ! -e .git/hooks/pre-commit ] && ! grep -q fsmonitor .git/config && grep -q "
			"repositoryformatversion .git/config && git status && git config user.email",
	 ".git/config", UNREADABLE, false},
	{"no parent can be renamed", REPO,
			"perl -e 'rename(\".git\", \"x\")'; mkdir -p .git/hooks; echo x "
			">.git/hooks/pre-commit; mv .git/hooks .git/h2; rm -rf .git/hooks; mv -T "
			".git/objects .git/hooks",
	 "[ ! -e x ] && [ ! -e .git/hooks/pre-commit ] && [ -e .git/hooks/pre-commit.sample ]", NULL, NULL,
	 false},
	{"no exchange of names either", REPO " && mkdir -p evil/hooks",
	 "perl -e 'for $n (\".git\", \".git/hooks\", \".git/config\") { syscall(316, -100, \"evil\", -100, "
			"$n, 2); syscall(316, -100, $n, -100, \"evil\", 2) }'; true",
	 "[ -e .git/hooks/pre-commit.sample ] && [ -d evil/hooks ]", NULL, NULL, true},
	{"ordinary work with git", REPO,
	 "set -e; git status --porcelain >s; [ \"$(cat s)\" = '?? s' ]; rm s; echo b >b; git add b; git "
	 "commit -qm two; git checkout -q -b side; echo c >>a; git commit -qam three; git checkout -q -; "
	 "echo d >>b; git stash -q; git stash pop -q; git commit -qam four; git rebase -q side; git merge "
	 "-q side; git tag t; git gc -q; git fsck; git log --oneline; git submodule status; "
	 "git diff HEAD~1 >/dev/null; git branch -q -d side; git reset -q --hard HEAD~1; git cherry-pick t; "
	 "git clone -q . /tmp/c; git worktree add -q /tmp/w; git mv b bb; git commit -qm five; "
	 "[ -z \"$(git status --porcelain)\" ]",
	 "[ -z \"$(git status --porcelain)\" ] && [ \"$(git log --format=%s | head -1)\" = five ] && [ ! -e "
			".git/commondir ] && [ ! -e .git/config.worktree ] && [ ! -e .gitmodules ] && "
	 "[ \"$(ls -A)\" = $'a\\nbb\\n.git' ] || [ \"$(LC_ALL=C ls -A)\" = $'.git\\na\\nbb' ]", NULL, NULL,
	 true},
	{"configuration cannot be redirected", REPO,
	 "mkdir -p evil/objects evil/refs; printf '[core]\\nfsmonitor = touch $T/canary\\n' >evil/config; "
	 "echo ../evil >.git/commondir; rm -rf .git/commondir; mv evil .git/commondir; "
	 "printf '[core]\\nfsmonitor = touch $T/canary\\n' >.git/config.worktree",
	 "git status && [ ! -e $T/canary ] && [ ! -e .git/commondir ] && [ ! -e .git/config.worktree ]",
	 ".git/config.worktree", REFUSED "core.fsmonitor", false},
	{"worktree settings in use", REPO " && git config extensions.worktreeConfig true",
			"git status && echo b >b && git add b && git commit -qm two && git config "
			"--worktree core.fsmonitor x",
	"git status && [ ! -e .git/config.worktree ]", ".git/config.worktree", REFUSED "core.fsmonitor",
			true},
	/* ---- git: settings of the box ---- */
	{"branches, identity and remotes", CLONE,
	 "set -e; git checkout -q -b topic --track origin/main; git switch -q -c other; git branch -u "
	 "origin/main; git config user.email new@example.org; git branch -m other third; git branch -q -D "
	 "topic; git config branch.third.description $'one\ntwo \\ \"three\" # four'; git remote "
	 "set-branches --add origin main; git config pull.rebase false; git status",
	 "[ \"$(git rev-parse --abbrev-ref third@{upstream})\" = origin/main ] && [ \"$(git config "
	"branch.third.description)\" = $'one\ntwo \\ \"three\" # four' ] && [ \"$(git config user.email)\" "
			"= "
	 "new@example.org ] && [ \"$(git config --get-all remote.origin.fetch | wc -l)\" = 2 ] && "
	"! grep -q -e topic -e other .git/config && [ ! -e .git/config.lock ] && "
	 COPIES_CLEAN " && git fetch", NULL, NULL, true},
	{"settings are the box's own until it ends, and others stay there", CLONE,
	 "set -e; git config core.fsmonitor \"touch $PWD/../canary\"; git config alias.st status; git remote "
	 "add up https://example.org/x; git config --get core.fsmonitor; git st "
	 "2>/dev/null; git remote get-url up; ! [ -e /proc/1/root/x ]; git branch -u origin/main; "
	 "git config branch.main.rebase true",
	 "git status && [ -z \"$(git config core.fsmonitor)$(git config alias.st)$(git config "
	 "remote.up.url)\" ] && [ \"$(git config branch.main.rebase)\" = true ]",
	 ".git/config", REFUSED "core.fsmonitor, alias.st, remote.up.url, remote.up.fetch", false},
	{"no value that leads elsewhere", CLONE,
	 "git config branch.main.remote 'ext::sh -c x'; git config --add remote.origin.fetch "
	 "'+refs/heads/*:refs/heads/*'; git config remote.origin.url https://example.org/; git config "
	 "branch.main.merge 'refs/heads/x:y'; git config submodule.x.update '!x'; git config user.name "
	 "$'a\n[core]\nfsmonitor=x'",
	 "[ \"$(git config branch.main.remote)\" = origin ] && [ \"$(git config --get-all "
	 "remote.origin.fetch)\" = '+refs/heads/*:refs/remotes/origin/*' ] && ! grep -q -e example.org/ -e "
	 "fsmonitor -e 'x:y' -e submodule .git/config", ".git/config",
	 REFUSED "remote.origin.url, remote.origin.fetch, branch.main.remote, branch.main.merge, "
	 "user.name, submodule.x.update", true},
	{"a copy that is no file", CLONE,
	 "f=$(readlink .git/config); rm -f $f; mkdir -p $f/a/b; ln -s / $f/c; mkfifo $f/a/d; chmod 0 $f/a; "
	 "ln -s /etc/passwd ${f%/*}/x; echo x >.git/config; ln -sf /etc/passwd .git/config; "
	 "perl -e 'rename(\".git/config\", \"x\")'; true",
	 "git config remote.origin.url && " COPIES_CLEAN " && [ -f .git/config ] && [ ! -L "
	 ".git/config ]", ".git/config", UNREADABLE, true},
	{"a copy that is too large", CLONE,
	 "git branch -u origin/main; yes '# x' | head -c 20000000 >>$(readlink .git/config)",
	 "git config remote.origin.url && [ $(wc -c <.git/config) -lt 1000 ]", ".git/config", UNREADABLE,
	 true},
	{"a remote as a file", REPO " && rm -rf .git/branches && git init -q n && mkdir -p n/.git/branches",
	"mkdir -p .git/remotes; echo 'URL: https://example.org/' >.git/remotes/origin; mkdir -p "
			".git/branches; "
			"echo https://example.org/ >.git/branches/origin; echo x >n/.git/branches/origin; ls "
			"n/.git/branches",
	 "[ -z \"$(ls .git/remotes .git/branches | grep -v :)$(ls n/.git/branches)\" ]",
			".git/remotes/origin", "remote as a file", true},
	{"a lock that stays", CLONE, "git branch -q topic; touch .git/config.lock; git branch -u "
			"origin/main topic",
	"! grep -q topic .git/config && rm .git/config.lock && git branch -u origin/main topic",
			".git/config",
	 "settings made in the box, not taken over: another process holds its lock", true},
	{"sparse checkout", CLONE " && mkdir d && echo x >d/x && git add d && git commit -qm d",
	 "git status && git sparse-checkout set --cone e && [ ! -e d ]",
	 "[ -z \"$(git status --porcelain)\" ] && [ \"$(git config core.sparseCheckout)\" = true ] && git "
	 "sparse-checkout disable && [ -e d/x ]", NULL, NULL, true},
	{"a copy of the repository", CLONE, "cp -r .git x; mkdir y; mv x y/.git; git -C y status",
	 "git -C y status && [ ! -L y/.git/config ] && git -C y config remote.origin.url", "y/.git/config",
	 "copied settings of a repository, made a file again", true},
	{"submodules that .gitmodules names", CLONE " && git -c protocol.file.allow=always submodule "
			"--quiet add "
	"../up lib && git commit -qm sub && git submodule --quiet deinit --all && rm -rf .git/modules && [ "
			"-z "
	 "\"$(git config submodule.lib.url)\" ]",
	 "set -e; git clone -q --bare . /tmp/up; cd ..; cd ws; git submodule init; git config "
	 "submodule.lib.url",
	"[ \"$(git config submodule.lib.url)\" = $T/up ] && [ \"$(git config submodule.lib.active)\" = "
			"true ]", NULL,
	 NULL, true},
	{"submodules with another address", CLONE " && git -c protocol.file.allow=always submodule --quiet "
			"add "
	 "../up lib && git commit -qm sub",
	 "git config submodule.lib.url https://example.org/x && git config submodule.lib.active false",
	"[ \"$(git config submodule.lib.url)\" = $T/up ] && [ \"$(git config submodule.lib.active)\" = "
			"false ]",
	 ".git/config", REFUSED "submodule.lib.url", true},

	{"hooks that the configuration names", REPO
			" && mkdir scripts && echo true >scripts/pre-commit && git config core.hooksPath "
			"scripts", "echo 'touch $T/canary' >scripts/pre-commit; mv scripts s2",
	 "grep -qx true scripts/pre-commit && [ ! -e s2 ]", NULL, NULL, false},
	{"configuration that is included", REPO " && git config include.path ../team.cfg && echo >team.cfg",
			"echo '[core] fsmonitor = x' >team.cfg; rm -f team.cfg", "[ -z \"$(cat team.cfg)\" ]",
			NULL, NULL, false},
	{"links that git would write through", REPO,
			"ln -sf /etc/hostname .git/COMMIT_EDITMSG; rm .git/logs/HEAD; ln -s /etc/hostname "
			".git/logs/HEAD; ln -s /etc/hostname .git/FETCH_HEAD",
	 "[ ! -L .git/COMMIT_EDITMSG ] && [ ! -L .git/logs/HEAD ] && [ ! -L .git/FETCH_HEAD ] && git commit "
			"--allow-empty -qm x", ".git/logs/HEAD", "link in a repository", true},
	/* ---- submodules, worktrees, nested repositories ---- */
	{"a nested repository", REPO " && mkdir -p a1/b1 && git init -q a1/b1",
			"echo x >a1/b1/.git/hooks/post-checkout; mv -T a1/b1 a1/b2; mv -T a1 a2; git -C "
			"a1/b1 config core.fsmonitor x; perl -e 'rename(\"a1/b1/.git\", \"x\")'",
	 "[ ! -e a1/b1/.git/hooks/post-checkout ] && [ ! -e a2 ] && [ ! -e x ] && ! grep fsmonitor "
			"a1/b1/.git/config", "a1/b1/.git/config", REFUSED "core.fsmonitor", false},
	{"a nested repository can be worked in", REPO " && mkdir -p a1/b1 && git init -q a1/b1",
			"cd a1/b1 && echo x >x && git add x && git -c user.name=x -c user.email=x@y commit "
			"-qm n && mkdir d && mv x d/x && mv d ../d",
	 "[ -e a1/d/x ] && git -C a1/b1 log", NULL, NULL, true},
	{"a submodule",
			"git init -q ../sub && git -C ../sub -c user.name=x -c user.email=x@y commit -q "
			"--allow-empty -m s && " REPO
			" && git -c protocol.file.allow=always submodule --quiet add ../sub lib/sub && git "
			"commit -qm sub",
	 "echo x >.git/modules/lib/sub/hooks/post-checkout; echo '[core] fsmonitor = x' "
			">>.git/modules/lib/sub/config; echo gitdir: /tmp >lib/sub/.git; rm -f "
			"lib/sub/.git; mv lib l2; echo >>.gitmodules; "
	 "git submodule status && cd lib/sub && echo x >x && git add x && git -c user.name=x -c "
	 "user.email=x@y commit -qm n",
	 "[ ! -e .git/modules/lib/sub/hooks/post-checkout ] && ! grep fsmonitor .git/modules/lib/sub/config "
			"&& [ -f lib/sub/.git ] && git -C lib/sub log | grep -q n",
	 ".git/modules/lib/sub/config", REFUSED "core.fsmonitor", true},
	{"a worktree below", REPO " && git worktree add -q wt && echo . >>.git/info/exclude",
	 "mkdir -p evil; echo ../../../evil >.git/worktrees/wt/commondir; rm -f wt/.git; perl -e "
			"'rename(\".git/worktrees\", \"x\")'; cd wt && echo x >x && git add -f x && git "
			"commit -qm w",
	 "git -C wt log | grep -q w && [ \"$(cat .git/worktrees/wt/commondir)\" = ../.. ]", NULL, NULL, true},
	{"a link on the way to a worktree's repository", REPO
			" && git worktree add -q wt && ln -s .git/worktrees lnk && echo 'gitdir: ../lnk/wt' "
			">wt/.git && git -C wt status",
	 "rm lnk; cp -r .git/worktrees .git/objects/zz; ln -s .git/objects/zz lnk",
	 "[ \"$(readlink lnk)\" = .git/worktrees ]", "lnk", "link replaced, put back", true},
	{"a link on the way to hooks", REPO
			" && mkdir -p h/hooks && ln -s h l && git config core.hooksPath l/hooks",
			"echo x >h/hooks/pre-commit; mkdir -p e/hooks; echo x >e/hooks/pre-commit; rm l; ln "
			"-s e l",
	 "[ \"$(readlink l)\" = h ] && [ -z \"$(ls h/hooks)\" ]", "l", "link replaced, put back", true},
	{"a new .git file that leads through a link", REPO,
			"git worktree add -q wt && ln -s .git/worktrees lnk && echo 'gitdir: ../lnk/wt' "
			">wt/.git", "[ ! -e wt/.git ]", "wt/.git", NULL, true},
	{"a planted submodule directory", REPO,
			"git init -q --bare .git/modules/x; echo 'touch $T/canary' "
			">.git/modules/x/hooks/post-checkout",
	 "[ ! -e .git/modules/x/hooks ]", ".git/modules/x/hooks", "hooks of a new repository", true},
	{"repositories inside repositories", REPO,
			"d=.git; for i in $(seq 60); do d=$d/modules/x; mkdir -p $d/objects $d/refs; echo "
			"'ref: refs/heads/x' >$d/HEAD; done; echo '[core] fsmonitor = x' >$d/config",
	 "[ -z \"$(find . -name config | grep -v ^./.git/config)\" ]", DEEP_MODULE "/config",
	 "settings of a new repository that can run programs", true},
	{"a worktree made in the box", REPO, "git worktree add -q wt", "git -C wt status", NULL, NULL, true},
	{"a worktree made in the box that leads elsewhere", REPO,
			"git worktree add -q wt; git init -q --bare evil; echo ../../../evil "
			">.git/worktrees/wt/commondir",
	 "[ ! -e .git/worktrees/wt/commondir ]", ".git/worktrees/wt/commondir",
	 "repository that takes its settings from elsewhere", true},
	/* ---- objects from elsewhere ---- */
	{"a repository that borrows objects", SECRET " && git clone -q -s $T/mine . && git config "
			"user.name x && git "
			"config user.email x@y",
	"set -e; git log | grep -q hidden; echo b >b; git add b; git commit -qm two; git fsck; git gc -q; "
			"git "
			"worktree add -q /tmp/w$RANDOM; ! touch $PWD/../mine/.git/objects/x; [ ! -e "
			"$PWD/../mine/.git/config ]; ! rm .git/objects/info/alternates; ! mv .git/objects "
			".git/o; ! (echo /etc >>.git/objects/info/alternates)",
	 "git log | grep -q two && git log | grep -q hidden && git fsck", NULL, NULL, true},
	{"a repository that borrows from one that borrows", SECRET " && git clone -q -s $T/mine ../second "
			"&& git -C "
			"../second -c user.name=x -c user.email=x@y commit -q --allow-empty -m second && git "
			"clone -q -s $T/second . && echo ../../../second/.git/objects "
			">.git/objects/info/alternates",
	"git log | grep -q hidden && git log | grep -q second", "git log | grep -q hidden", NULL, NULL,
			true},
	{"objects that a program wants to see", SECRET " && " REPO,
	 "echo $PWD/../mine/.git/objects >.git/objects/info/alternates; ! ls ../mine",
	 "[ ! -e .git/objects/info/alternates ] && git fsck", ".git/objects/info/alternates",
	 "protected name made", true},
	{"the same in a new repository", SECRET, "git init -q n; printf '# x\n../../n/.git/objects\n%s\n' "
			"$PWD/../mine/.git/objects >n/.git/objects/info/alternates",
	 "[ ! -e n/.git/objects/info/alternates ]", "n/.git/objects/info/alternates",
	 "objects outside of the workspace", true},
	{"a clone in the workspace that borrows from another", REPO, "git clone -q -s . n && git -C n log",
			"git -C n log && [ -s n/.git/objects/info/alternates ]", NULL, NULL, true},
	{"a link, the state and the root are not shown", SECRET " && " REPO " && ln -s $T/mine/.git/objects "
			"../objects && mkdir -p $T/state/x/objects && printf '%s\n' $T/objects /etc / "
			"$T/state/x/objects $T/absent/objects >.git/objects/info/alternates",
	"git status 2>/dev/null; ! ls $PWD/../objects && ! ls $PWD/../state", "[ -s "
			".git/objects/info/alternates ]",
	 NULL, NULL, true},
	/* ---- new repositories ---- */
	{"git init in the box", "",
			"git init -q . && echo a >a && git add a && git -c user.name=x -c user.email=x@y "
			"commit -qm one && git config user.name x && git remote add origin "
			"https://example.org/x.git && git init -q sub",
	 "git log && [ -e .git/config ] && [ -e .git/hooks/pre-commit.sample ] && [ -e sub/.git/config ]",
	 NULL, NULL, true},
	{"a new repository with a hook", "",
			"git init -q . && echo 'touch $T/canary' >.git/hooks/post-commit && chmod +x "
			".git/hooks/post-commit",
	 "[ ! -e .git/hooks ] && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x && [ ! "
			"-e $T/canary ] && [ -e $T/state/quarantine/run/*-hooks ]", ".git/hooks",
			"hooks of a new repository", true},
	{"a new repository with a program in its settings", "",
			"mkdir d && git init -q d/e && git -C d/e config core.fsmonitor \"touch "
			"$PWD/../canary\"",
	 "[ ! -e d/e/.git/config ] && git -C d/e status && [ ! -e $T/canary ]", "d/e/.git/config",
	 "settings of a new repository that can run programs", true},
	{"a new repository with a program on the section's line", "",
			"git init -q e && echo '[core] fsmonitor = x' >>e/.git/config",
			"[ ! -e e/.git/config ]", "e/.git/config", NULL, true},
	{"a new repository, included settings", "",
			"git init -q e && printf '[include]\\n\\tpath = ../x\\n' >>e/.git/config",
			"[ ! -e e/.git/config ]", "e/.git/config", NULL, true},
	{"a new .git file that leads to a hidden repository", REPO,
			"mkdir -p s; git init -q --bare .git/objects/zz; echo \"gitdir: "
			"$PWD/.git/objects/zz\" >s/.git", "[ ! -e s/.git ]", "s/.git", NULL, true},
	{"a new .git link", REPO, "mkdir -p s; ln -s ../x s/.git", "[ ! -L s/.git ]", "s/.git",
			"link in the place of a repository", true},
	/* ---- planted repositories ---- */
	{"a planted bare repository", REPO, "git init -q --bare deep/er",
			"[ ! -e deep/er/HEAD ] && [ ! -e deep/er/objects ] && [ ! -e deep/er/hooks ]",
			"deep/er/HEAD", "planted repository", true},
	{"planted at the top, among a project's own directories",
			"mkdir config hooks && echo x >config/routes.rb && echo y >hooks/useState.js",
	 "git init -q --bare /tmp/b; cp -r /tmp/b/HEAD /tmp/b/objects /tmp/b/refs .; printf "
			"'[core]\\nfsmonitor = touch $T/canary\\n' >config/x",
	 "[ ! -e HEAD ] && [ ! -e refs ] && [ -e config/routes.rb ] && [ -e hooks/useState.js ]", "HEAD",
	 "planted repository", true},
	{"a project's own directories are nothing", "mkdir config hooks",
			"echo x >config/routes.rb && echo y >hooks/useX.js && mkdir objects && echo z >refs "
			"&& mkdir -p a/objects a/refs",
	 "[ -e config/routes.rb ] && [ -e hooks/useX.js ] && [ -d objects ] && [ -e refs ] && [ -d a/refs ]",
	 NULL, NULL, true},
	{"planted with its objects elsewhere", "",
			"mkdir -p d e/objects e/refs; echo 'ref: refs/heads/x' >d/HEAD; echo ../e "
			">d/commondir; printf '[core]\\nfsmonitor = touch x\\n' >e/config",
	 "[ ! -e d/HEAD ] && [ ! -e d/commondir ]", "d/commondir", "planted repository", true},
	{"planted with a FIFO and a link", "",
			"mkdir -p d/real; mkfifo d/HEAD; ln -s real d/objects; ln -s real d/refs",
			"[ ! -e d/HEAD ]", "d/HEAD", "planted repository", true},
	{"a bare repository that was there", "git init -q --bare fix/r.git",
			"git init -q w && cd w && git -c user.name=x -c user.email=x@y commit -q "
			"--allow-empty -m x && git push -q ../fix/r.git HEAD && ! touch "
			"../fix/r.git/hooks/update && ! perl -e 'rename(\"../fix/r.git\", \"../x\") or "
			"exit 1'",
	 "git -C fix/r.git log --all | grep -q x && [ -e fix/r.git/HEAD ]", NULL, NULL, true},
	{"planted deep, and in a heavy directory", "mkdir -p node_modules",
			"mkdir -p 1/2/3/4/5/6/7; git init -q --bare 1/2/3/4/5/6/7/r; git init -q --bare "
			"node_modules/x/r", "[ ! -e 1/2/3/4/5/6/7/r/HEAD ] && [ ! -e node_modules/x/r/HEAD ]",
	 "1/2/3/4/5/6/7/r/HEAD", "planted repository", true},
	{"a deep repository that was there",
			"mkdir -p 1/2/3/4/5/6 && git init -q 1/2/3/4/5/6 && git -C 1/2/3/4/5/6 config "
			"core.fsmonitor false && sleep 0.1", "echo x >1/y", "[ -e 1/2/3/4/5/6/.git/config ]",
			NULL, NULL, true},
	{"a name with a newline", "", "d=$'a\\nb\\e[31m'; git init -q --bare \"$d\"",
			"[ -z \"$(find . -name HEAD)\" ]", "a\nb\033[31m/HEAD", "planted repository", true},
	/* ---- settings ---- */
	{"absent names are masked", "",
			"for f in .bashrc .mcp.json .gitconfig .vscode .claude .cursor .idea; do echo x "
			">$f; echo x >$f/settings.json; rmdir $f; rm -rf $f; mv $f x; ln -s /tmp $f; "
			"done; mkdir y; mv -T y .vscode; ls .claude/",
	 "[ \"$(ls -A)\" = y ]", NULL, NULL, true},
	{"absent files look like empty files, and git does not see them", REPO,
			"set -e; [ -f .gitmodules -a ! -s .gitmodules -a -f .mcp.json -a -d .vscode ]; cat "
			".gitmodules .bashrc; [ -z \"$(git status --porcelain)$(git ls-files -o)\" ]; git "
			"add -A; "
			"[ -z \"$(git status --porcelain)\" ]; [ \"$(find . -maxdepth 1 -type f)\" = ./a "
			"]; git "
			"submodule status; git stash -q -u; perl -MSocket -e 'socket(S, PF_UNIX, "
			"SOCK_STREAM, 0); exit(connect(S, sockaddr_un(\".mcp.json\")) ? 1 : 0)'; rm -rf "
			"/tmp/copy; cp -r . /tmp/copy",
	 "[ \"$(LC_ALL=C ls -A)\" = $'.git\na' ]", NULL, NULL, true},
	{"a placeholder that was left by an older version or another file system",
			"mkdir .bashrc .gitmodules && chmod 1700 .bashrc .gitmodules",
			"! touch .bashrc/x && ! touch .gitmodules/x", "[ -z \"$(ls -A)\" ]", NULL, NULL,
			true},
	{"a socket of the person's own", "perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, "
			"sockaddr_un(\".mcp.json\"))'", "rm -f .mcp.json; mv .mcp.json x; true",
			"[ -S .mcp.json ]", NULL, NULL, true},
	{"what is there is read-only",
			"mkdir .claude .vscode && echo '{}' >.claude/settings.json && echo '{}' >.mcp.json",
	 "echo x >.claude/settings.json; echo x >.claude/new; rm -rf .claude; mv .claude c; echo x "
			">.mcp.json; rm -f .mcp.json; mv .mcp.json m; rmdir .vscode; touch .vscode/x; cat "
			".claude/settings.json .mcp.json",
	 "[ \"$(cat .claude/settings.json .mcp.json)\" = $'{}\\n{}' ] && [ ! -e .claude/new ] && [ -d "
			".vscode ] && [ ! -e .vscode/x ]", NULL, NULL, true},
	{"settings in directories below", "mkdir -p p/q/.claude && echo '{}' >p/q/.claude/settings.json",
			"echo x >p/q/.claude/settings.json; mv p/q p/r; mv p x; echo y >p/q/z",
			"grep -q '{}' p/q/.claude/settings.json && [ -e p/q/z ]", NULL, NULL, true},
	{"a parent that is made in the box", "",
			"mkdir -p .github/hooks .github/workflows && echo x >.github/hooks/h.json && echo y "
			">.github/workflows/ci.yml",
			"[ ! -e .github/hooks ] && [ -e .github/workflows/ci.yml ]", ".github/hooks",
			"protected name made", true},
	{"a parent that is there", "mkdir .github", "mkdir .github/hooks/x; echo x >.github/ok",
			"[ ! -e .github/hooks ] && [ -e .github/ok ]", NULL, NULL, true},
	{"a file that cannot be masked", "", "echo 'x: 1' >.caisson.yaml", "[ ! -e .caisson.yaml ]",
			".caisson.yaml", "protected name made", true},
	{"a file that only is reported", "", "echo 'x: 1' >.npmrc", "[ -e .npmrc ]", ".npmrc",
			"made by the program", true},
	{"a file that branches change", "echo a >CLAUDE.md", "echo b >CLAUDE.md", "grep -qx b CLAUDE.md",
			"CLAUDE.md", "changed by the program", true},
	{"a file that branches change, further down", "mkdir s && echo a >s/AGENTS.md", "echo b >s/AGENTS.md",
			"grep -qx b s/AGENTS.md", "s/AGENTS.md", "changed by the program", true},
	{"a file that branches could change",
			"mkdir s && echo a >s/AGENTS.md && echo b >.npmrc && mkdir .cargo && echo c "
			">.cargo/config.toml; sleep 0.05", "cat s/AGENTS.md .npmrc; touch s/x .cargo/y",
			"true", NULL, NULL, true},
	{"settings made further down", "mkdir -p s/t",
			"mkdir s/.vscode s/t/.claude; echo x >s/.vscode/tasks.json; echo x "
			">s/t/.claude/settings.json; echo x >s/.envrc; echo x >s/.mcp.json; mkdir -p "
			"n/.zed n/.hg; echo x >n/.hg/hgrc; echo x >n/x.code-workspace; echo x "
			">y.code-workspace",
	 "[ -z \"$(find . -type f)\" ] && [ ! -e s/.vscode ] && [ ! -e n/.zed ]", "s/t/.claude",
	 "protected name made", true},
	{"settings of dependencies are theirs", "mkdir node_modules",
			"mkdir -p node_modules/x/.vscode && echo x >node_modules/x/.vscode/settings.json && "
			"echo x >node_modules/x/CLAUDE.md", "[ -e node_modules/x/.vscode/settings.json ]",
			NULL, NULL, true},
	{"settings further down cannot be changed",
			"mkdir -p s/.zed && echo a >s/.zed/tasks.json && echo a >s/.envrc",
			"echo b >s/.zed/tasks.json; echo b >s/.envrc; rm -rf s/.zed; mv s t",
			"grep -qx a s/.zed/tasks.json && grep -qx a s/.envrc", NULL, NULL, false},
	{"a link is put back", "mkdir -p ../real && ln -s ../real .vscode && ln -s other .bashrc",
			"rm .vscode; mkdir .vscode; echo x >.vscode/tasks.json; rm .bashrc",
			"[ \"$(readlink .vscode)\" = ../real ] && [ \"$(readlink .bashrc)\" = other ]",
			".vscode", "link replaced, put back", true},
	{"a link that is left alone", "mkdir -p ../real && ln -s ../real .vscode", "echo ok",
			"[ -L .vscode ]", NULL, NULL, true},
	{"where a link leads in the workspace",
			"mkdir -p cfg/vs && echo '{}' >cfg/vs/s.json && ln -s cfg/vs .vscode",
			"echo x >cfg/vs/s.json; mv cfg c2", "grep -q '{}' cfg/vs/s.json", NULL, NULL, false},
	{"another name of a protected file", "echo '{}' >.mcp.json && ln .mcp.json other", "echo evil >other",
			"true", ".mcp.json", "changed while the box ran: the file has other names", true},
	{"no other name can be made", "echo '{}' >.mcp.json", "ln .mcp.json other; [ ! -e other ]",
			"[ ! -e other ]", NULL, NULL, true},
	/* ---- the workspace otherwise ---- */
	{"ordinary work", "mkdir src && echo x >src/x && echo .env >.gitignore",
	 "set -e; echo y >src/y; mv src lib; mkdir -p .cache/z; ln -s /etc/hostname l; mkfifo f; rm lib/x; "
			"echo A=1 >.env; touch .eslintrc .gitattributes .github .gitignore README.md; mv "
			".gitignore .dockerignore",
	 "[ -e lib/y ] && [ ! -e lib/x ] && [ -L l ] && [ -e .env ] && [ -e README.md ]", NULL, NULL, true},
	{"links lead nobody outside", "mkdir ../outside",
			"mkdir -p d; ln -s ../../outside d/.git; rm -rf .github; ln -s ../outside .github",
			"[ -d ../outside ] && [ -z \"$(ls -A ../outside)\" ] && [ ! -L d/.git ]", "d/.git",
			NULL, true},
};

static int remove_below(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type;
	return ftw->level ? remove(path) : 0;
}

/* Everything in the directory; placeholders of a run that failed may be unreadable. */
static void clean(void)
{
	if (access(at("ws"), F_OK) == 0)
		host("chmod -R u+rwX . 2>/dev/null; true");
	CHECK_INT(nftw(dir, remove_below, 16, FTW_DEPTH | FTW_PHYS), 0);
	make_dir("home", 0755);
	make_dir("state", 0700);
}

static void run_row(const struct row *r)
{
	struct outcome out;
	int got;

	clean();
	make_dir("ws", 0755);
	got = host(r->before);
	if (got)
		unit_fail(__FILE__, __LINE__, "row '%s': before: %d", r->name, got);
	out = box(r->inside);
	if (r->works && out.exit_code != 0)
		unit_fail(__FILE__, __LINE__, "row '%s': in the box: %d: %.*s", r->name, out.exit_code,
				STR_ARG(out.err.text));
	got = host(r->after);
	if (got)
		unit_fail(__FILE__, __LINE__, "row '%s': after: %d; in the box: %.*s", r->name, got,
				STR_ARG(out.err.text));
	CHECK_ROW(access(at("canary"), F_OK) != 0, r->name);
	if (!r->change && out.changes)
		unit_fail(__FILE__, __LINE__, "row '%s': reported '%.*s' %.*s", r->name,
				STR_ARG(out.changes->path), STR_ARG(out.changes->what));
	if (r->change) {
		const struct change *c = find_change(out.changes, r->change);

		CHECK_ROW(c != NULL, r->name);
		if (c && r->what && !str_is(c->what, r->what))
			unit_fail(__FILE__, __LINE__, "row '%s': reported: %.*s", r->name, STR_ARG(c->what));
	}
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		run_row(&rows[i]);
}

/* ---- without a box ---- */

static struct protect *start(struct ops *ops)
{
	static char *argv[] = {"x", NULL};
	struct protect *p = NULL;
	struct spec s;
	struct err e = {0};

	spec_for(&s, argv);
	*ops = (struct ops){NULL, &ops->first};
	if (protect_open(A, &s, &p, &e) != 0 || protect_before(p, &s, ops, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	return p;
}

static struct change *finish(struct protect *p)
{
	struct change *c = NULL;
	struct err e = {0};

	if (protect_after(A, p, &c, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	return c;
}

static bool is_empty_ws(void) { return host("[ -z \"$(ls -A)\" ]") == 0; }

static void test_operations(void)
{
	struct ops ops;
	struct protect *p;
	size_t empty = 0, files = 0;
	const struct op *git = NULL, *config = NULL;

	clean();
	make_dir("ws", 0755);
	CHECK_INT(host(REPO), 0);
	p = start(&ops);
	for (struct op *o = ops.first; o; o = o->next) {
		empty += o->kind == OP_EMPTY && !*o->source;
		files += o->kind == OP_EMPTY && !strcmp(o->source, "/caisson/empty");
		CHECK(str_starts(str_of(o->target), dir) || str_starts(str_of(o->target), "/caisson/"));
		if (str_ends(str_of(o->target), "/ws/.git"))
			git = o;
		if (str_ends(str_of(o->target), "/ws/.git/config")) {
			config = o;
			CHECK(git != NULL); /* what is above comes first */
		}
	}
	CHECK(git && git->kind == OP_INSIDE && git->flags == OP_WRITABLE);
	CHECK(config && config->kind == OP_COVER && config->flags == 0);
	CHECK(empty >= 4 && files >= 10);
	/* the host's git does not mind */
	CHECK_INT(host("[ -d .claude ] && [ -S .gitmodules ] && [ -f .git/commondir ] && [ -z \"$(git "
			"status --porcelain)\" ]"), 0);
	CHECK(finish(p) == NULL);
	CHECK_INT(host("[ ! -e .claude ] && [ ! -e .gitmodules ] && [ ! -e .git/commondir ]"), 0);
}

static void test_nothing_to_protect(void)
{
	static char *argv[] = {"x", NULL};
	struct protect *p = (struct protect *)1;
	struct ops ops = {0};
	struct spec s;

	clean();
	make_dir("ws", 0755);
	spec_for(&s, argv);
	s.workspace_writable = false;
	CHECK_INT(protect_open(A, &s, &p, NULL), 0);
	CHECK(!p);
	CHECK_INT(protect_before(p, &s, &ops, NULL), 0);
	CHECK(!ops.first);
	CHECK(finish(p) == NULL);
	s.workspace_writable = true;
	s.workspace = str_of(at("absent"));
	CHECK_INT(protect_open(A, &s, &p, NULL), -1);
}

/* Removing a name lifts the mounts that others have on it, so the last one does it. */
static void test_shared_workspace(void)
{
	struct ops ops;
	struct protect *p, *q;

	clean();
	make_dir("ws", 0755);
	p = start(&ops);
	q = start(&ops);
	CHECK(finish(p) == NULL);
	CHECK_INT(host("[ -d .claude ] && [ -d .vscode ]"), 0);
	CHECK(finish(q) == NULL);
	CHECK(is_empty_ws());
	CHECK_INT(host("[ $(ls $T/state/placeholders-2 | wc -l) -ge 12 ]"), 0); /* spare ones, for the next */
	p = start(&ops);
	CHECK_INT(host("[ -z \"$(ls $T/state/placeholders-2)\" ]"), 0);
	CHECK(finish(p) == NULL);
	/* a kind of a later program, and the pool of earlier ones */
	CHECK_INT(host("mkfifo $T/state/placeholders-2/1 && mkdir -p $T/state/placeholders/2"), 0);
	p = start(&ops);
	CHECK_INT(host("[ -p $T/state/placeholders-2/1 ] && [ -d $T/state/placeholders/2 ] && "
		       "rm $T/state/placeholders-2/1"), 0);
	CHECK_INT(host("[ -d .claude ] && [ -d .vscode ] && [ -S .bashrc ]"), 0);
	/* one ends, another begins before the first has looked: those are not the first one's affair */
	protect_abandon(p);
	workspace_unlock(p);
	q = start(&ops);
	CHECK(finish(p) == NULL);
	CHECK_INT(host("[ -d .claude ] && [ -d .vscode ]"), 0);
	CHECK(finish(q) == NULL);
	p = start(&ops);
	CHECK_INT(host("echo x >.vscode/x"), 0);
	CHECK(finish(p) == NULL);
	CHECK_INT(host(
			"[ \"$(ls -A)\" = .vscode ] && [ -e .vscode/x ] && [ -z \"$(find "
			"$T/state/placeholders-2 -mindepth 2)\" ]"), 0);
}

static void test_left_behind(void)
{
	struct ops ops;
	struct protect *p;

	clean();
	make_dir("ws", 0755);
	CHECK_INT(host(REPO), 0);
	p = start(&ops);
	close(p->ws); /* killed, and who cleans up as well */
	close(p->lock);
	close(p->pool);
	CHECK_INT(host("[ -d .claude ] && [ -f .git/commondir ] && git status"), 0);
	p = start(&ops);
	CHECK(finish(p) == NULL);
	CHECK_INT(host("[ ! -e .claude ] && [ ! -e .git/commondir ]"), 0);
	p = start(&ops);
	protect_abandon(p);
	CHECK_INT(host(
			"[ ! -e .claude ] && [ ! -e .git/commondir ] && [ \"$(LC_ALL=C ls -A)\" = "
			"$'.git\\na' ]"), 0);
	close(p->ws);
	close(p->lock);
	close(p->pool);
}

/* A file that somebody on the host puts into a placeholder meanwhile stays. */
static void test_host_meanwhile(void)
{
	struct ops ops;
	struct protect *p;
	struct change *c;

	clean();
	make_dir("ws", 0755);
	CHECK_INT(host(REPO), 0);
	p = start(&ops);
	CHECK_INT(host("echo '{}' >.vscode/settings.json && git config a.b c"), 0);
	c = finish(p);
	CHECK_INT(host("[ -e .vscode/settings.json ] && [ ! -e .idea ] && grep -q c .git/config"), 0);
	CHECK(find_change(c, ".git/config") != NULL);
	CHECK(find_change(c, ".vscode") == NULL);
}

static void test_quarantine_in_place(void)
{
	struct ops ops;
	struct protect *p;
	const struct change *c;

	clean();
	make_dir("ws", 0755);
	p = start(&ops);
	p->quarantine = STR("");
	CHECK_INT(host("git init -q --bare r"), 0);
	c = find_change(finish(p), "r/HEAD");
	CHECK(c && str_contains(c->moved_to, STR("/ws/r/HEAD.quarantined-")));
	CHECK_INT(host("[ ! -e r/HEAD ] && [ ! -e r/objects ] && ! git -C r status"), 0);

	if (access("/dev/shm", W_OK) != 0)
		return;
	p = start(&ops);
	p->quarantine = str_fmt(A, "/dev/shm/caisson-test-%d/run", (int)getpid());
	CHECK_INT(host("git init -q --bare s"), 0);
	c = find_change(finish(p), "s/HEAD");
	CHECK(c && str_contains(c->moved_to, STR("/ws/s/HEAD.quarantined-")));
	CHECK_INT(rmdir(str_c(A, p->quarantine)), 0);
	CHECK_INT(rmdir(str_fmt_c(A, "/dev/shm/caisson-test-%d", (int)getpid())), 0);
}

/* Many files and many repositories: all are looked at, whether they could be pinned or not. */
static void test_many(void)
{
	struct ops ops;
	struct protect *p;
	const struct change *c;

	clean();
	make_dir("ws", 0755);
	CHECK_INT(host(
			"mkdir big && cd big && touch 0 && perl -e 'link(\"0\", $_) for 1..20100' && mkdir "
			"sub && git init -q sub/r"), 0);
	p = start(&ops);
	CHECK_INT(host(
			"git -C big/sub/r config core.fsmonitor x; mkdir -p big/sub/s && git init -q --bare "
			"big/sub/s/t"), 0);
	finish(p);
	/* searched by a vetter */
	CHECK_INT(host(
			"for i in {1..500}; do ls $T/state/vetted | grep -q unvetted || exit 0; sleep 0.02; "
			"done; exit 1"), 0);
	p = start(&ops);
	c = finish(p); /* and told in the next report */
	CHECK(find_change(c, "big/sub/r/.git/config") && find_change(c, "big/sub/s/t/HEAD"));
	/* put back */
	CHECK_INT(host(
			"! grep fsmonitor big/sub/r/.git/config && grep repositoryformatversion "
			"big/sub/r/.git/config"), 0);
	CHECK_INT(host(
			"rm -r big $T/state/vetted && mkdir -p many/{1..400}/.git/{objects,refs} && cd many "
			"&& for i in {1..400}; do echo ref: refs/heads/x >$i/.git/HEAD; echo '[core] "
			"fsmonitor = y' >$i/.git/config; done; sleep 0.05"), 0);
	p = start(&ops);
	CHECK(p->full);
	CHECK_INT(host("for i in 7 211 399; do echo '[core] fsmonitor = x' >many/$i/.git/config; done"), 0);
	c = finish(p);
	CHECK(find_change(c, "many/7/.git/config") && find_change(c, "many/211/.git/config") &&
			find_change(c, "many/399/.git/config"));
	/* the others stay, these are put back */
	CHECK_INT(host("[ \"$(cat many/*/.git/config | sort -u)\" = '[core] fsmonitor = y' ]"), 0);
}

static void test_names_of_git(void)
{
	static const char *const dotgit[] = {".git", ".GIT", ".gIt", "git~1", "GIT~1", ".git.",
			".g\342\200\214it", "\357\273\277.git", ".gi\302\255t"};
	static const char *const other[] = {".gitx", "git", ".gi", ".github", ".gitignore", "x.git", ".git~1",
			"git~2", ".", "", ".g\303\244t", ".git-rewrite"};

	for (size_t i = 0; i < ARRAY_SIZE(dotgit); i++)
		CHECK_ROW(dotgit_name(dotgit[i]), dotgit[i]);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		CHECK_ROW(!dotgit_name(other[i]), other[i]);
}

static void test_patterns_and_bad_names(void)
{
	static const char *const bad[] = {"/etc/passwd", "../x", "a/../../x", "", "a//b", "."};
	static char *argv[] = {"x", NULL};
	struct protect *p = NULL;
	struct ops ops = {0};
	struct spec s;
	struct texts own[ARRAY_SIZE(bad) + 2];

	clean();
	make_dir("ws", 0755);
	make_dir("ws/d", 0755);
	make_file("ws/d/one.key", "x", 0644);
	make_file("ws/d/two", "x", 0644);
	spec_for(&s, argv);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		own[i] = (struct texts){.next = &own[i + 1], .text = str_of(bad[i])};
	own[ARRAY_SIZE(bad)] = (struct texts){.next = &own[ARRAY_SIZE(bad) + 1], .text = STR("d/*.key")};
	own[ARRAY_SIZE(bad) + 1] = (struct texts){.text = STR("d/prod.yaml")};
	s.protected = own;
	CHECK_INT(protect_open(A, &s, &p, NULL), 0);
	CHECK_INT(protect_before(p, &s, &ops, NULL), 0);
	CHECK(protect_kept(p, "d/one.key") && protect_kept(p, "d/prod.yaml") && !protect_kept(p, "d/two"));
	CHECK_INT(p->nkept, 2);
	finish(p);
	CHECK_INT(host("[ \"$(ls -A d)\" = $'one.key\\ntwo' ]"), 0);
}

/* However early memory runs out, no placeholder stays and no descriptor. */
static void test_memory(void)
{
	static char *argv[] = {"x", NULL};
	int fds = count_fds();
	size_t failed = 0;

	clean();
	make_dir("ws", 0755);
	CHECK_INT(host(REPO), 0);
	for (size_t n = 1; n < 4000; n++) {
		struct arena a;
		struct protect *p = NULL;
		struct ops ops = {0};
		struct spec s;
		struct err e = {0};

		spec_for(&s, argv);
		arena_init(&a, ARENA_CAP_DEFAULT);
		CHECK_INT(protect_open(&a, &s, &p, &e), 0);
		a.fail_at = a.allocs + n;
		if (protect_before(p, &s, &ops, &e) == 0) {
			bool all = a.allocs < a.fail_at;

			protect_after(A, p, &(struct change *){NULL}, NULL);
			arena_free(&a);
			if (all)
				break;
			continue; /* a file that could not be read for lack of memory */
		}
		failed++;
		CHECK_INT(e.kind, ERR_LIMIT);
		arena_free(&a);
	}
	CHECK(failed > 50);
	CHECK_INT(host("[ \"$(LC_ALL=C ls -A)\" = $'.git\\na' ] && [ ! -e .git/commondir ]"), 0);
	CHECK_INT(count_fds(), fds);
}

/*
 * The gate protects names by what commands say, the box by what it mounts: what one knows the other must
 * know, too.
 */
static void test_table(void)
{
	size_t names = 0;
	const char *gate;
	static const char *const seed[] = {".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".zshrc",
			".zprofile", ".profile", ".ripgreprc", ".mcp.json", ".claude.json", ".vscode",
			".idea", ".claude"};

	for (size_t i = 0; (gate = path_table_pattern("protected", i)); i++) {
		struct str name = str_of(gate);

		if (name.p[0] == '~' || name.p[0] == '/' || str_starts(name, ".git/") || str_is(name, ".git"))
			continue;
		if (str_ends(name, "/**"))
			name.n -= 3;
		CHECK_ROW(protect_name_find(name) != NULL, gate);
		names++;
	}
	CHECK(names > 30);
	for (const struct texts *t = protect_names(A); t; t = t->next) /* and people must know */
		if (page.n)
			CHECK_ROW(str_contains(page, str_fmt(A, "`%.*s`", STR_ARG(t->text))),
					str_c(A, t->text));
	for (size_t i = 0; i < ARRAY_SIZE(seed); i++)
		CHECK_ROW(protect_name_find(str_of(seed[i])) &&
				protect_name_find(str_of(seed[i]))->flags & NAME_MASK, seed[i]);
}

/*
 * Names of a repository's files in the list change nothing: a directory in the place of .git/commondir would
 * stop git.
 */
static void test_git_names_in_list(void)
{
	struct texts t[] = {{&t[1], STR(".git")}, {&t[2], STR(".git/commondir")},
			{&t[3], STR(".git/config.worktree")}, {&t[4], STR(".git/hooks")},
			{NULL, STR(".git/info/attributes")}};
	static char *argv[] = {"x", NULL};
	struct protect *p = NULL;
	struct ops ops = {0};
	struct spec s;

	clean();
	make_dir("ws", 0755);
	CHECK_INT(host(REPO), 0);
	spec_for(&s, argv);
	s.protected = t;
	CHECK_INT(protect_open(A, &s, &p, NULL), 0);
	CHECK_INT(protect_before(p, &s, &ops, NULL), 0);
	CHECK_INT(host("git status && [ -f .git/commondir ] && [ ! -e .git/info/attributes ]"), 0);
	CHECK(finish(p) == NULL);
}

static const struct {
	const char *text;
	bool inert;
} configs[] = {
	{"", true},
	{"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n", true},
	{"[remote \"origin\"]\n\turl = git@github.com:a/b.git\n\tfetch = "
			"+refs/heads/*:refs/remotes/origin/*\n[branch \"a ] b\"]\n\tmerge = refs/heads/x\n",
			true},
	{"# c\n; d\n[user]\n\tname = \"A B\" ; e\n", true},
	{"[core]\n\tfsmonitor = x\n", false},
	{"[CORE] FsMonitor = x\n", false},
	{"[core]\n\tbare = false\\\n\tfsmonitor = x\n", false},
	{"[core]\r\n\thooksPath = x\r\n", false},
	{"[core \"sub\"]\n\tsshCommand = x\n", false},
	{"[user]\n\tname = \"a\nfsmonitor = x\"\n", false},
	{"[remote \"o\"]\n\turl = ext::sh -c x\n", false},
	{"[remote \"o\"]\n\tuploadpack = x\n", false},
	{"[submodule \"o\"]\n\tupdate = !x\n", false},
	{"[include]\n\tpath = x\n", false},
	{"[alias]\n\tx = !y\n", false},
	{"[filter \"x\"]\n\tclean = y\n", false},
	{"[core.x]\n\ty = z\n", false},
	{"name = x\n", false},
	{"[core\n", false},
	{"\357\273\277[core]\n\tbare = false\n", false},
};

static void inert_one(void *ctx, const struct git_setting *s) { *(bool *)ctx &= config_setting_inert(s); }

static bool is_inert(struct str text)
{
	bool all = true;

	return git_config_each(A, text, inert_one, &all) && all;
}

static void test_config(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(configs); i++)
		CHECK_ROW(is_inert(str_of(configs[i].text)) == configs[i].inert, configs[i].text);
	CHECK(!is_inert(STR("[core]\n\tbare\0 = false\n")));
}

/* Not a test of speed: the figure is printed, and the bound is a hundred times what is aimed at. */
static void test_cost(void)
{
	struct ops ops;
	uint64_t before = UINT64_MAX, after = UINT64_MAX;

	clean();
	make_dir("ws", 0755);
	CHECK_INT(host(REPO
			" && for i in $(seq 50); do mkdir -p src/$i && (cd src/$i && seq 10 | xargs touch); "
			"done"), 0);
	for (int i = 0; i < 20; i++) {
		uint64_t t0 = clock_now(), t1, t2;
		struct protect *p = start(&ops);

		t1 = clock_now();
		finish(p);
		t2 = clock_now();
		before = t1 - t0 < before ? t1 - t0 : before;
		after = t2 - t1 < after ? t2 - t1 : after;
	}
	printf("# before %.2f ms, after %.2f ms\n", (double)before / 1e6, (double)after / 1e6);
	CHECK(before < 100000000 && after < 100000000);
}

static void suite(void)
{
	RUN(test_operations);
	RUN(test_nothing_to_protect);
	RUN(test_shared_workspace);
	RUN(test_left_behind);
	RUN(test_host_meanwhile);
	RUN(test_quarantine_in_place);
	RUN(test_many);
	RUN(test_names_of_git);
	RUN(test_patterns_and_bad_names);
	RUN(test_memory);
	RUN(test_table);
	RUN(test_git_names_in_list);
	RUN(test_config);
	RUN(test_cost);
	RUN(test_rows);
	place_end();
}

/* Again, as somebody without privileges, in a directory of their own. */
static int as_ordinary(void)
{
	pid_t pid;
	int status = -1, n = unit_count;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
		if (setresgid(ORDINARY, ORDINARY, ORDINARY) != 0 ||
				setresuid(ORDINARY, ORDINARY, ORDINARY) != 0 ||
				prctl(PR_SET_DUMPABLE, 1) != 0 || place_begin() != 0)
			_exit(99);
		unit_failures = 0;
		page = STR(""); /* once is enough */
		suite();
		_exit(unit_failures != 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	unit_count = n + n; /* the same tests */
	return status;
}

int main(void)
{
	if (place_begin() != 0)
		return 1;
	CHECK_INT(file_read(A, "docs/protected-paths.md", MB, &page, NULL, NULL), 0);
	suite();
	if (geteuid() == 0)
		unit_failures += as_ordinary() != 0;
	return unit_end();
}
