#!/usr/bin/env python3
"""Writes src/wings/litgpt/keys.def: every key that litgpt's training scripts have taken, and whose they are.

    ORACLE_LITGPT=CLONE tests/oracle/litgpt_keys.py [COMMIT]

CLONE is that of Lightning-AI/litgpt, COMMIT the last that counts (default 26857050).
"""
import ast, os, re, sys

from history import texts

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", "litgpt", "keys.def")
SCRIPTS = ["litgpt/args.py", "litgpt/config.py", "litgpt/pretrain.py", "litgpt/finetune"]
CLASSES = {"setup": "SCRIPT", "TrainArgs": "TRAIN", "EvalArgs": "EVAL", "LogArgs": "LOG", "Config": "MODEL"}
KINDS = [(r"bool", "FLAG"), (r"int|float", "NUMBER"), (r"str", "TEXT")]


def kind(annotation):
    """What values a field takes, or None: which is not plain."""
    text = re.sub(r"^Optional\[(.*)\]$", r"\1", re.sub(r" \| None$", "", annotation))
    return next((kind for pattern, kind in KINDS if re.fullmatch(pattern, text)), None)


def fields(text):
    """(owner, name, what it takes) of a script's arguments and of the classes among them."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name in CLASSES:
            items = [(one.arg, one.annotation) for one in node.args.args]
        elif isinstance(node, ast.ClassDef) and node.name in CLASSES:
            items = [(one.target.id, one.annotation) for one in node.body if isinstance(one, ast.AnnAssign)]
        else:
            items = []
        for name, annotation in items:
            yield CLASSES[node.name], name, kind(ast.unparse(annotation)) if annotation else None


kinds = {}
for path, text in texts(os.environ["ORACLE_LITGPT"], sys.argv[1] if len(sys.argv) > 1 else "26857050", *SCRIPTS):
    for owner, name, takes in fields(text):
        kinds.setdefault((name, owner), set()).add(takes)
rows = {}
for (name, owner), takes in kinds.items():
    rows.setdefault((name, takes.pop() or "ANY" if len(takes) == 1 else "ANY"), set()).add(owner)
head = open(OUT).read().split("/* clang-format off */\n")[0] + "/* clang-format off */\n"
with open(OUT + ".new", "w") as out:
    out.write(head)
    for name, takes in sorted(rows):
        owners = rows[name, takes]
        out.write('KEY("%s", %s, %s)\n' % (name, " | ".join(one for one in CLASSES.values() if one in owners), takes))
os.replace(OUT + ".new", OUT)
