#!/usr/bin/python3 -B
"""What reading a policy costs: `caisson check` with a realistic policy of about 500 lines (150 prefixes, 100 regular expressions, 30 argument rules),
with the same text that only libfyaml reads, with presets, and without a policy, each as a ratio to `bash -c :`. All are started in turn in one run, so that a
busy moment hits all of them; medians."""
import os
import random
import statistics
import sys
import tempfile
import time

CAISSON = os.path.realpath(os.environ.get("CAISSON", "build/caisson"))
RUNS = int(os.environ.get("RUNS", "200"))


def policy():
    dice = random.Random(1)
    programs = "git npm docker kubectl helm terraform aws gcloud cargo go make pip poetry yarn pnpm psql ssh scp rsync curl jq".split()
    verbs = "push pull apply delete destroy run exec build test install publish login status list get describe scale drain".split()
    lines = ["default: allow", "tools:", "  bash:"]
    for key in ("deny", "ask", "allow"):
        lines.append(f"    {key}:")
        lines += [f"      - {dice.choice(programs)} {dice.choice(verbs)} --opt-{i}" for i in range(50)]
    lines.append("    checks:")
    for i in range(100):
        lines.append(f"      - test: '\\b{dice.choice(programs)}\\s+(-[a-zA-Z]+\\s+)*{dice.choice(verbs)}\\s+--?x{i}\\b'")
        lines.append(f"        description: this form of the command changes more than was asked for, number {i}")
    lines.append("    arguments:")
    for i in range(30):
        lines.append(f'      - command: "{dice.choice(programs)}|{dice.choice(programs)}"')
        lines.append('        anyArgOutside: [".", "/tmp/claude", "~/src"]')
        lines.append("        decision: ask")
        lines.append(f"        description: keep to the project, case {i}")
    lines += ["    redirects:", "      - {mode: write, outside: ['.', /tmp/claude, ~/src], decision: ask}",
            "      - {mode: any, glob: '/etc/**', decision: deny}"]
    lines += ["    normalise:", "      - {prefix: kubectl, strip: ['-n \\S+', '--context=\\S+']}",
            "permissions:"]
    lines += ["  deny: ['Read(~/.ssh/**)', 'Edit(//etc/**)', 'Bash(frob:*)']",
            "  ask: ['Bash(git push:*)', 'Bash(docker compose:*)']", "  allow: ['Bash(npm run test:*)', 'Bash(make check)']"]
    lines += ["checks_grade: {secret-read: deny, git-amend: ask, network: ask}",
            "protected_paths: [migrations/**, '*.lock']", "secret_paths: [config/prod.yaml]", "writable_roots: [~/scratch]"]
    return "\n".join(lines) + "\n"


def once(argv, env=None):
    """Seconds and exit code of one run; its output is thrown away."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, os.environ if env is None else env, file_actions=quiet)
    _, status = os.waitpid(pid, 0)
    return time.perf_counter() - start, os.waitstatus_to_exitcode(status)


def main():
    with tempfile.TemporaryDirectory() as folder:
        text = policy()
        files = {"plain": text, "full": text + "meta:\n  description: |\n    a text of several lines\n",
                "presets": "import: [git, secrets, filesystem, docker, kubernetes, terraform]\n"}
        for name, content in files.items():
            with open(f"{folder}/{name}.yaml", "w", encoding="utf-8") as f:
                f.write(content)
        os.chdir(folder)
        rows = [("bash -c :", ["/bin/bash", "-c", ":"]), ("no policy", [CAISSON, "check", "git status"])]
        rows += [(what, [CAISSON, "check", "--config", f"{name}.yaml", "git status"]) for what, name in
                 ((f"{text.count(chr(10))} lines", "plain"), ("the same through libfyaml", "full"),
                         ("six presets", "presets"))]
        times = {what: [] for what, _ in rows}
        for _ in range(RUNS):
            for what, argv in rows:
                times[what].append(once(argv)[0])
    base = statistics.median(times["bash -c :"])
    print("policy: caisson check 'git status' / bash -c : (medians)")
    for what, _ in rows[1:]:
        print(f"  {what:<28}{statistics.median(times[what]) / base:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
