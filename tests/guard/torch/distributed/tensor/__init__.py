import itertools


class Tensor:
    def __init__(self, shape, values=()):
        self.shape, self.values = tuple(shape), list(values)

    def flatten(self):
        return self

    def tolist(self):
        return list(self.values)


class DeviceMesh:
    """The submesh of one rank: a row-major array of ranks and the names of its dimensions."""

    def __init__(self, names, sizes, ranks):
        self.mesh_dim_names, self.mesh = tuple(names), Tensor(sizes, ranks)


class Shard:
    def __init__(self, dim):
        self.dim = dim


class StridedShard:
    def __init__(self, dim, split_factor):
        self.dim, self.split_factor = dim, split_factor


class Replicate:
    pass


class DTensor:
    def __init__(self, shape, mesh, placements, local):
        self.shape, self.device_mesh, self.placements, self._local_tensor = tuple(shape), mesh, placements, Tensor(local)


def mesh_of(layouts, rank):
    """The mesh that these communicators (name, sizes, strides) span, as one rank sees it."""
    sizes = [[size for size in layout[1]] for layout in layouts]
    strides = [stride for layout in layouts for stride in layout[2]]
    flat = [size for each in sizes for size in each]
    base = rank - sum(rank // stride % size * stride for size, stride in zip(flat, strides))
    ranks = [base + sum(i * stride for i, stride in zip(index, strides)) for index in itertools.product(*map(range, flat))]
    shape = []
    for each in sizes:
        product = 1
        for size in each:
            product *= size
        shape.append(product)
    return DeviceMesh([layout[0] for layout in layouts], shape, ranks)
