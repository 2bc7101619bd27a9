"""Random sequences of file-system programs that plant git repositories: what box_property.py runs in boxes.

A sequence is a setup of the person (shell text for the host) and two programs (lists of steps, each a piece of shell text). Texts hold
@W@ for the workspace and @C@ for the canary directory; the second program also @CACHE@ and @QUARANTINE@, places outside of the workspace
that hold what the first one wrote. Every payload has an id of its own and appends its directory to @C@/ID when it
runs; the person's own hooks write @C@/own-N. A step may fail: later steps do not depend on it.
"""
import random

DEPTH_MAX = 40
MANY = (7, 8)  # of 60 sequences, those with very many repositories
LARGE = (18, 19)  # and those in a workspace of 12,000 entries
HEAVY = ["node_modules", "vendor", "target", "dist", ".venv", "build", ".cache", "__pycache__"]
NAMES = ["a", "b", "lib", "src", "x y", "new\nline", "-dash", "caf\u00e9", "sub.git", "config", "hooks",
        "refs", "objects", "HEAD.d", "deep", "pkg", "l" * 200]
HOOKS = ["post-index-change", "post-checkout", "pre-commit", "commit-msg", "reference-transaction",
        "post-commit", "prepare-commit-msg", "pre-auto-gc"]

PRELUDE = """cd '@W@' || exit 9
bare() { mkdir -p -- "$1/objects" "$1/refs" && echo 'ref: refs/heads/m' >"$1/HEAD"; }
content() { (cd -- "$1" && echo a >a && git add a && git -c user.name=x -c user.email=x@y commit -qm one; echo b >a; touch -d 2001-01-01 a); }
hook() { mkdir -p -- "$1"; printf '#!/bin/sh\\npwd >>@C@/%s\\n' "$3" >"$1/$2"; chmod 755 -- "$1/$2"; }
"""

# The person's own repositories: hooks and configuration that must go on working.
OWN = """own() { # DIRECTORY NUMBER
	git init -q "$1" && printf '[user]\\n\\tname = me\\n\\temail = me@x\\n[alias]\\n\\tmine = status\\n' >>"$1/.git/config" && echo own >"$1/own.txt" &&
	git -C "$1" add own.txt && git -C "$1" commit -qm own && printf '#!/bin/sh\\npwd >>@C@/own-%s\\n' "$2" >"$1/.git/hooks/pre-commit" && chmod 755 "$1/.git/hooks/pre-commit"
}
cd '@W@' || exit 9
"""


def quote(text):
    """A word of bash that is exactly this text."""
    special = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "'": "\\'", "\\": "\\\\"}
    if all(c.isalnum() or c in "/._@:=+" for c in text) and text:
        return text
    return "$'" + "".join(special.get(c, c) for c in text) + "'"


class Sequence:
    def __init__(self, seed, number):
        self.name = "%s/%d" % (seed, number)
        self.number = number
        self.random = random.Random(self.name)
        self.ids = 0
        self.places = []  # directories that the programs made
        self.repos = []  # (git directory, work tree) that the programs made
        self.own = {}  # the person's repositories: directory -> its number
        self.attacked = set()  # those that a program tries to change
        self.good = []  # harmless repositories of the programs
        self.late = False  # a process plants after the end of its program
        self.options = []
        self.leads = None  # what the person's configuration names in the work tree
        self.way = self.random.choice(["in turn"] * 8 + ["at once", "killed"])  # how the two programs are run
        self.setup = self.person()
        self.steps_before = self.program(0)
        self.steps = [self.steps_before, self.program(1)]

    # ---- words ----

    def id(self):
        self.ids += 1
        return "n%d-%d" % (self.number, self.ids)

    def payload(self, id):
        return "pwd >>@C@/%s;false" % id

    def name_(self):
        return self.random.choice(NAMES)

    def fresh(self, depth=None):
        """A new directory below the workspace, mostly shallow."""
        depth = depth or self.random.choice([1, 1, 1, 2, 2, 3, 5])
        top = [self.random.choice(self.places)] if self.places and self.random.random() < 0.3 else []
        path = "/".join(top + ["%s%d" % (self.name_(), self.ids + k) for k in range(depth)])
        self.ids += depth
        return "./" + path if path.startswith("-") else path

    def write(self, path, text, append=False):
        return "mkdir -p -- %s; printf %%s %s >%s%s" % (quote(path.rpartition("/")[0] or "."), quote(text),
                ">" if append else "", quote(path))

    # ---- the person ----

    def person(self):
        kind = self.random.choice(["empty", "repo", "repo", "nested", "nested", "outer"])
        text = OWN
        if kind in ("repo", "nested"):
            text += "own . 0\n"
            self.own["."] = 0
        if kind in ("nested", "outer"):
            text += "mkdir -p pkg; own pkg/mine 1\n"
            self.own["pkg/mine"] = 1
            if self.random.random() < 0.3:
                text += "mkdir -p d1/d2; own d1/d2/zsub 2\n"
                self.own["d1/d2/zsub"] = 2
        if kind != "empty" and self.random.random() < 0.3:  # further down than four directories
            text += "mkdir -p e1/e2/e3/e4/e5; own e1/e2/e3/e4/e5/far 3\n"
            self.own["e1/e2/e3/e4/e5/far"] = 3
        if "." in self.own and self.random.random() < 0.5:  # configuration that leads into the work tree
            self.leads = self.random.choice(["include", "husky", "script"])
            text += {
                "include": "git config extensions.worktreeConfig true; git config include.path ../shared.inc; printf '[alias]\\n\\tours = log\\n' >shared.inc\n",
                "husky": "mkdir .husky; mv .git/hooks/pre-commit .husky; git config core.hooksPath .husky; git add .husky; git commit -qm husky\n",
                "script": "mkdir tools; printf '#!/bin/sh\\npwd >>@C@/own-5\\nexit 1\\n' >tools/fsm.sh; chmod 755 tools/fsm.sh; git config core.fsmonitor ./tools/fsm.sh; git add tools; git commit -qm tools\n",
            }[self.leads]
        text += "echo x >file; mkdir -p config hooks; echo y >config/routes.rb; echo z >hooks/useState.js\n"
        if self.number % 60 in LARGE:  # the search may end after the answer
            text += "mkdir big; cd big; for i in $(seq 60); do mkdir d$i; (cd d$i; touch {1..200}); done; cd ..\n"
        if self.random.random() < 0.3:
            self.options = ["--profile", "work"]
        return text

    # ---- configuration that executes ----

    def fsmonitor(self, gitdir, tree):
        """The same setting in many spellings."""
        id = self.id()
        value = '"%s"' % self.payload(id)
        spelling = self.random.choice(["plain", "upper", "line", "bom", "crlf", "continued", "second", "long",
                "replaced", "blanks"])
        text = {
            "plain": "[core]\n\tfsmonitor = %s\n",
            "upper": "[CORE]\n\tFsMonitor=%s\n",
            "line": "[core] fsmonitor = %s\n",
            "bom": "\ufeff[core]\n\tfsmonitor = %s\n",
            "crlf": "[core]\r\n\tfsmonitor = %s\r\n",
            "continued": "[core]\n\tfsmonitor = \\\n%s\n",
            "second": "[core]\n\tfsmonitor = false\n[user]\n\tname = x\n[core]\n\tfsmonitor = %s\n",
            "long": "\n[core]\n\tfsmonitor = %s\n",
            "replaced": "[core]\n\tbare = false\n\tfsmonitor = %s\n",
            "blanks": "[core]fsmonitor=%s",
        }[spelling] % value
        before = ["{ echo; head -c 400000 /dev/zero | tr '\\0' '#'; } >>%s/config" % quote(
                gitdir)] if spelling == "long" else []
        return before + [self.write(gitdir + "/config", text, append=spelling not in ("bom", "replaced"))]

    def in_tree(self, gitdir, tree, text, extra=()):
        """A setting that needs files with content to be reached."""
        steps = ["content %s" % quote(tree)] if tree else []
        if tree:
            steps += [self.write(tree + "/" + name, body) for name, body in extra]
        return steps + [self.write(gitdir + "/config", text, append=True)]

    def external(self, gitdir, tree):
        return self.in_tree(gitdir, tree, '[diff]\n\texternal = "%s"\n' % self.payload(self.id()))

    def textconv(self, gitdir, tree):
        return self.in_tree(gitdir, tree,
                '[diff "x"]\n\t%s = "%s"\n' % (self.random.choice(["textconv", "command"]),
                        self.payload(self.id())), [(".gitattributes", "* diff=x\n")])

    def clean(self, gitdir, tree):
        return self.in_tree(gitdir, tree,
                '[filter "x"]\n\t%s = "%s"\n\trequired = true\n' % (self.random.choice(["clean", "process"]),
                        self.payload(self.id())), [(".gitattributes", "* filter=x\n")])

    def pager(self, gitdir, tree):
        key = self.random.choice(["[core]\n\tpager", "[pager]\n\tlog", "[pager]\n\tdiff"])
        return self.in_tree(gitdir, tree, '%s = "%s"\n' % (key, self.payload(self.id())))

    def include(self, gitdir, tree):
        name = "inc%d" % self.random.randrange(1000)
        how = self.random.choice(["[include]", '[includeIf "gitdir:/"]', "[INCLUDE]"])
        where = self.random.choice([name, "@W@/" + name])
        target = gitdir + "/" + name if where == name else name
        return [self.write(target, '[core]\n\tfsmonitor = "%s"\n' % self.payload(self.id())),
                self.write(gitdir + "/config", "%s\n\tpath = %s\n" % (how, where), append=True)]

    def hooks_path(self, gitdir, tree):
        name = "hk%d" % self.random.randrange(1000)
        return ["hook %s post-index-change %s" % (name, self.id())] + self.in_tree(gitdir, tree,
                "[core]\n\thooksPath = @W@/%s\n" % name)

    def worktree_config(self, gitdir, tree):
        text = '[core]\n\tfsmonitor = "%s"\n' % self.payload(self.id())
        return [self.write(gitdir + "/config",
                "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n", append=True), self.write(gitdir + "/config.worktree", text)]

    def lazy_fetch(self, gitdir, tree):
        text = '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = o\n[remote "o"]\n\turl = @W@\n\tpromisor = true\n\tuploadpack = "%s"\n' % self.payload(self.id())
        return self.in_tree(gitdir, tree, text) + ["find %s/objects -type f -delete" % quote(gitdir)]

    def alias(self, gitdir, tree):
        return [self.write(gitdir + "/config",
                '[alias]\n\tst = "!%s"\n[core]\n\teditor = "%s"\n' % (self.payload(self.id()),
                        self.payload(self.id())), append=True)]

    def remote_programs(self, gitdir, tree):
        text = '[core]\n\tsshCommand = "%s"\n[credential]\n\thelper = "!%s"\n[remote "origin"]\n\turl = ssh://x/y\n' % (self.payload(self.id()), self.payload(self.id()))
        return [self.write(gitdir + "/config", text, append=True)]

    def signature(self, gitdir, tree):
        commit = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor x <x@y> 1 +0000\ncommitter x <x@y> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nm\n"
        make = "d=%s; git --git-dir=\"$d\" hash-object -w -t tree /dev/null; c=$(printf %%s %s | git --git-dir=\"$d\" hash-object -w -t commit --stdin) && mkdir -p -- \"$d/refs/heads\" && for b in m master main; do echo $c >\"$d/refs/heads/$b\"; done" % (quote(gitdir), quote(commit))
        return [make, self.write(gitdir + "/config",
                '[log]\n\tshowSignature = true\n[gpg]\n\tprogram = @W@/gpg%s\n' % self.number, append=True), "hook . gpg%s %s" % (self.number, self.id())]

    def tree_elsewhere(self, gitdir, tree, worktree="@W@"):
        return [self.write(gitdir + "/config",
                '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = %s\n\tfsmonitor = "%s"\n' % (worktree, self.payload(self.id())))]

    def a_hook(self, gitdir, tree):
        where = gitdir + "/hooks"
        steps = ["content %s" % quote(tree)] if tree else []
        kind = self.random.choice(["file", "file", "link", "directory", "sample", "any"])
        if kind == "file":
            return steps + ["hook %s post-index-change %s" % (quote(where), self.id())]
        if kind == "link":
            name = "hk%d" % self.random.randrange(1000)
            return steps + ["hook %s x %s" % (name, self.id()),
                    "mkdir -p -- %s; ln -sf @W@/%s/x %s/post-index-change" % (quote(where), name,
                            quote(where))]
        if kind == "directory":
            name = "hk%d" % self.random.randrange(1000)
            return steps + ["hook %s post-index-change %s" % (name, self.id()),
                    "rm -rf -- %s; ln -s @W@/%s %s" % (quote(where), name, quote(where))]
        if kind == "sample":  # a second program may drop the suffix
            return steps + ["hook %s post-index-change.sample %s" % (quote(where), self.id())]
        return steps + ["hook %s %s %s" % (quote(where), self.random.choice(HOOKS), self.id())]

    POISONS = ["fsmonitor", "fsmonitor", "fsmonitor", "external", "textconv", "clean", "pager", "include",
            "hooks_path", "worktree_config", "lazy_fetch", "alias", "remote_programs", "signature",
               "tree_elsewhere", "a_hook", "a_hook", "a_hook"]
    # Those that status, log or diff reach in a repository with a work tree.
    REACHED = ["fsmonitor", "external", "textconv", "clean", "pager", "include", "hooks_path",
            "worktree_config", "lazy_fetch", "signature", "tree_elsewhere"]

    # Steps that plant something git finds, in most of their variants.
    PLANTED = ["init", "init_deep", "init_bare", "hand_bare", "hand_made", "common", "git_file", "separate",
            "worktree", "worktree_of_the_project", "worktree_admin", "module", "submodule", "in_objects", "bare_in_objects", "heavy",
               "case_variant", "hidden", "hidden_file", "through_links", "top_bare", "attack_own", "many"]

    def poison(self, gitdir, tree):
        return getattr(self, self.random.choice(self.POISONS))(gitdir, tree)

    # ---- steps of a program ----

    def repo(self, gitdir, tree):
        self.repos.append((gitdir, tree))
        path = tree or gitdir
        self.places.append("/".join(path.split("/")[:2 if path.startswith("./") else 1]))

    def init(self, run, depth=None):
        at = self.fresh(depth)
        self.repo(at + "/.git", at)
        return ["git init -q -- %s" % quote(at)] + self.poison(at + "/.git", at)

    def init_deep(self, run):
        return self.init(run, self.random.randrange(9, DEPTH_MAX))

    def init_bare(self, run):
        at = self.fresh()
        self.repo(at, None)
        return ["git init -q --bare -- %s" % quote(at)] + (self.tree_elsewhere if self.random.random() < 0.5
                else self.pager)(at, None)

    def hand_bare(self, run):
        at = self.fresh()
        self.repo(at, None)
        steps = ["bare %s" % quote(at)] + self.tree_elsewhere(at, None)
        steps += self.random.choice([[], [],
                ["cd -- %s && rm HEAD && ln -s refs/heads/m HEAD; cd '@W@'" % quote(at)],
                                     ["cd -- %s && mv objects ../o%d && ln -s ../o%d objects; cd '@W@'" % (
                                             quote(at), self.ids, self.ids)],
                                     ["echo 4b825dc642cb6eb9a060e54bf8d69288fbee4904 >%s/HEAD" % quote(at)]])
        if self.random.random() < 0.3:
            self.random.shuffle(steps)
        return steps

    def hand_made(self, run):
        at = self.fresh()
        self.repo(at + "/.git", at)
        return ["bare %s" % quote(at + "/.git")] + self.poison(at + "/.git", at)

    def common(self, run):
        """Refs and objects in one place, HEAD in another."""
        at, elsewhere = self.fresh(), "com%d" % self.random.randrange(1000)
        self.repo(elsewhere, None)
        self.places.append(at)
        gitdir = at if self.random.random() < 0.5 else at + "/.git"
        return ["bare %s" % elsewhere, "rm -f %s/HEAD" % elsewhere,
                "mkdir -p -- %s; echo 'ref: refs/heads/m' >%s/HEAD; echo @W@/%s >%s/commondir" % (
                        quote(gitdir), quote(gitdir), elsewhere, quote(gitdir)),
                *self.tree_elsewhere(elsewhere, None)]

    def git_file(self, run):
        at, elsewhere = self.fresh(), "gd%d" % self.random.randrange(1000)
        self.repo(elsewhere, at)
        where = self.random.choice(["@W@/" + elsewhere, "@W@/%s/../%s" % (elsewhere, elsewhere)])
        steps = ["bare %s" % elsewhere, *self.fsmonitor(elsewhere, at),
                self.write(at + "/.git", "gitdir: %s%s" % (where, self.random.choice(["\n", "", "\n\n"])))]
        if self.random.random() < 0.3:
            steps.append("cd -- %s && rm -f .git && ln -s @W@/%s .git; cd '@W@'" % (quote(at), elsewhere))
        return steps

    def separate(self, run):
        at, elsewhere = self.fresh(), "sep%d" % self.random.randrange(1000)
        self.repo(elsewhere, at)
        return ["mkdir -p -- %s; git init -q --separate-git-dir=%s -- %s" % (quote(at), elsewhere,
                quote(at))] + self.poison(elsewhere, at)

    def worktree(self, run):
        at, tree = self.fresh(1), "wt%d" % self.random.randrange(1000)
        self.repo(at + "/.git", at)
        steps = ["git init -q -- %s" % quote(at), "content %s" % quote(at),
                "git -C %s worktree add -q @W@/%s" % (quote(at), tree)]
        return steps + self.poison(at + "/.git", tree)

    def worktree_of_the_project(self, run):
        """Registered in the person's repository, with the common directory elsewhere."""
        k = self.random.randrange(1000)
        self.repo("x%d" % k, "w%d" % k)
        return ["mkdir -p .git/worktrees/w%d x%d/objects x%d/refs w%d" % (k, k, k, k),
                "echo ../../../x%d >.git/worktrees/w%d/commondir" % (k,
                        k), "echo 'ref: refs/heads/m' >.git/worktrees/w%d/HEAD" % k,
                "echo @W@/w%d/.git >.git/worktrees/w%d/gitdir" % (k, k), *self.fsmonitor("x%d" % k,
                        "w%d" % k), "echo 'gitdir: @W@/.git/worktrees/w%d' >w%d/.git" % (k, k)]

    def module(self, run):
        at = self.fresh(1)
        k = self.random.choice(["evil", "a/b", "x%d" % self.ids])
        self.repo(".git/modules/" + k, at)
        return ["bare .git/modules/%s" % k, *self.fsmonitor(".git/modules/" + k, at),
                self.write(at + "/.git", "gitdir: @W@/.git/modules/%s\n" % k)]

    def submodule(self, run):
        """A gitlink in the index: status at the top asks git in the submodule."""
        at = self.fresh(1)
        self.repo(at + "/.git", at)
        return ["git init -q -- %s" % quote(at), "content %s" % quote(at), "git add -- %s" % quote(at),
                *self.poison(at + "/.git", at)]

    def worktree_admin(self, run):
        """Configuration of a linked worktree, and a common directory that is moved elsewhere."""
        at, tree = self.fresh(1), "wa%d" % self.random.randrange(1000)
        self.repo(at + "/.git", tree)
        admin = "%s/.git/worktrees/%s" % (at, tree)
        steps = ["git init -q -- %s" % quote(at), "content %s" % quote(at),
                "git -C %s worktree add -q @W@/%s" % (quote(at), tree)]
        evil = '[core]\n\tfsmonitor = "%s"\n' % self.payload(self.id())
        if self.random.random() < 0.5:
            return steps + [self.write(at + "/.git/config",
                    "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n", append=True), self.write(admin + "/config.worktree", evil)]
        return steps + ["bare com-%s" % tree, self.write("com-%s/config" % tree, evil),
                "echo @W@/com-%s >%s/commondir" % (tree, quote(admin))]

    def through_links(self, run):
        """A .git file that leads to the git directory by way of a link."""
        at, k = self.fresh(1), self.ids
        self.repo("tl%d" % k, at)
        return ["bare tl%d" % k, *self.fsmonitor("tl%d" % k, at), "ln -s tl%d tk%d" % (k, k),
                self.write(at + "/.git", "gitdir: @W@/tk%d\n" % k)]

    def same_size(self, run):
        """Rewrites a configuration in place, with the size and the time it had."""
        if run == 0 or not hasattr(self, "sized"):
            self.sized = at = self.fresh(1)
            self.ids += 1
            self.repo(at + "/.git", at)
            pad = '[core]\n\tfsmonitor = false\n#' + "-" * 300 + "\n"
            return ["git init -q -- %s" % quote(at), self.write(at + "/.git/config", pad),
                    "ln -- %s/.git/config twin%d; touch -d 2020-01-01 twin%d" % (quote(at), self.number,
                            self.number)]
        text = '[core]\n\tfsmonitor = "%s"\n#' % self.payload(self.id())
        return ["printf %%s %s | dd of=twin%d conv=notrunc status=none; touch -d 2020-01-01 twin%d" % (
                quote(text), self.number, self.number)]

    def very_long(self, run):
        """A path longer than PATH_MAX; the second program brings its end into reach."""
        if run == 0 or not hasattr(self, "long"):
            self.long = "vl%d" % self.ids
            self.ids += 1
            self.places.append(self.long)
            text = "mkdir %s; cd %s; n=$(printf 'd%%.0s' $(seq 240)); for i in $(seq 22); do mkdir $n; cd -P ./$n; done; bare x/.git; printf %%s %s >x/.git/config; cd '@W@'"
            return [text % (self.long, self.long,
                    quote('[core]\n\tfsmonitor = "%s"\n' % self.payload(self.id())))]
        return ["cd %s && n=$(printf 'd%%.0s' $(seq 240)) && for i in $(seq 11); do cd -P ./$n; done && mv $n '@W@/short%d'; cd '@W@'" % (self.long, self.ids)]

    def outside(self, run):
        """Places beyond the workspace that keep what a program wrote: its caches, and the quarantine."""
        if run == 0:
            return ["mkdir -p ~/.cache; bare ~/.cache/evil%d" % self.number,
                    "cd ~/.cache; %s; cd '@W@'" % "; ".join(
                            self.tree_elsewhere("evil%d" % self.number, None, "..")), *self.hand_bare(run)]
        at = self.fresh(1)
        where = self.random.choice(["@CACHE@/evil%d" % self.number, "@CACHE@/evil%d" % self.number,
                "@QUARANTINE@"])
        return [self.random.choice(["mkdir -p -- %s; echo 'gitdir: %s' >%s/.git" % (quote(at), where,
                quote(at)), "mkdir -p -- %s; ln -s %s %s/.git" % (quote(at), where, quote(at)), "ln -s %s %s" % (where, quote(at))])]

    def in_objects(self, run):
        where = self.random.choice([".git/objects/zz", ".git/refs/heads", ".git/logs/q", ".git/lost",
                ".git/objects/info/r", ".git/objects/pack"])
        at = self.fresh(1)
        self.repo(where + "/.git", at)
        steps = ["git init -q %s" % where, *self.fsmonitor(where + "/.git", None)]
        if self.random.random() < 0.5:
            steps.append(self.write(at + "/.git", "gitdir: @W@/%s/.git\n" % where))
        return steps

    def bare_in_objects(self, run):
        where = self.random.choice([".git/objects/zy", ".git/refs/tags", ".git/info"])
        return ["bare %s" % where, *self.tree_elsewhere(where, None)]

    def heavy(self, run):
        at = "%s/%s" % (self.random.choice(HEAVY), "p%d" % self.random.randrange(100))
        self.repo(at + "/.git", at)
        return ["git init -q %s" % at] + self.poison(at + "/.git", at)

    def case_variant(self, run):
        at = self.fresh(1)
        other = self.random.choice([".GIT", ".Git", ".giT"])
        self.places.append(at)
        steps = ["git init -q -- %s" % quote(at), *self.fsmonitor(at + "/.git", at),
                "mv -- %s/.git %s/%s" % (quote(at), quote(at), other)]
        return steps + (["mv -- %s/%s %s/.git" % (quote(at), other, quote(at))] if self.random.random() < 0.5
                else [])

    def hard_link(self, run):
        """The second program writes the configuration through its other name."""
        at = self.fresh(1)
        self.repo(at + "/.git", at)
        k = self.ids
        if run == 0:
            self.linked = k
            return ["git init -q -- %s; ln -- %s/.git/config hl%d" % (quote(at), quote(at), k)]
        return self.fsmonitor("hl", None)[:0] + [
                self.write("hl%d" % getattr(self, "linked", 0),
                        '[core]\n\tfsmonitor = "%s"\n' % self.payload(self.id()), append=True)]

    def hidden(self, run):
        """Below a directory that cannot be listed."""
        at = self.fresh(2)
        self.repo(at + "/.git", at)
        up = at.rpartition("/")[0]
        mode = self.random.choice(["0", "311", "111", "555", "300", "500"])
        steps = ["git init -q -- %s" % quote(at), *self.fsmonitor(at + "/.git", at)]
        return steps + self.random.choice([["ln -s -- %s ln%d" % (quote(at), self.ids)], []]) + [
                "chmod %s -- %s" % (mode, quote(self.random.choice([up, at, at + "/.git"])))]

    def hidden_file(self, run):
        at = self.fresh(1)
        self.repo(at + "/.git", at)
        return ["git init -q -- %s" % quote(at), *self.fsmonitor(at + "/.git", at),
                "chmod %s -- %s/.git/config" % (self.random.choice(["0", "222", "444"]), quote(at))]

    def top_bare(self, run):
        if "." in self.own:
            self.attacked.add(".")
        steps = ["mv .git/HEAD .git/H%d" % self.ids if self.random.random() < 0.7 else "true",
                "mkdir -p objects refs; echo 'ref: refs/heads/m' >HEAD",
                 self.write("config" if self.random.random() < 0.5 else "./config",
                         '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = @W@\n\tfsmonitor = "%s"\n' % self.payload(self.id()))]
        return ["rm -rf config"] + steps + (["chmod 311 ."] if self.random.random() < 0.5 else [])

    def attack_own(self, run):
        if not self.own:
            return ["true"]
        at = self.random.choice(sorted(self.own))
        self.attacked.add(at)
        git = at + "/.git"
        if self.leads and at == "." and self.random.random() < 0.6:
            return self.attack_lead()
        return self.random.choice([
            ["rm -f %s/HEAD" % git], ["mv %s %s2; git init -q %s" % (git, git, at), *self.fsmonitor(git, at)],
            self.poison(git, at), ["rm -rf %s/hooks; " % git,
                    "hook %s/hooks post-index-change %s" % (git, self.id())],
            ["mkdir -p cd%d/objects cd%d/refs" % (self.ids, self.ids),
                    *self.fsmonitor("cd%d" % self.ids, None), "echo @W@/cd%d >%s/commondir" % (self.ids,
                            git)],
            self.worktree_config(git, at), ["chmod -R 755 %s" % git, *self.poison(git, at)],
        ])

    def attack_lead(self):
        """Changes what the person's configuration names."""
        name = {"include": "shared.inc", "husky": ".husky/post-index-change",
                "script": "tools/fsm.sh"}[self.leads]
        if self.leads == "include":
            evil = [self.write("si", '[core]\n\tfsmonitor = "%s"\n' % self.payload(self.id()))]
        else:
            evil = ["hook . si %s" % self.id(), "touch -d 2001-01-01 own.txt"]
        up = name.rpartition("/")[0]
        ways = [["cat si >%s; chmod 755 %s" % (name, name)], ["mv -f si %s" % name],
                ["rm -f %s; cp -p si %s" % (name, name)], ["ln -sf ../si %s" % name], [
                        "ln %s twin; cat si >twin" % name]]
        if up:
            ways += [["mv %s %s.old; mkdir %s; cp -p si %s" % (up, up, up, name)],
                    ["mv %s %s.old; cp -a %s.old %s; cp -p si %s" % (up, up, up, up, name)]]
        if self.leads == "include":
            ways.append(["cp si .git/config.worktree"])
        return evil + self.random.choice(ways)

    def borrow(self, run):
        """A work tree of the program's for the person's repository, with its own idea of what the configuration names."""
        at, id = self.fresh(1), self.id()
        self.places.append(at)
        make = self.random.choice(["mkdir -p -- %s; echo 'gitdir: @W@/.git' >%s/.git",
                "mkdir -p -- %s; ln -s @W@/.git %s/.git", "git worktree add -q -f --detach ./%s HEAD; : %s"]) % (quote(at), quote(at))
        return [make, "hook %s/tools fsm.sh %s; hook %s/.husky post-index-change %s" % (quote(at), id,
                quote(at), id), "echo b >%s/own.txt; touch -d 2001-01-01 %s/own.txt" % (quote(at), quote(at)),
                self.write(at + "/shared.inc", '[core]\n\tfsmonitor = "%s"\n' % self.payload(id))]

    def late_planter(self, run):
        """A process that outlives its program and plants five seconds later."""
        at = self.fresh(1)
        self.late = True
        self.places.append(at)
        start = self.random.choice(["setsid bash -c %s >/dev/null 2>&1 </dev/null &",
                "(setsid bash -c %s >/dev/null 2>&1 </dev/null &)", "(trap '' TERM HUP INT; bash -c %s & disown -a) >/dev/null 2>&1 </dev/null"])
        if self.random.random() < 0.2:
            return ["(sleep 0.4; git init -q -- %s; %s) & wait" % (quote(at),
                    "; ".join(self.fsmonitor(at + "/.git", at)))]
        text = "sleep 5; git init -q -- %s; %s" % (quote(at), "; ".join(self.fsmonitor(at + "/.git", at)))
        return [start % quote(text)]

    def switch(self, run):
        """Renames something made before; mostly by the second program, whose parents then have old times."""
        if not self.places:
            return ["mkdir -p a"]
        old, new = self.random.choice(self.places), "mv%d" % self.ids
        self.ids += 1
        self.places.append(new)
        inner = "find %s -name .git -print -quit 2>/dev/null" % quote(old)
        return self.random.choice([
            ["chmod -R u+rwx -- %s; mv -- %s %s" % (quote(old), quote(old), new)], [
                    "mv -- %s %s" % (quote(old), new)],
            ["g=$(%s); mv -- \"${g%%/.git}\" %s" % (inner, new)], [
                    "g=$(%s); mkdir -p %s; mv -- \"$g\" %s/.git" % (inner, new, new)],
            ["ln -s -- %s %s" % (quote(old), new)], [
                    "chmod %s -- %s" % (self.random.choice(["0", "311", "555", "700"]), quote(old))],
            ["cp -a -- %s %s; rm -rf -- %s" % (quote(old), new, quote(old))],
        ])

    def alter(self, run):
        """Changes a repository that was made before."""
        if not self.repos:
            return self.init(run)
        gitdir, tree = self.random.choice(self.repos)
        g = quote(gitdir)
        return self.random.choice([
            self.poison(gitdir, tree), self.poison(gitdir, tree), ["chmod 755 -- %s %s/hooks" % (g, g),
                    "mv -- %s/hooks/post-index-change.sample %s/hooks/post-index-change" % (g, g)],
            ["mv -- %s/config %s/c; cp -- %s/c %s/config" % (g, g, g, g),
                    *self.fsmonitor(gitdir,
                            tree)], ["chmod 644 -- %s/config" % g, *self.fsmonitor(gitdir, tree)],
            ["mv -- %s/hooks %s/h2; cp -a -- %s/h2 %s/hooks" % (g, g, g, g),
                    "hook %s/hooks post-index-change %s" % (g, self.id())],
            ["rm -rf -- %s; git init -q --bare -- %s" % (g, g), *self.tree_elsewhere(gitdir, None)],
        ])

    def many(self, run):
        """More repositories than a fixed table would hold, then one more change."""
        at = "many%d" % self.ids
        self.places.append(at)
        own = [o for o in self.own if o != "."]
        steps = ["mkdir %s; bare %s/0/.git; for i in $(seq 1 %d); do cp -a %s/0 %s/$i; done" % (at, at,
                self.random.randrange(70, 80), at, at)]
        if own:
            self.attacked.update(own)
            steps += [s for o in own for s in self.poison(o + "/.git", o)]
        return steps + self.fsmonitor("%s/%d/.git" % (at, self.random.randrange(1, 70)), None)

    def closed(self, run):
        return ["chmod %s ." % self.random.choice(["311", "555", "0", "300"])]

    def harmless(self, run):
        at = "good%d" % self.ids
        self.ids += 1
        self.good.append(at)
        return ["git init -q %s; content %s; git -C %s log >/dev/null && touch %s.made" % (at, at, at, at)]

    STEPS = (["init"] * 4 + ["init_deep"] * 2
            + ["init_bare", "hand_bare", "hand_bare", "hand_made", "hand_made", "common", "git_file",
                    "git_file", "separate", "worktree", "worktree_of_the_project", "module", "submodule",
             "in_objects", "bare_in_objects", "worktree_admin", "worktree_admin", "through_links", "same_size", "very_long", "outside", "outside", "heavy", "case_variant", "hard_link", "hard_link", "hidden", "hidden", "hidden", "hidden_file", "top_bare", "attack_own", "attack_own", "attack_own", "borrow", "borrow", "late_planter", "harmless",
             "harmless"] + ["switch"] * 3 + ["alter"] * 3)

    def program(self, run):
        steps = []
        if run == 0 and self.number % 60 in MANY:
            steps.append(self.many(run))
        weights = self.STEPS + (["switch"] * 16 + ["alter"] * 12 + ["hard_link"] * 2 if run else [])
        if run == 1:  # what needs two runs is finished
            steps += [getattr(self, name)(run) for name,
                    begun in (("same_size", "sized"), ("very_long", "long")) if hasattr(self, begun)]
            steps += [self.outside(run)] if any("/.cache" in line for step in self.steps_before
                    for line in step) else []
        for _ in range(self.random.randrange(2, 7)):
            steps.append(getattr(self, self.random.choice(weights))(run))
        if self.random.random() < 0.15:
            steps.append(self.closed(run))
        return steps


def text(steps):
    """A program of the box."""
    return PRELUDE + "\n".join(line for step in steps for line in step) + "\nexit 0\n"
