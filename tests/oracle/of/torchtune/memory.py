"""What a block of torchtune's models keeps of a token, on fake tensors: parameters bf16, asked of models of two depths."""
import json

DEPTHS = 2, 4
VOCAB = 32000


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
    sizes = {"vocab_size": VOCAB, "num_layers": layers, "num_heads": case["heads"], "num_kv_heads": case["kv_heads"],
             "embed_dim": case["hidden"], "intermediate_dim": case["ffn"], "max_seq_len": case["length"]}
    if kind == "qwen3":
        sizes.update(head_dim=case["head_dim"], q_norm=True, k_norm=True)
    if kind in ("gemma", "gemma2"):
        sizes.update(head_dim=case["head_dim"])
    module = importlib.import_module("torchtune.models.%s._component_builders" % kind)
    return getattr(module, kind)(**sizes)


def kept(case, layers):
    import torch

    from harness.alive import alive

    with alive() as bytes_of:
        torch.set_default_dtype(torch.bfloat16)
        model = build(case, layers)
        torch.set_default_dtype(torch.float32)
        before = bytes_of.now
        logits = model(torch.randint(0, VOCAB, (case["sequences"], case["length"])))
        return bytes_of.now - before, logits


def ask(case, version):
    few, many = (kept(case, layers)[0] for layers in DEPTHS)
    return {"block": (many - few) / (DEPTHS[1] - DEPTHS[0]), "tokens": case["sequences"] * case["length"]}


def activations(parplan, case, version, layers):
    path = parplan.file("step.yaml", "parplan: 1\nframework: {torchtune: %s}\nworld: 8\ncluster: {gpu: h100-sxm, gpus_per_node: 8}\n"
                        "model: {arch: %s, layers: %d, hidden: %d, heads: %d, kv_heads: %d, head_dim: %d, ffn: %d, vocab: %d}\n"
                        "parallelism: {dp_shard: 8}\ntraining: {seq_len: %d, local_batch_size: 256, activation_checkpoint: {mode: none}}\n"
                        % (version, {"mistral": "llama"}.get(case["kind"], case["kind"]), layers, case["hidden"], case["heads"],
                           case["kv_heads"], case["head_dim"], case["ffn"], VOCAB, case["length"]))
    answer = parplan.json("sim", path)
    return answer if answer.get("error") else answer["memory"]["classes"][0]["activations"] * 2**30


def compare(case, answer, version, parplan):
    if "error" in answer:
        return "raises %s" % json.dumps(answer["error"])
    few, many = (activations(parplan, case, version, layers) for layers in DEPTHS)
    if isinstance(few, dict):
        return str(few["error"])
    block, asked = (many - few) / (DEPTHS[1] - DEPTHS[0]) / 256 / case["length"], answer["block"] / answer["tokens"]
    table = 8 * case["head_dim"] / case["sequences"]  # sines and cosines, cast anew for queries and for keys
    if abs(block - asked) > 0.003 * asked + 32 + table:
        return "a block keeps %.0f bytes of a token, parplan says %.0f" % (asked, block)
    return None
