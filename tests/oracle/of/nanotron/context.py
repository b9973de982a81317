"""ParallelContext under a recorder of new_group: the groups of some ranks by the names of its attributes, or the exception."""
from of.meshes import WORLDS, degrees, groups_of, same_error

KEYS = {"tp": "tp", "pp": "pp", "dp": "dp", "ep": "expert_parallel_size"}
GROUPS = {"tp_pg": "tp", "dp_pg": "dp_replicate", "pp_pg": "pp", "expert_pg": "ep", "mp_pg": "mp"}  # what parplan calls them


def make(rng, version):
    world = rng.choice(WORLDS)
    sizes = degrees(rng, world, list(KEYS))
    if rng.random() < 0.25:
        sizes[rng.choice(["tp", "pp", "dp"])] = rng.choice([1, 2, 3, 4])
    return {"world": world, "sizes": {name: sizes.get(name, 1) for name in KEYS}}


def context_class():
    """ParallelContext, with what it finds around it: nothing but numpy, torch and nanotron.distributed."""
    import os

    import numpy
    import torch

    from harness.cut import cut
    from unittest import mock

    dist = mock.Mock(**{"is_available.return_value": True, "is_initialized.return_value": True, "ProcessGroup": object})
    dist.new_group = lambda ranks, *args, **kwargs: [int(rank) for rank in ranks]
    given = {"os": os, "np": numpy, "torch": mock.Mock(), "dist": dist, "DistributedBackend": str, "Tuple": tuple, "List": list}
    return cut(("nanotron", "parallel", "context.py"), ["ParallelContext"], given)["ParallelContext"]


def ask(case, version):
    import os

    kind, answer, sizes = context_class(), {}, case["sizes"]
    for rank in sorted({0, case["world"] // 2, case["world"] - 1}):
        os.environ.update(WORLD_SIZE=str(case["world"]), RANK=str(rank))
        context = kind(tensor_parallel_size=sizes["tp"], pipeline_parallel_size=sizes["pp"], data_parallel_size=sizes["dp"],
                       expert_parallel_size=sizes["ep"])
        answer[str(rank)], seen = {}, []
        for name, group in vars(context).items():
            if name in GROUPS and len(group) > 1 and group not in seen:  # one of the same ranks is the same group
                seen.append(group)
                answer[str(rank)][GROUPS[name]] = sorted(group)
    return answer


def compare(case, answer, version, parplan):
    text = "general:\n  project: p\n  run: r\ntokens:\n  sequence_length: 64\n  micro_batch_size: 1\n"
    text += "  batch_accumulation_per_replica: 64\n  train_steps: 2\n  limit_val_batches: 0\nparallelism:\n"
    text += "".join("  %s: %d\n" % (KEYS[name], size) for name, size in case["sizes"].items() if name != "ep" or size > 1)
    plan = parplan.json("plan", "--framework", "nanotron@" + version, "--world", case["world"], parplan.file("nano.yaml", text))
    have, want = plan.get("error"), answer.get("error")
    if have or want:
        return None if same_error(have, want) else "raises %s, parplan says %s" % (want, have)
    for rank, groups in answer.items():
        mine = groups_of(plan, int(rank))
        for name in sorted(set(groups) | set(mine)):
            if groups.get(name) != mine.get(name):
                return "on rank %s %s is %s, parplan says %s" % (rank, name, groups.get(name), mine.get(name))
    return None
