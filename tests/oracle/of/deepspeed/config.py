"""DeepSpeedConfig on random JSON: the batch triple that it comes to, or the exception."""
import json

WORLDS = [1, 2, 3, 4, 6, 8, 8, 12, 16, 24, 32, 64]


def make(rng, version):
    world, config = rng.choice(WORLDS), {}
    micro, steps = rng.choice([1, 1, 2, 3, 4, 8]), rng.choice([1, 1, 2, 3, 4, 8])
    if rng.random() < 0.6:
        config["train_batch_size"] = micro * steps * world if rng.random() < 0.7 else rng.choice([0, 1, 7, 16, 32, 100, 256])
    if rng.random() < 0.6:
        config["train_micro_batch_size_per_gpu"] = micro if rng.random() < 0.95 else rng.choice([0, -1])
    if rng.random() < 0.5:
        config["gradient_accumulation_steps"] = steps if rng.random() < 0.95 else rng.choice([0, -1])
    if rng.random() < 0.5:
        config["bf16"] = {"enabled": rng.random() < 0.6}
    if rng.random() < 0.2:
        config["fp16"] = {"enabled": rng.random() < 0.5}
    if rng.random() < 0.2:
        config["sequence_parallel_size"] = rng.choice([n for n in (1, 2, 2, 3, 4) if world % n == 0])
    if not {"train_batch_size", "train_micro_batch_size_per_gpu"} & set(config) and rng.random() < 0.9:
        config["train_micro_batch_size_per_gpu"] = micro
    config["zero_optimization"] = {"stage": rng.randint(0, 3)}
    return {"world": world, "config": config}


def ask(case, version):
    from deepspeed.runtime import config

    config.dist.get_rank, config.dist.get_world_size = lambda group=None: 0, lambda group=None: case["world"]
    read = config.DeepSpeedConfig(case["config"])
    return {"triple": [read.train_batch_size, read.train_micro_batch_size_per_gpu, read.gradient_accumulation_steps]}


def compare(case, answer, version, parplan):
    path = parplan.file("ds.json", json.dumps(case["config"]))
    plan = parplan.json("plan", "--framework", "deepspeed@" + version, "--world", case["world"], path)
    have, want = plan.get("error"), answer.get("error")
    if have or want:
        same = have and want and (have["type"], have["message"]) == (want["type"], want["message"])
        return None if same else "raises %s, parplan says %s" % (want, have)
    return None


def listed(case, answer, version):
    if "needs to be provided" in str(answer.get("error")):
        return ("a file that names no batch size: the program or the trainer may give it in the call (deepspeed.initialize(config=...)), "
                "so parplan claims nothing")
    return None
