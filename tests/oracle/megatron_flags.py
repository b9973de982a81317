#!/usr/bin/env python3
"""Writes src/wings/megatron/flags.def: every flag that Megatron-LM's parser has had.

    ORACLE_MEGATRON=CLONE tests/oracle/megatron_flags.py [FILE...]

FILE holds flags as a parser itself lists them ("--name", one a line), for commits whose parser makes flags of dataclasses:

    parser = argparse.ArgumentParser(); megatron.training.arguments.add_megatron_arguments(parser)
    for action in parser._actions: print(*action.option_strings, sep="\\n")
"""
import os, re, subprocess, sys

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", "megatron", "flags.def")
WHERE = ["arguments.py", "megatron/arguments.py", "megatron/training/*.py", "megatron/post_training/arguments.py", "pretrain_*.py"]


def head():
    return open(OUT).read().split("/* clang-format off */\n")[0] + "/* clang-format off */\n"


def wrapped(words, width):
    line = ""
    for word in words:
        if len(line) + len(word) + 1 > width:
            yield line
            line = ""
        line = (line + " " + word).strip()
    yield line


log = subprocess.run(["git", "-C", os.environ["ORACLE_MEGATRON"], "log", "-p", "--format=", "d98e8a64", "--", *WHERE],
                     capture_output=True, check=True).stdout.decode(errors="replace")
added = "\n".join(line for line in log.splitlines() if line.startswith("+"))
names = set(re.findall(r"['\"]--([a-zA-Z0-9][\w-]{2,})['\"]", added))
for path in sys.argv[1:]:
    names |= {line.split()[0][2:] for line in open(path) if line.startswith("--")}
with open(OUT + ".new", "w") as out:
    out.write(head() + "\n".join(wrapped(['"%s",' % name for name in sorted(names)], 120)) + "\n")
os.replace(OUT + ".new", OUT)
