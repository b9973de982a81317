"""Directed cases: what a rule claims of PyTorch, done with PyTorch.

Each claim is named by the rule and has configs for parplan and a program that does the same; the rule must be found
just where the program fails (or does what the rule warns of), with the program's own words, and its evidence must be
`run`. Programs run under the fake process group unless they say otherwise.
"""
import re

HEAD = "parplan: 1\nframework: {torch: %s}\n"


class Claim:
    """`variants` are pairs of a config and the arguments of the program that does the same."""

    def __init__(self, since, variants, program):
        self.since, self.variants, self.program = since, variants, program


CLAIMS = {}


def claim(rule, since, *variants):
    def keep(program):
        CLAIMS[rule] = Claim(since, variants, program)
        return program

    return keep


def fully_shard(*args, **kwargs):
    try:
        from torch.distributed.fsdp import fully_shard
    except ImportError:  # up to 2.5
        from torch.distributed._composable.fsdp import fully_shard
    return fully_shard(*args, **kwargs)


def tensor_part(name):
    """A name of torch.distributed.tensor, which was private up to 2.4."""
    import importlib

    for module in ("torch.distributed.tensor", "torch.distributed._tensor"):
        found = getattr(importlib.import_module(module), name, None)
        if found:
            return found
    raise ImportError(name)


def root(**sizes):
    from torch.distributed.device_mesh import init_device_mesh

    return init_device_mesh("cpu", tuple(sizes.values()), mesh_dim_names=tuple(sizes))


def linear(**kwargs):
    import torch

    return torch.nn.Linear(64, 64, bias=False, **kwargs)


def colwise(module, mesh):
    from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module

    return parallelize_module(module, mesh, ColwiseParallel())


def step(module):
    """A forward and a backward."""
    import torch

    module(torch.ones(4, 64)).sum().backward()


@claim("reshard-not-a-factor", 4,
       ("world: 16\nparallelism: {dp_replicate: 2, dp_shard: 8, reshard_after_forward: 3}\n", [3]),
       ("world: 16\nparallelism: {dp_replicate: 2, dp_shard: 8, reshard_after_forward: 16}\n", [16]),
       ("world: 16\nparallelism: {dp_replicate: 2, dp_shard: 8, reshard_after_forward: 4}\n", [4]))
def reshard_number(number):
    fully_shard(linear(), mesh=root(rep=2, shard=8), reshard_after_forward=number)


@claim("reshard-number-with-tp", 7,
       ("world: 16\nparallelism: {dp_shard: 8, tp: 2, reshard_after_forward: 4}\n", [4]),
       ("world: 16\nparallelism: {dp_shard: 8, tp: 2, reshard_after_forward: 8}\n", [8]))
def reshard_number_with_tp(number):
    mesh = root(shard=8, tp=2)
    outer = __import__("torch").nn.Sequential(colwise(linear(), mesh["tp"]))
    fully_shard(outer[0], mesh=mesh["shard"], reshard_after_forward=number)
    step(fully_shard(outer, mesh=mesh["shard"]))


@claim("tensor-mesh-not-1d", 2,
       ("mesh:\n  root: {dp: 4, tp: 2}\n  tensor_parallel: [dp, tp]\n  means: {tensor: tp}\n", [True]),
       ("mesh:\n  root: {dp: 4, tp: 2}\n  tensor_parallel: tp\n  means: {tensor: tp}\n", [False]))
def tensor_mesh_of_two(both):
    mesh = root(dp=4, tp=2)
    colwise(linear(), mesh if both else mesh["tp"])


@claim("tensor-mesh-not-innermost", 2,
       ("mesh:\n  root: {dp: 2, tp: 2, cp: 2}\n  tensor_parallel: tp\n", [("dp", "tp", "cp")]),
       ("mesh:\n  root: {tp: 2, dp: 2}\n  tensor_parallel: tp\n", [("tp", "dp")]),
       ("mesh:\n  root: {pp: 2, dp: 2, tp: 2}\n  tensor_parallel: tp\n", [("pp", "dp", "tp")]),
       ("mesh:\n  root: {dp: 2, tp: 2}\n  tensor_parallel: tp\n", [("dp", "tp")]))
def tensor_mesh_inside(axes):
    colwise(linear(), root(**{axis: 2 for axis in axes})["tp"])


@claim("overlapping-meshes", 5,
       ("mesh:\n  root: {shard: 4, tp: 2}\n  flatten: {all: [shard, tp]}\n  fully_shard: all\n  tensor_parallel: tp\n", [True]),
       ("mesh:\n  root: {shard: 4, tp: 2}\n  fully_shard: shard\n  tensor_parallel: tp\n", [False]))
def overlapping(over_all):
    mesh = root(shard=4, tp=2)
    fully_shard(colwise(linear(), mesh["tp"]), mesh=mesh["shard", "tp"]._flatten("all") if over_all else mesh["shard"])


@claim("meshes-of-two-roots", 5,
       ("mesh:\n  script: |\n    data = init(dp=8)\n    model = init(pp=4, tp=2)\n    tensor = model[tp]\n"
        "  fully_shard: data\n  tensor_parallel: tensor\n", [True]),
       ("mesh:\n  script: |\n    model = init(dp=4, tp=2)\n    data = model[dp]\n    tensor = model[tp]\n"
        "  fully_shard: data\n  tensor_parallel: tensor\n", [False]))
def two_roots(two):
    data = root(dp=8) if two else None
    model = root(pp=4, tp=2) if two else root(dp=4, tp=2)
    tensor = model["tp"]
    fully_shard(colwise(linear(), tensor), mesh=data or model["dp"])


@claim("hsdp-with-tensor-parallel", 4,
       ("world: 8\nparallelism: {dp_replicate: 2, dp_shard: 2, tp: 2}\n", [True]),
       ("world: 4\nparallelism: {dp_shard: 2, tp: 2}\n", [False]))
def hsdp_with_tensor_parallel(replicate):
    mesh = root(rep=2, shard=2, tp=2) if replicate else root(shard=2, tp=2)
    fully_shard(colwise(linear(), mesh["tp"]), mesh=mesh["rep", "shard"] if replicate else mesh["shard"])


SMALL = "model: {arch: llama, layers: 2, hidden: 64, heads: 4, ffn: 128, vocab: 256%s}\n"


@claim("mixed-dtype-unit", 7,
       ("world: 8\n" + SMALL % ", dtypes: {layers.*.ffn_norm.weight: float32}"
        + "training: {dtype: bfloat16}\nparallelism: {dp_shard: 8}\n", [True]),
       ("world: 8\n" + SMALL % "" + "training: {dtype: bfloat16}\nparallelism: {dp_shard: 8}\n", [False]))
def two_types(mixed):
    import torch

    unit = torch.nn.Sequential(linear(dtype=torch.bfloat16), torch.nn.LayerNorm(64, dtype=torch.float32 if mixed else torch.bfloat16))
    fully_shard(unit, mesh=root(shard=8))
    unit(torch.ones(4, 64, dtype=torch.bfloat16))


@claim("clip-across-meshes", 5,
       ("world: 8\nmodel: qwen3-30b-a3b\nparallelism: {dp_shard: 8, ep: 8}\ntraining: {max_norm: 1.0}\n", [True]),
       ("world: 8\nmodel: qwen3-30b-a3b\nparallelism: {dp_shard: 8}\ntraining: {max_norm: 1.0}\n", [False]))
def clip(two):
    import torch
    distribute_tensor, Shard = tensor_part("distribute_tensor"), tensor_part("Shard")
    one, other = root(dp=8), root(x=1, ep=8) if two else None
    weights = [torch.nn.Parameter(distribute_tensor(torch.ones(64, 64), one, [Shard(0)])),
               torch.nn.Parameter(distribute_tensor(torch.ones(64, 64), other["ep"] if two else one, [Shard(0)]))]
    for weight in weights:
        weight.grad = weight.detach().clone()
    torch.nn.utils.clip_grad_norm_(weights, 1.0, foreach=False)


def fsdp1(strategy, mesh):
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy

    return FullyShardedDataParallel(linear(), sharding_strategy=ShardingStrategy[strategy], device_mesh=mesh, device_id=torch.device("cpu"))


@claim("hybrid-shard-mesh", 2,
       ("mesh:\n  root: {fsdp: 4}\n  fully_shard: fsdp\ntraining: {sharding_mode: HYBRID_SHARD}\n", [{"fsdp": 4}]),
       ("mesh:\n  root: {ddp: 2, fsdp: 2}\n  fully_shard: [ddp, fsdp]\ntraining: {sharding_mode: HYBRID_SHARD}\n", [{"ddp": 2, "fsdp": 2}]))
def hybrid_shard_mesh(sizes):
    fsdp1("HYBRID_SHARD", root(**sizes))


@claim("shard-axis-of-one", 2,
       ("mesh:\n  root: {ddp: 8, fsdp: 1}\n  fully_shard: [ddp, fsdp]\ntraining: {sharding_mode: HYBRID_SHARD}\n", [8, 1]),
       ("mesh:\n  root: {ddp: 4, fsdp: 2}\n  fully_shard: [ddp, fsdp]\ntraining: {sharding_mode: HYBRID_SHARD}\n", [4, 2]))
def shard_axis(replicate, shard):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message="(?!FSDP is switching).*")
        fsdp1("HYBRID_SHARD", root(ddp=replicate, fsdp=shard))


@claim("tied-weights-split", 4,
       ("world: 8\nmodel: {arch: llama, layers: 2, hidden: 64, heads: 4, ffn: 128, vocab: 256, tied: true}\nparallelism: {dp_shard: 8}\n", [True]),
       ("world: 8\n" + SMALL % "" + "parallelism: {dp_shard: 8}\n", [False]))
def tied(shared):
    import torch

    model, mesh = torch.nn.ModuleDict({"tok_embeddings": torch.nn.Embedding(256, 64), "output": torch.nn.Linear(64, 256, bias=False)}), root(shard=8)
    if shared:
        model["output"].weight = model["tok_embeddings"].weight
    fully_shard(model["tok_embeddings"], mesh=mesh)
    fully_shard(model["output"], mesh=mesh)


@claim("sequence-length", 5,
       ("world: 4\n" + SMALL % "" + "parallelism: {dp_shard: 1, cp: 4}\ntraining: {seq_len: 36, local_batch_size: 1}\n", [36]),
       ("world: 4\n" + SMALL % "" + "parallelism: {dp_shard: 1, cp: 4}\ntraining: {seq_len: 34, local_batch_size: 1}\n", [34]),
       ("world: 4\n" + SMALL % "" + "parallelism: {dp_shard: 1, cp: 4}\ntraining: {seq_len: 64, local_batch_size: 1}\n", [64]))
def context_parallel_length(length):
    import torch
    from torch.distributed.tensor.experimental._attention import context_parallel

    buffer = torch.arange(length).reshape(1, length).clone()
    with context_parallel(root(cp=4), buffers=[buffer], buffer_seq_dims=[1]):
        mine = buffer[0].tolist()
    return length % 8 != 0 and mine == list(range(len(mine)))  # the first chunk alone: not balanced


@claim("heads-divisibility", 4,
       ("world: 4\n" + SMALL.replace("heads: 4", "heads: 2") % "" + "parallelism: {dp_shard: 1, tp: 4}\ntraining: {seq_len: 8, local_batch_size: 1}\n", [2]),
       ("world: 4\n" + SMALL % "" + "parallelism: {dp_shard: 1, tp: 4}\ntraining: {seq_len: 8, local_batch_size: 1}\n", [4]))
def heads(number):
    import torch

    wq, tokens = colwise(linear(), root(tp=4)), torch.ones(1, 8, 64)
    wq(tokens).view(1, 8, -1, 64 // number)


@claim("gloo-average", 7,
       ("world: 2\nparallelism: {dp_shard: 2, backend: gloo}\n", [True]),
       ("world: 2\nparallelism: {dp_replicate: 2, dp_shard: 1, backend: gloo}\n", [False]))
def gloo(sharded):
    """Two processes over gloo: gradients of inputs 1 and 3 must average to 2 in each weight."""
    import socket

    import torch.multiprocessing as processes

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = processes.get_context("spawn")
    seen = context.Queue()
    workers = [context.Process(target=gloo_rank, args=(rank, port, sharded, seen)) for rank in range(2)]
    for worker in workers:
        worker.start()
    try:
        results = [seen.get(timeout=120) for _ in workers]
    finally:
        for worker in workers:
            worker.join(timeout=5)
            worker.kill()
    if any(isinstance(result, str) for result in results):
        raise RuntimeError(next(result for result in results if isinstance(result, str)))
    return any(abs(result - 2) > 1e-3 for result in results)


def gloo_rank(rank, port, sharded, seen):
    import datetime, os

    import torch
    import torch.distributed as dist

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
    try:
        dist.init_process_group("gloo", rank=rank, world_size=2, timeout=datetime.timedelta(seconds=60))
        torch.manual_seed(0)
        model = linear()
        model = fully_shard(model, mesh=root(dp=2)) if sharded else torch.nn.parallel.DistributedDataParallel(model)
        model(torch.full((1, 64), 1.0 + 2 * rank)).sum().backward()
        grad = next(model.parameters()).grad
        seen.put(float((grad.to_local() if sharded else grad).mean()))
        dist.destroy_process_group()
    except Exception as error:
        seen.put("%s: %s" % (type(error).__name__, error))


def cases(version):
    """Every claim with each of its configs, where the version has what it needs."""
    minor = int(version.split(".")[1])
    return [{"rule": rule, "variant": number} for rule, kept in sorted(CLAIMS.items()) if minor >= kept.since for number in range(len(kept.variants))]


def world_of(config):
    sizes = re.search(r"world: (\d+)", config)
    if sizes:
        return int(sizes[1])
    product = 1
    for size in re.findall(r"\w+[:=] ?(\d+)", re.search(r"root: \{(.*?)\}|init\((.*?)\)", config)[0]):
        product *= int(size)
    return product


def text_of(error):
    """The last line of the traceback; for an assertion without words the line before it, too."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    where = "" if str(error) else "in %s %s ^^^ " % (last.name, last.line)
    return "%s%s: %s" % (where, type(error).__name__, error)


def ask(case, version):
    """{"fires": bool} and the exception, where there is one."""
    from of.torch.fake import Rank

    kept = CLAIMS[case["rule"]]
    config, arguments = kept.variants[case["variant"]]
    if case["rule"] == "gloo-average":
        return {"fires": kept.program(*arguments)}
    with Rank(0, world_of(config)):
        try:
            return {"fires": bool(kept.program(*arguments))}
        except Exception as error:
            return {"fires": True, "says": text_of(error)}


def plain(text):
    """An exception's text without line breaks and without the quotes and brackets of a tuple of strings."""
    return re.sub(r"""^(\w+: )\(?["'](.*)["']\)?$""", r"\1\2", re.sub(r"""(['"]), (['"])""", " ", text.replace("\n", " "))).replace("  ", " ")


def said(rule, raised):
    """Whether one of a rule's texts, {such} parts open, is in an exception."""
    raised = plain(raised).replace("'FakeProcessGroup'", "'torch._C._distributed_c10d.ProcessGroup'")
    texts = [re.escape(text["text"]) for text in rule["says"]]
    return any(re.search(re.sub(r"\\\{[^{}]*\\\}", "(?s:.*)", text), raised) for text in texts)


def compare(case, answer, version, parplan):
    config = CLAIMS[case["rule"]].variants[case["variant"]][0]
    if "error" in answer:
        return "the program itself fails: %s" % answer["error"]
    rules = {rule["name"]: rule for rule in parplan.json("rules")["rules"]}
    found = [f["rule"] for f in parplan.json("check", parplan.file("job.yaml", HEAD % version + config))["files"][0]["findings"]]
    raised = answer.get("says")
    if answer["fires"] and raised and not any(said(rules[rule], raised) for rule in found):
        return "raises %s, parplan finds %s, whose texts are others" % (raised, found)
    if not answer["fires"] and case["rule"] in found or answer["fires"] and not raised and case["rule"] not in found:
        return "does %sdo what %s warns of, parplan finds %s" % ("" if answer["fires"] else "not ", case["rule"], found)
    if rules[case["rule"]]["evidence"] != "run":
        return "has been run, but the evidence of %s is '%s'" % (case["rule"], rules[case["rule"]]["evidence"])
    return None
