#!/usr/bin/env python3
"""Writes src/wings/oumi/keys.def: every key that dataclasses behind oumi's files have had, and whose they are.

    ORACLE_OUMI=CLONE tests/oracle/oumi_keys.py [COMMIT]

CLONE is that of oumi-ai/oumi, COMMIT the last that counts (default d8ed0777).
"""
import ast, os, re, sys

from history import texts

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", "oumi", "keys.def")
CONFIGS = ["src/oumi/core/configs", "src/oumi/core/types", "src/lema/core/configs", "src/lema/core/types"]
CLASSES = {
    "TrainingConfig": "ROOT", "ModelParams": "MODEL", "DataParams": "DATA", "DatasetSplitParams": "SPLIT",
    "DatasetParams": "DATASET", "TrainingParams": "TRAINING", "PeftParams": "PEFT", "FSDPParams": "FSDP",
    "DeepSpeedParams": "DEEPSPEED", "OffloadConfig": "OFFLOAD", "ProfilerParams": "PROFILER",
    "ProfilerScheduleParams": "SCHEDULE", "TelemetryParams": "TELEMETRY", "GrpoParams": "GRPO", "GkdParams": "GKD",
    "GoldParams": "GOLD",
}


KINDS = [(r"bool", "FLAG"), (r"int|float", "NUMBER"), (r"str", "TEXT"), (r"(dict|Dict)(\[.*\])?", "MAP"),
         (r"(list|List)(\[.*\])?", "LIST")]


def kind(annotation):
    """What values a field takes, or None: which is not plain."""
    text = re.sub(r"^Optional\[(.*)\]$", r"\1", annotation)
    text = re.sub(r" \| None$", "", text)
    return next((kind for pattern, kind in KINDS if re.fullmatch(pattern, text)), None)


def fields(text):
    """(class, name of a field, what it takes) of all classes that a file is read into."""
    for node in ast.parse(text).body:
        for item in node.body if isinstance(node, ast.ClassDef) and node.name in CLASSES else []:
            if isinstance(item, ast.AnnAssign) and not item.target.id.startswith("_"):
                yield CLASSES[node.name], item.target.id, kind(ast.unparse(item.annotation))


kinds = {}
for path, text in texts(os.environ["ORACLE_OUMI"], sys.argv[1] if len(sys.argv) > 1 else "d8ed0777", *CONFIGS):
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
