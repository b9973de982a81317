#!/usr/bin/env python3
"""Writes src/wings/nanotron/keys.def: every key that dataclasses behind nanotron's files have had, and whose they are.

    ORACLE_NANOTRON=CLONE tests/oracle/nanotron_keys.py [COMMIT]

CLONE is that of huggingface/nanotron, COMMIT the last that counts (default 2411b022).
"""
import os, sys

from homes import write

CLASSES = {
    "Config": "ROOT", "GeneralArgs": "GENERAL", "ParallelismArgs": "PARALLELISM", "CheckpointsArgs": "CHECKPOINTS",
    "ModelArgs": "MODEL", "LlamaConfig": "ARCHITECTURE", "Qwen2Config": "ARCHITECTURE",
    "Starcoder2Config": "ARCHITECTURE", "TokenizerArgs": "TOKENIZER", "TokensArgs": "TOKENS",
    "OptimizerArgs": "OPTIMIZER", "SGDOptimizerArgs": "FACTORY", "AdamWOptimizerArgs": "FACTORY",
    "LRSchedulerArgs": "SCHEDULER", "LoggingArgs": "LOGGING", "ProfilerArgs": "PROFILER", "DatasetStageArgs": "STAGE",
    "S3UploadArgs": "UPLOAD", "MetricsLoggingArgs": "METRICS",
}
write("nanotron", os.environ["ORACLE_NANOTRON"], sys.argv[1] if len(sys.argv) > 1 else "2411b022", ["src/nanotron/config"], CLASSES)
