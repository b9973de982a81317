#!/usr/bin/env python3
"""What keys of frameworks mean: testdata/keys/NAME.tsv, written down from their documents and held against parplan.

    file   NAME          what the config is called
    base   JSON          a config that is recognised, to which a key is added at a time; or, of a script,
    base   COMMAND       a line to which its flag is added
    KEY    VALUE    NATIVE.KEY    VALUE      by tabs: with that key, `parplan init` writes that setting, and without it not
                                             ("-" as VALUE of a flag: it has none)

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
            if match[3] and above[0] != "defaults":
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
    if have != want:
        return "%s is %s" % (setting, have)
    return "%s is so without it" % setting if before.get(setting) == want else None


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for table in sorted(glob.glob("testdata/keys/*.tsv")):
            lines = [line.rstrip("\n").split("\t") for line in open(table) if line.strip() and line[0] != "#"]
            name, base = lines[0][1], lines[1][1]
            path = os.path.join(folder, name)
            before = told(path, base + "\n")
            for number, row in enumerate(lines[2:], 3):
                why = judge(row, base, path, before)
                passed, failed = passed + (not why), failed + bool(why)
                if why:
                    print("%s: %s: %s: %s" % (table, row[0], row[1], why))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
