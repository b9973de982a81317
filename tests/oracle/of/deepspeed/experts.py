"""deepspeed.utils.groups under a recorder of new_group: the groups of experts, and of the data-parallel ranks of one expert."""
import json

WORLDS = [2, 4, 6, 8, 12, 16, 24, 32, 64]


def make(rng, version):
    world = rng.choice(WORLDS)
    return {"world": world, "ep": rng.choice([d for d in range(2, world + 1) if world % d == 0])}


def ask(case, version):
    from deepspeed.utils import groups

    dist, answer = groups.dist, {}
    dist.is_initialized, dist.get_world_size = lambda: True, lambda group=None: case["world"]
    dist.new_group = lambda ranks, *args, **kwargs: list(ranks)
    for rank in sorted({0, case["world"] // 2, case["world"] - 1}):
        groups._EXPERT_PARALLEL_GROUP.clear(), groups._EXPERT_DATA_PARALLEL_GROUP.clear()
        dist.get_rank = lambda group=None: rank
        groups._create_expert_and_data_parallel(case["ep"])
        answer[str(rank)] = {"ep": list(groups._EXPERT_PARALLEL_GROUP.values())[0],
                             "expert_dp": list(groups._EXPERT_DATA_PARALLEL_GROUP.values())[0]}
    return answer


def compare(case, answer, version, parplan):
    config = {"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": True}, "zero_optimization": {"stage": 1},
              "expert_parallel": {"enabled": True, "autoep_size": case["ep"]}}
    plan = parplan.json("plan", "--world", case["world"], parplan.file("ds.json", json.dumps(config)))
    for rank, groups in answer.items():
        mine = [sorted(g) for mesh in plan["meshes"].values() for g in mesh["groups"] if int(rank) in g]
        for name, group in groups.items():
            if len(group) > 1 and sorted(group) not in mine:
                return "on rank %s %s is %s, parplan has %s" % (rank, name, group, mine)
    return None
