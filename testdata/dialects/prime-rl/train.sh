#!/bin/sh
uv run rl @ auto.toml --trainer @ trainer.toml --deployment.num-train-gpus 2
