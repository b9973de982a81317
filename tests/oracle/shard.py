"""compute_local_shape_and_global_offset on random tensors, meshes and placements: every rank, or the exception."""
import itertools, sys

from torch.distributed.tensor import _utils
from torch.distributed.tensor.placement_types import Replicate, Shard, _StridedShard

from common import factors, generator, write


class Mesh:
    """As much of a DeviceMesh as the function asks for."""

    def __init__(self, sizes, coordinate):
        self.shape, self.ndim, self.coordinate = tuple(sizes), len(sizes), list(coordinate)

    def size(self, dim):
        return self.shape[dim]

    def get_coordinate(self):
        return self.coordinate

    def _sym_get_coordinate(self, dim):
        return self.coordinate[dim]

    def _is_current_rank_part_of_mesh(self):
        return True


def placements(rng, sizes, dims):
    """One word per mesh dim, mostly ones that real configs have, and the objects."""
    words, objects = [], []
    for mesh_dim in range(len(sizes)):
        kind, dim = rng.random(), rng.randrange(dims)
        if kind < 0.25:
            words.append("R")
            objects.append(Replicate())
        elif kind < 0.65 or mesh_dim == len(sizes) - 1:
            words.append("S(%d)" % dim)
            objects.append(Shard(dim))
        else:
            factor = sizes[mesh_dim + 1] if rng.random() < 0.8 else rng.randint(1, 4)
            words.append("SS(%d,%d)" % (dim, factor))
            objects.append(_StridedShard(dim, split_factor=factor))
    return words, objects


def case(rng):
    shape = [rng.choice([1, 2, 5, 7, 8, 13, 15, 16, 24, 39, 64, 100, 257]) for _ in range(rng.randint(1, 2))]
    sizes = factors(rng, rng.choice([2, 3, 4, 6, 8, 12, 16, 24]), rng.randint(1, 3))
    words, objects = placements(rng, sizes, len(shape))
    answer = {"shape": shape, "mesh": sizes, "placements": words}
    ranks = []
    try:
        for coordinate in itertools.product(*map(range, sizes)):
            local, offset = _utils.compute_local_shape_and_global_offset(tuple(shape), Mesh(sizes, coordinate), tuple(objects))
            ranks.append({"shape": list(local), "offset": list(offset)})
        answer["ranks"] = ranks
    except Exception as error:
        answer["error"] = {"type": type(error).__name__, "message": str(error)}
    return answer


def main():
    seed, count = 20250311, int(sys.argv[1]) if len(sys.argv) > 1 else 600
    rng = generator(seed)
    write("shard", seed, [case(rng) for _ in range(count)])


main()
