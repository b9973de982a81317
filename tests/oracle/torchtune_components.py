#!/usr/bin/env python3
"""Writes src/wings/torchtune/components.def: every name that packages of torchtune have had to import, and keys of recipes.

    ORACLE_TORCHTUNE=CLONE tests/oracle/torchtune_components.py [COMMIT]

CLONE is that of meta-pytorch/torchtune, COMMIT the last that counts (default bd2a0fc7).
"""
import os, re, sys

from components import write
from history import git, texts

CLONE, COMMIT = os.environ["ORACLE_TORCHTUNE"], sys.argv[1] if len(sys.argv) > 1 else "bd2a0fc7"
RELEASES = ["v0.1.0", "v0.1.1", "v0.2.0", "v0.2.1", "v0.3.0", "v0.3.1", "v0.4.0", "v0.5.0", "v0.6.0", "v0.6.1"]

packages = {os.path.dirname(path).replace("/", ".") for path in
            git(CLONE, "log", "--format=", "--name-only", COMMIT, "--", "torchtune/__init__.py", "torchtune/**/__init__.py").split()}
keys = set()
for path, text in texts(CLONE, COMMIT, "recipes"):
    keys.update(re.findall(r"\bcfg(?:\.get\(\s*[\"']|\.)([a-z]\w+)(?![\w(])", text))
for path in git(CLONE, "ls-tree", "-r", "--name-only", COMMIT, "--", "recipes/configs").split():
    keys.update(re.findall(r"^([a-z]\w+):", git(CLONE, "show", "%s:%s" % (COMMIT, path)), re.M))
write("torchtune", CLONE, COMMIT, RELEASES, "torchtune", lambda module: module in packages and "._" not in module,
      ['RECIPE_KEY("%s")\n' % name for name in sorted(keys)])
