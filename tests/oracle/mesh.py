"""Random DeviceMesh programs in parplan's expression language, run by PyTorch: groups per axis, or the exception."""
import sys

import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from common import Rank, factors, generator, write

NAMES = ["dp", "cp", "tp", "pp", "x", "ep"]


def program(rng):
    """Steps that refer to earlier values by number, and the same as an expression."""
    world = rng.choice([2, 4, 6, 8, 12, 16, 24, 32, 64])
    sizes = factors(rng, world, rng.randint(1, 4))
    axes = rng.sample(NAMES, len(sizes))
    steps, names = [("init", axes, sizes)], [axes]
    for _ in range(rng.randint(1, 4)):
        of = rng.randrange(len(names))
        pool = list(dict.fromkeys(names[of] + names[0] + [n for made in names for n in made]))
        kind = rng.choice(["slice", "slice", "flatten", "flatten", "unflatten", "concatenate"])
        if kind == "slice":
            wanted = rng.sample(pool, min(len(pool), rng.randint(1, 3)))
            if rng.random() < 0.8:  # mostly in the order of the mesh
                wanted.sort(key=pool.index)
            steps.append(("slice", of, wanted))
            names.append(wanted)
        elif kind == "flatten":
            name = rng.choice(["f", "flat", "dp", "x1", "x2", "_".join(names[of])])
            steps.append(("flatten", of, name))
            names.append([name])
        elif kind == "unflatten":
            axis = rng.randrange(len(names[of]))
            steps.append(("unflatten", of, axis, rng.choice([2, 3, 4]), ["u%d" % len(steps), "v%d" % len(steps)]))
            names.append(names[of][:axis] + steps[-1][4] + names[of][axis + 1 :])
        else:
            other = rng.randrange(len(names))
            steps.append(("concatenate", of, other))
            names.append(names[of] + names[other])
    return world, steps


def execute(steps):
    """Runs the steps; returns the expression and either the last mesh or the exception."""
    values, text = [], []
    for number, step in enumerate(steps):
        kind, of = step[0], step[1]
        if kind == "init":
            text.append("init(%s)" % ", ".join("%s=%d" % pair for pair in zip(step[1], step[2])))
            call = lambda: init_device_mesh("cpu", tuple(step[2]), mesh_dim_names=tuple(step[1]))
        elif kind == "slice":
            text.append("m%d[%s]" % (of, ", ".join(step[2])))
            call = lambda: values[of][step[2][0] if len(step[2]) == 1 else tuple(step[2])]
        elif kind == "flatten":
            text.append("flatten(m%d, %s)" % (of, step[2]))
            call = lambda: values[of]._flatten(step[2])
        elif kind == "unflatten":
            size = values[of].size(step[2]) if step[2] < values[of].ndim else 1
            sizes = (step[3], max(1, size // step[3]))
            names = values[of].mesh_dim_names
            text.append("unflatten(m%d, %s, %s)" % (of, names[step[2]], ", ".join("%s=%d" % p for p in zip(step[4], sizes))))
            call = lambda: values[of]._unflatten(step[2], sizes, tuple(step[4]))
        else:
            text.append("concatenate(m%d, m%d)" % (of, step[2]))
            call = lambda: DeviceMesh._concatenate([values[of], values[step[2]]])
        try:
            values.append(call())
        except Exception as error:  # any exception is an answer
            return text, error, values
    return text, None, values


def groups_of(mesh):
    """For each axis the ranks of this rank's group."""
    return {name: dist.get_process_group_ranks(mesh.get_group(axis)) for axis, name in enumerate(mesh.mesh_dim_names)}


def case(rng):
    world, steps = program(rng)
    groups = {}
    for rank in range(world):
        with Rank(rank, world):
            text, error, values = execute(steps)
            if error is None:
                for name, ranks in groups_of(values[-1]).items():
                    groups.setdefault(name, set()).add(tuple(ranks))
    expression = "; ".join("m%d = %s" % pair for pair in enumerate(text))
    answer = {"expr": expression, "world": world}
    if error is not None:
        answer["error"] = {"type": type(error).__name__, "message": str(error).replace("'cpu'", "'cuda'")}
    else:
        answer["groups"] = {name: sorted(map(list, found)) for name, found in groups.items()}
    return answer


def main():
    seed, count = 20240817, int(sys.argv[1]) if len(sys.argv) > 1 else 400
    rng = generator(seed)
    write("mesh", seed, [case(rng) for _ in range(count)])


main()
