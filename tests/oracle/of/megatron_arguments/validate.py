"""training/arguments.py: parse_args and validate_args on random flags of pretrain_gpt.py; the first exception, or none.

Flags are those whose checks parplan claims; what a device or another package decides is stood in for (an H100, no Transformer Engine).
"""
from of.megatron_core import pin, script

WORLDS = [1, 2, 4, 8, 8, 12, 16, 16, 24, 32]


def make(rng, version):
    def maybe(chance, *flag):
        if rng.random() < chance:
            flags.append(list(flag) if len(flag) == 2 else [flag[0], True])

    world, layers, heads = rng.choice(WORLDS), rng.choice([4, 6, 8, 12, 16, 24]), rng.choice([4, 8, 16])
    sequence = rng.choice([64, 96, 128, 128])
    flags = [["--num-layers", layers], ["--hidden-size", 64 * heads], ["--num-attention-heads", heads], ["--seq-length", sequence],
             ["--max-position-embeddings", sequence if rng.random() < 0.93 else 32], ["--micro-batch-size", rng.choice([1, 1, 2])],
             ["--train-iters", 10], ["--lr", "1e-4"], ["--min-lr", "1e-5"], ["--mock-data", True], ["--tokenizer-type", "NullTokenizer"],
             ["--vocab-size", 1000], ["--bf16", True], ["--transformer-impl", "local"]]
    degree = lambda: rng.choice([1, 2, 2, 3, 4]) if rng.random() < 0.35 else rng.choice([d for d in (1, 2, 4) if world % d == 0])
    maybe(0.5, "--tensor-model-parallel-size", degree())
    maybe(0.2, "--sequence-parallel")
    pp = degree() if rng.random() < 0.5 else 1
    maybe(float(pp > 1), "--pipeline-model-parallel-size", pp)
    maybe(0.3, "--context-parallel-size", degree())
    maybe(0.3, "--num-layers-per-virtual-pipeline-stage", rng.choice([1, 2, 2, 3]))
    maybe(0.1, "--num-virtual-stages-per-pipeline-rank", 2)
    maybe(0.1, "--no-overlap-p2p-communication")
    maybe(0.1, "--decoder-first-pipeline-num-layers", rng.choice([1, 2, 4]))
    maybe(0.1, "--account-for-embedding-in-pipeline-split")
    maybe(0.3, "--use-distributed-optimizer")
    maybe(0.2, "--overlap-grad-reduce")
    maybe(0.1, "--overlap-param-gather")
    maybe(0.2, "--num-experts", rng.choice([2, 4, 6]))
    maybe(0.2, "--expert-model-parallel-size", degree())
    maybe(0.1, "--tp-comm-overlap") if rng.random() < 0.3 else None
    maybe(0.05, "--ckpt-format", rng.choice(["torch_dcp", "torch_dist", "fsdp_dtensor"]))
    words = dict(map(tuple, flags))
    tp = words.get("--tensor-model-parallel-size", 1)
    maybe(0.2, "--tensor-parallel-num-weight-shards", tp * rng.choice([1, 2, 2, 4]) + (rng.random() < 0.1))
    maybe(0.1, "--expert-tensor-parallel-num-weight-shards", tp * rng.choice([1, 2]) + (rng.random() < 0.1))
    return {"world": world, "flags": flags}


def ask(case, version):
    import os, sys, typing

    import typing_extensions

    if not hasattr(typing, "override"):  # Python 3.12 has it
        typing.override = typing_extensions.override
    import torch

    torch.cuda.get_device_capability = lambda device=None: (9, 0)
    torch.cuda.get_device_properties = lambda device=None: type("Device", (), {"major": 9, "minor": 0})()
    from megatron.training import arguments

    os.environ.update(RANK="0", WORLD_SIZE=str(case["world"]), CUDA_DEVICE_MAX_CONNECTIONS="1")
    sys.argv = ["pretrain_gpt.py"]
    for flag, value in case["flags"]:
        sys.argv += [flag] if value is True else [flag, *str(value).split()]
    try:
        arguments.validate_args(arguments.parse_args())
    except SystemExit as stop:
        return {"error": {"type": "SystemExit", "message": str(stop)}}
    return {}


# What follows validate_args in a job, when groups, the model and the first step are made.
LATER = ("core/parallel_state.py", "core/transformer", "core/tensor_parallel", "core/pipeline_parallel",
         "core/num_microbatches_calculator.py")


def compare(case, answer, version, parplan):
    plan = parplan.json("plan", "--framework", pin(version), parplan.file("train.sh", script(case)))
    have, want = plan.get("error"), answer.get("error")
    if have and not want and have.get("where", "").startswith(LATER):
        return None
    if have or want:
        same = have and want and (have["type"], have["message"]) == (want["type"], want["message"])
        return None if same else "raises %s, parplan says %s" % (want, have)
    return None
