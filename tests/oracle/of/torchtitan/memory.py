"""What a block of TorchTitan's models keeps of a token, on fake tensors: parameters bf16, as fully_shard hands them to it.

Asked of v0.2.2, of the commit since which all models have one list of what selective recomputation keeps, and of one behind that. Asked of models of two depths on one rank. Padding of routed tokens to the rows that a grouped product takes is left out: it is
made by a kernel, and depends on the routing.
"""
import contextlib

from harness import blocks

RELEASE, LISTED, ADDED = "73a0e6979", "114151ad4", "00b7f5693"  # v0.2.2 and two of those whose configs are Python


def has(version):
    return version in (RELEASE, LISTED, ADDED)


def make(rng, version):
    heads, dim = rng.choice([8, 16]), rng.choice([64, 128])
    kind = rng.choice(["llama3", "qwen3", "qwen3_moe", "deepseek_v3"]) if version != ADDED else "qwen3_moe"
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


def configs(case, layers):
    """A model since configs are Python."""
    from torchtitan.models.common import Embedding, FeedForward, GQAttention, Linear, RoPE
    from torchtitan.models.common.moe import MoE, TokenChoiceTopKRouter
    from torchtitan.models.common.rmsnorm import RMSNorm

    ends = dict(dim=case["hidden"], n_layers=layers, vocab_size=blocks.VOCAB, tok_embeddings=Embedding.Config(), output=Linear.Config(),
                norm=RMSNorm.Config())
    layer = dict(attention_norm=RMSNorm.Config(), ffn_norm=RMSNorm.Config(), feed_forward=FeedForward.Config(hidden_dim=case["ffn"]))
    if "experts" in case:
        layer["moe"] = MoE.Config(hidden_dim=case["expert_ffn"], num_experts=case["experts"], num_shared_experts=case.get("shared", 0),
                                  score_before_experts=False, router=TokenChoiceTopKRouter.Config(top_k=case["topk"]))
    kind = case["kind"].removesuffix("_moe")
    backend = "cos_sin" if kind == "qwen3" else "complex"
    rope = RoPE.Config(dim=case.get("rope", case["head_dim"]), max_seq_len=case["length"], theta=10000.0, backend=backend)
    if kind == "deepseek_v3":
        from torchtitan.models.deepseek_v3.model import Attention, DeepSeekV3Model, DeepSeekV3TransformerBlock

        queries = dict(wq_a=Linear.Config(), wq_b=Linear.Config()) if case["q_lora"] else dict(wq=Linear.Config())
        attention = Attention.Config(
            n_heads=case["heads"], q_norm=RMSNorm.Config(), kv_norm=RMSNorm.Config(), q_lora_rank=case["q_lora"], **queries,
            kv_lora_rank=case["kv_lora"], qk_nope_head_dim=case["nope"], qk_rope_head_dim=case["rope"], v_head_dim=case["v_dim"])
        return DeepSeekV3Model.Config(layer=DeepSeekV3TransformerBlock.Config(n_dense_layers=0, attention=attention, **layer), rope=rope, **ends)
    norms = {} if kind == "llama3" else dict(q_norm=RMSNorm.Config(), k_norm=RMSNorm.Config(), head_dim=case["head_dim"])
    attention = GQAttention.Config(n_heads=case["heads"], n_kv_heads=case["kv_heads"], attn_backend="sdpa", rope_backend=backend, **norms)
    if kind == "llama3":
        from torchtitan.models.llama3.model import Llama3Model, Llama3TransformerBlock

        return Llama3Model.Config(layer=Llama3TransformerBlock.Config(attention=attention, **layer), rope=rope, **ends)
    from torchtitan.models.qwen3.model import Qwen3Model, Qwen3TransformerBlock

    block = Qwen3TransformerBlock.Config(attention=attention, moe_enabled="experts" in case, **layer)
    return Qwen3Model.Config(layer=block, rope=rope, **ends)


def config_of_layers(case, layers):
    """A model since a config says every layer."""
    import torchtitan.models.qwen3 as module

    hidden = case["hidden"]
    return module.Qwen3Model.Config(
        vocab_size=blocks.VOCAB, dim=hidden, norm=module._qwen3_norm(hidden),
        tok_embeddings=module.Embedding.Config(num_embeddings=blocks.VOCAB, embedding_dim=hidden),
        output=module.Linear.Config(in_features=hidden, out_features=blocks.VOCAB),
        rope=module.RoPE.Config(dim=case["head_dim"], max_seq_len=case["length"], theta=1000000.0, backend="cos_sin"),
        layers=module._build_qwen3_moe_layers(
            n_layers=layers, dim=hidden, n_heads=case["heads"], n_kv_heads=case["kv_heads"], head_dim=case["head_dim"],
            moe_hidden_dim=case["expert_ffn"], num_experts=case["experts"], top_k=case["topk"]))


def recompute_by_policy(model, case):
    from torchtitan.config import ActivationCheckpointConfig
    from torchtitan.distributed.activation_checkpoint import apply_ac

    if case["recompute"] != "none":
        apply_ac(model, ActivationCheckpointConfig(mode={"op": "selective", "full": "full"}[case["recompute"]]))


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


def fake_experts(module):
    import torch

    module.indices_padding_wrapper = lambda run: run
    torch.histc = lambda x, bins, min, max: torch.empty(bins)  # fake integers have none


def build(case, layers):
    import torchtitan.models.moe.moe as experts

    fake_experts(experts)
    model, args = arguments(case, layers)
    return model(args)


@contextlib.contextmanager
def in_fp32(device_type, dtype):
    """torch.autocast to fp32 as CUDA has it, and the CPU has not: of a router's product."""
    import torch.nn.functional as F

    linear, F.linear = F.linear, lambda x, weight, bias=None: linear(x.float(), weight.float(), bias)
    yield
    F.linear = linear


def build_config(config, case, layers):
    import sys

    import torch

    from torchtitan.models.common.moe import MoE

    torch.autocast = in_fp32
    fake_experts(sys.modules[MoE.__module__])
    return config(case, layers).build()


def ask(case, version):
    if version == RELEASE:
        return blocks.ask(build, case, lambda model: recompute(model, case))
    config = configs if version == LISTED else config_of_layers
    return blocks.ask(lambda case, layers: build_config(config, case, layers), case, lambda model: recompute_by_policy(model, case))


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
