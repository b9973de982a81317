#!/usr/bin/env python3
"""Writes src/wings/NAME/commits.def: the commits of main with their moments, by the clone that ORACLE_TORCHTITAN or ORACLE_MEGATRON names.

    tests/oracle/commits.py torchtitan|megatron

The moment of a commit is its day and its place among those of the day that a history tells apart: the rows of the timeline,
and commits below, whose keys or functions are dated so.
"""
import os, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from harness.environment import ROOT
from of.torchtitan import versions

# Commits that keys.def dates within their day, found by the lines that they change.
MARKS = {"c97876e7d": 2024121103, "f4048f8e1": 2025061751, "db52d57ca": 2025071402, "be211c823": 2025080502, "fd5a87fa6": 2025081102,
         "e61f2cce4": 2025102902, "36a4b6942": 2025121702, "0a2107f98": 2026012002, "156db2ead": 2026031102, "b2cd149f6": 2026050402,
         "6348d93d1": 2026042704}
PLACES = os.path.join(ROOT, "tests", "oracle", "of", "torchtitan", "places.tsv")  # those of functions.def, by titan_functions.py
CLONES = {"torchtitan": ("ORACLE_TORCHTITAN", "pytorch/torchtitan"), "megatron": ("ORACLE_MEGATRON", "NVIDIA/Megatron-LM")}
HEAD = """/*
 * The commits of main of %s up to %s: eight digits of the hash, by which they are sorted, and
 * their moments. Made by tests/oracle/commits.py from the repository's history; do not edit.
 */
/* clang-format off */
"""


def places():
    with open(PLACES) as file:
        return {line.split()[0]: int(line.split()[1]) for line in file if not line.startswith("#")}


def main():
    name = sys.argv[1]
    variable, repository = CLONES[name]
    log = subprocess.run(["git", "--git-dir=" + os.environ[variable], "log", "--first-parent", "--reverse", "--format=%H %cd",
                          "--date=format:%Y%m%d", "HEAD"], stdout=subprocess.PIPE, check=True, text=True).stdout
    marks = dict(MARKS, **places(), **dict(versions.moments())) if name == "torchtitan" else {}
    commits = [line.split() for line in log.splitlines()]
    ahead = [marks[commit[:9]] for commit, _ in commits if commit[:9] in marks]  # marks still to come
    rows, last = [], 0  # `last`: the newest mark
    for commit, day in commits:
        if commit[:9] in marks:
            last = ahead.pop(0)
            assert abs(int(day) - last // 100) <= 1, commit
        # clocks of committers differ: what stands between two marks is dated between them
        moment = max(last, int(day) * 100)
        rows.append((commit[:8], last if ahead and moment >= ahead[0] else moment))
    rows.sort()
    assert len({prefix for prefix, _ in rows}) == len(rows), "eight digits tell them apart no more"
    with open(os.path.join(ROOT, "src", "wings", name, "commits.def"), "w") as file:
        file.write(HEAD % (repository, commit[:9]))
        for at in range(0, len(rows), 4):
            file.write(" ".join("C(%s, %d)" % row for row in rows[at:at + 4]) + "\n")


if __name__ == "__main__":
    main()
