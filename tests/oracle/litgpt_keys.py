#!/usr/bin/env python3
"""Writes src/wings/litgpt/keys.def: every key that litgpt's training scripts have taken, and whose they are.

    ORACLE_LITGPT=CLONE tests/oracle/litgpt_keys.py [COMMIT]

CLONE is that of Lightning-AI/litgpt, COMMIT the last that counts (default 26857050).
"""
import os, sys

from homes import write

SCRIPTS = ["litgpt/args.py", "litgpt/config.py", "litgpt/pretrain.py", "litgpt/finetune"]
CLASSES = {"setup": "SCRIPT", "TrainArgs": "TRAIN", "EvalArgs": "EVAL", "LogArgs": "LOG", "Config": "MODEL"}
write("litgpt", os.environ["ORACLE_LITGPT"], sys.argv[1] if len(sys.argv) > 1 else "26857050", SCRIPTS, CLASSES)
