#!/usr/bin/env python3
"""Writes src/wings/trl/keys.def: every key that classes of arguments behind TRL's files, and others of its kind, have had.

    ORACLE_TRL=CLONE ORACLE_LIKE=CLONE:CLONE tests/oracle/trl_keys.py TRAINING_ARGS...

CLONEs are those of huggingface/trl, and of huggingface/alignment-handbook and huggingface/open-r1, whose scripts are
TRL's with arguments of their own; TRAINING_ARGS are the training_args.py of transformers' releases.
"""
import ast, os, sys

from history import texts

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", "trl", "keys.def")


def fields(text):
    """Names of the fields of all classes of arguments."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef) and node.name.endswith(("Config", "Arguments")):
            for item in node.body:
                if isinstance(item, ast.AnnAssign) and not item.target.id.startswith("_"):
                    yield item.target.id


keys = set()
for file in sys.argv[1:]:
    keys.update(fields(open(file).read()))
for clone, commit, *paths in [(os.environ["ORACLE_TRL"], "f2cd5771", "trl", "examples/scripts")] + [
        (clone, "HEAD", "src", "scripts") for clone in os.environ["ORACLE_LIKE"].split(":")]:
    for file, text in texts(clone, commit, *paths):
        try:
            keys.update(fields(text))
        except SyntaxError:
            pass
head = open(OUT).read().split("/* clang-format off */\n")[0] + "/* clang-format off */\n"
with open(OUT + ".new", "w") as out:
    out.write(head)
    for name in sorted(keys):
        out.write('KEY("%s")\n' % name)
os.replace(OUT + ".new", OUT)
