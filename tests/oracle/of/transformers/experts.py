"""A training step of transformers' models with experts on fake tensors, asked as memory.py asks those without.

Which tokens an expert is sent is in numbers, which fake tensors have not: each gets as many as the others.
"""
from of.transformers import memory

KINDS = ["mixtral", "qwen2_moe", "qwen3_moe", "olmoe", "gpt_oss", "deepseek_v3"]
ARCHS = {"mixtral": "llama", "qwen3_moe": "qwen3", "deepseek_v3": "deepseek"}
DEPTHS = 2, 4


def make(rng, version):
    heads, dim, hidden, kind = rng.choice([8, 16]), rng.choice([64, 128]), rng.choice([1024, 1536, 2048]), rng.choice(KINDS)
    experts, topk, width = rng.choice([8, 16]), rng.choice([2, 4]), rng.choice([512, 1408])
    if kind not in ("qwen3_moe", "gpt_oss", "deepseek_v3"):  # a head's size is that of hidden over heads
        hidden = heads * dim
    config = {"model_type": kind, "vocab_size": memory.VOCAB, "hidden_size": hidden, "num_attention_heads": heads,
              "num_key_value_heads": rng.choice([2, 4, 8]), "num_experts_per_tok": topk, "tie_word_embeddings": False}
    if kind in ("qwen3_moe", "gpt_oss"):
        config["head_dim"] = dim
    if kind in ("mixtral", "gpt_oss"):
        config.update(num_local_experts=experts, intermediate_size=width)
    elif kind == "olmoe":
        config.update(num_experts=experts, intermediate_size=width)
    elif kind == "deepseek_v3":
        config.update(num_key_value_heads=heads, n_routed_experts=experts, n_shared_experts=rng.choice([1, 2]), moe_intermediate_size=width,
                      first_k_dense_replace=0, n_group=1, topk_group=1, q_lora_rank=rng.choice([None, 512]), kv_lora_rank=256,
                      qk_nope_head_dim=dim, qk_rope_head_dim=64, v_head_dim=dim)
    else:
        config.update(num_experts=experts, moe_intermediate_size=width, decoder_sparse_step=1, mlp_only_layers=[])
    if kind == "qwen2_moe":
        config["shared_expert_intermediate_size"] = rng.choice([1024, 5632])
    return {"config": config, "autocast": rng.random() < 0.5, "checkpointing": rng.random() < 0.25, "sequences": rng.choice([1, 2]),
            "length": rng.choice([512, 1024])}


def experts_of(config):
    return next(config[key] for key in ("num_local_experts", "num_experts", "n_routed_experts") if key in config)


def share_out(case):
    """Every expert is sent as many tokens."""
    import torch

    experts = experts_of(case["config"])
    rows = case["sequences"] * case["length"] * case["config"]["num_experts_per_tok"] // experts
    of_a_row = range(experts) if case["config"]["model_type"] != "gpt_oss" else [[expert] for expert in range(experts)]
    torch.nn.functional.one_hot = lambda x, num_classes: torch.empty(*x.shape, num_classes, dtype=torch.int64)
    torch.Tensor.nonzero = lambda mask: of_a_row
    where = torch.where
    torch.where = lambda *words: where(*words) if len(words) > 1 else torch.empty(rows, words[0].dim(), dtype=torch.int64).unbind(1)


def ask(case, version):
    share_out(case)
    return memory.ask(case, version, DEPTHS)


def model(case, layers):
    config = case["config"]
    kind, width = config["model_type"], config.get("moe_intermediate_size", config.get("intermediate_size"))
    shared = config.get("shared_expert_intermediate_size", config.get("n_shared_experts", 0) * width)
    heads = config["num_attention_heads"]
    text = ("arch: %s, layers: %d, hidden: %d, heads: %d, kv_heads: %d, head_dim: %d, ffn: %d, vocab: %d, "
            "moe: {experts: %d, topk: %d, expert_ffn: %d, shared_ffn: %d, dense_layers: 0}"
            % (ARCHS.get(kind, kind), layers, config["hidden_size"], heads, config["num_key_value_heads"],
               config.get("head_dim", config.get("v_head_dim", config["hidden_size"] // heads)), width, memory.VOCAB,
               experts_of(config), config["num_experts_per_tok"], width, shared))
    if kind == "deepseek_v3":
        text += ", mla: {q_lora: %d, kv_lora: %d, qk_nope: %d, qk_rope: %d, v_dim: %d}" % (
            config["q_lora_rank"] or 0, config["kv_lora_rank"], config["qk_nope_head_dim"], config["qk_rope_head_dim"], config["v_head_dim"])
    return text


def compare(case, answer, version, parplan):
    # of experts that are one parameter each has a gradient as large as all, and fake tensors add them up in new ones, as no device does
    return memory.compare(case, answer, version, parplan, model, DEPTHS, case["config"]["model_type"] != "gpt_oss")
