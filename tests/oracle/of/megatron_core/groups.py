"""initialize_model_parallel under a recorder of new_group: the groups of some ranks by the names of its globals, or the exception."""
import re

from of.megatron_core import pin, script

WORLDS = [2, 4, 6, 8, 8, 12, 16, 16, 24, 32, 48, 64]

# Its globals, by what parplan calls the groups.
NAMES = {
    "_DATA_PARALLEL_GROUP": "dp", "_DATA_PARALLEL_GROUP_WITH_CP": "dp_cp", "_INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP": "intra_dp_cp",
    "_INTER_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP": "inter_dp_cp",
    "_CONTEXT_PARALLEL_GROUP": "cp", "_HIERARCHICAL_CONTEXT_PARALLEL_GROUPS": "hcp", "_MODEL_PARALLEL_GROUP": "mp",
    "_TENSOR_MODEL_PARALLEL_GROUP": "tp", "_PIPELINE_MODEL_PARALLEL_GROUP": "pp", "_EMBEDDING_GROUP": "embd",
    "_POSITION_EMBEDDING_GROUP": "pos_embd", "_TENSOR_AND_DATA_PARALLEL_GROUP": "tp_dp",
    "_TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP": "tp_dp_cp", "_TENSOR_AND_CONTEXT_PARALLEL_GROUP": "tp_cp",
    "_EXPERT_MODEL_PARALLEL_GROUP": "ep", "_EXPERT_TENSOR_PARALLEL_GROUP": "etp", "_EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP": "etp_ep",
    "_EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP": "etp_ep_pp", "_EXPERT_DATA_PARALLEL_GROUP": "expert_dp",
    "_INTRA_PARTIAL_EXPERT_DATA_PARALLEL_GROUP": "intra_expert_dp", "_INTER_PARTIAL_EXPERT_DATA_PARALLEL_GROUP": "inter_expert_dp",
    "_GTP_WEIGHT_REMAT_GROUP": "gtp", "_EXPERT_GTP_WEIGHT_REMAT_GROUP": "expert_gtp",
    "_DATA_PARALLEL_GROUP_WITH_GTP_REMAT": "gtp_dp", "_DATA_PARALLEL_GROUP_WITH_CP_WITH_GTP_REMAT": "gtp_dp_cp",
    "_EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP_WITH_EGTP": "etp_ep_gtp_pp",
    "_EXPERT_DATA_PARALLEL_GROUP_WITH_GTP_REMAT": "gtp_expert_dp",
    "_INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP": "intra_instance",
}
EXPERTS = {"ep": "", "etp": "tp", "etp_ep": "tp", "etp_ep_pp": "mp", "expert_dp": "dp_cp"}  # and what they are where there is no expert


def degree(rng, world, chance):
    return rng.choice([d for d in range(1, world + 1) if world % d == 0]) if rng.random() < chance else 1


def gathering(rng, tp, left, flags, world):
    """How many parts weights have over tp and GTP; mostly a multiple of tp."""
    shards = tp * degree(rng, left, 0.8)
    shards += tp > 1 and rng.random() < 0.06
    more = [["--tensor-parallel-num-weight-shards", shards]] if shards != tp or rng.random() < 0.1 else []
    if rng.random() < 0.5:
        etp = flags.get("--expert-tensor-parallel-size", tp)
        rest = world // (etp * flags.get("--expert-model-parallel-size", 1) * flags.get("--pipeline-model-parallel-size", 1))
        more.append(["--expert-tensor-parallel-num-weight-shards", etp * degree(rng, max(1, rest), 0.8)])
    return more


def make(rng, version):
    """Flags of pretrain_gpt.py; mostly degrees that fit."""
    world = left = rng.choice(WORLDS)
    flags, size = [], {}
    for flag, chance in (("--tensor-model-parallel-size", 0.6), ("--pipeline-model-parallel-size", 0.5), ("--context-parallel-size", 0.5)):
        size[flag] = degree(rng, left, chance)
        left //= size[flag]
        if size[flag] > 1 or rng.random() < 0.2:
            flags.append([flag, size[flag]])
    cp = size["--context-parallel-size"]
    if cp >= 4 and rng.random() < 0.5:
        first = rng.choice([d for d in range(1, cp + 1) if cp % d == 0])
        flags.append(["--hierarchical-context-parallel-sizes", "%d %d" % (first, cp // first)])
    if rng.random() < 0.5:
        expert = world // size["--pipeline-model-parallel-size"]
        etp = degree(rng, expert, 0.3)
        ep = degree(rng, max(1, expert // (etp if etp > 1 else size["--tensor-model-parallel-size"])), 0.7)
        ep = rng.choice([2, 3, 4, 6]) if rng.random() < 0.1 else ep  # which may not fit
        flags += [["--num-experts", 2 * ep]] + [["--expert-model-parallel-size", ep]] * (ep > 1)
        flags += [["--expert-tensor-parallel-size", etp]] * (etp > 1 or rng.random() < 0.3)
    if rng.random() < 0.35:
        flags.append(["--num-distributed-optimizer-instances", rng.choice([2, 2, 2, 3, 4])])
        flags.append(["--use-distributed-optimizer", True])
    if rng.random() < 0.25:
        flags.append(["--use-tp-pp-dp-mapping", True])
    if version == "d98e8a64" and rng.random() < 0.5:  # c5ff22b7f1
        flags += gathering(rng, size["--tensor-model-parallel-size"], left, dict(map(tuple, flags)), world)
    return {"world": world, "flags": flags}


class Group:
    """What the recorder gives for new_group."""

    def __init__(self, ranks):
        self.ranks = list(ranks)


def packed(ranks):
    """0, 4, 8 as "0+4*3"; what is no such row as it is."""
    step = ranks[1] - ranks[0]
    even = ranks == list(range(ranks[0], ranks[0] + step * len(ranks), step)) if step > 0 else False
    return "%d+%d*%d" % (ranks[0], step, len(ranks)) if even else ranks


def unpacked(group):
    if isinstance(group, list):
        return sorted(group)
    first, step, count = map(int, group.replace("*", "+").split("+"))
    return list(range(first, first + step * count, step))


def ask(case, version):
    import importlib, inspect

    import torch.distributed as dist

    from megatron.core import model_parallel_config, parallel_state

    words = {flag: value for flag, value in case["flags"]}
    take = {"context_parallel_size": "--context-parallel-size", "expert_model_parallel_size": "--expert-model-parallel-size",
            "expert_tensor_parallel_size": "--expert-tensor-parallel-size", "num_distributed_optimizer_instances":
            "--num-distributed-optimizer-instances", "tensor_model_parallel_size": "--tensor-model-parallel-size",
            "pipeline_model_parallel_size": "--pipeline-model-parallel-size"}
    given = {name: words[flag] for name, flag in take.items() if flag in words}
    if "--hierarchical-context-parallel-sizes" in words:
        given["hierarchical_context_parallel_sizes"] = list(map(int, words["--hierarchical-context-parallel-sizes"].split()))
    given["order"] = "tp-cp-ep-pp-dp" if "--use-tp-pp-dp-mapping" in words else "tp-cp-ep-dp-pp"  # training/initialize.py
    known = inspect.signature(parallel_state.initialize_model_parallel).parameters
    if "create_gloo_process_groups" in known:
        given["create_gloo_process_groups"] = False
    tp = given.get("tensor_model_parallel_size", 1)
    for name, prefix, cut in (("gtp_remat_size", "", tp), ("expert_gtp_remat_size", "expert-", given.get("expert_tensor_parallel_size", tp))):
        flag = "--%stensor-parallel-num-weight-shards" % prefix
        if flag in words:  # as training/arguments.py has it
            given[name] = model_parallel_config.resolve_tensor_parallel_weight_shards(cut, words[flag], 1)[1]
    dist.is_initialized, dist.get_world_size = lambda: True, lambda group=None: len(group.ranks) if group else case["world"]
    dist.new_group = lambda ranks=None, *args, **kwargs: Group(ranks)
    answer = {}
    for rank in sorted({0, case["world"] // 2 - 1, case["world"] - 1}):
        importlib.reload(parallel_state)
        dist.get_rank = lambda group=None: rank
        parallel_state.initialize_model_parallel(**given)
        answer[str(rank)], seen = {}, []
        there = vars(parallel_state)
        for name in [*NAMES, *there]:
            value = there.get(name)
            many = value if isinstance(value, list) else [value]
            for number, group in enumerate(many):
                if isinstance(group, Group) and len(group.ranks) > 1 and group not in seen:  # aliases are no groups of their own
                    seen.append(group)
                    answer[str(rank)][NAMES.get(name, name) + (str(number) if many is value else "")] = packed(group.ranks)
    return answer


def groups_of(plan, rank):
    """The groups of more than one rank that a rank is in, by name, as parplan has them."""
    lists = {name: mesh["groups"] for name, mesh in plan["meshes"].items() if mesh["exists"]}
    lists.update((name, ends["groups"]) for name, ends in plan.get("ends", {}).items())
    return {name: sorted(group) for name, groups in lists.items() for group in groups if rank in group and len(group) > 1}


def is_implied(name, groups, mine, case):
    """Communicators that parplan does not list because they are another one once more."""
    experts = any(flag in ("--num-experts", "--expert-tensor-parallel-size") for flag, _ in case["flags"])
    if name in EXPERTS and not experts:
        return name not in mine and groups[name] == groups.get(EXPERTS[name])
    return name == "etp_ep_gtp_pp" and name not in mine and groups[name] in (groups.get("etp_ep_pp"), groups.get("mp"))


def compare(case, answer, version, parplan):
    plan = parplan.json("plan", "--framework", pin(version), parplan.file("train.sh", script(case)))
    have, want = plan.get("error"), answer.get("error")
    if have or want:
        same = have and want and (have["type"], have["message"]) == (want["type"], want["message"])
        return None if same else "raises %s, parplan says %s" % (want, have)
    for rank, groups in answer.items():
        groups, mine = {name: unpacked(group) for name, group in groups.items()}, groups_of(plan, int(rank))
        for name in sorted(set(groups) | set(mine)):
            if groups.get(name) != mine.get(name) and not is_implied(name, groups, mine, case):
                return "on rank %s %s is %s, parplan says %s" % (rank, name, groups.get(name), mine.get(name))
    return None
