"""A small Llama with the names that parplan gives its parameters, cut as a config's degrees say. Imported only where torch is."""
import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, SequenceParallel, parallelize_module

try:
    from torch.distributed.fsdp import fully_shard
except ImportError:  # before 2.6
    from torch.distributed._composable.fsdp import fully_shard
try:
    from torch.distributed.tensor import Replicate, Shard
except ImportError:  # before 2.5
    from torch.distributed._tensor import Replicate, Shard

AXES = ("pp", "dp_replicate", "dp_shard", "tp")


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.weight


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        width = size["hidden"]
        self.heads = size["heads"]
        self.head = width // self.heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x):
        q, k, v = (part(x).unflatten(-1, (-1, self.head)).transpose(1, 2) for part in (self.wq, self.wk, self.wv))
        scores = torch.softmax(q @ k.transpose(-1, -2) / self.head**0.5, -1)
        return self.wo((scores @ v).transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.w1, self.w3 = (nn.Linear(size["hidden"], size["ffn"], bias=False) for _ in range(2))
        self.w2 = nn.Linear(size["ffn"], size["hidden"], bias=False)

    def forward(self, x):
        return self.w2(torch.nn.functional.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.attention, self.feed_forward = Attention(size), FeedForward(size)
        self.attention_norm, self.ffn_norm = Norm(size["hidden"]), Norm(size["hidden"])

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.ffn_norm(x))


class Llama(nn.Module):
    """The layers of one pipeline stage out of `stages`, the embedding on the first and the output on the last."""

    def __init__(self, size, stage=0, stages=1):
        super().__init__()
        count = size["layers"] // stages
        mine = range(stage * count, (stage + 1) * count)
        self.tok_embeddings = nn.Embedding(size["vocab"], size["hidden"]) if stage == 0 else None
        self.layers = nn.ModuleDict({str(n): Block(size) for n in mine})
        self.norm = Norm(size["hidden"]) if stage == stages - 1 else None
        self.output = nn.Linear(size["hidden"], size["vocab"], bias=False) if stage == stages - 1 else None

    def forward(self, x):
        if self.tok_embeddings is not None:
            x = self.tok_embeddings(x)
        for block in self.layers.values():
            x = block(x)
        return x if self.output is None else self.output(self.norm(x))


def tensor_parallel(model, mesh):
    """TorchTitan's plan: sequences are cut between the blocks' matrices."""
    from torch.distributed.tensor.parallel import PrepareModuleInput

    if model.tok_embeddings is not None:
        parallelize_module(model, mesh, {"tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1))})
    if model.output is not None:
        parallelize_module(model, mesh, {
            "norm": SequenceParallel(),
            "output": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
        })
    whole = dict(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),))
    for block in model.layers.values():
        parallelize_module(block, mesh, {
            "attention_norm": SequenceParallel(), "ffn_norm": SequenceParallel(),
            "attention": PrepareModuleInput(**whole), "feed_forward": PrepareModuleInput(**whole),
            "attention.wq": ColwiseParallel(), "attention.wk": ColwiseParallel(), "attention.wv": ColwiseParallel(),
            "attention.wo": RowwiseParallel(output_layouts=Shard(1)),
            "feed_forward.w1": ColwiseParallel(), "feed_forward.w3": ColwiseParallel(),
            "feed_forward.w2": RowwiseParallel(output_layouts=Shard(1)),
        })


def mesh_of(degrees):
    return init_device_mesh("cpu", tuple(degrees[axis] for axis in AXES), mesh_dim_names=AXES)


def world_of(degrees):
    return degrees["pp"] * degrees["dp_replicate"] * degrees["dp_shard"] * degrees["tp"]


def build(size, degrees, mesh=None):
    """The model of this rank, cut as the degrees say: tensor parallelism, then fully_shard of each block and of all, or DDP."""
    mesh = mesh or mesh_of(degrees)
    stage = mesh["pp"].get_local_rank() if degrees["pp"] > 1 else 0
    model = Llama(size, stage, degrees["pp"])
    if size.get("dtype") == "bfloat16":
        model = model.to(torch.bfloat16)
    if degrees["tp"] > 1:
        tensor_parallel(model, mesh["tp"])
    if degrees["dp_shard"] > 1:
        over = mesh["dp_replicate", "dp_shard"] if degrees["dp_replicate"] > 1 else mesh["dp_shard"]
        for block in model.layers.values():
            fully_shard(block, mesh=over)
        fully_shard(model, mesh=over)
    elif degrees["dp_replicate"] > 1:
        model = nn.parallel.DistributedDataParallel(model, process_group=mesh["dp_replicate"].get_group())
    return model
