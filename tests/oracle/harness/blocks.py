"""What one block keeps of a token: models of two depths of the real library, on fake tensors, and the same of parplan's forecast."""
import json

DEPTHS = 2, 4
VOCAB = 32000
MICRO = 256  # sequences of the forecast: so many logits that the loss is the peak


def kept(build, case, prepare=lambda model: None):
    """Bytes that a forward pass of the model leaves, whose parameters are bf16."""
    import torch

    from harness.alive import alive

    with alive() as bytes_of:
        torch.set_default_dtype(torch.bfloat16)
        model = build()
        torch.set_default_dtype(torch.float32)
        prepare(model)
        before = bytes_of.now
        logits = model(torch.randint(0, VOCAB, (case["sequences"], case["length"])))  # they hold the graph
        after = bytes_of.now
        del logits
        return after - before


def ask(build, case, prepare=lambda model: None, depths=DEPTHS):
    few, many = (kept(lambda: build(case, layers), case, prepare) for layers in depths)
    return {"block": (many - few) / (depths[1] - depths[0]), "tokens": case["sequences"] * case["length"]}


def activations(parplan, case, framework, arch, layers, recompute, more, micro):
    kv_heads = case["heads"] if "kv_lora" in case else case["kv_heads"]
    path = parplan.file("step.yaml", "parplan: 1\nframework: {%s}\nworld: 8\ncluster: {gpu: h100-sxm, gpus_per_node: 8}\n"
                        "model: {arch: %s, layers: %d, hidden: %d, heads: %d, kv_heads: %d, head_dim: %d, ffn: %d, vocab: %d%s}\n"
                        "parallelism: {dp_shard: 8}\ntraining: {seq_len: %d, local_batch_size: %d, activation_checkpoint: {%s}}\n"
                        % (framework, arch, layers, case["hidden"], case["heads"], kv_heads, case["head_dim"], case["ffn"], VOCAB, more,
                           case["length"], micro, recompute))
    answer = parplan.json("sim", path)
    return answer if answer.get("error") else answer["memory"]["classes"][0]["activations"] * 2**30


def compare(case, answer, parplan, framework, arch, share, bytes_more, recompute="mode: none", more="", depths=DEPTHS, micro=MICRO):
    """None, or how the two differ by more than a share and so many bytes."""
    if "error" in answer:
        return "raises %s" % json.dumps(answer["error"])
    few, many = (activations(parplan, case, framework, arch, layers, recompute, more, micro) for layers in depths)
    if isinstance(few, dict):
        return str(few["error"])
    block, asked = (many - few) / (depths[1] - depths[0]) / micro / case["length"], answer["block"] / answer["tokens"]
    if abs(block - asked) > share * asked + bytes_more:
        return "a block keeps %.0f bytes of a token, parplan says %.0f" % (asked, block)
    return None
