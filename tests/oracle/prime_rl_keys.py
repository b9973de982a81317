#!/usr/bin/env python3
"""Writes src/wings/prime_rl/keys.def: keys that classes behind prime-rl's files have had, and whose they are.

    ORACLE_PRIME_RL=CLONE tests/oracle/prime_rl_keys.py [COMMIT]

CLONE is that of PrimeIntellect-ai/prime-rl, COMMIT the last that counts (default 559b4477).
"""
import ast, os, re, sys

from history import texts

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", "prime_rl", "keys.def")
CONFIGS = ["packages/prime-rl-configs/src/prime_rl/configs", "src/prime_rl/configs", "src/prime_rl/trainer/config.py",
           "src/prime_rl/trainer/rl/config.py", "src/prime_rl/trainer/sft/config.py", "src/prime_rl/rl.py"]
CLASSES = {
    "RLConfig": "RL", "BaseRLConfig": "RL", "SFTConfig": "SFT", "SFTTrainerConfig": "SFT", "TrainerConfig": "TRAINER",
    "RLTrainerConfig": "TRAINER", "BaseModelConfig": "MODEL", "ModelConfig": "MODEL", "BaseDeploymentConfig": "DEPLOYMENT",
    "SingleNodeDeploymentConfig": "DEPLOYMENT", "MultiNodeDeploymentConfig": "DEPLOYMENT",
    "SingleNodeSFTDeploymentConfig": "DEPLOYMENT", "MultiNodeSFTDeploymentConfig": "DEPLOYMENT",
}
KINDS = [(r"bool", "FLAG"), (r"int|float", "NUMBER"), (r"str", "TEXT"), (r"(dict|Dict)(\[.*\])?", "MAP"),
         (r"(list|List)(\[.*\])?", "LIST")]


def kind(annotation):
    """What values a field takes, or None: which is not plain."""
    if annotation.startswith("Annotated["):
        annotation = ast.unparse(ast.parse(annotation).body[0].value.slice.elts[0])
    text = re.sub(r" \| None$", "", annotation)
    return next((kind for pattern, kind in KINDS if re.fullmatch(pattern, text)), None)


def fields(text):
    """(class, name of a field, what it takes) of all classes that a file is read into."""
    for node in ast.parse(text).body:
        for item in node.body if isinstance(node, ast.ClassDef) and node.name in CLASSES else []:
            if isinstance(item, ast.AnnAssign):
                yield CLASSES[node.name], item.target.id, kind(ast.unparse(item.annotation))


kinds = {}
for path, text in texts(os.environ["ORACLE_PRIME_RL"], sys.argv[1] if len(sys.argv) > 1 else "559b4477", *CONFIGS):
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
