"""A training step of transformers' models on fake tensors: bytes that a block keeps of a token, and the most of a step.

`autocast` is what the Trainer does without FSDP: parameters in fp32, products in bf16. Otherwise parameters are bf16, as FSDP and
DeepSpeed hand them to the model. `alive` is asked of models of two depths, so that what a block keeps is their difference.
"""
import json

# Families whose code is not Llama's or a variant of it are left out: GPT-2's GELU in operators, Phi's packed projections, Cohere's norm.
TYPES = ["llama", "mistral", "granite", "smollm3", "gemma", "gemma2", "gemma3_text", "qwen2", "qwen3", "olmo2", "starcoder2"]
ARCHS = {"mistral": "llama", "granite": "llama", "smollm3": "llama", "gemma3_text": "gemma3", "starcoder2": "gpt"}
DEPTHS = 6, 12  # gemma3 has every sixth layer of another kind
VOCAB = 32000


def make(rng, version):
    heads, dim = rng.choice([8, 16]), rng.choice([64, 128])
    hidden = rng.choice([1024, 1536, 2048])
    kind = rng.choice(TYPES)
    if kind == "starcoder2":  # has no head_dim of its own
        hidden = heads * dim
    config = {"model_type": kind, "vocab_size": VOCAB, "hidden_size": hidden, "intermediate_size": rng.choice([2048, 3072, 5632]),
              "num_attention_heads": heads, "num_key_value_heads": rng.choice([2, 4, 8]), "head_dim": dim, "tie_word_embeddings": False}
    if kind in ("qwen2", "olmo2", "granite", "smollm3", "starcoder2"):
        config.pop("head_dim")
        config["hidden_size"] = heads * dim
    return {"config": config, "autocast": rng.random() < 0.5, "checkpointing": rng.random() < 0.25, "sequences": rng.choice([1, 2]),
            "length": rng.choice([512, 1024])}


def measure(case, layers):
    import sys

    import torch
    from accelerate.utils import convert_outputs_to_fp32
    from transformers import AutoConfig, AutoModelForCausalLM

    from harness.alive import alive

    given = dict(case["config"], num_hidden_layers=layers, pad_token_id=None, bos_token_id=None, eos_token_id=None)
    config = AutoConfig.for_model(given.pop("model_type"), **given)
    with alive() as bytes_of:
        model = AutoModelForCausalLM.from_config(config, torch_dtype=torch.float32 if case["autocast"] else torch.bfloat16)
        model.train()
        model.config.use_cache = False
        module = sys.modules[type(model).__module__]
        for name in dir(module):  # the causal mask alone, which attention is told of by a flag
            if name.startswith("create_") and name.endswith("mask"):
                setattr(module, name, lambda *args, **kwargs: None)
        if case["checkpointing"]:
            model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        forward = convert_outputs_to_fp32(torch.autocast("cpu", torch.bfloat16)(model.forward)) if case["autocast"] else model.forward
        optimizer = torch.optim.AdamW(model.parameters(), fused=True)
        for step in range(2):  # the first makes the optimizer's state
            before = bytes_of.now
            bytes_of.peak = 0
            tokens = torch.randint(0, config.vocab_size, (case["sequences"], case["length"]))
            loss = forward(input_ids=tokens, labels=tokens)["loss"]
            kept = bytes_of.now - before
            loss.backward()
            del loss
            optimizer.step()
            optimizer.zero_grad()
        return {"parameters": sum(p.numel() for p in model.parameters()), "kept": kept, "peak": bytes_of.peak}


def ask(case, version):
    few, many = (measure(case, layers) for layers in DEPTHS)
    tokens, blocks = case["sequences"] * case["length"], DEPTHS[1] - DEPTHS[0]
    casts = 2 * (many["parameters"] - few["parameters"]) / blocks if case["autocast"] and not case["checkpointing"] else 0
    return {"block": (many["kept"] - few["kept"]) / blocks - casts, "casts": casts, "tokens": tokens, "peak": many["peak"]}


def forecast(parplan, case, version, layers, sequences):
    """Where the fullest moment of a step is: bytes of each kind of tensor."""
    config = case["config"]
    kind, heads = config["model_type"], config["num_attention_heads"]
    path = parplan.file("step.yaml", "parplan: 1\nframework: {transformers: %s}\nworld: %d\ncluster: {gpu: h100-sxm, gpus_per_node: 8}\n"
                        "model: {arch: %s, layers: %d, hidden: %d, heads: %d, kv_heads: %d, head_dim: %d, ffn: %d, vocab: %d}\n"
                        "parallelism: {%s}\ntraining: {seq_len: %d, local_batch_size: %d, dtype: float32, param_dtype: bfloat16, "
                        "optimizer: {name: adamw, implementation: fused}, activation_checkpoint: {mode: %s}}\n"
                        % (version, 1 if case["autocast"] else 8, ARCHS.get(kind, kind), layers, config["hidden_size"], heads,
                           config["num_key_value_heads"], config.get("head_dim", config["hidden_size"] // heads),
                           config["intermediate_size"], VOCAB, "dp_replicate: 1" if case["autocast"] else "dp_shard: 8", case["length"],
                           sequences, "full" if case["checkpointing"] else "none"))
    answer = parplan.json("sim", path)
    return answer if "error" in answer and answer["error"] else answer["memory"]["classes"][0]


def compare(case, answer, version, parplan):
    if "error" in answer:
        return "raises %s" % answer["error"]
    few, many = (forecast(parplan, case, version, layers, 256) for layers in DEPTHS)  # so many logits that the loss is the peak
    if "error" in few:
        return str(few["error"])
    GIB, blocks, tokens = 2**30, DEPTHS[1] - DEPTHS[0], 256 * case["length"]
    block = ((many["activations"] - few["activations"]) * GIB / blocks - answer["casts"]) / tokens
    asked = answer["block"] / answer["tokens"]
    if abs(block - asked) > 0.003 * asked + 32:  # sums of norms and the like, a few bytes each
        return "a block keeps %.0f bytes of a token, parplan says %.0f" % (asked, block)
    if not case["autocast"]:
        return None
    peak = forecast(parplan, case, version, DEPTHS[1], case["sequences"])
    alive = sum(peak[kind] for kind in ("parameters", "gradients", "optimizer", "unsharded", "activations", "temporary")) * GIB
    if abs(alive / answer["peak"] - 1) > 0.02:
        return "%.3f GiB at the most, parplan says %.3f (%s)" % (answer["peak"] / GIB, alive / GIB, peak["peak_at"])
    return None
