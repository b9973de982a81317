#!/usr/bin/env python3
"""Writes src/wings/nemo_automodel/components.def: what modules of NeMo Automodel have had for a _target_, and which releases.

    ORACLE_AUTOMODEL=CLONE tests/oracle/automodel_components.py [COMMIT]

CLONE is that of NVIDIA-NeMo/Automodel, COMMIT the last that counts (default 36044ad3).
"""
import os, sys

from components import write
from history import git

CLONE, COMMIT = os.environ["ORACLE_AUTOMODEL"], sys.argv[1] if len(sys.argv) > 1 else "36044ad3"
RELEASES = ["v0.1.0", "v0.1.2", "v0.2.0", "v0.3.0", "v0.4.0", "v0.5.0"]
ALIAS = "nemo_automodel.models"  # of components.models, from v0.4.0 on


def named():
    """Modules that configs and documents of the releases name; of others it is enough that they are there."""
    found = {"nemo_automodel"}
    for release in [*RELEASES, COMMIT]:
        lines = git(CLONE, "grep", "-hoE", r"nemo_automodel(\.\w+)+", release, "--", "*.yaml", "*.md", "*.mdx")
        for path in set(lines.split()):
            parts = path.split(".")
            found.update(".".join(parts[:i]) for i in range(1, len(parts)))
    return found


WANTED = named()
write("nemo_automodel", CLONE, COMMIT, RELEASES, "nemo_automodel", lambda module: module in WANTED and not module.startswith(ALIAS))
