"""Examples of a document are what happens: in blocks marked `console`, each line behind "$ " is a shell command, and what follows is exactly what it prints. Prints TAP.
        examples.py CAISSON DIRECTORY DOCUMENT...       (commands run in the directory, in order)"""
import os
import re
import subprocess
import sys

caisson, directory, documents = sys.argv[1], sys.argv[2], sys.argv[3:]
tools = os.path.join(directory, ".tools")
os.makedirs(tools)
os.symlink(os.path.abspath(caisson), os.path.join(tools, "caisson"))
env = dict(os.environ, PATH=tools + ":" + os.environ["PATH"])
n = 0
for document in documents:
    with open(document, encoding="utf-8") as f:
        blocks = re.findall(r"^```console\n(.*?)^```$", f.read(), re.M | re.S)
    rows = [row for block in blocks for row in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)]
    for command, want in rows:
        p = subprocess.run(["bash", "-c", command], cwd=directory, env=env, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        n += 1
        got = p.stdout.decode()
        print("%sok %d - %s: %s" % ("" if got == want else "not ", n, os.path.basename(document),
                command.replace("#", "\\#")))
        if got != want:
            print("".join("#   " + x + "\n" for x in ["got:"] + got.splitlines() + ["want:"]
                    + want.splitlines()), end="")
    n += 1
    print("%sok %d - %s has examples" % ("" if len(rows) >= 5 else "not ", n, os.path.basename(document)))
print("1..%d" % n)
