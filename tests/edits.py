#!/usr/bin/env python3
"""Every edit that a finding offers does what it says: applied to the file, the finding is gone, and
there is no error of another rule. Usage: edits.py FILE..."""
import json, os, shutil, sys, tempfile

from serve.client import run

paths = sys.argv[1:]


def options(path):
    lines = open(path, encoding="utf-8", errors="replace").read().splitlines()
    return [word for line in lines if line.startswith("# run: ") for word in line[7:].split()]


def check(path, words):
    done = run(["check", "--format", "json", path] + words)
    return json.loads(done.stdout)["files"][0]["findings"] if done.stdout else []


def place(edit):
    return edit["span"]["line"], edit["span"]["column"]


def edited(text, edits):
    """The text after all edits, or None when one of them spans lines."""
    lines = text.split(b"\n")
    for edit in sorted(edits, key=place, reverse=True):
        span = edit["span"]
        if span["line"] != span["end_line"]:
            return None
        line = lines[span["line"] - 1]
        lines[span["line"] - 1] = line[: span["column"] - 1] + edit["text"].encode() + line[span["end_column"] - 1 :]
    return b"\n".join(lines)


def count(findings, rule):
    return sum(1 for finding in findings if finding["rule"] == rule)


def errors(findings):
    return {finding["rule"] for finding in findings if finding["severity"] == "error"}


# The edited files lie among copies of their neighbours, which some of them name.
work = tempfile.mkdtemp()
folders = {}
for path in paths:
    folder = os.path.dirname(path)
    if folder not in folders:
        folders[folder] = os.path.join(work, str(len(folders)))
        shutil.copytree(folder, folders[folder])

passed = failed = 0
for path in paths:
    words, text = options(path), open(path, "rb").read()
    before = check(path, words)
    for finding in before:
        edits = (finding.get("fix") or {}).get("edits") or []
        after_text = edited(text, edits) if edits and finding.get("path") == path else None
        if after_text is None:
            continue
        copy = os.path.join(folders[os.path.dirname(path)], "edited-" + os.path.basename(path))
        with open(copy, "wb") as out:
            out.write(after_text)
        after = check(copy, words)
        new = errors(after) - errors(before)
        if count(after, finding["rule"]) < count(before, finding["rule"]) and not new:
            passed += 1
            continue
        failed += 1
        print("%s:%d: the edit of %s %s" % (path, finding["span"]["line"], finding["rule"],
              "makes " + ", ".join(sorted(new)) if new else "changes nothing"))
shutil.rmtree(work)
print("%d passed, %d failed" % (passed, failed))
