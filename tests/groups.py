#!/usr/bin/env python3
"""Groups of frameworks whose library cannot be asked without GPUs, by rules of their own: ranks are counted out here.

Each rule below was read off the framework's source, which its head names, and knows nothing of layouts: it deals ranks to
coordinates one by one. Configs are drawn at random, the same in every run; parplan must have the same groups, or the same
exception. Ends with 'N passed, N failed'.
"""
import itertools, json, os, random, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve.client import run

CASES = 60


class Refused(Exception):
    """What the framework raises: "Type: text"."""


def grid(axes):
    """{rank: {axis: coordinate}}: the last axis runs fastest."""
    places = itertools.product(*(range(size) for _, size in axes))
    return {rank: dict(zip((name for name, _ in axes), place)) for rank, place in enumerate(places)}


def over(ranks, *names):
    """The groups of ranks that differ in these axes only, those of more than one rank."""
    groups = {}
    for rank, place in ranks.items():
        groups.setdefault(tuple(sorted((axis, at) for axis, at in place.items() if axis not in names)), []).append(rank)
    return sorted(group for group in groups.values() if len(group) > 1)


def product(*sizes):
    whole = 1
    for size in sizes:
        whole *= size
    return whole


def sizes(rng, world, count):
    """Factors whose product is mostly the world."""
    left, found = world, []
    for _ in range(count):
        size = rng.choice([d for d in range(1, left + 1) if left % d == 0]) if rng.random() < 0.7 else 1
        left //= size
        found.append(size)
    found[rng.randrange(count)] *= left if rng.random() < 0.85 else rng.choice([1, 2, 3])
    rng.shuffle(found)
    return found


def picotron(rng, world):
    """huggingface/picotron@12e81c32: train.py asserts, process_group_manager.py views arange(world) as dp, pp, cp, tp."""
    dp, pp, cp, tp = sizes(rng, world, 4)
    heads, kv, seq = rng.choice([(16, 4), (12, 6), (24, 8)]) + (rng.choice([1024, 1536, 1020]),)
    config = {"distributed": {"tp_size": tp, "cp_size": cp, "pp_size": pp, "dp_size": dp},
              "model": {"num_hidden_layers": 16, "num_attention_heads": heads, "num_key_value_heads": kv},
              "training": {"seq_length": seq, "micro_batch_size": 1}, "environment": {"OMP_NUM_THREADS": "1"}}

    def rule():
        if seq % cp:
            raise Refused("AssertionError: seq_length must be divisible by cp_size for Context Parallelism")
        if product(dp, pp, cp, tp) != world:
            raise Refused("AssertionError: world_size must be equal to tp_size * pp_size * dp_size * cp_size")
        if heads % tp:
            raise Refused("AssertionError: num_attention_heads should be divisible by tp world size")
        if kv % tp:
            raise Refused("AssertionError: num_key_value_heads should be divisible by  tp world size")
        ranks = grid([("dp_replicate", dp), ("pp", pp), ("cp", cp), ("tp", tp)])
        return {**{name: over(ranks, name) for name in ("dp_replicate", "pp", "cp", "tp")}, "replicate": over(ranks, "dp_replicate", "cp")}
    return "picotron.json", json.dumps(config), rule


def gpt_neox(rng, world):
    """EleutherAI/gpt-neox@ea7aefd8 calculate_derived(); DeepSpeed's PipeModelDataParallelTopology is pipe, data, model."""
    pp, _, tp = sizes(rng, world, 3)
    heads, hidden = rng.choice([(64, 6144), (12, 768), (40, 5120), (12, 1000)])
    stage = rng.choice([0, 1, 2, 3])
    pipe = 0 if pp == 1 and rng.random() < 0.7 else pp
    config = {"pipe_parallel_size": pipe, "model_parallel_size": tp, "num_layers": 4 * pp, "hidden_size": hidden, "num_attention_heads": heads,
              "seq_length": 2048, "max_position_embeddings": 2048, "train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": stage}}

    def rule():
        if world % (pp * tp):
            raise Refused("AssertionError: NeoXArgs.calculate_derived() (global_num_gpus / pp_size) / mp_size [(%d / %d) / %d] must be a whole "
                          "number" % (world, pp, tp))
        if hidden % heads:
            raise Refused("ValueError: NeoXArgs.validate_values() hidden_size must be divisible by num_attention_heads")
        if heads % tp:
            raise Refused("AssertionError: %d is not divisible by %d" % (heads, tp))
        if pipe and stage > 1:  # DeepSpeed's PipelineEngine
            raise Refused("AssertionError: ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism")
        ranks = grid([("pp", pp), ("dp", world // pp // tp), ("tp", tp)])
        return {"pp": over(ranks, "pp"), "tp": over(ranks, "tp"), ("shard" if stage == 3 else "replicate"): over(ranks, "dp"),
                ("replicate" if stage == 3 else "shard"): []}
    return "neox.json", json.dumps(config), rule


def llm_foundry(rng, world):
    """mosaicml/composer@64051888 state.py _create_device_mesh: replicate, shard, tensor; one of them may be -1."""
    replicate, shard, tp = sizes(rng, world, 3)
    given = [replicate if rng.random() < 0.6 else None, rng.choice([shard, -1, None]), tp if rng.random() < 0.5 else None]
    if given[0] is None and given[2] is None:
        given[1] = rng.choice([-1, world])
    if rng.random() < 0.15:
        given[:2] = [-1, -1]
    names = ["data_parallel_replicate", "data_parallel_shard", "tensor_parallel"]
    config = {"model": {"name": "mpt_causal_lm"}, "max_seq_len": 2048, "global_train_batch_size": 64 * world, "train_loader": {"name": "text"},
              "device_train_microbatch_size": 1, "fsdp_config": {n + "_degree": d for n, d in zip(names[:2], given) if d}}
    if given[2]:
        config["tp_config"] = {"tensor_parallel_degree": given[2]}

    def rule():
        asked = [(name, -1 if name == names[1] and size is None else size) for name, size in zip(names, given)]
        asked = [(name, size) for name, size in asked if size is not None]
        known = product(*(size for _, size in asked if size != -1))
        open_ = [name for name, size in asked if size == -1]
        if len(open_) > 1:
            raise Refused("ValueError: Found multiple parallelism dimensions with -1: %s. Only one is allowed" % open_)
        if (known > world if open_ else known != world):
            raise Refused("ValueError: ('World size %d %s the product of the specified parallelism degrees %d." %
                          (world, "is greater than" if open_ else "does not equal", known))
        if world % known:
            raise Refused("ValueError: World size %d is not divisible by the product of the specified parallelism degrees." % world)
        full = {name: world // known if size == -1 else size for name, size in asked}
        ranks = grid([(name, full.get(name, 1)) for name in names])
        return {"shard": over(ranks, names[1]), "replicate": over(ranks, names[0]), "tp": over(ranks, names[2])}
    return "mpt.yaml", json.dumps(config), rule


def llama_factory(rng, world):
    """hiyouga/LLaMA-Factory@ff6d4d12 v1/accelerator/interface.py: (mp_replicate, mp_shard) and (dp, cp) over the same ranks."""
    replicate, shard = sizes(rng, world, 2)
    dp, cp = sizes(rng, world, 2)
    says = [rng.random() < 0.6 for _ in range(4)]
    config = {"model": "Qwen/Qwen3-0.6B", "cp_mode": "ulysses", "micro_batch_size": 1, "cutoff_len": 2048,
              "dist_config": {"name": "fsdp2"}}
    for said, where, name, size in zip(says, (config["dist_config"],) * 2 + (config,) * 2, ("mp_replicate_size", "mp_shard_size", "dp_size", "cp_size"),
                                       (replicate, shard, dp, cp)):
        if said:
            where[name] = size
    replicate, cp = replicate if says[0] else 1, cp if says[3] else 1

    def rule():
        for name, one, other, given in (("mp_replicate_size * mp_shard_size", replicate, shard, says[1]), ("dp_size * cp_size", dp, cp, says[2])):
            if given and one * other != world:
                raise Refused("ValueError: %s must equal to world_size, got %d * %d != %d." % (name, one, other, world))
        for name, whole, first in (("mp_replicate_size * mp_shard_size", replicate, True), ("dp_size * cp_size", cp, False)):
            if world % whole:
                pair = (whole, world // whole) if first else (world // whole, whole)
                raise Refused("ValueError: %s must equal to world_size, got %d * %d != %d." % (name, *pair, world))
        model, data = grid([("r", replicate), ("s", world // replicate)]), grid([("dp", world // cp), ("cp", cp)])
        return {"mp_replicate": over(model, "r"), "mp_shard": over(model, "s"), "replicate": over(model, "r"), "shard": over(model, "s"),
                "dp": over(data, "dp"), "cp": over(data, "cp")}
    return "v1.yaml", json.dumps(config), rule


def megatron(world, tp, cp, pp):
    """Megatron Core's RankGenerator by its order tp-cp-ep-dp-pp: tp runs fastest, pp slowest."""
    ranks = grid([("pp", pp), ("dp", world // (tp * cp * pp)), ("cp", cp), ("tp", tp)])
    return {"tp": over(ranks, "tp"), "pp": over(ranks, "pp"), "cp": over(ranks, "cp"), "replicate": over(ranks, "dp", "cp")}


def ms_swift(rng, world):
    """modelscope/ms-swift@3602360a megatron_args.py: the batch and the ends of the pipeline, then Megatron Core's groups."""
    tp, cp, pp, _ = sizes(rng, world, 4)
    micro, batch, ends = rng.choice([1, 2]), rng.choice([world, 4 * world, 48, 30]), rng.random() < 0.15
    words = ["NPROC_PER_NODE=%d megatron sft" % world, "--model Qwen/Qwen3-8B", "--tensor_model_parallel_size %d" % tp,
             "--context_parallel_size %d" % cp, "--pipeline_model_parallel_size %d" % pp, "--micro_batch_size %d" % micro,
             "--global_batch_size %d" % batch, "--sequence_parallel true"] + (["--decoder_first_pipeline_num_layers 3"] if ends and pp == 1 else [])

    def rule():
        if ends and pp == 1:
            raise Refused("ValueError: pipeline_model_parallel_size must be greater than 1 if you want to set decoder_first_pipeline_num_layers or "
                          "decoder_last_pipeline_num_layers.")
        model = tp * cp * pp
        if world % model == 0 and batch % (micro * (world // model)):
            raise Refused("ValueError: global batch size (%d) is not divisible by micro batch size (%d) times data parallel size (%d)" %
                          (batch, micro, world // model))
        if world % model:
            raise Refused("RuntimeError: world_size (%d) is not divisible by %d" % (world, model))  # parallel_state.py
        if 32 % tp:  # heads of Qwen3-8B, in transformer_config.py
            raise Refused("ValueError: num_attention_heads (32) must be a multiple of tensor_model_parallel_size (%d)." % tp)
        return megatron(world, tp, cp, pp)
    return "run.sh", " \\\n  ".join(words) + "\n", rule


def nemo_rl(rng, world):
    """NVIDIA-NeMo/RL@7ea279ab lm_policy.py: the world against pp * cp * tp; DTensor's mesh is dp, cp, tp."""
    _, pp, cp, tp = sizes(rng, world, 4)
    engine = rng.choice(["megatron", "dtensor", "dtensor", "both" if rng.random() < 0.2 else "dtensor", "none" if rng.random() < 0.2 else "megatron"])
    pp = pp if engine == "megatron" else 1
    config = {"grpo": {"num_prompts_per_step": 32, "num_generations_per_prompt": 16},
              "policy": {"model_name": "/models/ours", "train_global_batch_size": 512, "train_micro_batch_size": 1,
                         "max_total_sequence_length": 512, "precision": "bfloat16",
                         "dtensor_cfg": {"enabled": engine in ("dtensor", "both"), "tensor_parallel_size": tp, "context_parallel_size": cp},
                         "megatron_cfg": {"enabled": engine in ("megatron", "both"), "tensor_model_parallel_size": tp,
                                          "pipeline_model_parallel_size": pp, "context_parallel_size": cp}},
              "cluster": {"num_nodes": 1, "gpus_per_node": world}}

    def rule():
        if engine == "both":
            raise Refused("ValueError: Configure either Megatron (policy.megatron_cfg.enabled=true) or DTensor")
        if engine == "none":
            raise Refused("ValueError: Please either set policy.megatron_cfg.enabled=true")
        size = pp * cp * tp
        if world < size:
            raise Refused("ValueError: World size (%d) is insufficient for the parallelism configuration. Required minimum world size: PP(%d) * "
                          "CP(%d) * TP(%d) = %d. This would result in DP = %d/%d = %.3f," % (world, pp, cp, tp, size, world, size, world / size))
        if world % size:
            raise Refused("ValueError: World size (%d) must be divisible by PP * CP * TP (%d). The data parallel size (DP = world_size / (PP * CP * "
                          "TP)) must be a positive integer. Current DP would be %d/%d = %.6f," % (world, size, world, size, world / size))
        if engine == "megatron":
            return megatron(world, tp, cp, pp)
        ranks = grid([("dp", world // size), ("cp", cp), ("tp", tp)])
        return {"tp": over(ranks, "tp"), "cp": over(ranks, "cp"), "dp_shard": over(ranks, "dp"), "shard": over(ranks, "dp", "cp"), "replicate": []}
    return "grpo.yaml", json.dumps(config), rule


def axolotl(rng, world):
    """axolotl@067b021c utils/distributed.py _get_parallel_config_kwargs, whose mesh is accelerate's: dp_replicate, dp_shard, cp, tp."""
    tp, cp, shard, replicate = (size if rng.random() < 0.7 else 0 for size in sizes(rng, world, 4))
    fsdp, ep = rng.random() < 0.75, rng.choice([2, 3, 4]) if rng.random() < 0.3 else 0
    config = {"base_model": "Qwen/Qwen3-8B", "datasets": [{"path": "a", "type": "alpaca"}], "sequence_len": 2048, "micro_batch_size": 1,
              "gradient_accumulation_steps": 1, "flash_attention": True}
    for name, size in (("tensor_parallel_size", tp), ("context_parallel_size", cp), ("dp_shard_size", shard), ("dp_replicate_size", replicate)):
        if size:
            config[name] = size
    if fsdp:
        config.update(fsdp_version=2, fsdp_config={"reshard_after_forward": True})
    if ep:
        config.update(expert_parallel_size=ep, plugins=["axolotl.integrations.expert_parallel.ExpertParallelPlugin"])

    def kwargs():
        remaining, pc = world, {}
        if ep and world % ep:
            raise Refused("ValueError: expert_parallel_size (%d) must divide world_size (%d)." % (ep, world))
        if ep:
            pc["ep_size"] = ep
            remaining //= ep
        for name, size in (("tp_size", tp), ("cp_size", cp)):
            if size and size > 1:
                pc[name] = size
                remaining //= size
        if not shard and (not replicate or replicate <= 1) and remaining > 1:
            pc["dp_shard_size"] = remaining
            remaining = 1
        if replicate and replicate > 1:
            pc["dp_replicate_size"] = replicate
            remaining //= replicate
        if remaining > 1 and shard and shard > 1:
            if not fsdp:
                raise Refused("ValueError: dp_shard_size was configured without a corresponding fsdp_config!")
            pc["dp_shard_size"] = shard
            remaining //= shard
            if remaining > 1 and "dp_replicate_size" not in pc:
                pc["dp_replicate_size"] = remaining
                remaining = 1
        if remaining > 1 and "dp_shard_size" not in pc and fsdp:
            pc["dp_shard_size"] = remaining
            remaining = 1
        if remaining > 1:
            raise Refused("ValueError: The configured parallelisms are incompatible with the current world size (%d)!" % world)
        return pc

    def rule():
        pc = kwargs()
        if (pc.get("tp_size") or pc.get("cp_size")) and pc.get("dp_replicate_size", 1) > 1 and pc.get("dp_shard_size", 1) == 1:
            raise Refused("ValueError: Tensor/Context parallelism (tp/cp_size > 1) cannot be used with pure data parallelism")
        names = ("ep", "dp_replicate", "dp_shard", "cp", "tp")
        whole = product(*(pc.get(name + "_size", 1) for name in names))
        if whole > world:
            raise Refused("RuntimeError: Mesh should not be bigger than default world size")
        if whole != world:
            raise Refused("ValueError: ParallelismConfig total_size (%d) does not match num_processes (%d)" % (whole, world))
        ranks = grid([(name, pc.get(name + "_size", 1)) for name in names])
        groups = {name: over(ranks, name) for name in ("tp", "cp")}
        if fsdp and not ep:
            groups.update(shard=over(ranks, "dp_shard", "cp"), replicate=over(ranks, "dp_replicate"))
            return groups
        if ep or pc.get("cp_size"):  # the model is wrapped by somebody else, parplan claims nothing
            return {}
        return dict(groups, shard=[], replicate=over(ranks, "dp_replicate", "dp_shard"))
    return "axolotl.yaml", json.dumps(config), rule


def difference(plan, rule):
    """None where parplan has the rule's groups, or its exception."""
    error = plan.get("error")
    said = "%s: %s" % (error["type"], error["message"]) if error else None
    try:
        want = rule()
    except Refused as refused:
        return None if said and said.startswith(str(refused)) else "parplan says %s, not %s" % (said, refused)
    if said:
        return "parplan says %s" % said
    data = plan["data_parallel"]
    for name, groups in want.items():
        if name in ("shard", "replicate"):
            have = data[name + "_groups"]
        else:
            have = plan["meshes"].get(name, {}).get("groups", []) if plan["meshes"].get(name, {}).get("exists") else []
        have = sorted(sorted(group) for group in have if len(group) > 1)
        if have != groups:
            return "%s is %s, not %s" % (name, have, groups)
    return None


# What the same config comes to in a release and in the next: where a check came, or got other words.
AUTOMODEL = {"recipe": {"_target_": "nemo_automodel.recipes.llm.train_ft.TrainFinetuneRecipeForNextTokenPrediction"},
             "step_scheduler": {"num_epochs": 1}, "distributed": {"strategy": "ddp", "tp_size": 2}}
NANOTRON = {"parallelism": {"dp": 3, "pp": 1, "tp": 2}, "general": {"project": "a", "run": "b"}, "model": {"model_config": {"is_llama_config": True}},
            "tokens": {"micro_batch_size": 1, "sequence_length": 1024, "train_steps": 10, "batch_accumulation_per_replica": 1}}
VERL = {"actor_rollout_ref": {"model": {"path": "Qwen/Qwen2.5-7B-Instruct"}, "rollout": {"name": "vllm"},
                              "actor": {"strategy": "fsdp2", "ulysses_sequence_parallel_size": 16, "ppo_mini_batch_size": 256}},
        "data": {"train_batch_size": 1024}, "trainer": {"nnodes": 1, "n_gpus_per_node": 8}}
RELEASES = [
    # mesh_utils.py got _require_size_one with b4a441f71, which v0.5.0 has and v0.4.0 has not
    (AUTOMODEL, "nemo-automodel@0.4", None), (AUTOMODEL, "nemo-automodel@0.5", "ValueError: ddp does not support tensor parallelism"),
    # ParallelContext names the sizes since 0.5
    (NANOTRON, "nanotron@0.4", "AssertionError: The total number of processes must be divisible by the data parallel size."),
    (NANOTRON, "nanotron@0.5", "AssertionError: TP*CP*DP*PP=2*1*1*3=6 != WORLD_SIZE=8"),
    # init_device_mesh lays ranks out by _MeshLayout since PyTorch 2.10
    (VERL, "torch@2.9", "RuntimeError: cannot reshape tensor of 0 elements into shape [-1, 0]"), (VERL, "torch@2.10", "AssertionError: "),
]


# Native configs of a framework that has two ways to lay out ranks: the one that the degrees stand for.
NATIVE = [("ms-swift: 3602360a", "tp: 2", megatron(8, 2, 1, 1)), ("ms-swift: 3602360a", "pp: 2", megatron(8, 1, 1, 2))]


def native_differs(folder, framework, parallelism, groups):
    """None where a native config has these groups of Megatron Core."""
    path = os.path.join(folder, "native.yaml")
    with open(path, "w") as file:
        file.write("parplan: 1\nframework: {%s}\nworld: 8\nparallelism: {%s}\n" % (framework, parallelism))
    plan = json.loads(run(["plan", "--format", "json", path]).stdout)
    if "dp_cp" not in plan["meshes"]:
        return "%s, %s: no groups of Megatron Core's" % (framework, parallelism)
    return difference(plan, lambda: groups)


def release_differs(folder, config, release, refusal):
    """None where the config is refused at that release with these words, or, for None, is not."""
    path = os.path.join(folder, "release.yaml")
    with open(path, "w") as file:
        json.dump(config, file)
    error = json.loads(run(["plan", "--format", "json", "--world", "8", "--framework", release, path]).stdout)["error"]
    said = error and "%s: %s" % (error["type"], error["message"])
    return None if (said or "").startswith(refusal or "") and bool(said) == bool(refusal) else "%s: parplan says %s" % (release, said)


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for make in (picotron, gpt_neox, llm_foundry, llama_factory, ms_swift, nemo_rl, axolotl):
            for number in range(4 * CASES if make is axolotl else CASES):
                rng = random.Random("%s:%d" % (make.__name__, number))
                world = rng.choice([2, 3, 4, 6, 8, 8, 9, 12, 15, 16, 16, 24, 32])
                name, text, rule = make(rng, world)
                path = os.path.join(folder, name)
                with open(path, "w") as file:
                    file.write(text)
                words = ["plan", "--format", "json"] + ([] if make is ms_swift else ["--world", str(world)]) + [path]
                done = run(words)
                why = difference(json.loads(done.stdout), rule) if done.stdout else done.stderr
                if why:
                    failed += 1
                    print("groups: %s %d, world %d: %s\n%s" % (make.__name__, number, world, why, text))
                else:
                    passed += 1
        for differs, row in [(release_differs, row) for row in RELEASES] + [(native_differs, row) for row in NATIVE]:
            why = differs(folder, *row)
            passed, failed = passed + (not why), failed + bool(why)
            if why:
                print("groups: %s" % why)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
