"""What the ranks get when a real tensor is cut as distribute_tensor cuts it: each placement's _split_tensor, from left to right."""
import itertools

from of.torch.shard import make, metadata, placement

BEFORE_2_10 = ("in 2.8 and 2.9 _StridedShard._split_tensor chunks by size * split factor and deals the pieces out, so uneven tensors "
               "are cut elsewhere than compute_local_shape_and_global_offset says (pytorch#163843 mended it; docs/meshes.md has a script)")


def part(tensor, objects, sizes, coordinate):
    """The data of the rank at a coordinate."""
    for placement_of, size, at in zip(objects, sizes, coordinate):
        if hasattr(placement_of, "dim"):
            tensor = placement_of._split_tensor(tensor, size, with_padding=False, contiguous=False)[0][at]
    return tensor


def ask(case, version):
    """Per rank the shape of the data and the index of its first element, none where it is empty; whether metadata says the same.

    What has no metadata, or what the library refuses to cut (uneven strided shards up to 2.7), has no ranks.
    """
    objects = [placement(word) for word in case["placements"]]
    try:
        said = metadata(case)
    except Exception:  # where there is no metadata there is nothing to hold data against
        return {"ranks": []}
    try:
        return cut(case, objects, said)
    except AssertionError as error:
        return {"ranks": [], "refused": str(error)}


def cut(case, objects, said):
    """Cuts it for every rank."""
    import torch

    shape = case["shape"]
    full, ranks = torch.arange(torch.Size(shape).numel()).view(shape), []
    for coordinate in itertools.product(*map(range, case["mesh"])):
        local, first = part(full, objects, case["mesh"], coordinate), None
        if local.numel():
            number, first = int(local.flatten()[0]), []
            for size in reversed(shape):
                first.insert(0, number % size)
                number //= size
        ranks.append([list(local.shape), first])
    return {"ranks": ranks, "as_said": all(agrees(a, b) for a, b in zip(said, ranks))}


def agrees(says, has):
    """Where nothing is stored there is no place to be wrong about."""
    return says[0] == has[0] and (has[1] is None or says[1] == has[1])


def compare(case, answer, version, parplan):
    if not answer["ranks"]:
        return None
    got = parplan.json("shard", "--torch", version, "--shape", ",".join(map(str, case["shape"])),
                       "--mesh", ",".join(map(str, case["mesh"])), "--placements", " ".join(case["placements"]))
    if got.get("error"):
        return "holds data, parplan says %s" % got["error"]
    for rank, (says, has) in enumerate(zip(got["ranks"], answer["ranks"])):
        if not agrees([says["shape"], says["offset"]], has):
            return "on rank %d the data have shape and offset %s, parplan says %s" % (rank, has, [says["shape"], says["offset"]])
    return None


def listed(case, answer, version):
    from of.torch import at_least

    strided = any(word.startswith("SS") for word in case["placements"])
    return BEFORE_2_10 if strided and not answer.get("as_said", True) and not at_least(version, 10) else None
