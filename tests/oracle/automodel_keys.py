#!/usr/bin/env python3
"""Writes src/wings/nemo_automodel/keys.def: every key that classes behind sections of Automodel's recipes have taken.

    ORACLE_AUTOMODEL=CLONE tests/oracle/automodel_keys.py [COMMIT]

CLONE is that of NVIDIA-NeMo/Automodel, COMMIT the last that counts (default 36044ad3).
"""
import os, sys

from homes import write

CLASSES = {
    "StepScheduler": "STEPS", "StepSchedulerConfig": "STEPS", "CheckpointingConfig": "CHECKPOINT", "LRSchedulerConfig": "SCHEDULER",
    "OptimizerParamScheduler": "SCHEDULER", "FSDP2Config": "FSDP2", "FSDP2Manager": "FSDP2", "MegatronFSDPConfig": "FLAT",
    "MegatronFSDPManager": "FLAT", "FSDPManager": "FLAT", "NVFSDPManager": "FLAT", "DDPConfig": "DDP", "DDPManager": "DDP",
    "ParallelismSizes": "FSDP2 FLAT DDP", "PipelineConfig": "PIPELINE", "MoEParallelizerConfig": "MOE", "PeftConfig": "PEFT",
}
COMMON = "strategy tp_size pp_size cp_size ep_size dp_size dp_replicate_size pipeline moe activation_checkpointing _target_ _recursive_ _convert_"
MORE = {
    "STEPS": "local_batch_size dp_size dataloader log_every micro_batch_size",  # handed to build(); of recipes for diffusion
    "CHECKPOINT": "restore_from load_base_model",  # taken out before
    "SCHEDULER": "_target_ warmup_ratio",  # of recipes/dllm
    "FSDP2": COMMON, "FLAT": COMMON, "DDP": COMMON,
    "PEFT": "_target_",
    "DIFFUSION": "use_hf_tp_plan cp_ring_degree cp_ulysses_degree backend cpu_offload reduce_dtype",  # recipes/diffusion/train.py
}
write("nemo_automodel", os.environ["ORACLE_AUTOMODEL"], sys.argv[1] if len(sys.argv) > 1 else "36044ad3", ["nemo_automodel"], CLASSES, MORE)
