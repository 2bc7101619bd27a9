"""Samples of every form in knowledge/secrets.yaml, made by a generator that shares no code with the program: how many secrets does `caisson redact` find?
And harmless text of this machine and this tree: how much of it is taken for a secret? TAP.
redact.py CAISSON ROOT [show]: with show, prints what was missed and what was taken."""
import base64
import glob
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import uuid

CAISSON, ROOT = sys.argv[1], sys.argv[2]
SHOW = len(sys.argv) > 3
FORMS_MIN = 200       # formats
RECALL_MIN = 0.95
FALSE_MAX = 0.005
HARMLESS = 2000
EACH = 3              # samples of a form in each setting
CLASSES = {"w": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", "d": "0123456789", "h": "0123456789abcdef", "s": " \t", "n": "\n", "t": "\t"}
PRINTABLE = "".join(map(chr, range(33, 127)))
rng = random.Random(20)


# ---- the file, read line by line ----

def read_rules():
    tokens, names, vendors = [], [], []
    section = key = None
    row = {}
    lists = {"tokens": tokens, "names": names}
    for line in open(os.path.join(ROOT, "knowledge/secrets.yaml"), encoding="utf-8"):
        line = line.rstrip("\n")
        if not line or line.startswith("#"):
            continue
        top = re.match(r"(\w+):$", line)
        if top:
            section = top.group(1)
        elif section == "vendors":
            vendors.append([part.strip() for part in line[2:].split(" | ")])
        elif section in lists:
            m = re.match(r"(?:- |  )(\w+): (.*)", line)
            if m and line.startswith("- "):
                row = {}
                lists[section].append(row)
            if m:
                key = m.group(1)
                row[key] = "" if m.group(2) == ">-" else m.group(2).strip("'")
            else:
                row[key] += " " + line.strip()
    return tokens, names, vendors


def forms_of(row):
    """Blanks separate forms, but not inside of a set."""
    form, depth = "", 0
    for c in row["forms"].strip() + " ":
        depth += (c == "[") - (c == "]")
        if c == " " and not depth:
            if form:
                yield form
            form = ""
        else:
            form += c


# ---- making samples ----

def letters_of(part):
    if part[0] == "\\":
        return CLASSES.get(part[1], part[1])
    if part[0] != "[" or len(part) == 1:
        return part
    body, negated, out = part[1:-1], False, ""
    if body[0] == "^":
        body, negated = body[1:], True
    pieces = re.findall(r"\\.|[^\\]-[^\]]|.", body, re.S)
    for piece in pieces:
        if piece[0] == "\\":
            out += CLASSES.get(piece[1], piece[1])
        elif len(piece) == 3:
            out += "".join(map(chr, range(ord(piece[0]), ord(piece[2]) + 1)))
        else:
            out += piece
    return "".join(c for c in PRINTABLE if c not in out) if negated else out


def make(form):
    """A sample, and the part of it that must not be seen."""
    text, start, end = "", 0, None
    for m in re.finditer(r"(\\.|\[(?:\\.|[^\]])*\]|.)(?:\{(\d+)(,?)(\d*)\})?", form, re.S):
        part, least, comma, most = m.groups()
        if part == "(":
            start = len(text)
        elif part == ")":
            end = len(text)
        else:
            low = int(least) if least else 1
            high = int(most) if most else low + 12 if comma else low
            chosen = letters_of(part)
            text += "".join(rng.choice(chosen) for _ in range(rng.randint(low, high)))
    return text, text[start:end]


def fits(secret, needs):
    if "digit" in needs and not re.search("[0-9]", secret):
        return False
    return "mixed" not in needs or all(re.search(x, secret) for x in ("[0-9]", "[a-z]", "[A-Z]"))


def sample(form, needs):
    while True:
        text, secret = make(form)
        if fits(secret, needs):
            return text, secret


SETTINGS = ["%s", "the value is %s here", "X=%s", 'x = "%s"', '{"a": "%s", "b": 1}', "see (%s).", "- %s", "a\t%s\tb"]
INVISIBLE = ["\u200b", "\u00ad", "\u2060", "\ufeff", "\u200d"]


def token_samples(tokens):
    for row in tokens:
        needs = row.get("needs", "")
        if "shape" in needs:
            continue
        for form in forms_of(row):
            for setting in rng.sample(SETTINGS, EACH):
                text, secret = sample(form, needs)
                if "\n" not in text:
                    yield row["kind"], setting % text, secret
            text, secret = sample(form, needs)
            if "\n" not in text:
                at = text.index(secret) + len(secret) // 2
                yield row["kind"] + " with an invisible character", text[:at] + rng.choice(INVISIBLE) + text[at:], secret


def shape_samples():
    for _ in range(20):
        secret = "".join(rng.choice(CLASSES["w"] + "!.~-") for _ in range(rng.randint(6, 20)))
        yield "url-password", "postgres://app:%s@db.internal:5432/main" % secret, secret
        secret = base64.b64encode(rng.randbytes(rng.choice([48, 96]))).decode()
        yield "private-key", "-----BEGIN PRIVATE KEY-----\\n%s\\n-----END PRIVATE KEY-----" % secret, secret


def spelt(word):
    """A name in the styles of shells, JSON, headers."""
    return [word.upper(), word.replace("_", ""), word.replace("_", "-"), re.sub(r"_(\w)", lambda m: m.group(1).upper(), word)]


NAMED = ["%s=%s", "export %s=%s", "%s: %s", '"%s": "%s"', "%s = '%s'", "GET /a?b=1&%s=%s&c=2", "--%s %s", "--%s=%s", "<%s>%s</x>", '{\\"%s\\": \\"%s\\"}']


def name_samples(names):
    for row in names:
        after = row.get("after", "").split() or ["", "app", "prod_db"]
        for word in row["words"].split():
            for setting in NAMED:
                before = rng.choice(after)
                name = rng.choice(spelt((before + "_" if before else "") + word.strip("_")))
                if setting.startswith("--"):
                    name = name.lower().replace("_", "-")
                if row["value"] == "data":
                    secret = base64.b64encode(rng.randbytes(rng.randint(24, 60))).decode()
                else:
                    secret = "".join(rng.choice(CLASSES["w"] + "-") for _ in range(rng.randint(16, 40))).strip("-_")
                yield "after %s" % name, setting % (name, secret), secret
        if row["value"] == "any":
            for secret in ("hunter", "Tr0ub4dor&3", "letmein", "p@ssw0rd!", "s3cr3t"):
                shown = secret.split("&")[0]
                yield "short password", "DB_PASSWORD=%s" % secret, shown
                yield "short password", '{"password": "%s"}' % secret, secret


def vendor_samples(vendors, names):
    for kind, near, form in vendors:
        for setting in rng.sample(NAMED, EACH):
            text, secret = make(form)
            name = near + rng.choice(["_api_key", "_token", "_client_secret"])
            if setting.startswith("--"):
                name = name.replace("_", "-")
            yield kind, setting % (name, text), secret


# ---- harmless text ----

def lines_of(paths, want, telling=False):
    """Lines of some of the files, spread over them."""
    out, lists = [], []
    for path in rng.sample(sorted(paths), min(len(paths), want)):
        try:
            with open(path, encoding="utf-8") as f:
                lines = [x.rstrip("\n") for x in f if 12 < len(x) < 300]
        except (OSError, UnicodeDecodeError):
            continue
        if telling:
            lines = [x for x in lines if re.search(r"(?i)pass|token|secret|key|auth|credential", x)]
        rng.shuffle(lines)
        lists.append(lines)
    rng.shuffle(lists)
    while len(out) < want and any(lists):
        out += [x.pop() for x in lists if x]
    return out[:want]


def harmless():
    blobs = [rng.randbytes(400) for _ in range(60)]
    for i in range(240):
        blob = b"%d" % i + blobs[i % 60]
        h = hashlib.new(("md5", "sha1", "sha256", "sha512")[i % 4], blob).hexdigest()
        yield "hash", ("%s  src/file%d.c", "commit %s (%d)", "sha256:%s layer %d", "ETag: \"%s-%d\"", "index %s..%d 100644", "digest = %s # %d")[i % 6] % (h, i)
    for i in range(160):
        u = uuid.UUID(bytes=rng.randbytes(16), version=4)
        yield "uuid", ("id: %s", '"request_id": "%s"', "/v1/items/%s", "UUID=%s / ext4 defaults 0 1", "[%s] started", "volume %s attached")[i % 6] % u
    for i in range(120):
        h = base64.b64encode(rng.randbytes(32)).decode()
        yield "lock file", ("golang.org/x/net v0.%d.0 h1:%s" % (i, h), 'checksum = "%s"' % hashlib.sha256(h.encode()).hexdigest(),
                            '    {file = "a-%d.whl", hash = "sha256:%s"},' % (i, hashlib.sha256(h.encode()).hexdigest()), '      "integrity": "sha512-%s"' % base64.b64encode(rng.randbytes(64)).decode())[i % 4]
    for i in range(120):
        text = base64.b64encode(b"\x89PNG\r\n\x1a\n" + rng.randbytes(150)).decode()
        yield "image", ("data:image/png;base64,%s", "%s", '<image href="data:image/png;base64,%s"/>', "  %s")[i % 4] % text
    locked = 0
    for line in lines_of([os.path.join(ROOT, "package-lock.json")], 160):
        locked += 1
        yield "lock file", line
    code = glob.glob(ROOT + "/src/**/*.[ch]", recursive=True) + glob.glob(ROOT + "/scripts/*") + glob.glob(ROOT + "/bench/*.py")
    library = [p for p in glob.glob("/usr/lib/python3*/*.py") + glob.glob("/usr/lib/python3*/*/*.py") + glob.glob("/usr/share/perl*/**/*.pm", recursive=True) + glob.glob("/usr/include/*.h") if "/test/" not in p]
    have = 640 + locked
    for name, paths, want, telling in (("our source", code, 400, False), ("their source", library, 400, False), ("source with telling words", code + library, 400, True)):
        for line in lines_of(paths, want, telling):
            have += 1
            yield name, line
    for line in lines_of(glob.glob("/var/lib/dpkg/info/*.md5sums"), max(0, HARMLESS - have)):
        have += 1
        yield "checksums", line
    for i in range(max(0, HARMLESS - have)):
        yield "hash", hashlib.sha1(b"%d" % i).hexdigest()


# ---- the program ----

def redact(lines):
    done = subprocess.run([CAISSON, "redact", "--patterns-only"], input="\n".join(lines).encode() + b"\n", stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().split("\n")[:-1]


count = 0


def result(good, what):
    global count
    count += 1
    print("%s %d - %s" % ("ok" if good else "not ok", count, what))


def main():
    tokens, names, vendors = read_rules()
    forms = {f for row in tokens for f in forms_of(row)} | {tuple(v) for v in vendors}
    result(len(forms) >= FORMS_MIN, "%d formats, at least %d" % (len(forms), FORMS_MIN))
    samples = list(token_samples(tokens)) + list(shape_samples()) + list(name_samples(names)) + list(vendor_samples(vendors, names))
    shown = redact([text for _, text, _ in samples])
    missed = [s for s, line in zip(samples, shown) if s[2] in re.sub(r"\\u\{[0-9a-f]+\}", "", line).translate({ord(c): None for c in INVISIBLE})]
    result(len(shown) == len(samples), "a line for each of %d samples" % len(samples))
    recall = 1 - len(missed) / len(samples)
    result(recall >= RECALL_MIN, "%.2f %% of them found, at least %.0f %%" % (100 * recall, 100 * RECALL_MIN))
    plain = list(harmless())
    clean = redact([text for _, text in plain])
    taken = [(kind, text, line) for (kind, text), line in zip(plain, clean) if "[redacted:" in line and "[redacted:" not in text]
    result(len(plain) >= HARMLESS and len(clean) == len(plain), "%d harmless lines" % len(plain))
    result(len(taken) <= FALSE_MAX * len(plain), "%d of them changed, at most %.1f %%" % (len(taken), 100 * FALSE_MAX))
    for kind, text, secret in missed if SHOW else missed[:20] if recall < RECALL_MIN else []:
        print("#   missed: %s: %s" % (kind, json.dumps(text)))
    for kind, text, line in taken if SHOW or len(taken) > FALSE_MAX * len(plain) else []:
        print("#   taken: %s: %s" % (kind, json.dumps(line)))
    print("1..%d" % count)


main()
