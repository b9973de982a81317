"""A small job of one process per rank: what it builds, a few steps of it, and the evidence that this rank leaves. Needs torch.

    torchrun --nproc-per-node 4 -m of.runs.training CASE.json FOLDER      writes FOLDER/rankN.json
"""
import inspect, json, os, re, sys, tempfile

import torch
import torch.distributed as dist
from torch import nn

from of.torch.llama import build, fully_shard, mesh_of, tensor_parallel, Llama

BATCH, SEQUENCE, STEPS = 4, 16, 4  # two of the steps are profiled


def shard(model, mesh):
    for block in model.layers.values():
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model


def whole(size):
    return Llama(size)


# ---- what is built: the degrees as they are, or one mistake ----


def flattened(size, mesh, degrees):
    """The mesh of two dims is flattened before fully_shard gets it."""
    return shard(whole(size), mesh["dp_replicate", "dp_shard"]._flatten("dp"))


def lost_replicas(size, mesh, degrees):
    """fully_shard never hears of the copies."""
    mesh["dp_replicate"].get_group()
    return shard(whole(size), mesh["dp_shard"])


def ddp_for_fsdp(size, mesh, degrees):
    """Everything is repeated, nothing is cut."""
    return nn.parallel.DistributedDataParallel(whole(size))


def tp_unused(size, mesh, degrees):
    """The mesh has a tensor-parallel axis, and nobody cuts the model over it."""
    mesh["tp"].get_group()
    return shard(whole(size), mesh["dp_shard"])


def wrapped_twice(size, mesh, degrees):
    """FSDP over what is to be shared, DDP's gradients around it over everybody."""
    model = shard(whole(size), mesh["dp_shard"])
    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(lambda p: dist.all_reduce(p.grad._local_tensor))
    return model


BROKEN = {"flattened": flattened, "lost replicas": lost_replicas, "ddp for fsdp": ddp_for_fsdp, "tp unused": tp_unused,
          "wrapped twice": wrapped_twice}


def optimizer_of(case, model):
    if case["engine"] == "zero":
        from torch.distributed.optim import ZeroRedundancyOptimizer

        return ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, lr=1e-3)
    return torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)


def log_loss(loss):
    """As trainers do: one element over the whole world."""
    value = loss.detach().float().reshape(1)
    dist.all_reduce(value)
    return value


def loss_of(logits, target):
    return nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten())


def plain(case, model, optimizer, tokens):
    def step():
        loss = loss_of(model(tokens), tokens)
        loss.backward()
        if case["clip"]:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False)
        optimizer.step()
        optimizer.zero_grad()
        log_loss(loss)

    return step


def piped(case, mesh, model, optimizer, tokens):
    from torch.distributed import pipelining

    degrees, size = case["ran"], case["size"]
    rank, stages = mesh["pp"].get_local_rank(), degrees["pp"]
    kind, more = pipelining.PipelineStage, {}
    count = case["microbatches"]
    first = torch.zeros(BATCH // count, SEQUENCE, dtype=torch.long)
    if inspect.signature(kind.__init__).parameters["input_args"].default is inspect.Parameter.empty:  # before 2.6
        middle = torch.zeros(BATCH // count, SEQUENCE, size["hidden"])
        last = torch.zeros(BATCH // count, SEQUENCE, size["vocab"])
        more = {"input_args": (first if rank == 0 else middle,), "output_args": (last if rank == stages - 1 else middle,)}
    stage = kind(model, rank, stages, torch.device("cpu"), group=mesh["pp"].get_group(), **more)
    schedule = getattr(pipelining, "Schedule" + case["schedule"])(stage, count, loss_fn=loss_of)

    def step():
        losses = []
        if rank == 0:
            schedule.step(tokens)
        elif rank == stages - 1:
            schedule.step(target=tokens, losses=losses)
        else:
            schedule.step()
        optimizer.step()
        optimizer.zero_grad()
        log_loss(sum(losses) if losses else torch.zeros(1))

    return step


def step_of(case):
    mesh, size = mesh_of(case["ran"]), case["size"]
    if case["engine"] in BROKEN:
        model = BROKEN[case["engine"]](size, mesh, case["ran"])
    else:
        model = build(size, case["ran"], mesh)
    optimizer = optimizer_of(case, model)
    tokens = torch.randint(size["vocab"], (BATCH, SEQUENCE))
    if case["ran"]["pp"] > 1:
        return piped(case, mesh, model, optimizer, tokens)
    return plain(case, model, optimizer, tokens)


# ---- what is kept ----


def trimmed(path):
    """Of a trace what tells of communication; nothing of the machine."""
    with open(path) as file:
        trace = json.load(file)
    events = []
    for event in trace["traceEvents"]:
        name = event.get("name", "")
        if event.get("ph") != "X" or not re.match(r"record_param_comms|ProfilerStep#|gloo:|nccl:", name):
            continue
        event = {key: event[key] for key in ("ph", "cat", "name", "pid", "tid", "ts", "dur", "args") if key in event}
        event["pid"] = event["tid"] = 1 if isinstance(event["tid"], int) else 2
        events.append(event)
    kept = {key: trace[key] for key in ("schemaVersion", "distributedInfo", "displayTimeUnit", "baseTimeNanoseconds") if key in trace}
    return json.dumps(dict(kept, deviceProperties=[], traceEvents=events))


def recorded():
    """The flight recorder's dump of this process as JSON, None where this release keeps none for gloo."""
    take = getattr(torch._C._distributed_c10d, "_dump_fr_trace_json", None)
    dump = json.loads(take()) if take else {}
    if not dump.get("entries"):
        return None
    for entry in dump["entries"]:
        for key in ("frames", "thread_name", "thread_id"):
            entry.pop(key, None)
    return json.dumps(dump)


def train(case):
    """Runs the job of this rank; its evidence by the names of files."""
    rank = dist.get_rank()
    torch.manual_seed(rank)
    step = step_of(case)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        schedule = torch.profiler.schedule(wait=1, warmup=1, active=STEPS - 2)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], schedule=schedule, record_shapes=True,
                                    on_trace_ready=lambda p: p.export_chrome_trace(path)) as profiler:
            for _ in range(STEPS):
                step()
                profiler.step()
        files = {"rank%d_trace.json" % rank: trimmed(path)}
    dump = recorded()
    if dump:
        files["comm_traces/rank_%d" % rank] = dump
    dist.barrier()
    return files


def main():
    with open(sys.argv[1]) as file:
        case = json.load(file)
    dist.init_process_group("gloo")
    with open("%s/rank%d.json" % (sys.argv[2], dist.get_rank()), "w") as file:
        json.dump(train(case), file)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
