#!/usr/bin/env python3
"""Writes src/wings/nanotron/keys.def: every key that dataclasses behind nanotron's files have had, and whose they are.

    ORACLE_NANOTRON=CLONE tests/oracle/nanotron_keys.py [COMMIT]

CLONE is that of huggingface/nanotron, COMMIT the last that counts (default 2411b022).
"""
import ast, os, re, sys

from history import texts

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", "nanotron", "keys.def")
CLASSES = {
    "Config": "ROOT", "GeneralArgs": "GENERAL", "ParallelismArgs": "PARALLELISM", "CheckpointsArgs": "CHECKPOINTS",
    "ModelArgs": "MODEL", "LlamaConfig": "ARCHITECTURE", "Qwen2Config": "ARCHITECTURE",
    "Starcoder2Config": "ARCHITECTURE", "TokenizerArgs": "TOKENIZER", "TokensArgs": "TOKENS",
    "OptimizerArgs": "OPTIMIZER", "SGDOptimizerArgs": "FACTORY", "AdamWOptimizerArgs": "FACTORY",
    "LRSchedulerArgs": "SCHEDULER", "LoggingArgs": "LOGGING", "ProfilerArgs": "PROFILER", "DatasetStageArgs": "STAGE",
    "S3UploadArgs": "UPLOAD", "MetricsLoggingArgs": "METRICS",
}
KINDS = [(r"bool", "FLAG"), (r"int|float", "NUMBER"), (r"str", "TEXT"), (r"(dict|Dict)(\[.*\])?", "MAP"),
         (r"(list|List)(\[.*\])?", "LIST")]


def kind(annotation):
    """What values a field takes, or None: which is not plain."""
    text = re.sub(r"^Optional\[(.*)\]$", r"\1", annotation)
    return next((kind for pattern, kind in KINDS if re.fullmatch(pattern, text)), None)


def fields(text):
    """(class, name of a field, what it takes) of all classes that a file is read into."""
    for node in ast.parse(text).body:
        for item in node.body if isinstance(node, ast.ClassDef) and node.name in CLASSES else []:
            if isinstance(item, ast.AnnAssign):
                yield CLASSES[node.name], item.target.id, kind(ast.unparse(item.annotation))


kinds = {}
for path, text in texts(os.environ["ORACLE_NANOTRON"], sys.argv[1] if len(sys.argv) > 1 else "2411b022", "src/nanotron/config"):
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
        bits = [one for one in dict.fromkeys(CLASSES.values()) if one in owners]
        out.write('KEY("%s", %s, %s)\n' % (name, " | ".join(bits), takes))
os.replace(OUT + ".new", OUT)
