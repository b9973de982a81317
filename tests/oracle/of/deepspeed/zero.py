"""deepspeed.initialize on a small llama under the fake process group: who shares with whom, and which elements a rank's optimizer keeps.

Every element of the model holds its own number, so that a rank's flat vector shows which of them it has.
"""
import json, math

WORLDS = [1, 2, 3, 4, 6, 8, 8, 12, 16, 24]


def divisor(rng, number):
    return rng.choice([d for d in range(1, number + 1) if number % d == 0])


def make(rng, version):
    world, heads = rng.choice(WORLDS), rng.choice([1, 2])
    model = {"layers": 2, "hidden": 2 * heads * rng.randint(1, 9), "heads": heads, "ffn": rng.randint(1, 40), "vocab": rng.randint(3, 60)}
    config = {"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": rng.choice([1, 1, 2, 2, 3, 3, 3])}}
    if rng.random() < 0.4:
        config["sequence_parallel_size"] = divisor(rng, world)
        if rng.random() < 0.6:
            config["data_parallel_size"] = world // config["sequence_parallel_size"]
    if rng.random() < 0.2:
        config["zero_optimization"]["round_robin_gradients"] = True
    return {"world": world, "model": model, "config": config, "ranks": sorted({0, rng.randrange(world), world - 1})}


# ---- what the library does; torch is there ----


def numbered(case):
    """The model, and where each parameter's numbers begin; 0 is nobody's."""
    import torch

    from of.torch.fsdp import build

    model, at, first = build(case["model"]), {}, 1
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            at[name] = first
            parameter.copy_(torch.arange(first, first + parameter.numel(), dtype=torch.float32).view(parameter.shape))
            first += parameter.numel()
    return model, at


def runs_of(values, model, at):
    """{parameter: [offset, length]} of the numbers in a vector."""
    held, parts = {int(v) for v in values.tolist()}, {}
    for name, parameter in model.named_parameters():
        mine = [n - at[name] for n in range(at[name], at[name] + parameter.numel()) if n in held]
        if mine and mine != list(range(mine[0], mine[0] + len(mine))):
            raise AssertionError("%s is held in pieces" % name)
        if mine:
            parts[name] = [mine[0], len(mine)]
    return parts


def parts_of(model, at, rank):
    """The same where each parameter is cut by itself; what pads the last part is whatever lay there."""
    parts = {}
    for name, parameter in model.named_parameters():
        first = parameter.ds_tensor.numel() * rank
        length = min(parameter.ds_tensor.numel(), parameter.ds_numel - first)
        if length > 0:
            if parameter.ds_tensor[:length].tolist() != list(range(at[name] + first, at[name] + first + length)):
                raise AssertionError("%s is held elsewhere" % name)
            parts[name] = [first, length]
    return parts


def ask_on(rank, case):
    import deepspeed
    import torch
    import torch.distributed as dist
    from deepspeed.utils import groups

    from of.torch.fake import Rank

    groups.mesh_device = groups._WORLD_GROUP = groups._DATA_PARALLEL_GROUP = None
    deepspeed.comm.comm.cdb = None
    with Rank(rank, case["world"]):
        model, at = numbered(case)
        made = torch.optim.AdamW(model.parameters(), lr=1e-3)
        engine = deepspeed.initialize(model=model, config=json.loads(json.dumps(case["config"])), optimizer=made)[0]
        group = engine.seq_data_parallel_group
        if case["config"]["zero_optimization"]["stage"] == 3:
            group = next(model.parameters()).ds_process_group
            answer = {"parts": parts_of(model, at, dist.get_rank(group))}
        else:
            kept = torch.cat([part.flatten() for part in engine.optimizer.single_partition_of_fp32_groups])
            answer = {"parts": runs_of(kept, model, at)}
        answer["zero"] = sorted(dist.get_process_group_ranks(group))
        if groups.mesh_device is not None:
            answer["sp"] = sorted(dist.get_process_group_ranks(groups._get_sequence_parallel_group()))
        return answer


def no_reports():
    """Reports of memory collect garbage each time, for minutes in 0.16; they change nothing."""
    import sys

    for name, module in list(sys.modules.items()):
        if name.startswith("deepspeed") and hasattr(module, "see_memory_usage"):
            module.see_memory_usage = lambda *args, **kwargs: None


def ask(case, version):
    import importlib, os

    backend = importlib.import_module("deepspeed.comm.torch")  # deepspeed.comm's attribute of that name is PyTorch
    importlib.import_module("deepspeed.runtime.engine")
    os.environ["LOCAL_RANK"] = "0"
    backend.build_shm_op = lambda: None  # shared memory between processes: nothing to compile for ranks that are alone
    no_reports()
    return {"ranks": [ask_on(rank, case) for rank in case["ranks"]]}


# ---- what parplan says ----


def compare_rank(rank, want, plan):
    data = plan["data_parallel"]
    mine = sorted(next((group for group in data["shard_groups"] + data["replicate_groups"] if rank in group), [rank]))
    if want["zero"] != mine:
        return "rank %d shares with %s, parplan says %s" % (rank, want["zero"], mine)
    sp = next((sorted(group) for group in plan["meshes"].get("sp", {}).get("groups", []) if rank in group), [rank])
    if "sp" in want and want["sp"] != sp:
        return "rank %d's sequences are cut over %s, parplan says %s" % (rank, want["sp"], sp)
    for parameter in plan["parameters"]:
        have = run_of(parameter)
        if have != want["parts"].get(parameter["fqn"]):
            return "rank %d keeps %s of %s, parplan says %s" % (rank, want["parts"].get(parameter["fqn"]), parameter["fqn"], have)
    return None


def run_of(parameter):
    """[offset, length] of what the optimizer keeps of a parameter; one rank alone keeps it whole."""
    box = parameter.get("optimizer", parameter)["local"][0]
    if 0 in box["shape"]:
        return None
    return [0, math.prod(box["shape"])] if "optimizer" not in parameter and box["shape"] == parameter["shape"] \
        else [box["offset"][0], box["shape"][0]]


def compare(case, answer, version, parplan):
    if "error" in answer:
        return "raises %s" % answer["error"]
    path = parplan.file("ds.json", json.dumps(case["config"]))
    model = [word for name, size in [("arch", "llama"), *case["model"].items()] for word in ("--set", "model.%s=%s" % (name, size))]
    for rank, want in zip(case["ranks"], answer["ranks"]):
        plan = parplan.json("plan", "--framework", "deepspeed@" + version, "--world", case["world"], *model, "--rank", rank, path)
        why = "parplan raises %s" % plan["error"] if plan.get("error") else compare_rank(rank, want, plan)
        if why:
            return why
    return None
