#!/usr/bin/env python3
"""Writes src/wings/torchtune/components.def: every name that packages of torchtune have had to import, and keys of recipes.

    ORACLE_TORCHTUNE=CLONE tests/oracle/torchtune_components.py [COMMIT]

CLONE is that of meta-pytorch/torchtune, COMMIT the last that counts (default bd2a0fc7).
"""
import ast, os, re, sys

from history import git, texts

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", "torchtune", "components.def")
CLONE, COMMIT = os.environ["ORACLE_TORCHTUNE"], sys.argv[1] if len(sys.argv) > 1 else "bd2a0fc7"


def names(text):
    """What a module has at its top, but what begins with an underscore."""
    for node in ast.walk(ast.parse(text)):
        found = []
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found = [(alias.asname or alias.name).split(".")[0] for alias in node.names]
        elif isinstance(node, ast.Assign):
            found = [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found = [node.name]
        for name in found:
            if not name.startswith("_") and name != "*":
                yield name


rows = set()
for path, text in texts(CLONE, COMMIT, "torchtune"):
    if not path.startswith("torchtune/") or "/_" in os.path.dirname(path):
        continue
    folder, file = os.path.split(path)
    package = folder.replace("/", ".")
    parts = package.split(".")
    rows.update((".".join(parts[:i]), parts[i]) for i in range(1, len(parts)))
    if file == "__init__.py":
        rows.update((package, name) for name in names(text))
    elif not file.startswith("_"):
        rows.add((package, file[:-3]))
keys = set()
for path, text in texts(CLONE, COMMIT, "recipes"):
    keys.update(re.findall(r"\bcfg(?:\.get\(\s*[\"']|\.)([a-z]\w+)(?![\w(])", text))
for path in git(CLONE, "ls-tree", "-r", "--name-only", COMMIT, "--", "recipes/configs").split():
    keys.update(re.findall(r"^([a-z]\w+):", git(CLONE, "show", "%s:%s" % (COMMIT, path)), re.M))
head = open(OUT).read().split("/* clang-format off */\n")[0] + "/* clang-format off */\n"
with open(OUT + ".new", "w") as out:
    out.write(head)
    for package, name in sorted(rows):
        out.write('COMPONENT("%s", "%s")\n' % (package, name))
    for name in sorted(keys):
        out.write('RECIPE_KEY("%s")\n' % name)
os.replace(OUT + ".new", OUT)
