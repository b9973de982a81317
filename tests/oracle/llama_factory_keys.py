#!/usr/bin/env python3
"""Writes src/wings/llama_factory/keys.def: every key that classes of arguments behind LLaMA-Factory's files have had.

    ORACLE_LLAMA_FACTORY=CLONE ORACLE_ROLL=CLONE tests/oracle/llama_factory_keys.py TRAINING_ARGS...

CLONEs are those of hiyouga/LLaMA-Factory and alibaba/ROLL, which has mcore_adapter; TRAINING_ARGS are directories
with the training_args.py and training_args_seq2seq.py of transformers' releases.
"""
import ast, os, sys

from history import texts

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", "llama_factory", "keys.def")
FACTORY, ROLL = os.environ["ORACLE_LLAMA_FACTORY"], os.environ["ORACLE_ROLL"]
HPARAMS = ["src/llamafactory/hparams", "src/llmtuner/hparams"]
ADAPTER = "mcore_adapter/src/mcore_adapter/training_args.py"


def fields(text):
    """Name of class: names of its fields that a file can give."""
    found = {}
    for node in ast.parse(text).body:
        for item in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(item, ast.AnnAssign) and "init=False" not in ast.unparse(item).replace(" ", ""):
                found.setdefault(node.name, set()).add(item.target.id)
    return found


def versions(clone, commit, *paths):
    """The fields of all versions of files, by file and class."""
    seen = {}
    for path, text in texts(clone, commit, *paths):
        for name, keys in fields(text).items():
            seen.setdefault((os.path.basename(path), name), set()).update(keys)
    return seen


sets = {}
for (path, name), keys in versions(FACTORY, "ff6d4d12", *HPARAMS).items():
    kind = {"training_args.py": "PLAIN", "megatron_bridge_args.py": "BRIDGE"}.get(path, "COMMON")
    sets.setdefault(kind, set()).update(keys)
for keys in versions(FACTORY, "ff6d4d12", "src/llamafactory/v1/config").values():
    sets.setdefault("V1", set()).update(keys)
for keys in versions(ROLL, "8eb27cc2", ADAPTER).values():
    sets.setdefault("ADAPTER", set()).update(keys)
for directory in sys.argv[1:]:
    for file in ["training_args.py", "training_args_seq2seq.py"]:
        for name, keys in fields(open(os.path.join(directory, file)).read()).items():
            if name.endswith("TrainingArguments"):
                sets["COMMON"].update(keys)
for kind in sets:
    sets[kind] = {name for name in sets[kind] if not name.startswith("_")}
head = open(OUT).read().split("/* clang-format off */\n")[0] + "/* clang-format off */\n"
order = ["COMMON", "PLAIN", "ADAPTER", "BRIDGE", "V1"]
with open(OUT + ".new", "w") as out:
    out.write(head)
    for name in sorted(set().union(*sets.values())):
        out.write('KEY("%s", %s)\n' % (name, " | ".join(kind for kind in order if name in sets[kind])))
os.replace(OUT + ".new", OUT)
