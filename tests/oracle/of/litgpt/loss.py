"""Bytes that litgpt's loss takes of a logit at the most, logits and their gradient included, on fake tensors of bf16."""
import json

from harness.blocks import MICRO

VOCABS = 64000, 128000


def cases(version):
    return [{"finetunes": finetunes, "sequences": sequences, "length": length}
            for finetunes in (True, False) for sequences in (1, 2, 4) for length in (1024, 2048)]


def ask(case, version):
    import torch

    from harness.alive import alive
    from harness.cut import cut

    loss = cut(("litgpt", "utils.py"), ["chunked_cross_entropy"], {"torch": torch})["chunked_cross_entropy"]
    with alive() as bytes_of:
        targets = torch.randint(0, VOCABS[0], (case["sequences"], case["length"]))
        before = bytes_of.now
        logits = torch.empty(*targets.shape, VOCABS[0], dtype=torch.bfloat16, requires_grad=True)
        total = loss(logits[..., :-1, :], targets[..., 1:]) if case["finetunes"] else loss(logits, targets)
        total.backward()  # logits are still the loop's
        return {"peak": (bytes_of.peak - before) / logits.numel()}


def needed(parplan, case, version, vocab):
    path = parplan.file("step.yaml", "parplan: 1\nframework: {litgpt: %s}\nworld: 8\ncluster: {gpu: h100-sxm, gpus_per_node: 8}\n"
                        "model: {arch: llama, layers: 1, hidden: 512, heads: 8, kv_heads: 8, ffn: 1024, vocab: %d}\n"
                        "parallelism: {dp_shard: 8}\ntraining: {seq_len: %d, local_batch_size: %d, dtype: bfloat16, param_dtype: bfloat16}\n"
                        % (version, vocab, case["length"], MICRO))
    answer = parplan.json("sim", path)
    if answer.get("error"):
        return answer
    most = answer["memory"]["classes"][0]
    return (most["activations"] + most["temporary"]) * 2**30


def compare(case, answer, version, parplan):
    if "error" in answer:
        return "raises %s" % json.dumps(answer["error"])
    few, many = (needed(parplan, case, version, vocab) for vocab in VOCABS)
    if isinstance(few, dict):
        return str(few["error"])
    peak = (many - few) / (VOCABS[1] - VOCABS[0]) / MICRO / case["length"]
    return None if abs(peak - answer["peak"]) < 0.05 else "%.2f bytes of a logit, parplan says %.2f" % (answer["peak"], peak)
