#!/usr/bin/env python3
"""What keys of frameworks mean: testdata/keys/NAME.tsv, written down from their documents and held against parplan.

    file   NAME          what the config is called
    base   JSON          a config that is recognised, to which a key is added at a time; or, of a script,
    base   COMMAND       a line to which its flag is added
    near   yes          and a degree or a batch whose key lacks a letter is reported (misspelt-key, or unknown-key where it is refused), unless it stands in the base, too
    KEY    VALUE    NATIVE.KEY    VALUE      by tabs: with that key, `parplan init` writes that setting, and without it not
                                             ("-" as VALUE of a flag: it has none; "none" as that of a setting: it
                                             is not written with the key, either)

Ends with 'N passed, N failed'.
"""
import copy, glob, json, os, re, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve.client import run


def native(path):
    """{key: value} of the native config that init makes of a file, both as text."""
    found, above = {}, []
    for line in run(["init", "--world", "8", path]).stdout.splitlines():
        match = re.match(r"( *)([\w.\"'-]+):(?: (.*?))?(?:  #.*)?$", line)
        if match:
            depth = len(match[1]) // 2
            above = above[:depth] + [match[2]]
            if match[3]:
                found[".".join(above)] = match[3].strip('"')
    return found


def with_key(base, key, value):
    """The config's text with one more key."""
    if not base.startswith("{"):
        return "%s --%s%s\n" % (base, key, "" if value == "-" else " " + value)
    tree = copy.deepcopy(json.loads(base))
    *maps, last = key.split(".")
    place = tree
    for name in maps:
        if not isinstance(place.get(name), dict):
            place[name] = {}
        place = place[name]
    try:
        place[last] = json.loads(value)
    except ValueError:
        place[last] = value
    return json.dumps(tree)


def told(path, text):
    with open(path, "w") as file:
        file.write(text)
    return native(path)


def judge(row, base, path, before):
    """None where the key is the setting."""
    key, value, setting, want = row
    have = told(path, with_key(base, key, value)).get(setting)
    if (have or "none") != want:
        return "%s is %s" % (setting, have)
    if want == "none":
        return None
    return "%s is so without it" % setting if before.get(setting) == want else None


COUNTED = re.compile(r"parallelism\.(tp|pp|cp|dp_\w+)$|training\.(\w+_batch_size|gradient_accumulation_steps)$")


def overlooked(row, base, path):
    """None where the key without its last letter but two is reported."""
    key = row[0][:-3] + row[0][-2:]
    with open(path, "w") as file:
        file.write(with_key(base, key, row[1]))
    found = json.loads(run(["check", "--format", "json", "--world", "8", path]).stdout)["files"][0]["findings"]
    return None if any(f["rule"] in ("misspelt-key", "unknown-key") and key.split(".")[-1] in f["message"] for f in found) else "%s is overlooked" % key


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for table in sorted(glob.glob("testdata/keys/*.tsv")):
            lines = [line.rstrip("\n").split("\t") for line in open(table) if line.strip() and line[0] != "#"]
            name, base = lines[0][1], lines[1][1]
            path = os.path.join(folder, name)
            before = told(path, base + "\n")
            near = lines[2] == ["near", "yes"]
            for row in lines[2 + near:]:
                why = judge(row, base, path, before) or (overlooked(row, base, path) if near and COUNTED.match(row[2]) and '"%s"' % row[0].split(".")[-1] not in base else None)
                passed, failed = passed + (not why), failed + bool(why)
                if why:
                    print("%s: %s: %s: %s" % (table, row[0], row[1], why))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
