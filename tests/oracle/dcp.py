"""Weights saved with DCP at one mesh and loaded at another: the chunks in `.metadata`, and what each rank reads.

DCP's own planners and FileSystemWriter do the work, one fake rank after the other; nothing is communicated, the
plans are handed over in this process. Keeps each `.metadata` beside the JSON as dcp-N.metadata. Written against
the sources of 2.2 to 2.11 (torch/distributed/checkpoint/default_planner.py, filesystem.py); not yet run."""
import os, shutil, sys, tempfile

import torch
from torch import nn
from torch.distributed.checkpoint import FileSystemReader, FileSystemWriter
from torch.distributed.checkpoint.default_planner import DefaultLoadPlanner, DefaultSavePlanner
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard

from common import ROOT, Rank, generator, write


def word(placement):
    if placement.is_replicate():
        return "R"
    factor = getattr(placement, "split_factor", None)
    return "S(%d)" % placement.dim if factor is None else "SS(%d,%d)" % (placement.dim, factor)


def build(shape, degrees):
    """A weight cut by tensor parallelism and then by fully_shard, as on the current rank."""
    replicate, dp, tp, style = degrees
    root = init_device_mesh("cpu", (replicate, dp, tp), mesh_dim_names=("rep", "dp", "tp"))
    weight = torch.zeros(shape)
    if tp > 1:
        placement = {"colwise": Shard(0), "rowwise": Shard(1), "none": Replicate()}[style]
        local = weight
        if placement.is_shard():
            chunks = torch.chunk(weight, tp, placement.dim)
            at = root["tp"].get_local_rank()
            local = chunks[at].clone() if at < len(chunks) else weight.narrow(placement.dim, 0, 0).clone()
        weight = DTensor.from_local(local, root["tp"], [placement], run_check=False, shape=weight.shape, stride=weight.stride())
    layer = nn.Linear(shape[1], shape[0], bias=False)
    layer.weight = nn.Parameter(weight)
    fully_shard(layer, mesh=root["rep", "dp"] if replicate > 1 else root["dp"])
    return layer.weight


def world_of(degrees):
    return degrees[0] * degrees[1] * degrees[2]


def save(folder, shape, degrees):
    """Saves as all ranks of that world would; returns how the weight was cut."""
    planners, plans, how = [], [], None
    for rank in range(world_of(degrees)):
        with Rank(rank, world_of(degrees)):
            weight = build(shape, degrees)
            how = {"mesh": list(weight.device_mesh.shape), "placements": [word(p) for p in weight.placements]}
            planner = DefaultSavePlanner()
            planner.set_up_planner(state_dict={"weight": weight}, is_coordinator=rank == 0)
            plans.append(planner.create_local_plan())
            planners.append(planner)
    writer = FileSystemWriter(folder)
    writer.set_up_storage_writer(True)
    plans = [writer.prepare_local_plan(plan) for plan in plans]
    plans, metadata = planners[0].create_global_plan(plans)
    plans = writer.prepare_global_plan(plans)
    results = []
    for planner, plan in zip(planners, plans):
        results.append(writer.write_data(planner.finish_plan(plan), planner).wait())
    writer.finish(metadata, results)
    return how


def load(folder, shape, degrees):
    """What each rank of another world would read: chunks of which file, as boxes of the whole weight."""
    metadata = FileSystemReader(folder).read_metadata()
    how, ranks = None, []
    for rank in range(world_of(degrees)):
        with Rank(rank, world_of(degrees)):
            weight = build(shape, degrees)
            how = {"mesh": list(weight.device_mesh.shape), "placements": [word(p) for p in weight.placements]}
            planner = DefaultLoadPlanner()
            planner.set_up_planner({"weight": weight}, metadata=metadata, is_coordinator=rank == 0)
            reads = []
            for item in planner.create_local_plan().items:
                place = metadata.storage_data[item.storage_index]
                offset = [a + b for a, b in zip(item.storage_index.offset, item.storage_offsets)]
                reads.append({"file": place.relative_path, "offset": offset, "shape": list(item.lengths)})
            ranks.append(reads)
    return how, ranks


def case(rng, number):
    def degrees():
        return rng.choice([1, 1, 2]), rng.choice([1, 2, 3, 4]), rng.choice([1, 2, 4]), rng.choice(["colwise", "rowwise", "none"])

    shape = [rng.choice([4, 7, 8, 12, 15, 16, 24, 50]), 8]
    old, new = degrees(), degrees()
    folder = tempfile.mkdtemp()
    answer = {"shape": shape, "file": "dcp-%d.metadata" % number}
    try:
        answer["saved"] = save(folder, shape, old)
        reader = FileSystemReader(folder).read_metadata()
        answer["chunks"] = [{"offset": list(c.offsets), "shape": list(c.sizes)} for c in reader.state_dict_metadata["weight"].chunks]
        answer["loaded"], answer["ranks"] = load(folder, shape, new)
        kept = os.path.join(ROOT, "testdata", "oracle", "torch-" + torch.__version__.split("+")[0], "dcp")
        os.makedirs(kept, exist_ok=True)
        shutil.copy(os.path.join(folder, ".metadata"), os.path.join(kept, answer["file"]))
    except Exception as error:
        answer["error"] = {"type": type(error).__name__, "message": str(error)}
    finally:
        shutil.rmtree(folder)
    return answer


def main():
    seed, count = 20260311, int(sys.argv[1]) if len(sys.argv) > 1 else 120
    rng = generator(seed)
    write("dcp", seed, [case(rng, number) for number in range(count)])


main()
