"""What frameworks have in common that build one DeviceMesh of named axes and flatten some of them."""

import re

WORLDS = [2, 4, 4, 6, 8, 8, 8, 12, 16, 16, 24, 32, 64]


def degrees(rng, world, names):
    """Sizes of some of the axes; mostly their product is the world."""
    sizes, left = {}, world
    for name in rng.sample(names, len(names)):
        size = rng.choice([d for d in range(1, left + 1) if left % d == 0]) if rng.random() < 0.6 else 1
        left //= size
        if size > 1 or rng.random() < 0.3:
            sizes[name] = size
    if left > 1 and rng.random() < 0.9:
        name = rng.choice(sorted(sizes) or names)
        sizes[name] = sizes.get(name, 1) * left
    if sizes and rng.random() < 0.07:
        sizes[rng.choice(sorted(sizes))] *= 2
    return {name: sizes[name] for name in names if name in sizes} or {names[0]: 1}


def flattened(mesh):
    """Meshes that were flattened from this one, by name; where they are kept differs between releases of PyTorch."""
    from torch.distributed import device_mesh

    kept = getattr(getattr(device_mesh, "_mesh_resources", None), "root_to_flatten_mapping", None)
    return dict(mesh._get_root_mesh()._flatten_mapping if kept is None else kept.get(mesh, {}))


def axes_of(world, mesh_of):
    """{rank: {axis: the ranks of its group}} of the mesh that mesh_of(rank, fake) builds, groups of one rank left out."""
    import torch.distributed as dist

    from of.torch.fake import Rank

    answer = {}
    for rank in sorted({0, world // 2, world - 1}):
        with Rank(rank, world) as fake:
            mesh = mesh_of(rank, fake)
            axes = None if mesh is None else {}
            if mesh is not None:
                for name, group in [*((name, mesh[name].get_group()) for name in mesh.mesh_dim_names),
                                    *((name, flat.get_group()) for name, flat in flattened(mesh).items())]:
                    ranks = sorted(dist.get_process_group_ranks(group))
                    if len(ranks) > 1:
                        axes[name] = ranks
            answer[str(rank)] = axes
    return answer


class Small(Exception):
    """A mesh that leaves ranks out, which no library refuses: its size."""


def spanning(mesh, world):
    """The mesh, or Small."""
    if mesh is not None and mesh.mesh.numel() < world:
        raise Small(mesh.mesh.numel())
    return mesh


def compare_small(world, spans, error):
    """Nobody stops at a mesh that leaves ranks out; parplan does, and says how many they are."""
    left = re.search(r"leaves (?:out )?(\d+) of ", error["message"]) if error else None
    return None if left and int(left[1]) == world - spans else "a mesh of %d ranks, parplan says %s" % (spans, error)


def groups_of(plan, rank):
    """The groups of more than one rank that a rank is in, by name, as parplan has them."""
    return {name: sorted(group) for name, mesh in plan["meshes"].items() if mesh["exists"]
            for group in mesh["groups"] if rank in group and len(group) > 1}


def same_error(have, want):
    return bool(have and want and (have["type"], have["message"]) == (want["type"], want["message"]))


def compare_axes(answer, plan):
    """The difference between such an answer and a plan, in a sentence, or None."""
    have, want = plan.get("error"), answer.get("error")
    if have or want:
        return None if same_error(have, want) else "raises %s, parplan says %s" % (want, have)
    for rank, axes in answer.items():
        mine = groups_of(plan, int(rank))
        if axes is None:  # no mesh at all: whatever parplan lists is the whole world, or nothing
            joint = [name for name in ("dp", "dp_cp") if name in mine]
            if joint:
                return "there is no mesh, parplan says %s" % joint
            continue
        for name in sorted(set(axes) | set(mine)):
            if axes.get(name) != mine.get(name):
                return "on rank %s %s is %s, parplan says %s" % (rank, name, axes.get(name), mine.get(name))
    return None
