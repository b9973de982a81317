"""What a block of TorchTitan's models keeps of a token, on fake tensors: parameters bf16, as fully_shard hands them to it.

Asked of models of two depths on one rank. Padding of routed tokens to the rows that a grouped product takes is left out: it is
made by a kernel, and depends on the routing.
"""
from harness import blocks


def has(version):
    return version == "73a0e6979"  # v0.2.2: others have other names


def make(rng, version):
    heads, dim = rng.choice([8, 16]), rng.choice([64, 128])
    kind = rng.choice(["llama3", "qwen3", "qwen3_moe", "deepseek_v3"])
    case = {"kind": kind, "heads": heads, "kv_heads": rng.choice([2, 4, 8]), "head_dim": dim, "hidden": heads * dim,
            "ffn": rng.choice([2048, 3072, 5632]), "sequences": rng.choice([1, 2]), "length": rng.choice([512, 1024]),
            "recompute": rng.choice(["none", "none", "op", "full"])}
    if kind in ("qwen3_moe", "deepseek_v3"):
        case.update(experts=rng.choice([8, 16]), topk=rng.choice([2, 4]), expert_ffn=rng.choice([512, 1408]))
    if kind == "deepseek_v3":
        case.update(shared=rng.choice([1, 2]), q_lora=rng.choice([0, 512]), kv_lora=rng.choice([256, 512]), nope=dim, rope=64, v_dim=dim)
    return case


def arguments(case, layers):
    from torchtitan.models.moe import MoEArgs

    sizes = {"dim": case["hidden"], "n_layers": layers, "n_heads": case["heads"], "vocab_size": blocks.VOCAB, "max_seq_len": case["length"]}
    experts = {}
    if "experts" in case:
        experts = {"moe_args": MoEArgs(num_experts=case["experts"], num_shared_experts=case.get("shared", 0), top_k=case["topk"],
                                       score_before_experts=False)}
    if case["kind"] == "llama3":
        import torchtitan.models.llama3 as module

        return module.Transformer, module.TransformerModelArgs(
            n_kv_heads=case["kv_heads"], multiple_of=1, ffn_dim_multiplier=(case["ffn"] + 0.5) / int(8 * case["hidden"] / 3), **sizes)
    if case["kind"] == "deepseek_v3":
        import torchtitan.models.deepseek_v3 as module

        args = module.DeepSeekV3ModelArgs(
            inter_dim=case["ffn"], moe_inter_dim=case["expert_ffn"], n_dense_layers=0, q_lora_rank=case["q_lora"],
            kv_lora_rank=case["kv_lora"], qk_nope_head_dim=case["nope"], qk_rope_head_dim=case["rope"], v_head_dim=case["v_dim"],
            **experts, **sizes)
        args.moe_impl = "standard"  # what the trainer sets of the config
        return module.DeepSeekV3Model, args
    import torchtitan.models.qwen3 as module

    if experts:
        experts.update(moe_enabled=True, moe_inter_dim=case["expert_ffn"])
    return module.Qwen3Model, module.Qwen3ModelArgs(
        n_kv_heads=case["kv_heads"], head_dim=case["head_dim"], hidden_dim=case["ffn"], qk_norm=True, **experts, **sizes)


def recompute(model, case):
    if case["recompute"] == "none":
        return
    import importlib

    from torchtitan.config.job_config import ActivationCheckpoint
    from torchtitan.distributed.activation_checkpoint import apply_ac

    module = importlib.import_module("torchtitan.models.%s.infra.parallelize" % case["kind"].removesuffix("_moe"))
    mode = {"op": "selective", "full": "full"}[case["recompute"]]
    apply_ac(model, ActivationCheckpoint(mode=mode, selective_ac_option="op"), model_compile_enabled=False,
             op_sac_save_list=module._op_sac_save_list)


def build(case, layers):
    import torch
    import torchtitan.models.moe.moe as experts

    experts.indices_padding_wrapper = lambda run: run
    torch.histc = lambda x, bins, min, max: torch.empty(bins)  # fake integers have none
    model, args = arguments(case, layers)
    return model(args)


def ask(case, version):
    return blocks.ask(build, case, lambda model: recompute(model, case))


def compare(case, answer, version, parplan):
    arch = {"llama3": "llama", "deepseek_v3": "deepseek"}.get(case["kind"], "qwen3")
    mode = {"none": "mode: none", "op": "mode: selective, option: op", "full": "mode: full"}[case["recompute"]]
    table = 4 * case["head_dim"] / case["sequences"]  # angles, cast anew for each block
    more = ""
    if "experts" in case:
        more = ", moe: {experts: %d, topk: %d, expert_ffn: %d, shared_ffn: %d, dense_layers: 0}" % (
            case["experts"], case["topk"], case["expert_ffn"], case.get("shared", 0) * case["expert_ffn"])
    if "kv_lora" in case:
        more += ", mla: {q_lora: %d, kv_lora: %d, qk_nope: %d, qk_rope: %d, v_dim: %d}" % tuple(
            case[key] for key in ("q_lora", "kv_lora", "nope", "rope", "v_dim"))
    return blocks.compare(case, answer, parplan, "torchtitan: %s" % version, arch, 0.006, 64 + table, mode, more)  # ids of experts
