#!/usr/bin/env python3
"""Every line of tests/msan/lines with every file for its @, under MemorySanitizer: sweep.py FILE...

Prints each run that ended otherwise than parplan ends, then how many there were. BIN is the program."""
import multiprocessing, os, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from serve.client import run  # noqa: E402

with open(os.path.join(ROOT, "tests", "msan", "lines")) as text:
    LINES = [line.split() for line in text]


def sweep(file):
    """Those command lines that did not end with 0, 1 or 2."""
    lines = [[file if word == "@" else word for word in line] for line in LINES]
    ends = [(line, run(line, text=False).returncode) for line in lines]
    return ["exit status %d: parplan %s" % (status, " ".join(line)) for line, status in ends if not 0 <= status <= 3]


if __name__ == "__main__":
    files, wrong = sys.argv[1:], 0
    with multiprocessing.Pool() as pool:
        for ends in pool.imap_unordered(sweep, files):
            wrong += len(ends)
            print("".join(end + "\n" for end in ends), end="", flush=True)
    print("%d files, %d command lines, %d runs: %d ended otherwise" % (len(files), len(LINES), len(files) * len(LINES), wrong))
    sys.exit(wrong > 0)
