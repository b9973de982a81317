"""Windows of attention: what they add to what transformers' models keep for the backward pass, in PyTorch's attention.

Two forward passes of a small model, one without windows, whose batch says that nothing is padding, as collators do.
"""
from of.transformers import memory

ARCHS = {"gemma3_text": "gemma3", "mistral": "llama", "phi3": "phi3", "qwen2": "qwen2", "cohere2": "cohere"}
LAYERS = 6
MICRO = 4096  # sequences of the forecast: so many logits that the loss is the peak


def make(rng, version):
    kind, length = rng.choice(sorted(ARCHS)), rng.choice([40, 56, 72])
    return {"kind": kind, "length": length, "window": rng.choice([8, 24, length - 1, length, length + 1]), "sequences": rng.choice([1, 2]),
            "first": rng.choice([1, 2, 5])}


def kept(case, window):
    """Bytes of what waits for the backward pass."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    asked = {"use_sliding_window": True, "max_window_layers": case["first"]} if case["kind"] == "qwen2" else {}
    config = AutoConfig.for_model(case["kind"], hidden_size=64, num_hidden_layers=LAYERS, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
                                  intermediate_size=96, vocab_size=128, max_position_embeddings=256, sliding_window=window, pad_token_id=0, **asked)
    model = AutoModelForCausalLM.from_config(config, attn_implementation="sdpa", torch_dtype=torch.bfloat16).train()
    storages = {}

    def pack(tensor):
        storages[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    tokens = torch.ones(case["sequences"], case["length"], dtype=torch.int64)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = model(input_ids=tokens, labels=tokens, attention_mask=tokens, use_cache=False)["loss"]
    del loss
    return sum(storages.values())


def ask(case, version):
    return {"bytes": kept(case, case["window"]) - kept(case, 1 << 20)}


def compare(case, answer, version, parplan):
    if "error" in answer:
        return "raises %s" % answer["error"]
    turns = {"gemma3_text": "wwwwwf", "cohere2": "wwwf", "qwen2": "f" * case["first"] + "w" * (LAYERS - case["first"])}.get(case["kind"], "w")
    model = "arch: %s, layers: %d, hidden: 64, heads: 4, kv_heads: 2, head_dim: 16, ffn: 96, vocab: %d" % (ARCHS[case["kind"]], LAYERS, memory.VOCAB)
    given = {"autocast": False, "checkpointing": False, "length": case["length"]}
    plain, windows = (memory.forecast(parplan, given, version, model + more, MICRO)
                      for more in ("", ", window: %d, window_blocks: %s" % (case["window"], turns)))
    more, asked = (windows["activations"] - plain["activations"]) * 2**30 / MICRO, answer["bytes"] / case["sequences"]
    return None if abs(more - asked) < 1 else "%.1f bytes more for a sequence, parplan says %.1f" % (asked, more)
