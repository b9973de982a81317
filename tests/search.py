#!/usr/bin/env python3
"""Random small problems, and configs of all dialects: what a search finds is what --exhaustive finds (which also holds
every bound against what is simulated), whatever the number of processes and parts; what it writes passes check --strict
and has the forecast that the table says; the config as it is has its place, with the forecast of sim, whether the file
names the machine or options do, and the batch or its micro-steps. Usage: search.py SEED COUNT [MOST FOLDER...],
where configs in those folders with so many candidates follow."""
import glob, json, os, random, re, shlex, shutil, subprocess, sys, tempfile

seed, count = int(sys.argv[1]), int(sys.argv[2])
binary = os.environ["BIN"]
work = tempfile.mkdtemp()
frameworks = ["torchtitan: v0.2.2", "torchtitan: v0.2.0", 'torchtitan: "2024-12-26"', "megatron: core", 'megatron: "core@2025-05"', "torch: 2.9.0", "deepspeed: 0.17.6", "transformers: 4.57.1",
              "accelerate: 1.11.0", "litgpt: 0.5.13"]


def problem(rng):
    heads = rng.choice([8, 12, 16, 32])
    kv = rng.choice([k for k in (1, 2, 4, 8) if heads % k == 0])
    framework = rng.choice(frameworks)
    nodes = rng.choice([1, 1, 2])
    each = rng.choice([2, 4, 8]) if nodes == 1 else 4
    world = nodes * each
    more = ""
    if rng.random() < 0.3:
        more = ", moe: {experts: %d, topk: 2, expert_ffn: 1024}" % rng.choice([4, 8, 16])
    if rng.random() < 0.2:
        more += ", window: %d, window_blocks: %s" % (rng.choice([512, 4096]), rng.choice(["w", "wf"]))
    counts_micro = "megatron" in framework or "deepspeed" in framework
    sharing = "dp_replicate: -1" if "megatron" in framework else "dp_shard: -1"
    if "deepspeed" in framework:
        sharing = "sp: %d, zero_stage: %d" % (rng.choice([1, 2]), rng.choice([0, 1, 2, 3]))
    batch = world * rng.choice([1, 2, 4])
    return """parplan: 1
framework: {%s}
cluster: {gpu: %s, nodes: %d, gpus_per_node: %d, nic: 8x400Gb, fabric: ib}
model: {arch: llama, layers: %d, hidden: %d, heads: %d, kv_heads: %d, ffn: %d, vocab: 32000%s}
parallelism: {%s}
training: {seq_len: %d, %s, global_batch_size: %d%s}
""" % (framework, rng.choice(["h100-sxm", "a100-40g"]), nodes, each, rng.choice([8, 16, 24, 30]), heads * 128, heads, kv,
       heads * 384, more, sharing, rng.choice([2048, 4096, 8192]),
       "micro_batch_size: 1" if counts_micro else "local_batch_size: 1", batch, "" if counts_micro else rng.choice(["", ", compile: true"]))


def recipe(rng):
    """Megatron-LM's own YAML, which says more or less of what can be said, and the options that name the machine."""
    layers, heads, world = rng.choice([8, 13, 14, 24]), rng.choice([8, 16, 32]), rng.choice([4, 8])
    said = {"num-layers": layers, "hidden-size": heads * 128, "num-attention-heads": heads, "ffn-hidden-size": heads * 512, "vocab-size": rng.choice([32000, 50257]),
            "seq-length": 4096, "max-position-embeddings": 4096, "micro-batch-size": 1, "global-batch-size": world * rng.choice([2, 4]), "bf16": "true"}
    some = [{"tensor-model-parallel-size": 2}, {"pipeline-model-parallel-size": 2}, {"context-parallel-size": 1}, {"use-distributed-optimizer": "true"},
            {"recompute-granularity": "full", "recompute-method": "block", "recompute-num-layers": 3}, {"recompute-activations": "true"},
            {"account-for-embedding-in-pipeline-split": "true", "account-for-loss-in-pipeline-split": "true"},
            {"tp-comm-overlap": "true", "sequence-parallel": "true"}, {"pipeline-model-parallel-size": 2, "decoder-last-pipeline-num-layers": layers // 2 - 1}, {"sequence-parallel": "true"},
            {"pipeline-model-parallel-size": 2, "pipeline-model-parallel-layout": "Et*%d|t*%dL" % (layers // 2 - 1, layers - layers // 2 + 1)}]
    for more in rng.sample(some, rng.randrange(4)):
        if "recompute-activations" not in more or "recompute-granularity" not in said:
            said.update(more)
    text = "MODEL_ARGS:\n" + "".join("  --%s: %s\n" % one for one in said.items())
    return text, ["--gpus", str(world), "--gpu", rng.choice(["h100-sxm", "a100-40g"]), "--fix", "cluster.gpus_per_node=8"]


def configs(*folders):
    names = (name for folder in folders for name in glob.glob(folder + "/**/*.*", recursive=True))
    return sorted(name for name in names if os.path.isfile(name) and "broken" not in name)


def added(gpu, gpus, model):
    """The options that say what a config of a dialect leaves open."""
    return ["--gpu", gpu, "--gpus", str(gpus), "--global-batch", "16", "--fix", "training.seq_len=2048", "--set", "model.preset=" + model]


def given(rng):
    """A config of any dialect, its options and what a search says of it; None where nothing is searched."""
    names = configs("testdata/dialects")
    for _ in range(50):
        path = rng.choice(names)
        options = added(rng.choice(["h100-sxm", "a100-80g"]), rng.choice([4, 8, 16]), rng.choice(["llama3-1b", "olmoe-1b-7b", "qwen3-4b"]))
        document = answer(path, *options, must=False)
        if 1 < candidates(document) < 6000:
            return path, options, document
    return None


def run(*words):
    return subprocess.run([binary, *words], capture_output=True, text=True, errors="replace")


def answer(path, *words, must=True):
    """What a search of it says; None where it says nothing, for an error or a finding, unless it must."""
    done = run("search", path, "--format", "json", *words)
    if done.returncode in (0, 1) and done.stdout.startswith("{"):
        return json.loads(done.stdout)
    if must or done.returncode < 0:
        raise ValueError("search %s %s: exit status %d: %s" % (path, " ".join(words), done.returncode, done.stderr.strip()))
    return None


def candidates(document):
    return document["space"]["candidates"] if document else 0


def found(document):
    if not document["space"]["proven"]:
        raise ValueError("a bound was above a forecast")
    return {key: document[key] for key in ("plans", "pareto", "neighbours")}


def parts(path, whole, options):
    for number in (3, 64 if count > 50 else 7):
        names = []
        for part in range(1, number + 1):
            names.append(os.path.join(work, "part-%d" % part))
            run("search", path, *options, "--shard", "%d/%d" % (part, number), "--format", "jsonl", "-o", names[-1])
        merged = run("search", "--merge", path, *names, *options, "--format", "json").stdout
        if merged != whole:
            return "%d parts give another answer" % number
    return None


def written(path, document, options):
    folder = os.path.join(work, "best")
    shutil.rmtree(folder, ignore_errors=True)
    run("search", path, *options, "--write", folder)
    files = sorted({re.sub(r"\.(flags|args)$", "", name) for name in glob.glob(folder + "/*")})
    if document["plans"] and not files:
        return "nothing was written"
    for name, plan in zip(files, document["plans"]):  # of a program there are options alone
        flags = shlex.split(open(name + ".flags").read()) if os.path.exists(name + ".flags") else []
        name = name if os.path.exists(name) else path
        checked = run("check", "--strict", "-q", name, *flags)
        if checked.returncode:
            return "%s: %s" % (plan["settings"], checked.stdout)
        step = json.loads(run("sim", "--format", "json", name, *flags).stdout)
        if abs(step["step_time_s"] / plan["step_time_s"] - 1) > 1e-6:
            return "%s: the table says %g s, sim %g s" % (plan["settings"], plan["step_time_s"], step["step_time_s"])
        risks = [one["memory"]["probability_out_of_memory"] for one in (step, plan)]
        if abs(risks[0] - risks[1]) > 1e-6:
            return "%s: out of memory with P %g, by the table %g" % (plan["settings"], *risks)
    return None


def yours(path, text, document, options):
    """The place of the config as it is."""
    current = document["current"]
    step = json.loads(run("sim", "--format", "json", path).stdout)
    if current and "step_time_s" in current and abs(current["step_time_s"] / step["step_time_s"] - 1) > 1e-6:
        return "yours takes %g s, and %g s in sim" % (current["step_time_s"], step["step_time_s"])
    other = os.path.join(work, "other.yaml")
    gpu, nodes, each = re.search(r"gpu: (\S+), nodes: (\d+), gpus_per_node: (\d+)", text).groups()
    world = int(nodes) * int(each)
    with open(other, "w") as file:
        file.write(text.replace("gpu: %s, nodes: %s, " % (gpu, nodes), ""))
    there = answer(other, *options, "--gpu", gpu, "--gpus", str(world))
    if there["current"] != current:
        return "yours is %s, and %s where options name the machine" % (current, there["current"])
    batch = int(re.search(r"global_batch_size: (\d+)", text)[1])
    with open(other, "w") as file:
        file.write(text.replace("global_batch_size: %d" % batch, "gradient_accumulation_steps: %d" % (batch // (world // int((re.search(r"sp: (\d+)", text) or [0, 1])[1])))))
    there = answer(other, *options)
    if there["current"] != current or [plan["step_time_s"] for plan in there["plans"]] != [plan["step_time_s"] for plan in document["plans"]]:
        return "with micro-steps instead of a batch another answer: %s, not %s" % (there["current"], current)
    return None


SCRIPT = """#!/bin/bash
torchrun --nproc_per_node 8 --nnodes %d pretrain_gpt.py --tensor-model-parallel-size 4 --num-layers 24 --hidden-size 4096 \\
  --num-attention-heads 32 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 2 --global-batch-size 64 \\
  --vocab-size 51200 --use-flash-attn --bf16 --use-distributed-optimizer
"""


def script():
    """More ranks than a launcher starts are those of a launcher that starts so many."""
    path, options = os.path.join(work, "launch.sh"), ["--gpu", "a100-80g", "--top", "3"]
    answers = []
    for nodes, more in ((1, ["--gpus", "16"]), (2, [])):
        with open(path, "w") as file:
            file.write(SCRIPT % nodes)
        answers.append([(plan["settings"], plan["step_time_s"]) for plan in answer(path, *options, *more)["plans"]])
    return None if answers[0] and answers[0] == answers[1] else "%s, and %s from a launcher of so many" % tuple(answers)


def judge(path, text, machine, deep):
    options = ["--top", "3", *machine]
    quick, all_of_them = answer(path, *options), answer(path, "--exhaustive", *options)
    if found(quick) != found(all_of_them):
        return "bounds change the answer"
    if any("cannot say" in cut["why"] for cut in all_of_them["cuts"]):
        return "some layouts are not the same when they are written: %s" % all_of_them["cuts"]
    wrong = written(path, quick, options) if machine else yours(path, text, quick, options)
    if wrong:
        return wrong
    if deep:
        one = run("search", path, *options, "--format", "json", "-j", "1").stdout
        if run("search", path, *options, "--format", "json", "-j", "3").stdout != one:
            return "three processes give another answer"
        return parts(path, one, options) or written(path, quick, options)
    return None


def alike(path, options, quick):
    """What bounds leave is what they would leave if there were none, and can be written."""
    if found(quick) != found(answer(path, "--exhaustive", *options)):
        return "%s %s: bounds change the answer" % (path, " ".join(options))
    wrong = written(path, quick, options)
    return wrong and "%s %s: %s" % (path, " ".join(options), wrong)


def every_config(most, *folders):
    """Each config in the folders, as it is and on two machines, where it has up to so many candidates."""
    passed = failed = 0
    for path in configs(*folders):
        for options in [], added("h100-sxm", 8, "llama3-1b"), added("a100-80g", 16, "olmoe-1b-7b"):
            try:
                few = ["--top", "1", "-j", "1", *options]
                document = answer(path, *few, must=False)
                if options and candidates(document) > most:
                    break  # more GPUs have more
                if not 1 < candidates(document) <= most:
                    continue
                wrong = alike(path, few, document)
            except (ValueError, KeyError) as error:
                wrong = "%s %s: %s" % (path, " ".join(options), error)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print(wrong)
    return passed, failed


wrong = script()
if wrong:
    print(wrong)
passed, failed = int(not wrong), int(bool(wrong))
for number in range(count):
    rng = random.Random(seed * 100003 + number)
    text, machine = recipe(rng) if number % 5 == 4 else (problem(rng), [])
    config = given(rng) if number % 5 == 2 else None
    path = os.path.join(work, "problem.yaml")
    open(path, "w").write(text)
    try:
        wrong = alike(*config) if config else judge(path, text, machine, number % 6 == 0)
    except (ValueError, KeyError) as error:
        wrong = str(error)
    passed, failed = passed + (not wrong), failed + bool(wrong)
    if wrong:
        print("problem %d of seed %d: %s\n%s" % (number, seed, wrong, text))
if sys.argv[3:]:
    more = every_config(int(sys.argv[3]), *sys.argv[4:])
    passed, failed = passed + more[0], failed + more[1]
shutil.rmtree(work)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
