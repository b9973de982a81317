#!/usr/bin/env python3
"""Writes src/wings/prime_rl/keys.def: keys that classes behind prime-rl's files have had, and whose they are.

    ORACLE_PRIME_RL=CLONE tests/oracle/prime_rl_keys.py [COMMIT]

CLONE is that of PrimeIntellect-ai/prime-rl, COMMIT the last that counts (default 559b4477).
"""
import os, sys

from homes import write

CONFIGS = ["packages/prime-rl-configs/src/prime_rl/configs", "src/prime_rl/configs", "src/prime_rl/trainer/config.py",
           "src/prime_rl/trainer/rl/config.py", "src/prime_rl/trainer/sft/config.py", "src/prime_rl/rl.py"]
CLASSES = {
    "RLConfig": "RL", "BaseRLConfig": "RL", "SFTConfig": "SFT", "SFTTrainerConfig": "SFT", "TrainerConfig": "TRAINER",
    "RLTrainerConfig": "TRAINER", "BaseModelConfig": "MODEL", "ModelConfig": "MODEL", "BaseDeploymentConfig": "DEPLOYMENT",
    "SingleNodeDeploymentConfig": "DEPLOYMENT", "MultiNodeDeploymentConfig": "DEPLOYMENT",
    "SingleNodeSFTDeploymentConfig": "DEPLOYMENT", "MultiNodeSFTDeploymentConfig": "DEPLOYMENT",
}
write("prime_rl", os.environ["ORACLE_PRIME_RL"], sys.argv[1] if len(sys.argv) > 1 else "559b4477", CONFIGS, CLASSES)
