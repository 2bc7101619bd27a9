#!/usr/bin/python3
"""Generates shell programs for the oracles, from a grammar; the same seed and number always give the same program.

    gen.py --n N --seed S [--shell bash|sh|both] [--class hostile|state|harmless|mutant|each]      one JSON line per program

Classes:
  hostile   canary commands (evil, canary, and real tools) in every position where a shell runs code, behind every disguise we know;
  state     variables, functions, directory and parameters that change in nested control flow, and commands built from them;
  harmless  an ordinary developer's commands in which dangerous text is only quoted, a comment or a quoted here-document;
  each      every production by itself, in both shells (only when asked for);
  mutant    a program of the other two with tokens or characters deleted, doubled, swapped or replaced by special ones.

A template (templates.py) is shell text with holes:
  @c@ a command that may be followed by anything      @C@ a command with its end (';' or newline)
  @S@ a command's text in single quotes               @D@ the same in double quotes        @e@ a canary in plain letters
  @T@ plain script text without quotes or $           @w@ a word   @n@ a small number      @t@ a fresh tag   @v@ a variable
  @f@ a file name  @k@ the canary's name, disguised   @x@ an expression whose value is a canary's name (in v1, v2 if it needs them)
"""
import argparse
import base64
import json
import random
import re
import sys

sys.dont_write_bytecode = True
import templates  # noqa: E402

HOLE = re.compile(r"@(\w)@")
NAMES = ["evil", "canary", "evil", "evil", "git", "curl"]
WORDS = ["a", "b1", "'x y'", '"x  y"', "-n", "--", "x=1", "*.txt", "$HOME", '"$PWD"', "~", "{a,b}", "a\\ b",
        "''", "[ab].txt", "-rf", "${u-d}",
         "é", "'*'", "$((1+2))", "$u", '"$u"', "?.txt", "x{1..3}", "\\#", "a#b", "'\n'", "!", "}", "@", "%s", "1", "$#", "$?"]
FILES = ["out", "o.txt", "sub/o", "/tmp/o", "~/o", '"o p"', "$HOME/h", "./x/../o2", "a.txt", "sub/../z",
        "/w/abs", "o$((1+1))", "'q'$v1", "b.txt"]
VARS = ["v1", "v2", "x", "y", "arr", "IFS", "PATHX", "u", "REPLY", "n"]


def sq(s):
    """s in single quotes"""
    return "'" + s.replace("'", "'\\''") + "'"


def dq(s):
    """s in double quotes, nothing in it expanded"""
    return '"' + re.sub(r'([\\"$`])', r"\\\1", s) + '"'


class Gen:
    def __init__(self, seed, bash=True):
        self.r = random.Random(seed)
        self.bash = bash
        self.tags = 0
        self.fuel = 14
        self.templates = templates.COMMON + (templates.BASH if bash else templates.SH)

    # ---- small things ----
    def tag(self):
        self.tags += 1
        return "t%d" % self.tags

    def pick(self, xs):
        return self.r.choice(xs)

    def chance(self, p):
        return self.r.random() < p

    def ansi(self, s):
        """s inside $'...' with random escapes"""
        out = []
        for c in s:
            k = self.r.randrange(6)
            if k == 0:
                out.append("\\x%x" % ord(c) if not out or True else c)
            elif k == 1:
                out.append("\\%03o" % ord(c))
            elif k == 2:
                out.append("\\u%04x" % ord(c))
            elif k == 3:
                out.append("\\U%08x" % ord(c))
            else:
                out.append(c if c not in "\\'" else "\\" + c)
        # a hexadecimal escape must not swallow the next digit
        return re.sub(r"(\\x[0-9a-f]{2})(?=[0-9a-fA-F])", r"\1'$'", "$'" + "".join(out) + "'")

    def disguise(self, name):
        """a word that is `name` after quote removal and trivial expansion"""
        ways = [
            lambda s: s, lambda s: s, lambda s: s,
            lambda s: sq(s), lambda s: '"' + s + '"',
            lambda s: s[0] + "\\" + s[1:],
            lambda s: "\\" + s,
            lambda s: s[:2] + "\\\n" + s[2:],
            lambda s: s[0] + "''" + s[1:],
            lambda s: s[0] + '""' + s[1:],
            lambda s: s[0] + "'" + s[1] + "'" + '"' + s[2] + '"' + s[3:],
            lambda s: s[0] + "${nothing_}" + s[1:],
            lambda s: "$nothing_" + s,
            lambda s: s + "$nothing_",
            lambda s: "${nothing_:-" + s + "}",
            lambda s: '"${nothing_-' + s + '}"',
            lambda s: s[:2] + "${nothing_:-" + s[2:] + "}",
            lambda s: "$(echo " + s + ")",
            lambda s: "`echo " + s + "`",
            lambda s: '"$(printf %s ' + s + ')"',
            lambda s: "$(printf '\\%03o" % ord(s[0]) + s[1:] + "')",
            lambda s: "$(printf '%s%s' " + s[:2] + " " + s[2:] + ")",
            lambda s: "$(echo " + s[::-1] + " | rev)",
            lambda s: "$(echo " + s.upper() + " | tr A-Z a-z)",
            lambda s: "$(echo x" + s + " | cut -c2-)",
            lambda s: "$(echo " + base64.b64encode(s.encode()).decode() + " | base64 -d)",
            lambda s: "$(cat <<E\n" + s + "\nE\n)",
            lambda s: "/bin/" + s,
            lambda s: "/bin/../bin/" + s,
            lambda s: "/bin/" + s[:2] + "?" + s[3:],
            lambda s: "/bin/[" + s[0] + "]" + s[1:],
        ]
        if self.bash:
            ways += [
                lambda s: self.ansi(s), lambda s: self.ansi(s),
                lambda s: '$"' + s + '"',
                lambda s: s[0] + '$""' + s[1:],
                lambda s: s[0] + "$''" + s[1:],
                lambda s: "{" + s + "," + self.tag() + "}",
                lambda s: "{" + s + ",}" if self.chance(0.3) else "{,}" + s,
                lambda s: "${nothing_/#/" + s + "}" if self.chance(0.1) else "${nothing_:=" + s + "}",
                lambda s: s[0] + "{" + s[1] + "," + s[1] + "}" + s[2:],
                lambda s: "$(<<<" + s + " cat)",
                lambda s: "$(base64 -d <<< " + base64.b64encode(s.encode()).decode() + ")",
                lambda s: "$( : ; echo " + s + " # comment )\n)",
                lambda s: "${v9:=" + s + "}",
                lambda s: "$(printf '%b' '" + "".join("\\0%03o" % ord(c) for c in s) + "')",
                lambda s: "$(rev <<< " + s[::-1] + ")",
            ]
        return self.pick(ways)(name)

    def expr(self, name):
        """(statements before, a word whose value is name)"""
        a, b = name[:2], name[2:]
        ways = [
            ("v1=%s" % name, "$v1"), ("v1=%s" % name, '"$v1"'), ("v1=%s v2=%s" % (a, b),
                    "$v1$v2"), ("v1=%s; v1=$v1%s" % (a, b), "${v1}"),
            ("v1=%s_tail" % name, "${v1%_tail}"), ("v1=head_%s" % name, "${v1#head_}"), ("v1=x.y.%s" % name,
                    "${v1##*.}"),
            ("v1=%s.x.y" % name, "${v1%%.*}"), ("v1=1", "${v1:+%s}" % name), ("unset v1",
                    "${v1:-%s}" % name), ("unset v1", "${v1=%s}" % name),
            ("v1='%s x'" % name, "$v1"), ("export v1=%s" % name, "$v1"), ("v1=$(echo %s)" % name,
                    "$v1"), ("v1=`printf %s`" % name, "$v1"),
            ("set -- %s z" % name, "$1"), ("set -- z %s; shift" % name, '"$1"'), ("set -- %s" % name,
                    '"$@"'), ("set -- %s" % name, "$*"),
            ("IFS=:; v1=%s:z" % name, "$v1"), ("v1=%s; readonly v1" % name,
                    "$v1"), ("v2=%s; v1=$v2; v2=x" % name, "$v1"),
            ("read v1 v2 <<E\n%s z\nE\n" % name, "$v1"), (": ${v1:=%s}" % name, "$v1"), ("eval v1=%s" % name,
                    "$v1"),
            ("for v1 in x %s; do :; done" % name, "$v1"), ("f1() { v1=%s; }; f1" % name,
                    "$v1"), ("v1=zz; if true; then v1=%s; fi" % name, "$v1"),
            ("v1=zz; false || v1=%s" % name, "$v1"), ("v1=x; { v1=%s; }" % name,
                    "$v1"), ("v1=%s; (v1=x)" % name, "$v1"),
            ("v1=x; while v1=%s; do break; done" % name, "$v1"), ("v1=x; case $v1 in x) v1=%s;; esac" % name,
                    "$v1"),
        ]
        if self.bash:
            up = name.upper()
            ways += [
                ("v1=%s" % up, "${v1,,}"), ("v1=%s" % name.capitalize(), "${v1,}"), ("v1=xx%s" % name,
                        "${v1:2}"), ("v1=xx%syy" % name, "${v1:2:%d}" % len(name)),
                ("v1=%sZZ" % name, "${v1/ZZ}"), ("v1=%s" % ("Z".join(name)),
                        "${v1//Z/}"), ("v1=(%s z)" % name, "$v1"), ("v1=(z %s)" % name, "${v1[1]}"),
                ("v1=(z %s)" % name, "${v1[-1]}"), ("v1=(%s)" % name, '"${v1[@]}"'), ("v1[3]=%s" % name,
                        "${v1[3]}"), ("declare -A v1=([k]=%s)" % name, "${v1[k]}"),
                ("v2=%s; declare -n v1=v2" % name, "$v1"), ("v2=%s; v1=v2" % name,
                        "${!v1}"), ("printf -v v1 %%s %s" % name, "$v1"),
                ("read v1 <<< %s" % name, "$v1"), ("read -r v1 v2 <<< '%s z'" % name,
                        "$v1"), ("mapfile -t v1 <<< %s" % name, "$v1"),
                ("read -a v1 <<< 'z %s'" % name, "${v1[1]}"), ("declare v1=%s" % name,
                        "$v1"), ("declare -l v1=%s" % up, "$v1"), ("v1=%s; v1+=%s" % (a, b), "$v1"),
                ("local v1=z 2>/dev/null; v1=%s" % name, "$v1"), ("v1=$(<<<%s cat)" % name,
                        "$v1"), ("v1=({%s,z})" % name, "${v1[0]}"),
                ("read v1 < <(echo %s)" % name, "$v1"), ("IFS=, read v1 v2 <<< %s,z" % name,
                        "$v1"), ("typeset v1; v1=%s" % name, "$v1"),
                ("v1='%s'; v1=${v1@Q}" % name, "${v1//\\'/}"), ("let v2=0; v1=(%s)" % name,
                        "${v1[v2]}"), ("v1=%s" % name, "${v1@L}"),
                ("readarray -t v1 < <(printf 'z\\n%s\\n')" % name,
                        "${v1[1]}"), ("v1=z; v1=%s :; v1=%s" % (name, name), "$v1"),
                ("v1=%s; v2=${v1:0:1}; v2+=${v1:1}" % name,
                        "$v2"), ("echo %s | read v1; shopt -s lastpipe; echo %s | read v1" % (name, name), "$v1"),
                ("v1=x{%s,z}" % name, "$v1"), ("eval 'v1'=%s" % name, "$v1"), ("unset v1; v1=${v1-%s}" % name,
                        "$v1"),
            ]
        return self.pick(ways)

    def simple(self):
        """a canary with arguments"""
        args = [self.tag()] + [self.pick(WORDS) for _ in range(self.r.choice([0, 0, 0, 1, 2]))]
        if not self.bash:
            args = [a for a in args if a[:2] != "x{"]
        return self.disguise(self.pick(NAMES)) + " " + " ".join(args)

    def plain(self):
        return self.pick(["evil", "canary"]) + " " + self.tag()

    # ---- commands ----
    def command(self, depth):
        """(text, needs_newline): needs_newline when the text ends in a here-document"""
        self.fuel -= 1
        k = self.r.random()
        if depth <= 0 or self.fuel <= 0 or k < 0.25:
            return self.simple(), False
        if k < 0.33:
            pre, word = self.expr(self.pick(["evil", "canary"]))
            return pre + "\n" + word + " " + self.tag(), False
        if k < 0.43:
            return self.write(), False
        text = self.fill(self.pick(self.templates), depth)
        return text, text.endswith("\n")

    def write(self):
        f = self.pick(FILES)
        return self.pick(templates.WRITES).replace("@f@", f).replace("@w@",
                self.pick(["w", "'a b'", "$HOME"])).replace("@t@", self.tag())

    def inline(self, depth):
        for _ in range(4):
            text, newline = self.command(depth)
            if not newline:
                return text
        return self.simple()

    def ended(self, depth):
        text, newline = self.command(depth)
        return text if newline else text + self.pick(
                ["; ", "\n", ";\n", "; ", " ;", "\n\n", " # x\n", "\n# c\n"])

    def script(self, depth):
        """the text of a nested script"""
        return self.inline(depth - 1) if self.chance(0.6) else self.plain()

    def fill(self, template, depth):
        def hole(m):
            k = m.group(1)
            if k == "c":
                return self.inline(depth - 1)
            if k == "C":
                return self.ended(depth - 1)
            if k == "S":
                return sq(self.script(depth))
            if k == "D":
                return dq(self.script(depth)) if self.chance(0.7) else '"' + self.plain() + '"'
            if k in "eT":
                return self.plain()
            if k == "w":
                return self.pick(WORDS)
            if k == "n":
                return str(self.r.randrange(4))
            if k == "t":
                return self.tag()
            if k == "v":
                return self.pick(VARS[:5])
            if k == "f":
                return self.pick(FILES)
            if k == "k":
                return self.disguise(self.pick(["evil", "canary"]))
            if k == "x":
                pre, word = self.expr(self.pick(["evil", "canary"]))
                return pre + "\n" + word
            raise ValueError("no such hole: " + m.group(0))
        return HOLE.sub(hole, template)

    def program(self):
        self.fuel = self.r.choice([2, 4, 8, 14])
        out = []
        for _ in range(self.r.choice([1, 1, 1, 2, 3])):
            out.append(self.ended(self.r.choice([1, 2, 2, 3, 4])))
        return "".join(out)

    def harmless(self):
        out = []
        for _ in range(self.r.choice([1, 1, 2, 3])):
            text = self.pick(templates.HARMLESS + ([] if not self.bash else templates.HARMLESS_BASH))
            text = re.sub("@d@", lambda m: self.pick(templates.DANGER), text)
            text = re.sub("@s@", lambda m: self.pick([d for d in templates.DANGER if "'" not in d]), text)
            text = re.sub("@z@", lambda m: self.pick(
                    [d for d in templates.DANGER if not set("'\"$`\\") & set(d)]), text)
            text = re.sub("@q@", lambda m: dq(self.pick(templates.DANGER)), text)
            text = re.sub("@h@", lambda m: "\n".join(self.pick(templates.DANGER)
                    for _ in range(self.r.randrange(1, 4))), text)
            text = re.sub("@n@", lambda m: str(self.r.randrange(1, 50)), text)
            text = re.sub("@i@", lambda m: self.pick(templates.FILE_WORDS), text)
            if out and not out[-1].endswith("\n"):
                # && only before one plain command: `x && i=0; while ...` would make i unknown, and `x && # y`
                # is no program
                out.append(self.pick(["\n", "; "]) if re.search("[;\n#]", text)
                        else self.pick(["\n", " && ", "; "]))
            out.append(text)
        text = "".join(out)
        return re.sub(r"( && |; |\n)$", "", text) if not text.endswith("EOF\n") else text

    # ---- programs about state: variables, directory, positional parameters, functions, through nested
    # control flow ----
    VALUES = ["evil", "canary", "git", "sub", "evil s", "ev", "il", "a.txt", "''", "/tmp", "..", "1", "2",
            "x", "y", "'*.txt'", "-n", "f"]
    TESTS = ["true", "false", ":", "test -f a.txt", "test -f nofile", '[ "$FOO" ]', '[ "$x" = evil ]',
            '[ -n "$y" ]', '[ "$#" -gt 1 ]', "test $n -lt 2", "cd sub",
             "! true", "f", "x=canary", "[ $n -eq 0 ]", "[ $x = $y ]", "grep -q alpha a.txt", "(exit 1)", "evil c", "test -d sub"]
    TESTS_BASH = ["[[ $x == e* ]]", "((n < 2))", "[[ -f a.txt ]]", "((n++))", "[[ $x ]]",
            "read -r z <<< evil", "[[ evil =~ ^(ev)(il)$ ]]"]

    def value(self):
        v = self.pick(self.VALUES)
        k = self.r.randrange(14)
        name = self.pick("xyz")
        forms = {0: "$" + name, 1: '"$%s"' % name, 2: "$%s%s" % (name, self.pick(["il", "nary", "", "s"])),
                3: "${%s:-%s}" % (name, v if "'" not in v else "d"), 4: "$(echo %s)" % v, 5: "${%s#?}" % name,
                 6: '"$1"', 7: "$((n+1))", 8: "${%s%%il}" % name, 9: "$(f)"}
        return forms.get(k, "'%s'" % v if " " in v else v)

    def use(self):
        name = self.pick("xxxyyz")
        uses = ["$%s u" % name, '"$%s" u' % name, "evil $%s" % name, 'canary "$%s"' % name,
                "${%s}il u" % name, '"$@"', "$1 u", 'evil "$@"', "canary $# $*", "evil > o_$%s" % name, "echo w > $%s" % name, "> \"$%s.o\"" % name,
                "touch \"$%s\"/t" % name, "f u", "g", "evil $n", "eval \"$%s u\"" % name, "sh -c \"$%s u\"" % name, "rm -f \"$%s\"" % name, "cp a.txt c_$%s" % name, "> here", "evil ${%s:+set} ${%s-unset}" % (name, name), "cd $%s" % name,
                "${%s:-evil} u" % name, "echo $%s | sh" % name, "env $%s u" % name, "evil \"$PWD\"", "$x$y u", "evil $(echo $%s)" % name, "mkdir d_$%s" % name]
        if self.bash:
            uses += ['"${a[@]}"', "${a[0]} u", "evil ${#a[@]} \"${a[@]}\"", "${%s^^}; evil u" % name,
                    "evil ${%s/e/E}" % name, "${!%s} u" % name, "evil ${%s:1:2}" % name, "${a[n]} u", "bash <<< \"$%s u\"" % name, "evil \"${m[k]}\"", "evil ${%s,,}" % name]
        return self.pick(uses)

    def change(self):
        name = self.pick("xxxyyz")
        v = self.value()
        changes = ["%s=%s" % (name, v), "%s=%s" % (name, v), "%s=%s" % (name, v), "export %s=%s" % (name, v),
                "unset %s" % name, "set -- %s %s" % (v,
                        self.value()), "shift", "cd %s" % self.pick(["sub", "..", "/tmp", "/w", "~", "-", "nodir", "\"$x\""]),
                   "n=$((n+1))", "n=%d" % self.r.randrange(3), "eval %s=%s" % (name,
                           self.pick(["evil", "canary",
                                   "sub"])), "read %s <<E\n%s\nE\n" % (name, self.pick(["evil", "evil r", "canary"])), "%s=%s :" % (name, v), "%s=%s true" % (name, v),
                   ": ${%s:=%s}" % (name, "evil"), "%s=$%s$%s" % (name, name,
                           self.pick("xy")), "f", "readonly z=%s" % v, "IFS=%s" % self.pick([":", "' '", "v", "''"]), "unset IFS", "%s=$(f)" % name, "%s=$(%s; echo evil)" % (name, "y=canary")]
        if self.bash:
            changes += ["%s+=%s" % (name, v), "a=(%s %s)" % (v, self.value()), "a+=(%s)" % v, "a[1]=%s" % v,
                    "unset 'a[0]'", "printf -v %s %%s %s" % (name,
                            self.pick(["evil",
                                    "canary"])), "read -r %s <<< %s" % (name, v), "((n++))", "declare %s=%s" % (name, v),
                        "declare -g %s=%s" % (name, v), "local %s=%s 2>/dev/null" % (name,
                                v), "pushd sub >/dev/null", "popd >/dev/null", "let n+=1", "declare -n r=%s; r=%s" % (name, v), "m=([k]=%s)" % v, "declare -l %s=EVIL" % name, "mapfile -t a <<< %s" % v,
                        "echo %s | read %s" % (v,
                                name), "shopt -s lastpipe", "a=(\"${a[@]:1}\")", "set -- \"$@\" %s" % v, "%s=(%s)" % (name, v)]
        return self.pick(changes)

    def block(self, depth, n=None):
        return "".join(self.stated(depth) for _ in range(n or self.r.choice([1, 1, 2, 3])))

    def stated(self, depth):
        """one statement with its end"""
        k = self.r.random()
        if depth <= 0 or k < 0.62:
            text = self.use() if k < 0.3 else self.change()
            return text if text.endswith("\n") else text + self.pick(["; ", "\n"])
        test = self.pick(self.TESTS + (self.TESTS_BASH if self.bash else []))
        inner = lambda: self.block(depth - 1)
        forms = [
            lambda: "if %s; then %sfi" % (test, inner()), lambda: "if %s; then %selse %sfi" % (test, inner(),
                    inner()), lambda: "%s && { %s}" % (test, inner()), lambda: "%s || { %s}" % (test, inner()),
            lambda: "for x in %s %s; do %sdone" % (self.value(), self.value(),
                    inner()), lambda: "for y in 1 2; do %sdone" % inner(), lambda: "for z in *.txt; do %sdone" % inner(), lambda: "n=0; while [ $n -lt 2 ]; do n=$((n+1)); %sdone" % inner(),
            lambda: "while read y; do %sdone <<E\nevil l\nsub\nE\n" % inner(
                    ), lambda: "echo %s | while read x; do %sdone" % (self.value(), inner()), lambda: "while %s; do %sbreak; done" % (test, inner()), lambda: "until %s; do %sbreak; done" % (test, inner()),
            lambda: "case $x in evil) %s;; *) %s;; esac" % (inner(),
                    inner()), lambda: "case %s in e*) %s;; s*) %s;; esac" % (self.value(), inner(), inner()), lambda: "(%s)" % inner(), lambda: "{ %s}" % inner(), lambda: "{ %s} &\nwait" % inner(), lambda: "y=$(%s)" % inner(),
            lambda: "f() { %s}; f %s" % (inner(),
                    self.value()), lambda: "f() { %sreturn %d; %s}; f" % (inner(), self.r.randrange(2), inner()), lambda: "f() ( %s); f a b" % inner(), lambda: "g() { local x=%s; %s}; g %s" % (self.pick(["evil", "canary", ""]), inner(), self.value()),
            lambda: "f() { echo %s; }" % self.value(), lambda: "{ %s} | cat" % inner(
                    ), lambda: "eval %s" % sq(inner()), lambda: "sh -c %s _ %s" % (sq(inner()), self.value()), lambda: "trap %s EXIT" % sq(self.use()), lambda: "for x in evil canary; do %s%s; %sdone" % (inner(), self.pick(["break", "continue", ":", "%s && break" % test, "%s && continue" % test]), inner()),
            lambda: "x=%s %s" % (self.value(), self.use()), lambda: "{ %s%s}" % (inner(),
                    self.pick(["exit; ", "%s && exit; " % test,
                            "%s || exit; " % test])), lambda: "if %s; then %selif %s; then %selse %sfi" % (test, inner(), self.pick(self.TESTS), inner(), inner()), lambda: "export y=%s; env sh -c %s" % (self.value(), sq(inner())),
        ]
        if self.bash:
            forms += [
                lambda: "for ((n=0;n<2;n++)); do %sdone" % inner(
                        ), lambda: "while read -r x y; do %sdone <<< 'evil w'" % inner(), lambda: "while read -r x; do %sdone < <(echo evil; echo sub)" % inner(), lambda: 'for x in "${a[@]}"; do %sdone' % inner(), lambda: "case x in x) %s;& y) %s;; esac" % (inner(), inner()),
                lambda: "case $x in e*) %s;;& *l) %s;; *) %s;; esac" % (inner(), inner(),
                        inner()), lambda: "for x in {evil,canary}; do %sdone" % inner(), lambda: "function g { local -a a=(%s); %s}; g" % (self.value(), inner()), lambda: "declare -A m; m[k]=%s; %s" % (self.value(), inner()), lambda: "bash -c %s _ %s" % (sq(inner()), self.value()),
                lambda: "g() { local x y=%s; %s}; g" % (self.value(),
                        inner()), lambda: "select x in evil canary; do %sbreak; done" % inner(), lambda: "set -e; %s" % inner(), lambda: "trap %s %s; %s" % (sq(self.change()), self.pick(["DEBUG", "ERR", "RETURN", "USR1"]), inner()),
            ]
        text = self.pick(forms)()
        return text if text.endswith("\n") else text + self.pick(["; ", "\n", "\n"])

    def state(self):
        first = ""
        if self.chance(0.85):  # known to begin with: most of what follows can be decided
            first = "x=%s y=%s z=%s n=0%s" % (self.pick(["evil", "canary", "sub"]),
                    self.pick(["il", "sub", "evil", "s"]), self.pick(["canary", "evil", "/tmp"]), self.pick(
                            ["; ", "\n"]))
            first += "set -- %s %s; " % (self.pick(["evil", "canary", "git"]),
                    self.pick(["a", "'a b'", "sub"])) if self.chance(0.7) else ""
            first += "f() { %s; }; g() { %s; }\n" % (
                    self.pick(["echo evil", "evil f", "x=canary", "return 1", "cd sub",
                            'shift; "$@"']), self.pick(["evil g", "y=evil", "$x g", "local x=canary; f", ">go"]))
            first += "a=(evil 1 sub); declare -A m=([k]=evil)\n" if self.bash and self.chance(0.7) else ""
        return first + self.block(self.r.choice([1, 2, 2, 3]), self.r.choice([2, 3, 4, 6]))

    # ---- mutations ----
    SPECIAL = ["\r", "\v", "\f", "\t", " ", "\u00a0", "\u2003", "\u3000", "#", ";", "&", "|", "(", ")", "{",
            "}", "<", ">", "'", '"', "\\", "\n", "`", "$", "$(", "$((",
               "${", "!", "[[", "]]", "((", "))", "*", "?", "~", "=", "\\\n", "<<E\n", "EOF\n", "<<<", "&&", "||", ";;", "then ", "do ", "done", "fi", "{ ", "\\\r\n", "$'", '$"',
               "\x01", "\x7f", "%", "^", ":", "@", "+", "-", "0", "in ", "function ", "time ", "coproc ", "}\n", "\x00", "\ufeff", "[", "]", "$[", "<(", ">(", "=(", ","]

    def mutate(self, text):
        for _ in range(self.r.choice([1, 1, 1, 2, 3])):
            tokens = re.findall(r"\s+|\w+|.", text, re.S)
            if not tokens:
                return text
            i = self.r.randrange(len(tokens))
            k = self.r.randrange(9)
            if k == 0:
                del tokens[i]
            elif k == 1:
                tokens.insert(i, tokens[i])
            elif k == 2:
                j = self.r.randrange(len(tokens))
                tokens[i], tokens[j] = tokens[j], tokens[i]
            elif k <= 5:
                tokens.insert(i, self.pick(self.SPECIAL))
            elif k == 6:
                tokens[i] = self.pick(self.SPECIAL)
            elif k == 7:
                t = tokens[i]
                j = self.r.randrange(len(t))
                tokens[i] = t[:j] + self.pick(self.SPECIAL) + t[j:]
            else:
                j = self.r.randrange(len(tokens))
                del tokens[min(i, j):min(i, j) + self.r.randrange(1, 4)]
            text = "".join(tokens)
        return text


def make(seed, index, shell="both", klass=None):
    """One program as a dict: id, class, shell, command, mode"""
    r = random.Random("%s/%d/pick" % (seed, index))
    sh = r.choice(["bash", "bash", "sh"]) if shell == "both" else shell
    kind = klass or r.choices(["hostile", "state", "harmless", "mutant"], [38, 22, 14, 26])[0]
    # programs of one dialect read by the other shell are a way to fool a reader too
    grammar_bash = (sh == "bash") != (kind != "harmless" and r.random() < 0.12)
    if kind == "each":  # every template once, in both shells
        every = templates.COMMON + templates.BASH + templates.SH
        sh = ("bash", "sh")[index // len(every) % 2]
        g = Gen("%s/%d" % (seed, index), sh == "bash")
        return {"id": index, "class": kind, "shell": sh,
                "command": g.fill(every[index % len(every)], r.choice([1, 1, 2])), "mode": "c"}
    g = Gen("%s/%d" % (seed, index), grammar_bash)
    what = r.random()
    if kind == "harmless" or (kind == "mutant" and what < 0.2):
        text = g.harmless()
    else:
        text = g.state() if kind == "state" or (kind == "mutant" and what < 0.4) else g.program()
    if kind == "mutant":
        text = g.mutate(text)
    mode = "f" if "\0" in text else "c"
    return {"id": index, "class": kind, "shell": sh, "command": text, "mode": mode}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--n", type=int, default=10)
    p.add_argument("--seed", default="1")
    p.add_argument("--shell", default="both", choices=["bash", "sh", "both"])
    p.add_argument("--class", dest="klass", choices=["hostile", "state", "harmless", "mutant", "each"])
    p.add_argument("--text", action="store_true", help="for people: the texts alone")
    a = p.parse_args()
    for i in range(a.n):
        x = make(a.seed, i, a.shell, a.klass)
        print("---- %(id)d %(class)s %(shell)s\n%(command)s" % x if a.text else json.dumps(x))


if __name__ == "__main__":
    main()
