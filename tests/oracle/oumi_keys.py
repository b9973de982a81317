#!/usr/bin/env python3
"""Writes src/wings/oumi/keys.def: every key that dataclasses behind oumi's files have had, and whose they are.

    ORACLE_OUMI=CLONE tests/oracle/oumi_keys.py [COMMIT]

CLONE is that of oumi-ai/oumi, COMMIT the last that counts (default d8ed0777).
"""
import os, sys

from homes import write

CONFIGS = ["src/oumi/core/configs", "src/oumi/core/types", "src/lema/core/configs", "src/lema/core/types"]
CLASSES = {
    "TrainingConfig": "ROOT", "ModelParams": "MODEL", "DataParams": "DATA", "DatasetSplitParams": "SPLIT",
    "DatasetParams": "DATASET", "TrainingParams": "TRAINING", "PeftParams": "PEFT", "FSDPParams": "FSDP",
    "DeepSpeedParams": "DEEPSPEED", "OffloadConfig": "OFFLOAD", "ProfilerParams": "PROFILER",
    "ProfilerScheduleParams": "SCHEDULE", "TelemetryParams": "TELEMETRY", "GrpoParams": "GRPO", "GkdParams": "GKD",
    "GoldParams": "GOLD",
}
write("oumi", os.environ["ORACLE_OUMI"], sys.argv[1] if len(sys.argv) > 1 else "d8ed0777", CONFIGS, CLASSES)
