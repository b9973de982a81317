"""A training step of transformers' models on fake tensors: bytes that a block keeps of a token, and the most of a step.

`autocast` is what the Trainer does without FSDP: parameters in fp32, products in bf16. Otherwise parameters are bf16, as FSDP and
DeepSpeed hand them to the model. `alive` is asked of models of two depths, so that what a block keeps is their difference.
"""
import json

TYPES = ["llama", "mistral", "granite", "smollm3", "gemma", "gemma2", "gemma3_text", "qwen2", "qwen3", "olmo2", "starcoder2", "phi3",
         "phi", "stablelm", "glm", "glm4", "cohere", "gpt2", "gpt_neox", "falcon"]
ARCHS = {"mistral": "llama", "granite": "llama", "smollm3": "llama", "gemma3_text": "gemma3", "starcoder2": "gpt"}
OWN_HEADS = "gemma", "gemma2", "gemma3_text", "qwen3", "llama", "mistral", "glm", "glm4"  # a head's size need not be that of hidden over heads
ALL_KEYS = "phi", "gpt2", "gpt_neox", "falcon"  # as many heads of keys and values
DEPTHS = 6, 12  # gemma3 has every sixth layer of another kind
VOCAB = 32000


def names(kind):
    """What a family calls its sizes where it has words of its own."""
    if kind == "gpt2":
        return {"hidden": "n_embd", "heads": "n_head", "layers": "n_layer", "ffn": "n_inner"}
    return {"hidden": "hidden_size", "heads": "num_attention_heads", "layers": "num_hidden_layers",
            "ffn": "ffn_hidden_size" if kind == "falcon" else "intermediate_size"}


def make(rng, version):
    heads, dim, hidden = rng.choice([8, 16]), rng.choice([64, 128]), rng.choice([1024, 1536, 2048])
    kind = rng.choice(TYPES)
    name = names(kind)
    if kind not in OWN_HEADS:
        hidden = heads * dim
    config = {"model_type": kind, "vocab_size": VOCAB, name["hidden"]: hidden, name["ffn"]: rng.choice([2048, 3072, 5632]),
              name["heads"]: heads, "tie_word_embeddings": False}
    if kind not in ALL_KEYS:
        config["num_key_value_heads"] = rng.choice([2, 4, 8])
    if kind in OWN_HEADS:
        config["head_dim"] = dim
    if kind == "falcon":  # the 40B's block
        config.update(new_decoder_architecture=True, num_kv_heads=rng.choice([2, 4, 8]), alibi=False, bias=False)
    return {"config": config, "autocast": rng.random() < 0.5, "checkpointing": rng.random() < 0.25, "sequences": rng.choice([1, 2]),
            "length": rng.choice([512, 1024])}


def measure(case, layers):
    import sys

    import torch
    from accelerate.utils import convert_outputs_to_fp32
    from transformers import AutoConfig, AutoModelForCausalLM

    from harness.alive import alive

    given = dict(case["config"], pad_token_id=None, bos_token_id=None, eos_token_id=None)
    given[names(given["model_type"])["layers"]] = layers
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


def ask(case, version, depths=DEPTHS):
    few, many = (measure(case, layers) for layers in depths)
    tokens, blocks = case["sequences"] * case["length"], depths[1] - depths[0]
    casts = 2 * (many["parameters"] - few["parameters"]) / blocks if case["autocast"] and not case["checkpointing"] else 0
    return {"block": (many["kept"] - few["kept"]) / blocks - casts, "casts": casts, "tokens": tokens, "peak": many["peak"]}


def model_of(case, layers):
    """What a config of parplan's own says of the model."""
    config = case["config"]
    kind, name = config["model_type"], names(config["model_type"])
    hidden, heads = config[name["hidden"]], config[name["heads"]]
    return "arch: %s, layers: %d, hidden: %d, heads: %d, kv_heads: %d, head_dim: %d, ffn: %d, vocab: %d" % (
        ARCHS.get(kind, kind), layers, hidden, heads, config.get("num_key_value_heads", config.get("num_kv_heads", heads)),
        config.get("head_dim", hidden // heads), config[name["ffn"]], VOCAB)


def forecast(parplan, case, version, model, sequences):
    """Where the fullest moment of a step is: bytes of each kind of tensor."""
    path = parplan.file("step.yaml", "parplan: 1\nframework: {transformers: %s}\nworld: %d\ncluster: {gpu: h100-sxm, gpus_per_node: 8}\n"
                        "model: {%s}\n"
                        "parallelism: {%s}\ntraining: {seq_len: %d, local_batch_size: %d, dtype: float32, param_dtype: bfloat16, "
                        "optimizer: {name: adamw, implementation: fused}, activation_checkpoint: {mode: %s}}\n"
                        % (version, 1 if case["autocast"] else 8, model, "dp_replicate: 1" if case["autocast"] else "dp_shard: 8",
                           case["length"], sequences, "full" if case["checkpointing"] else "none"))
    answer = parplan.json("sim", path)
    return answer if "error" in answer and answer["error"] else answer["memory"]["classes"][0]


def compare(case, answer, version, parplan, model=model_of, depths=DEPTHS, peaks=True):
    if "error" in answer:
        return "raises %s" % answer["error"]
    few, many = (forecast(parplan, case, version, model(case, layers), 256) for layers in depths)  # so many logits that the loss is the peak
    if "error" in few:
        return str(few["error"])
    GIB, blocks, tokens = 2**30, depths[1] - depths[0], 256 * case["length"]
    block = ((many["activations"] - few["activations"]) * GIB / blocks - answer["casts"]) / tokens
    asked = answer["block"] / answer["tokens"]
    angles = 512 / case["sequences"] if case["config"]["model_type"] in ("glm", "glm4") else 0  # sines and cosines, laid out for each block
    if abs(block - asked) > 0.003 * asked + 32 + angles:  # sums of norms and the like, a few bytes each
        return "a block keeps %.0f bytes of a token, parplan says %.0f" % (asked, block)
    if not (case["autocast"] and peaks):
        return None
    peak = forecast(parplan, case, version, model(case, depths[1]), case["sequences"])
    alive = sum(peak[kind] for kind in ("parameters", "gradients", "optimizer", "unsharded", "activations", "temporary")) * GIB
    if abs(alive / answer["peak"] - 1) > 0.02:
        return "%.3f GiB at the most, parplan says %.3f (%s)" % (answer["peak"] / GIB, alive / GIB, peak["peak_at"])
    return None
