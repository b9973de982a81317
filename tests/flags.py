#!/usr/bin/env python3
"""A flag that lacks a letter or has one too many ends no check: for each flag of each launch file the exit
status is that of a check and the JSON is whole. Usage: flags.py FILE..."""
import json, os, re, shutil, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve.client import run

FLAG = re.compile(rb"(?<![\w-])--([a-z][\w.-]{2,})")


def misspelt(name):
    """Without its middle letter, without its last, with one twice."""
    half = len(name) // 2
    return {name[:half] + name[half + 1 :], name[:-1], name[:half] + name[half : half + 1] + name[half:]} - {name}


def judge(path):
    """None, or what is wrong with the check of a file."""
    done = run(["check", "--format", "json", path])
    if done.returncode not in (0, 1):
        return "exit status %d" % done.returncode
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return "no JSON"
    return None if len(report["files"]) == 1 else "%d files" % len(report["files"])


passed = failed = 0
with tempfile.TemporaryDirectory() as work:
    for number, path in enumerate(sys.argv[1:]):
        folder = os.path.join(work, str(number))
        shutil.copytree(os.path.dirname(path), folder)
        copy, text = os.path.join(folder, "misspelt-" + os.path.basename(path)), open(path, "rb").read()
        for flag in FLAG.finditer(text):
            for name in sorted(misspelt(flag.group(1))):
                with open(copy, "wb") as out:
                    out.write(text[: flag.start(1)] + name + text[flag.end(1) :])
                wrong = judge(copy)
                passed, failed = passed + (wrong is None), failed + (wrong is not None)
                if wrong:
                    print("%s: --%s: %s" % (path, name.decode(), wrong))
print("%d passed, %d failed" % (passed, failed))
