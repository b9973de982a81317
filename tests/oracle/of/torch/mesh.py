"""Random DeviceMesh programs in the language of `parplan mesh`: groups per axis in the order of creation, warnings, or the exception."""
import math, re

NAMES = ["dp", "cp", "tp", "pp", "x", "ep"]
WORLDS = [2, 3, 4, 6, 8, 8, 12, 16, 16, 24, 32, 36, 64, 128, 512]


def factors(rng, product, most):
    """`product` as a list of at most `most` factors, some of them 1."""
    sizes = []
    while product > 1 and len(sizes) < most - 1:
        sizes.append(rng.choice([d for d in range(1, product + 1) if product % d == 0]))
        product //= sizes[-1]
    return sizes + [product] if product > 1 or not sizes else sizes


def make(rng, version):
    """Steps that refer to earlier values by number."""
    world = rng.choice(WORLDS)
    sizes = factors(rng, world * rng.choice([1, 1, 1, 1, 1, 1, 1, 2]), rng.randint(1, 4))
    if rng.random() < 0.08 and len(sizes) > 1:
        sizes = sizes[:-1]  # smaller than the world
    axes = rng.sample(NAMES, len(sizes))
    if rng.random() < 0.03:
        axes[0] = axes[-1]
    steps, names = [["init", axes, sizes]], [axes]
    minor = int(version.split(".")[1])
    kinds = ["slice", "slice", "slice"] + ["flatten", "flatten"] * (minor >= 5) + ["unflatten", "concatenate"] * (minor >= 10)
    for _ in range(rng.randint(1, 4)):
        of = rng.randrange(len(names))
        pool = list(dict.fromkeys(names[of] + names[0] + [n for made in names for n in made]))
        kind = rng.choice(kinds)
        if kind == "slice":
            wanted = rng.sample(pool, min(len(pool), rng.randint(1, 3)))
            if rng.random() < 0.8:  # mostly in the order of the mesh
                wanted.sort(key=pool.index)
            steps.append(["slice", of, wanted])
            names.append(wanted)
        elif kind == "flatten":
            name = rng.choice(["f", "flat", "dp", "x1", "x2", "_".join(names[of])])
            steps.append(["flatten", of, name])
            names.append([name])
        elif kind == "unflatten":
            axis = rng.randrange(len(names[of]))
            steps.append(["unflatten", of, names[of][axis], rng.choice([2, 2, 3, 4]), ["u%d" % len(steps), "v%d" % len(steps)]])
            names.append(names[of][:axis] + steps[-1][4] + names[of][axis + 1 :])
        else:
            other = rng.randrange(len(names))
            steps.append(["concatenate", of, other])
            names.append(names[of] + names[other])
    return {"world": world, "steps": steps}


def sizes_of(mesh, axis, first):
    size = mesh.size(mesh.mesh_dim_names.index(axis))
    return (first, max(1, size // first))


def step_of(step, values):
    """Runs one step; returns its text in parplan's language too. Unflatten needs sizes, which only the mesh knows."""
    from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

    kind, of = step[0], step[1]
    if kind == "init":
        return "init(%s)" % ", ".join("%s=%d" % pair for pair in zip(step[1], step[2])), \
            lambda: init_device_mesh("cpu", tuple(step[2]), mesh_dim_names=tuple(step[1]))
    if kind == "slice":
        return "m%d[%s]" % (of, ", ".join(step[2])), lambda: values[of][step[2][0] if len(step[2]) == 1 else tuple(step[2])]
    if kind == "flatten":
        return "flatten(m%d, %s)" % (of, step[2]), lambda: values[of]._flatten(step[2])
    if kind == "unflatten":
        axis = values[of].mesh_dim_names.index(step[2])
        sizes = sizes_of(values[of], step[2], step[3])
        return "unflatten(m%d, %s, %s)" % (of, step[2], ", ".join("%s=%d" % pair for pair in zip(step[4], sizes))), \
            lambda: values[of]._unflatten(axis, sizes, tuple(step[4]))
    return "concatenate(m%d, m%d)" % (of, step[2]), lambda: DeviceMesh._concatenate([values[of], values[step[2]]])


def execute(steps):
    """The expression, and either all values or the exception."""
    values, text = [], []
    for number, step in enumerate(steps):
        words, call = step_of(step, values)
        text.append("m%d = %s" % (number, words))
        try:
            values.append(call())
        except Exception as error:  # any exception is an answer
            return "; ".join(text), {"type": type(error).__name__, "message": str(error)}, values
    return "; ".join(text), None, values


def ask(case, version):
    """From rank 0 everything; from two more ranks the groups they are in."""
    import warnings

    import torch.distributed as dist

    from of.torch.fake import Rank

    answer, world = {}, case["world"]
    for rank in sorted({0, world // 2, world - 1}):
        with Rank(rank, world) as fake, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            text, error, values = execute(case["steps"])
            if rank == 0:
                answer = {"expr": text}
                said = [str(w.message) for w in caught if re.search(r"mesh|submesh|slic", str(w.message), re.I)]
                if said:
                    answer["warnings"] = said
                if error:
                    return dict(answer, error=error)
                answer.update(axes=list(values[-1].mesh_dim_names), sizes=list(values[-1].mesh.shape), created=fake.groups, ranks={})
            if error:
                return dict(answer, error=error, only_on=rank)
            if values[-1].get_coordinate() is not None:
                groups = [values[-1].get_group(axis) for axis in range(values[-1].mesh.ndim)]
                answer["ranks"][str(rank)] = [dist.get_process_group_ranks(group) for group in groups]
    return answer


def same(have, want):
    """Exact, but for addresses, which parplan does not print, and the device, which is cuda there."""
    return have["type"] == want["type"] and have["message"] == re.sub(r" at 0x[0-9a-f]+", "", want["message"]).replace("'cpu'", "'cuda'")


def compare(case, answer, version, parplan):
    got = parplan.json("mesh", "--torch", version, "--world", case["world"], answer["expr"])
    have, want = got.get("error"), answer.get("error")
    if have or want:
        return None if have and want and same(have, want) else "raises %s, parplan says %s" % (want, have)
    value = got["value"]
    if (value["axes"], value["sizes"]) != (answer["axes"], answer["sizes"]):
        return "is %s %s, parplan says %s %s" % (answer["axes"], answer["sizes"], value["axes"], value["sizes"])
    for rank, groups in answer["ranks"].items():
        for axis, group in zip(value["axes"], groups):
            mine = [sorted(g) for g in value["groups"][axis] if int(rank) in g]
            if mine != [sorted(group)]:
                return "on rank %s %s is %s, parplan says %s" % (rank, axis, group, mine)
    if got["warnings"] != answer.get("warnings", []):
        return "warns %s, parplan says %s" % (answer.get("warnings", []), got["warnings"])
    return None
