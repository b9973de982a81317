"""Random DeviceMesh programs in the language of `parplan mesh`: groups per axis, the order of their creation, warnings, or the exception.

Three kinds of programs: meshes as trainers build them, two views of one world side by side, and whatever chance makes.
"""
import math, re

from of.torch import at_least

NAMES = ["dp", "cp", "tp", "pp", "x", "ep"]
WORLDS = [2, 3, 4, 6, 8, 8, 12, 16, 16, 24, 32, 36, 64, 128, 512]
FLATTENED = [("dp", ["dp_replicate", "dp_shard"]), ("dp_shard_cp", ["dp_shard", "cp"]), ("dp_cp", ["dp_replicate", "dp_shard", "cp"])]
MOST_AXES = 8  # that parplan models
OURS = ("(silent) ", "(elsewhere) ")  # warnings of parplan's


def factors(rng, product, most):
    """`product` as a list of at most `most` factors, some of them 1."""
    sizes = []
    while product > 1 and len(sizes) < most - 1:
        sizes.append(rng.choice([d for d in range(1, product + 1) if product % d == 0]))
        product //= sizes[-1]
    return sizes + [product] if product > 1 or not sizes else sizes


class Program:
    """Steps that refer to earlier values by number, and the names of each value's axes as far as they are known."""

    def __init__(self):
        self.steps, self.names = [], []

    def add(self, names, *step):
        self.steps.append(list(step))
        self.names.append(list(names))
        return len(self.steps) - 1

    def slice(self, of, names, kind="slice"):
        return self.add(names, kind, of, list(names))

    def flatten(self, of, name):
        return self.add([name or "_".join(self.names[of])], "flatten", of, name)

    def unflatten(self, of, name, sizes, names):
        at = self.names[of].index(name)
        return self.add(self.names[of][:at] + list(names) + self.names[of][at + 1:], "unflatten", of, name, sizes, list(names))

    def concatenate(self, *of):
        return self.add(sum((self.names[n] for n in of), []), "concatenate", *of)


def of_trainer(rng, version):
    """TorchTitan's and Megatron's axes in their orders: (pp, dp_replicate, dp_shard, cp, tp), flattened dp, dp_shard_cp, dp_cp, ep."""
    program, world = Program(), rng.choice([8, 8, 16, 16, 32, 32, 64, 64, 128, 512])
    axes = ["pp", "dp_replicate", "dp_shard", "cp", "tp"]
    sizes = factors(rng, world, 5)
    sizes = rng.sample(sizes + [1] * (5 - len(sizes)), 5)
    if rng.random() < 0.5 and at_least(version, 10):  # one world, several views of it
        world_mesh = program.add(["world"], "init", ["world"], [world])
        dense = program.unflatten(world_mesh, "world", sizes, axes)
        ep = rng.choice([d for d in range(1, sizes[2] * sizes[3] + 1) if sizes[2] * sizes[3] % d == 0])
        sparse = program.unflatten(world_mesh, "world", [sizes[0], sizes[1], sizes[2] * sizes[3] // ep, ep, sizes[4]],
                                   ["pp", "dp_replicate", "efsdp", "ep", "etp"])
        batch = program.flatten(program.slice(dense, ["dp_replicate", "dp_shard"]), "batch")
        loss = program.flatten(program.slice(dense, ["dp_replicate", "dp_shard", "cp"]), "loss_mesh")
        last = rng.choice(["dense", "ep", "loss", "fsdp", "ep_tp"])
        if last == "dense":
            program.slice(dense, rng.choice([["dp_replicate", "dp_shard"], ["dp_shard", "tp"], ["pp"], ["cp", "tp"]]))
        elif last == "fsdp":
            fsdp = program.flatten(program.slice(dense, ["dp_shard", "cp"]), "fsdp")
            program.concatenate(*([program.slice(dense, ["dp_replicate"])] * (rng.random() < 0.5)), fsdp, program.slice(dense, ["tp"]))
        elif last == "ep_tp":
            program.concatenate(program.slice(sparse, ["ep"]), program.slice(dense, ["tp"]))
        else:
            program.add(["?"], "get_group", {"ep": sparse, "loss": loss}[last], {"ep": "ep", "loss": None}[last])
        return program, world
    kept = [pair for pair in zip(axes, sizes) if pair[1] > 1 or rng.random() < 0.3] or [("dp_shard", world)]
    axes = [axis for axis, _ in kept]
    root = program.add(axes, "init", axes, [size for _, size in kept])
    if at_least(version, 5):
        for name, parts in FLATTENED:
            parts = [part for part in parts if part in axes]
            if parts and rng.random() < 0.7:
                program.flatten(program.slice(root, parts), name)
    made = axes + [step[2] for step in program.steps if step[0] == "flatten"]
    wanted = rng.sample(made, min(len(made), rng.choice([1, 1, 2, 2, 3])))
    order = ["pp", "dp", "dp_replicate", "dp_shard", "dp_shard_cp", "dp_cp", "cp", "tp"]
    if rng.random() < 0.3:
        program.add(["?"], "get_group", root, rng.choice(made + [None]))
    else:
        program.slice(root, sorted(wanted, key=order.index))
    return program, world


def of_views(rng, version):
    """One world cut in two ways, axes of both joined: what overlaps, and what nearly does."""
    program, world = Program(), rng.choice([8, 12, 16, 24, 36, 48, 64])
    root, views = program.add(["world"], "init", ["world"], [world]), []
    for letter in "uv":
        sizes = factors(rng, world, rng.randint(2, 4))
        views.append(program.unflatten(root, "world", sizes, ["%s%d" % (letter, n) for n in range(len(sizes))]))
    parts = [program.slice(view, rng.sample(program.names[view], 1)) for view in rng.sample(views * 2, rng.choice([2, 2, 3]))]
    both = program.concatenate(*parts)
    if rng.random() < 0.3:
        program.flatten(both, "flat")
    return program, world


def by_chance(rng, version):
    """Anything."""
    program, world = Program(), rng.choice(WORLDS)
    sizes = factors(rng, world * rng.choice([1] * 12 + [2]), rng.randint(1, 4))
    if rng.random() < 0.12 and len(sizes) > 1:
        sizes = sizes[:-1]  # smaller than the world
    axes = rng.sample(NAMES, len(sizes))
    if rng.random() < 0.03:
        axes[0] = axes[-1]
    program.add(axes, "init", axes, sizes)
    kinds = ["slice"] * 6 + ["list"] + ["init"] + ["flatten"] * 4 * at_least(version, 5)
    kinds += ["unflatten", "concatenate"] * 2 * at_least(version, 10)
    for number in range(1, rng.randint(2, 6)):
        names, kind = program.names, rng.choice(kinds)
        of = rng.randrange(len(names))
        pool = list(dict.fromkeys(names[of] + names[0] + [n for made in names for n in made]))
        if kind in ("slice", "list"):
            wanted = rng.sample(pool, min(len(pool), rng.randint(1, 3)))
            if rng.random() < 0.03:
                wanted.append(rng.choice(wanted))
            if rng.random() < 0.8:  # mostly in the order of the mesh
                wanted.sort(key=pool.index)
            program.slice(of, wanted, kind)
        elif kind == "init":  # a second world, or the same again
            again = rng.random() < 0.4
            axes = names[0] if again else rng.sample(NAMES, rng.randint(1, 3))
            program.add(axes, "init", axes, program.steps[0][2] if again else (factors(rng, world, len(axes)) + [1, 1])[:len(axes)])
        elif kind == "flatten":
            program.flatten(of, rng.choice(["f", "flat", "dp", "x1", "x2", "p", "_".join(names[of]), rng.choice(pool), None]))
        elif kind == "unflatten":
            count = rng.choice([2, 2, 2, 3])
            new = ["%s%d" % (letter, number) for letter in "uvw"[:count]]
            if rng.random() < 0.1:
                new[0] = rng.choice(NAMES)
            program.unflatten(of, rng.choice(names[of]), [rng.choice([1, 2, 2, 3, 4]) for _ in new[1:]] + [None], new)
        else:
            parts = [rng.randrange(len(names)) for _ in range(rng.choice([2, 2, 2, 3]))]
            if sum(len(names[part]) for part in parts) <= MOST_AXES:
                program.concatenate(*parts)
    if rng.random() < 0.1:
        of = rng.randrange(len(program.names))
        program.add(["?"], "get_group", of, rng.choice([None, rng.choice(NAMES), rng.choice(program.names[of])]))
    return program, world


def make(rng, version):
    """One program and the world that it runs in."""
    kinds = [of_trainer] * 3 + [by_chance] * 6 + [of_views if at_least(version, 10) else by_chance]
    program, world = rng.choice(kinds)(rng, version)
    return {"world": world, "steps": program.steps}


def sizes_of(mesh, axis, wanted):
    """Sizes to unflatten into; None stands for what the others leave."""
    rest = max(1, mesh.size(axis) // math.prod(size for size in wanted if size))
    return tuple(size or rest for size in wanted)


def step_of(step, values):
    """Runs one step; returns its text in parplan's language too. Unflatten needs sizes, which only the mesh knows."""
    from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

    kind, of = step[0], step[1]
    if kind == "init":
        return "init(%s)" % ", ".join("%s=%d" % pair for pair in zip(step[1], step[2])), \
            lambda: init_device_mesh("cpu", tuple(step[2]), mesh_dim_names=tuple(step[1]))
    if kind == "slice":
        return "m%d[%s]" % (of, ", ".join(step[2])), lambda: values[of][step[2][0] if len(step[2]) == 1 else tuple(step[2])]
    if kind == "list":
        return "m%d[[%s]]" % (of, ", ".join(step[2])), lambda: values[of][list(step[2])]
    if kind in ("flatten", "get_group"):
        words = "%s(%s)" % (kind, ", ".join(["m%d" % of] + [step[2]] * bool(step[2])))
        return words, lambda: values[of]._flatten(step[2]) if kind == "flatten" else values[of].get_group(step[2])
    if kind == "unflatten":
        axis = values[of].mesh_dim_names.index(step[2])
        sizes = sizes_of(values[of], axis, step[3])
        return "unflatten(m%d, %s, %s)" % (of, step[2], ", ".join("%s=%d" % pair for pair in zip(step[4], sizes))), \
            lambda: values[of]._unflatten(axis, sizes, tuple(step[4]))
    return "concatenate(%s)" % ", ".join("m%d" % n for n in step[1:]), lambda: DeviceMesh._concatenate([values[n] for n in step[1:]])


def execute(steps):
    """The expression, and either all values or the exception."""
    values, text = [], []
    for number, step in enumerate(steps):
        words, call = step_of(step, values)
        text.append("m%d = %s" % (number, words))
        try:
            values.append(call())
        except Exception as error:  # any exception is an answer
            message = re.sub(r" at 0x[0-9a-f]+", "", str(error))  # addresses, which no two runs share
            return "; ".join(text), {"type": type(error).__name__, "message": message}, values
    return "; ".join(text), None, values


def runs(ranks):
    """Ranks as text: "0-6/2,9" is 0, 2, 4, 6, 9."""
    words, at = [], 0
    while at < len(ranks):
        step, end = ranks[at + 1] - ranks[at] if at + 1 < len(ranks) else 0, at + 1
        while step > 0 and end < len(ranks) and ranks[end] - ranks[end - 1] == step:
            end += 1
        words.append("%d" % ranks[at] if end == at + 1 else "%d-%d/%d" % (ranks[at], ranks[end - 1], step))
        at = end
    return ",".join(words)


def runs_of_groups(groups):
    """First ranks of consecutive groups of one size: [[size, first ranks], …]."""
    rows = []
    for group in groups:
        if not rows or rows[-1][0] != len(group):
            rows.append([len(group), []])
        rows[-1][1].append(group[0])
    return [[size, runs(firsts)] for size, firsts in rows]


def members(text):
    """The ranks that runs() wrote."""
    for word in text.split(","):
        first, _, rest = word.partition("-")
        last, _, step = rest.partition("/")
        yield from range(int(first), int(last or first) + 1, int(step or 1))


def groups_of(value, steps):
    """The ranks of the groups that the last value stands for, per axis, or those that get_group returned."""
    import torch.distributed as dist

    if steps[-1][0] == "get_group":
        found = value if isinstance(value, list) else [value]
    else:
        found = [value.get_group(axis) for axis in range(value.ndim)]
    return [runs(dist.get_process_group_ranks(group)) for group in found]


def other_ranks(mesh):
    """Whether a mesh lists other ranks beside this one than the process groups of its axes have."""
    import torch.distributed as dist

    for axis in range(mesh.ndim):
        here = [slice(None) if n == axis else at for n, at in enumerate(mesh.get_coordinate())]
        if sorted(mesh.mesh[tuple(here)].tolist()) != sorted(dist.get_process_group_ranks(mesh.get_group(axis))):
            return True
    return False


def asked(world):
    """The ranks that are asked."""
    return sorted({0, world - 1} if world > 64 else {0, world // 2, world - 1})


def ask(case, version):
    """From rank 0 everything; from others the groups they are in, or what they raise that rank 0 does not."""
    import warnings

    from of.torch.fake import Rank

    answer, world, steps = {}, case["world"], case["steps"]
    for rank in asked(world):
        with Rank(rank, world) as fake, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            text, error, values = execute(steps)
            if rank == 0:
                answer = {"expr": text}
                said = list(dict.fromkeys(str(w.message) for w in caught if re.search(r"mesh|submesh|slic", str(w.message), re.I)))
                if said:
                    answer["warnings"] = said
                if error:
                    answer["error"] = error
                else:
                    if steps[-1][0] != "get_group":
                        answer.update(axes=list(values[-1].mesh_dim_names), sizes=list(values[-1].mesh.shape))
                    answer.update(created=runs_of_groups(fake.groups), ranks={})
            elif error and "error" not in answer:
                answer.setdefault("elsewhere", {})[str(rank)] = error
            if not error and "error" not in answer and (steps[-1][0] == "get_group" or values[-1].get_coordinate() is not None):
                answer["ranks"][str(rank)] = groups_of(values[-1], steps)
                if rank == 0 and steps[-1][0] != "get_group" and other_ranks(values[-1]):
                    answer["other_ranks"] = True
    return answer


def text_of(message):
    """For the device that parplan speaks of, which is cuda."""
    return message.replace("'cpu'", "'cuda'")


def in_order(group, created, by_rank):
    """Whether groups, as [size, first ranks], were created one after another; by rank: in whatever order."""
    size, firsts = group
    for made_size, made in created:
        windows = [made[at:at + len(firsts)] for at in range(len(made) - len(firsts) + 1)] if made_size == size else []
        if any(firsts == window or by_rank and sorted(firsts) == sorted(window) for window in windows):
            return True
    return False


def compare(case, answer, version, parplan):
    got = parplan.json("mesh", "--torch", version, "--world", case["world"], answer["expr"])
    have, want = got.get("error"), answer.get("error")
    if have or want:
        same = have and want and (have["type"], have["message"]) == (want["type"], text_of(want["message"]))
        return None if same else "raises %s, parplan says %s" % (want, have)
    value = got["value"]
    if "axes" in answer and (value["axes"], value["sizes"]) != (answer["axes"], answer["sizes"]):
        return "is %s %s, parplan says %s %s" % (answer["axes"], answer["sizes"], value["axes"], value["sizes"])
    for rank, groups in answer["ranks"].items():
        mine = [[runs(sorted(g)) for g in value["groups"][axis] if int(rank) in g] for axis in value["axes"]]
        if mine != [[runs(sorted(members(group)))] for group in groups]:
            return "on rank %s groups are %s, parplan says %s" % (rank, groups, mine)
    created = [[size, list(members(firsts))] for size, firsts in answer["created"]]
    by_rank = len(value["axes"]) > 1 and not at_least(version, 10)  # a slice creates no groups: parplan lists them by rank
    for axis in value["axes"]:
        groups = value["groups"][axis]
        if axis not in value["default_group"] and not in_order([len(groups[0]), [min(g) for g in groups]], created, by_rank):
            return "creates groups in the order %s, parplan says %s" % (answer["created"], groups)
    said = [w for w in got["warnings"] if not w.startswith(OURS)]
    if said != answer.get("warnings", []):
        return "warns %s, parplan says %s" % (answer.get("warnings", []), said)
    hidden = [w for w in got["warnings"] if "lists other ranks" in w]
    if case["steps"][-1][0] == "slice" and bool(hidden) != answer.get("other_ranks", False) and not earlier_gap(case, hidden):
        return "lists other ranks than its groups have: %s, parplan says %s" % (answer.get("other_ranks", False), hidden)
    for rank in asked(case["world"]):  # what only ranks outside a mesh raise is a warning of parplan's
        want, mine = answer.get("elsewhere", {}).get(str(rank)), raised_elsewhere(rank, got["warnings"])
        if mine != (want and "%s: %s" % (want["type"], text_of(want["message"]))):
            return "on rank %d raises %s, parplan says %s" % (rank, want, mine)
    return None


def earlier_gap(case, hidden):
    """Whether those warnings are about another slice than the last one."""
    return hidden and not any("'%s'" % name in w for w in hidden for name in case["steps"][-1][2])


def raised_elsewhere(rank, warnings):
    """What parplan says that a rank raises."""
    for warning in warnings:
        found = re.fullmatch(r"\(elsewhere\) ranks (\d+) to (\d+), outside the mesh, raise (.*)", warning)
        if found and int(found[1]) <= rank <= int(found[2]):
            return found[3]
    return None
