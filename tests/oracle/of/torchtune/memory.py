"""What a block of torchtune's models keeps of a token, on fake tensors: parameters bf16, asked of models of two depths."""
from harness import blocks


def make(rng, version):
    heads, dim = rng.choice([8, 16]), rng.choice([64, 128])
    kind = rng.choice(["mistral", "qwen2", "qwen3", "gemma", "gemma2", "phi3"])
    keys = {"phi3": heads, "gemma": rng.choice([1, heads]), "gemma2": rng.choice([2, 4, 8])}.get(kind, rng.choice([1, 2, 4, 8]))
    return {"kind": kind, "heads": heads, "kv_heads": keys, "head_dim": dim, "hidden": heads * dim, "ffn": rng.choice([2048, 3072, 5632]),
            "sequences": rng.choice([1, 2]), "length": rng.choice([512, 1024])}


def without_images():
    """Its models of text import what handles images, whose package has no build for the CPU here."""
    import sys
    from importlib.machinery import ModuleSpec
    from unittest.mock import MagicMock

    for name in ("", ".io", ".ops", ".transforms", ".transforms.v2", ".transforms.v2.functional"):
        sys.modules.setdefault("torchvision" + name, MagicMock(__spec__=ModuleSpec("torchvision" + name, None)))


def build(case, layers):
    import importlib

    without_images()
    kind = case["kind"]
    sizes = {"vocab_size": blocks.VOCAB, "num_layers": layers, "num_heads": case["heads"], "num_kv_heads": case["kv_heads"],
             "embed_dim": case["hidden"], "intermediate_dim": case["ffn"], "max_seq_len": case["length"]}
    if kind == "qwen3":
        sizes.update(head_dim=case["head_dim"], q_norm=True, k_norm=True)
    if kind in ("gemma", "gemma2"):
        sizes.update(head_dim=case["head_dim"])
    module = importlib.import_module("torchtune.models.%s._component_builders" % kind)
    return getattr(module, kind)(**sizes)


def ask(case, version):
    return blocks.ask(build, case)


def compare(case, answer, version, parplan):
    table = 8 * case["head_dim"] / case["sequences"]  # sines and cosines, cast anew for queries and for keys
    arch = {"mistral": "llama"}.get(case["kind"], case["kind"])
    return blocks.compare(case, answer, parplan, "torchtune: %s" % version, arch, 0.003, 32 + table)
