"""What the ranks get when a real tensor is cut as distribute_tensor cuts it: each placement's _split_tensor, from left to right."""
import itertools, math

from of.torch import shard
from of.torch.shard import metadata, placement

MOST = 1 << 22  # elements of a tensor

BEFORE_2_10 = ("in 2.8 and 2.9 _StridedShard._split_tensor chunks by size * split factor and deals the pieces out, so uneven tensors "
               "are cut elsewhere than compute_local_shape_and_global_offset says (pytorch#163843 mended it; docs/meshes.md has a script)")

ALONE = ("up to 2.9 compute_local_shape_and_global_offset has a _StridedShard that no Shard of its dim follows elsewhere than its "
         "_split_tensor cuts it: 2.8 and 2.9 leave it out, 2.5 to 2.7 number its shards as if one followed")


def make(rng, version):
    """A case of shards, small enough to be held whole."""
    case = shard.make(rng, version)
    while math.prod(case["shape"]) > MOST:
        case["shape"][case["shape"].index(max(case["shape"]))] = 39
    return case


def part(tensor, objects, sizes, coordinate):
    """The data of the rank at a coordinate."""
    for placement_of, size, at in zip(objects, sizes, coordinate):
        if hasattr(placement_of, "dim"):
            tensor = placement_of._split_tensor(tensor, size, with_padding=False, contiguous=False)[0][at]
    return tensor


def ask(case, version):
    """Per rank the shape of the data and the index of its first element, none where it is empty; whether metadata says the same.

    What has no metadata, or what the library refuses to cut (uneven strided shards up to 2.7, dims that
    the tensor has not), has no ranks.
    """
    objects = [placement(word) for word in case["placements"]]
    try:
        said = metadata(case)
    except Exception:  # where there is no metadata there is nothing to hold data against
        return {"ranks": []}
    try:
        return cut(case, objects, said)
    except (AssertionError, IndexError) as error:
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

    words = case["placements"]
    strided = [at for at, word in enumerate(words) if word.startswith("SS")]
    if not strided or answer.get("as_said", True) or at_least(version, 10):
        return None
    followed = all("S(%s)" % words[at][3:].split(",")[0] in words[at:] for at in strided)
    return BEFORE_2_10 if followed else ALONE
