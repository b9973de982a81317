"""Models of transformers on the meta device, from a config.json of random sizes: how many parameters, and their shapes."""
import json, re

# Every model_type of parplan's that transformers itself has; of those with fused projections the total is compared alone.
PLAIN = ["llama", "mistral", "mixtral", "granite", "smollm3", "gemma", "gemma2", "gemma3_text", "qwen2", "qwen2_moe", "qwen3", "qwen3_moe",
         "glm4_moe", "olmo2", "deepseek_v2", "deepseek_v3", "gpt_oss", "starcoder2", "cohere", "cohere2", "olmoe"]
FUSED = ["phi3", "glm", "glm4", "gpt2", "gpt_neox", "falcon", "phi", "mpt"]
TYPES = PLAIN + FUSED


def divisor(rng, heads):
    return rng.choice([n for n in (1, 2, 4, 8) if heads % n == 0])


def more_of(kind, heads, rng):
    """What the config.json of a kind has beside the common sizes; None takes one of those away."""
    experts = {"num_experts": rng.choice([2, 4]), "num_experts_per_tok": 2, "moe_intermediate_size": 32, "decoder_sparse_step": 1,
               "mlp_only_layers": []}
    routed = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "n_shared_experts": rng.choice([1, 2]),
              "first_k_dense_replace": rng.choice([0, 1]), "n_group": 1, "topk_group": 1}
    latent = {"q_lora_rank": rng.choice([None, 48]), "kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16,
              "num_key_value_heads": heads}
    new = rng.random() < 0.5
    return {
        "mixtral": {"num_local_experts": rng.choice([2, 4]), "num_experts_per_tok": 2},
        "gpt_oss": {"num_local_experts": rng.choice([2, 4]), "num_experts_per_tok": 2},
        "qwen3_moe": experts, "qwen2_moe": dict(experts, shared_expert_intermediate_size=48),
        "olmoe": {"num_experts": rng.choice([2, 4]), "num_experts_per_tok": 2},
        "deepseek_v2": {**routed, **latent}, "deepseek_v3": {**routed, **latent},
        "glm4_moe": dict(routed, use_qk_norm=new, attention_bias=rng.random() < 0.5),
        "falcon": {"new_decoder_architecture": new, "multi_query": True, "parallel_attn": True, "bias": False,
                   **({"num_kv_heads": divisor(rng, heads)} if new else {})},
    }.get(kind, {})


# Names of the common sizes where a kind has its own, and sizes that it has not.
RENAMED = {"gpt2": {"hidden_size": "n_embd", "num_hidden_layers": "n_layer", "num_attention_heads": "n_head"},
           "mpt": {"hidden_size": "d_model", "num_hidden_layers": "n_layers", "num_attention_heads": "n_heads"}}
WITHOUT = {"gpt2": ["intermediate_size", "num_key_value_heads"], "mpt": ["intermediate_size", "num_key_value_heads"],
           "falcon": ["intermediate_size", "num_key_value_heads"], "gpt_neox": ["num_key_value_heads"]}
HEAD_DIM = ["llama", "mistral", "qwen3", "gemma", "gemma2", "gemma3_text", "qwen3_moe", "gpt_oss", "glm", "glm4", "glm4_moe"]


def config_of(kind, rng):
    """config.json of a small model of that kind, as transformers writes it."""
    heads = rng.choice([2, 4, 8])
    config = {"model_type": kind, "num_hidden_layers": rng.choice([1, 2, 3]), "hidden_size": rng.choice([64, 128]),
              "num_attention_heads": heads,
              "pad_token_id": 0, "vocab_size": rng.choice([320, 512, 1000]),
              "intermediate_size": rng.choice([96, 128, 160]), "num_key_value_heads": divisor(rng, heads)}
    if rng.random() < 0.5:
        config["tie_word_embeddings"] = rng.random() < 0.5
    if kind in HEAD_DIM and rng.random() < 0.6:
        config["head_dim"] = rng.choice([8, 16, 32])
    config.update(more_of(kind, heads, rng))
    names = RENAMED.get(kind, {})
    return {names.get(key, key): value for key, value in config.items() if key not in WITHOUT.get(kind, [])}


def make(rng, version):
    return {"config": config_of(rng.choice(TYPES), rng)}


def ask(case, version):
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    given = dict(case["config"])
    config = AutoConfig.for_model(given.pop("model_type"), **given)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    shapes, total = {}, 0
    for name, parameter in model.named_parameters():  # tied ones once
        total += parameter.numel()
        if not re.search("expert|shared", name) and parameter.ndim > 1:
            text = "x".join(map(str, parameter.shape))
            shapes[text] = shapes.get(text, 0) + 1
    return {"total": total, "shapes": shapes}


def compare(case, answer, version, parplan):
    parplan.file("model/config.json", json.dumps(case["config"]))
    path = parplan.file("axolotl.yaml", "base_model: ./model\ndatasets:\n  - path: x\n    type: alpaca\nmicro_batch_size: 1\n"
                        "gradient_accumulation_steps: 1\nsequence_len: 64\nfsdp_version: 2\nfsdp_config:\n  reshard_after_forward: true\n")
    plan = parplan.json("plan", "--world", 2, path)
    shapes, total = {}, 0
    for parameter in plan["parameters"]:
        numel = 1
        for size in parameter["shape"]:
            numel *= size
        total += numel
        if not re.search("expert|shared", parameter["fqn"]) and len(parameter["shape"]) > 1:
            text = "x".join(map(str, parameter["shape"]))
            shapes[text] = shapes.get(text, 0) + 1
    if "error" in answer:
        return "raises %s" % answer["error"]
    if total != answer["total"]:
        return "%s has %d parameters, parplan says %d" % (case["config"]["model_type"], answer["total"], total)
    if case["config"]["model_type"] in PLAIN and shapes != answer["shapes"]:
        return "%s has %s, parplan says %s" % (case["config"]["model_type"], answer["shapes"], shapes)
    return None

