"""fully_shard on Linear weights that tensor parallelism has cut: what each rank stores, and what metadata says.

The rows of the weight hold their own numbers, so the local tensor shows which of them a rank has. Settles
whether metadata from 2.11 on differs from storage when tp does not divide the rows."""
import sys

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

from common import Rank, generator, write


def word(placement):
    if placement.is_replicate():
        return "R"
    factor = getattr(placement, "split_factor", None)
    return "S(%d)" % placement.dim if factor is None else "SS(%d,%d)" % (placement.dim, factor)


def build(rows, replicate, dp, tp, style):
    """A Linear whose weight is cut by tp as `style` says and then by fully_shard; returns its parameter."""
    sizes, names = ((replicate, dp, tp), ("rep", "dp", "tp")) if replicate > 1 else ((dp, tp), ("dp", "tp"))
    root = init_device_mesh("cpu", sizes, mesh_dim_names=names)
    columns = 2 * tp
    full = torch.arange(rows, dtype=torch.float32).unsqueeze(1).repeat(1, columns)
    layer = nn.Linear(columns, rows, bias=False)
    if tp > 1:
        mesh = root["tp"]
        placement = {"colwise": Shard(0), "rowwise": Shard(1), "none": Replicate()}[style]
        local = full
        if placement.is_shard():
            chunks = torch.chunk(full, tp, placement.dim)
            at = mesh.get_local_rank()
            local = chunks[at] if at < len(chunks) else full[:0]
        local = local.clone()
        weight = DTensor.from_local(local, mesh, [placement], run_check=False, shape=full.shape, stride=full.stride())
    else:
        weight = full
    layer.weight = nn.Parameter(weight)
    fully_shard(layer, mesh=root["rep", "dp"] if replicate > 1 else root["dp"])
    return layer.weight


def case(rng):
    replicate, dp, tp = rng.choice([1, 1, 2]), rng.choice([1, 2, 3, 4]), rng.choice([1, 2, 3, 4])
    rows, style = rng.choice([4, 5, 7, 8, 12, 13, 15, 16, 18, 24, 39, 50]), rng.choice(["colwise", "colwise", "rowwise", "none"])
    world = replicate * dp * tp
    answer = {"rows": rows, "columns": 2 * tp, "replicate": replicate, "dp": dp, "tp": tp, "style": style, "ranks": []}
    for rank in range(world):
        with Rank(rank, world):
            try:
                parameter = build(rows, replicate, dp, tp, style)
                local, offset = compute_local_shape_and_global_offset(parameter.shape, parameter.device_mesh, parameter.placements)
            except Exception as error:
                return dict(answer, ranks=[], error={"type": type(error).__name__, "message": str(error)})
            data = parameter.to_local()
            stored = [int(v) for v in data[:, 0].tolist()] if data.numel() else []
            answer["mesh"] = list(parameter.device_mesh.shape)
            answer["placements"] = [word(p) for p in parameter.placements]
            answer["ranks"].append({"shape": list(local), "offset": list(offset), "stored": stored})
    return answer


def main():
    seed, count = 20260104, int(sys.argv[1]) if len(sys.argv) > 1 else 300
    rng = generator(seed)
    cases = [case(rng) for _ in range(count)]
    differ = sum(any(r["shape"][0] != len(r["stored"]) or (r["stored"] and r["offset"][0] != r["stored"][0]) for r in c["ranks"]) for c in cases)
    print("metadata differs from storage in %d of %d cases" % (differ, len(cases)))
    write("fsdp", seed, cases)


main()
