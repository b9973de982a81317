"""Checkpoints really saved by DCP at one layout and loaded at another: whether that goes, the exact error, what each rank reads.

Both jobs are worlds of processes over gloo. Each takes a step of its optimizer and makes its state dict as a script would
(`script`: {"model", "optimizer"} by torch.distributed.checkpoint.state_dict) or as TorchTitan v0.2.0 does (`titan`: the model's
names at the top, one state of the data loader per data-parallel rank). What is read is counted in torch.load and at open().
"""
import base64, json, zlib

from of.torch import at_least

VARIES = True  # pickles have addresses of the checkpoint's folder in them
KINDS = ["layout"] * 5 + ["deeper", "shallower", "vocabulary", "width", "no optimizer", "sgd before", "sgd now", "dtype", "names"]
SIZE = {"layers": 2, "hidden": 16, "heads": 4, "ffn": 32, "vocab": 40, "dtype": "float32"}


def has(version):
    """The jobs of this topic wrap modules by fully_shard, which 2.4 is the first release to let anybody use."""
    return at_least(version, 4)


def degrees_of(rng, version, titan):
    """Layouts of at most 8 ranks that this release can build."""
    minor = int(version.split(".")[1])
    while True:
        degrees = {"pp": rng.choice([1, 1, 1, 2]), "dp_replicate": rng.choice([1, 1, 2]),
                   "dp_shard": rng.choice([1, 2, 2, 3, 4]), "tp": rng.choice([1, 1, 2, 4])}
        pp, replicate, shard, tp = degrees.values()
        if pp * replicate * shard * tp > 8 or pp * replicate * shard * tp == 1:
            continue
        if tp > 1 and replicate > 1 and (minor < 5 or shard == 1):
            continue  # HSDP with tensor parallelism came with 2.5; DDP takes no DTensors
        if tp > 1 and shard == 3 and minor < 8:
            continue  # refused up to 2.7: uneven with tensor parallelism
        if titan and replicate > 1 and shard == 1 and pp * tp > 1:
            continue  # TorchTitan refuses DDP with other axes
        return degrees


def make(rng, version):
    titan = int(version.split(".")[1]) >= 8 and rng.random() < 0.4
    kind = rng.choice(KINDS)
    before = dict(SIZE, degrees=degrees_of(rng, version, titan), optimizer="adamw")
    if rng.random() < 0.4:  # uneven rows are refused with tensor parallelism up to 2.7
        before.update(vocab=rng.choice([37, 50, 64] if int(version.split(".")[1]) >= 8 else [48, 64]), ffn=rng.choice([48, 32]))
    now = dict(before, degrees=degrees_of(rng, version, titan))
    if kind == "layout" and rng.random() < 0.15:
        now["degrees"] = before["degrees"]
    if kind == "deeper":
        now["layers"] = 4
    if kind == "shallower":
        before["layers"] = 4
    if kind == "vocabulary":
        now["vocab"] = before["vocab"] + rng.choice([-8, 8])
    if kind == "width":
        now.update(hidden=32)
    if kind == "no optimizer":
        before["optimizer"] = None
    if kind == "sgd before":
        before["optimizer"] = "sgd"
    if kind == "sgd now":
        now["optimizer"] = "sgd"
    if kind == "dtype":
        (before if rng.random() < 0.5 else now)["dtype"] = "bfloat16"
    if titan and before["degrees"] != now["degrees"] and rng.random() < 0.6:
        keep = loaders(before["degrees"])  # mostly resumable: the data loader cannot be cut anew
        while loaders(now["degrees"]) != keep:
            now["degrees"] = degrees_of(rng, version, titan)
    names = ["app.model", "app.optim"] if kind == "names" and not titan else ["model", "optimizer"]
    return {"form": "titan" if titan else "script", "names": names, "before": before, "now": now}


def loaders(degrees):
    return degrees["dp_replicate"] * degrees["dp_shard"]


# ---- inside the environment ----


def state_of(form, names, job, model, optimizer):
    """The nested state dict that is saved or loaded into."""
    import pickle

    import torch
    import torch.distributed as dist
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, get_optimizer_state_dict

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0) if optimizer else None  # leaves initial_lr in the groups
    flat = StateDictOptions(flatten_optimizer_state_dict=True)
    weights = get_model_state_dict(model)
    moments = get_optimizer_state_dict(model, optimizer, options=flat) if optimizer else None
    if form == "script":
        state = {}
        for name, value in zip(names, (weights, moments)):
            inner = state
            for word in name.split(".")[:-1]:
                inner = inner.setdefault(word, {})
            if value is not None:
                inner[name.split(".")[-1]] = value
        return state
    inside = job["degrees"]["tp"]
    loader = dist.get_rank() % (loaders(job["degrees"]) * inside) // inside
    state = {"train_state": {"step": 3, "ntokens_seen": 9}}
    if moments is not None:
        state["optimizer"] = moments
    state["dataloader"] = {"dp_rank_%d" % loader: pickle.dumps({"sample": 7}), "world_size": loaders(job["degrees"])}
    if moments is not None:
        state["lr_scheduler"] = scheduler.state_dict()
    state.update(weights)
    return state


def job_of(job):
    """The model and its optimizer after a step with gradients of zeros."""
    import torch

    from of.torch.llama import build

    model = build(job, job["degrees"])
    parameters = [p for p in model.parameters()]
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    optimizer = {"adamw": lambda: torch.optim.AdamW(parameters, lr=0.1, foreach=False),
                 "sgd": lambda: torch.optim.SGD(parameters, lr=0.1, foreach=False), None: lambda: None}[job["optimizer"]]()
    if optimizer:
        optimizer.step()
        optimizer.zero_grad()
    return model, optimizer


class Counter:
    """What DCP reads: bytes that torch.load makes into tensors, what of them is taken, entries, and files as they are opened."""

    def __init__(self):
        import os, sys

        import torch
        from torch.distributed.checkpoint import filesystem

        self.count = {"bytes": 0, "needed_bytes": 0, "chunks": 0, "files": 0}
        load, narrow = torch.load, filesystem.narrow_tensor_by_index

        def counted_load(*args, **kwargs):
            tensor = load(*args, **kwargs)
            self.whole = isinstance(tensor, torch.Tensor) and tensor.dim() == 0
            if isinstance(tensor, torch.Tensor) and not self.whole:  # a counter is one number; parplan counts what is cut
                self.count["bytes"] += tensor.numel() * tensor.element_size()
                self.count["chunks"] += 1
            return tensor

        def counted_narrow(*args):
            tensor = narrow(*args)
            if not self.whole:
                self.count["needed_bytes"] += tensor.numel() * tensor.element_size()
            return tensor

        def opened(event, args):
            if event == "open" and isinstance(args[0], (str, os.PathLike)) and str(args[0]).endswith(".distcp"):
                self.count["files"] += 1

        torch.load, filesystem.narrow_tensor_by_index = counted_load, counted_narrow
        sys.addaudithook(opened)


def save(case, folder):
    import torch.distributed.checkpoint as dcp

    def rank(_):
        model, optimizer = job_of(case["before"])
        dcp.save(state_of(case["form"], case["names"], case["before"], model, optimizer), checkpoint_id=folder)

    return rank


def load(case, folder):
    import torch
    import torch.distributed.checkpoint as dcp

    def rank(_):
        model, optimizer = job_of(case["now"])
        state = state_of(case["form"], case["names"], case["now"], model, optimizer)
        counter = Counter()
        try:
            dcp.load(state, checkpoint_id=folder)
        except BaseException as error:
            failures = getattr(error, "failures", {0: (error,)}).values()  # of all ranks
            return {"errors": sorted({"%s: %s" % (type(failure[0]).__name__, failure[0]) for failure in failures})}
        if case["form"] == "titan" and state["dataloader"]["world_size"] != loaders(case["now"]["degrees"]):
            text = "dp_degree is inconsistent before and after checkpoint, dataloader resharding is not supported yet."
            return {"errors": ["AssertionError: " + text]}  # TorchTitan v0.2.0, components/dataloader.py
        return counter.count

    return rank


def ask(case, version):
    import shutil, tempfile

    from of.torch.gloo import together
    from of.torch.llama import world_of
    import torch.distributed.checkpoint  # once, before the ranks are forked

    folder = tempfile.mkdtemp(prefix="parplan-dcp-")
    try:
        errors = [r for r in together(world_of(case["before"]["degrees"]), save(case, folder)) if r]
        if errors:
            return {"save": errors[0]["error"]}
        with open(folder + "/.metadata", "rb") as file:
            metadata = base64.b64encode(zlib.compress(file.read(), 9)).decode()
        return {"metadata": metadata, "ranks": together(world_of(case["now"]["degrees"]), load(case, folder))}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# ---- parplan ----


def config(form, job, version):
    """A job as a native config."""
    degrees = job["degrees"]
    world = degrees["pp"] * degrees["dp_replicate"] * degrees["dp_shard"] * degrees["tp"]
    lines = ["parplan: 1", "framework: {torch: %s%s}" % (version, ", torchtitan: v0.2.0" if form == "titan" else ""),
             "world: %d" % world, "parallelism: " + json.dumps(degrees),
             "model: {arch: llama, layers: %(layers)d, hidden: %(hidden)d, heads: %(heads)d, ffn: %(ffn)d, vocab: %(vocab)d}" % job,
             "training: {local_batch_size: 8, dtype: %s, optimizer: {name: %s}}" % (job["dtype"], job["optimizer"] or "adamw"),
             "checkpoint: {enabled: true}"]
    return "\n".join(lines) + "\n"


def obstacles(got):
    return [o["error"] for o in got.get("obstacles", []) if o["fate"] == "fails"]


def text_of(error):
    return "%(type)s: %(message)s" % error


def judged(got, answer, kind):
    """None, or how parplan's answer differs from what happened; `kind` says what it was given."""
    errors = [text for rank in answer["ranks"] for text in rank.get("errors", [text_of(rank["error"])] if "error" in rank else [])]
    if "components" not in got:
        return "%s: %s" % (kind, got)
    if errors:
        if got["compatible"] is not False:
            return "%s: raises %s, parplan says it loads" % (kind, errors[0])
        return None if set(errors) & set(obstacles(got)) else "%s: raises %s, parplan says %s" % (kind, errors[0], obstacles(got))
    if got["compatible"] is not True:
        return "%s: loads, parplan says %s" % (kind, obstacles(got) or got["compatible"])
    if got["reads_unknown"] or got["total"]["unmatched_tensors"]:  # up to 2.5 tensors of other sizes are read where they overlap
        return None
    names = ["bytes", "needed_bytes", "chunks"] + ["files"] * (kind == "metadata")  # which file has a setting, metadata alone tells
    for rank, (want, have) in enumerate(zip(answer["ranks"], got["reads"])):
        want, have = [want[name] for name in names], [have[name] for name in names]
        if "files" in names and answer.get("loaders"):  # a rank's own loader state, one entry of one file, is left aside
            have[-1] += want[-1] - have[-1] == 1
        if want != have:
            return "%s: rank %d reads %s (%s), parplan says %s" % (kind, rank, want, ", ".join(names), have)
    return None if len(answer["ranks"]) == len(got["reads"]) else "%s: reads of %d ranks" % (kind, len(got["reads"]))


def compare(case, answer, version, parplan):
    before = parplan.file("before.yaml", config(case["form"], case["before"], version))
    now = parplan.file("now.yaml", config(case["form"], case["now"], version))
    if "save" in answer:
        got = parplan.json("reshard", before, now)
        if any(text == text_of(answer["save"]) or text in answer["save"]["message"] for text in obstacles(got)):
            return None
        return "cannot be saved: %s, parplan says %s" % (answer["save"], obstacles(got))
    stored = parplan.file("stored/.metadata", zlib.decompress(base64.b64decode(answer["metadata"])))
    answer = dict(answer, loaders=case["form"] == "titan")
    why = judged(parplan.json("reshard", stored, now), answer, "metadata")
    return why or (case["before"]["optimizer"] and judged(parplan.json("reshard", before, now), answer, "config"))
