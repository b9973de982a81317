"""compute_local_shape_and_global_offset on random tensors, meshes and placements: every rank, or the exception."""
import itertools, math

from of.torch import at_least
from of.torch.mesh import factors

SIZES = [1, 2, 3, 5, 7, 8, 13, 15, 16, 24, 39, 64, 100, 257, 4096, 50257]


def make(rng, version):
    """One word of parplan's per mesh dim, mostly ones that real configs have."""
    shape = [rng.choice(SIZES) for _ in range(rng.choice([1, 1, 2, 2, 3]))]
    if rng.random() < 0.03:
        shape[0] = 0
    sizes = factors(rng, rng.choice([2, 3, 4, 6, 8, 12, 16, 24]), rng.randint(1, 3))
    words = []
    for mesh_dim in range(len(sizes)):
        kind, dim = rng.random(), rng.randrange(len(shape) + (rng.random() < 0.01))
        if kind < 0.25:
            words.append(rng.choice("RRRP"))
        elif kind < 0.65 or not at_least(version, 5) or mesh_dim == len(sizes) - 1 and rng.random() < 0.9:
            words.append("S(%d)" % dim)
        else:
            to_the_right = math.prod(sizes[mesh_dim + 1:mesh_dim + rng.choice([2, 2, 2, 3])])
            words.append("SS(%d,%d)" % (dim, to_the_right if rng.random() < 0.8 else rng.randint(1, 4)))
    return {"shape": shape, "mesh": sizes, "placements": words}


def placement(word):
    """The object that a word stands for."""
    try:
        from torch.distributed.tensor import placement_types
    except ImportError:  # up to 2.4 the package was private
        from torch.distributed._tensor import placement_types
    if word == "R":
        return placement_types.Replicate()
    if word == "P":
        return (getattr(placement_types, "Partial", None) or placement_types._Partial)()
    numbers = [int(n) for n in word[word.index("(") + 1 : -1].split(",")]
    if word[1] == "S":
        return placement_types._StridedShard(numbers[0], split_factor=numbers[1])
    return placement_types.Shard(numbers[0])


class Mesh:
    """As much of a DeviceMesh as the function asks for."""

    def __init__(self, sizes, coordinate):
        self.shape, self.ndim, self.coordinate = tuple(sizes), len(sizes), list(coordinate)

    def size(self, dim):
        return self.shape[dim]

    def get_coordinate(self):
        return self.coordinate

    def sym_get_coordinate(self, dim):
        return self.coordinate[dim]

    def _is_current_rank_part_of_mesh(self):
        return True

    _sym_get_coordinate = sym_get_coordinate


def metadata(case):
    """Shape and offset of every rank."""
    try:
        from torch.distributed.tensor import _utils
    except ImportError:
        from torch.distributed._tensor import _utils
    objects = [placement(word) for word in case["placements"]]
    ranks = []
    for coordinate in itertools.product(*map(range, case["mesh"])):
        local, offset = _utils.compute_local_shape_and_global_offset(tuple(case["shape"]), Mesh(case["mesh"], coordinate), tuple(objects))
        ranks.append([list(local), list(offset)])
    return ranks


def ask(case, version):
    return {"ranks": metadata(case)}


def compare(case, answer, version, parplan):
    got = parplan.json("shard", "--torch", version, "--shape", ",".join(map(str, case["shape"])),
                       "--mesh", ",".join(map(str, case["mesh"])), "--placements", " ".join(case["placements"]))
    have, want = got.get("error"), answer.get("error")
    if have or want:
        return None if have == want else "raises %s, parplan says %s" % (want, have)
    mine = [[r["shape"], r["offset"]] for r in got["ranks"]]
    for rank, (want, have) in enumerate(zip(answer["ranks"], mine)):
        if want != have:
            return "on rank %d shape and offset are %s, parplan says %s" % (rank, want, have)
    return None if len(mine) == len(answer["ranks"]) else "has %d ranks, parplan says %d" % (len(answer["ranks"]), len(mine))
