"""What a block of litgpt's GPT keeps of a token, on fake tensors: parameters bf16, asked of models of two depths.

A case names one of litgpt's own configs, whose sizes alone are other ones.
"""
from harness import blocks

NAMES = {"Llama-2-7b-hf": "llama", "Llama-3-8B": "llama", "Mistral-7B-v0.3": "llama", "Gemma-2b": "gemma", "Gemma-2-9b": "gemma2",
         "Qwen2.5-7B": "qwen2", "Qwen3-8B": "qwen3", "OLMo-2-1124-7B": "olmo2", "Phi-3-mini-128k-instruct": "phi3", "phi-2": "phi",
         "pythia-1b": "gpt_neox", "falcon-7b": "falcon7", "falcon-40b": "falcon",
         "stablelm-3b-4e1t": "stablelm", "Gemma-3-4b-it": "gemma3"}
ALL_KEYS = "phi-2", "pythia-1b"  # as many heads of keys and values
OWN_HEADS = "Gemma-2b", "Gemma-2-9b", "Gemma-3-4b-it", "Qwen3-8B"  # a head's size need not be that of hidden over heads


def make(rng, version):
    heads, dim, hidden = rng.choice([8, 16]), rng.choice([64, 128]), rng.choice([1024, 1536, 2048])
    name = rng.choice(sorted(NAMES))
    keys = {"falcon-7b": 1, **dict.fromkeys(ALL_KEYS, heads)}.get(name, rng.choice([1, 2, 8, heads]))
    if name == "Gemma-2-9b":  # none of that family has as many
        keys = min(keys, heads // 2)
    return {"name": name, "heads": heads, "kv_heads": keys, "head_dim": dim, "hidden": hidden if name in OWN_HEADS else heads * dim,
            "ffn": rng.choice([2048, 3072, 5632]), "sequences": rng.choice([1, 2]), "length": rng.choice([512, 1024])}


def without_the_rest():
    """The package without what its first lines import: Lightning, tokenizers, the conversion of checkpoints."""
    import sys
    from types import ModuleType
    from unittest.mock import MagicMock

    from harness.cut import found

    package = sys.modules.setdefault("litgpt", ModuleType("litgpt"))
    package.__path__ = [found("litgpt", "model.py").rpartition("/")[0]]
    sys.modules.setdefault("litgpt.scripts", MagicMock())
    sys.modules.setdefault("litgpt.scripts.convert_hf_checkpoint", MagicMock())


def build(case, layers):
    without_the_rest()
    from litgpt.config import Config
    from litgpt.model import GPT

    windows = {} if case["name"] == "Gemma-3-4b-it" else {"sliding_window_size": None}
    return GPT(Config.from_name(case["name"], n_layer=layers, n_embd=case["hidden"], n_head=case["heads"], head_size=case["head_dim"],
                                n_query_groups=case["kv_heads"], intermediate_size=case["ffn"], padded_vocab_size=blocks.VOCAB,
                                vocab_size=blocks.VOCAB, block_size=case["length"], **windows))


def depths(case):
    return (6, 12) if case["name"] == "Gemma-3-4b-it" else blocks.DEPTHS  # every sixth block of which is of another kind


def ask(case, version):
    return blocks.ask(build, case, depths=depths(case))


def compare(case, answer, version, parplan):
    windows = case["name"] == "Gemma-3-4b-it"
    micro = case["sequences"] if windows else blocks.MICRO  # all sequences share a mask
    more = ", window: 1024, window_blocks: wwwwwf" if windows else ""
    return blocks.compare(case, answer, parplan, "litgpt: %s" % version, NAMES[case["name"]], 0.003, 32, more=more, depths=depths(case), micro=micro)
