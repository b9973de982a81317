def compute_local_shape_and_global_offset(shape, mesh, placements):
    """Plain cuts in their order, then strided ones: what PyTorch 2.8 tells of FSDP over tensor parallelism."""
    import torch.distributed as dist

    sizes, at = list(mesh.mesh.shape), mesh.mesh.tolist().index(dist.get_rank())
    coordinate = []
    for size in reversed(sizes):
        coordinate.insert(0, at % size)
        at //= size
    local, offset = list(shape), [0] * len(shape)
    order = [d for d, p in enumerate(placements) if hasattr(p, "dim") and not hasattr(p, "split_factor")]
    order += [d for d in reversed(range(len(placements))) if hasattr(placements[d], "split_factor")]
    for d in order:
        dim = placements[d].dim
        step = -(-local[dim] // sizes[d])
        start = min(coordinate[d] * step, local[dim])
        local[dim], offset[dim] = min(step, local[dim] - start), offset[dim] + start
    return tuple(local), tuple(offset)
