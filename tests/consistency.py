#!/usr/bin/env python3
"""What commands say that a rank receives in a step is what the units, groups and shards of `plan` add up to, for
random configs, the same in every run. Usage: consistency.py [CASES [SEED]]

The expected bytes are computed here, by another rule than the program's: from units and layouts that plan prints and
from the sizes that the config gives. A command that shows bytes has a reader in READERS."""
import json, os, random, sys, tempfile

from serve.client import run as parplan

cases = int(sys.argv[1]) if len(sys.argv) > 1 else 150
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1

SEQ, HIDDEN, HEAD_DIM = 512, 256, 32

# ---- random configs: what is asked, beside the text that asks for it ----


def power(rand, most):
    return rand.choice([d for d in (1, 1, 2, 4, 8) if d <= most])


def random_job(rand):
    job = {"world": 1, "kv": rand.choice([4, 8]), "layers": rand.choice([2, 4, 6]), "moe": rand.random() < 0.25}
    for axis, most in (("tp", 4), ("cp", 4), ("dp_replicate", 4), ("dp_shard", 8), ("pp", 2)):
        job[axis] = power(rand, most) if job["world"] <= 16 and rand.random() < 0.6 else 1
        job["world"] *= job[axis]
    job["framework"] = rand.choice(["torchtitan: v0.1.0", "torchtitan: v0.2.0", "torchtitan: v0.2.2", "torch: 2.9.0"])
    job["titan"] = job["framework"].startswith("torchtitan")
    if not job["titan"]:
        job["cp"], job["moe"] = 1, False
        job["world"] = job["tp"] * job["dp_replicate"] * job["dp_shard"] * job["pp"]
    spreads = job["moe"] and job["dp_shard"] * job["cp"] % 2 == 0 and job["framework"] != "torchtitan: v0.1.0"
    job["ep"] = 2 if spreads else 1
    job["reshard"] = rand.choice(["default", "always", "never"])
    job["stored"], job["param"], job["grad"] = rand.choice([4, 4, 2]), rand.choice([2, 2, 4]), rand.choice([4, 2])
    job["full"] = rand.random() < 0.3
    job["micro"], job["microbatches"] = rand.choice([1, 2]), rand.choice([1, 1, 3, 4])
    return job


def text(job):
    word = {2: "bfloat16", 4: "float32"}
    axes = ", ".join(f"{axis}: {job[axis]}" for axis in ("tp", "cp", "dp_replicate", "dp_shard", "pp", "ep"))
    moe = ", moe: {experts: 8, topk: 2, expert_ffn: 96}" if job["moe"] else ""
    batch = job["micro"] * job["microbatches"] * job["world"] // (job["tp"] * job["cp"] * job["pp"])
    return (
        f"parplan: 1\nframework: {{{job['framework']}}}\nworld: {job['world']}\n"
        f"cluster: {{gpu: h100-sxm, gpus_per_node: 8}}\n"
        f"model: {{arch: llama, layers: {job['layers']}, hidden: {HIDDEN}, heads: 8, kv_heads: {job['kv']}, "
        f"head_dim: {HEAD_DIM}, ffn: 768, vocab: 1000{moe}}}\n"
        f"parallelism: {{{axes}, reshard_after_forward: {job['reshard']}}}\n"
        f"training: {{seq_len: {SEQ}, micro_batch_size: {job['micro']}, global_batch_size: {batch}, "
        f"dtype: {word[job['stored']]}, param_dtype: {word[job['param']]}, reduce_dtype: {word[job['grad']]}, "
        f"activation_checkpoint: {{mode: {'full' if job['full'] else 'none'}}}}}\n"
    )


def run(path, *words):
    done = parplan([*words, "--format", "json", path])
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout else None


# ---- what the plan adds up to ----


def layout(of):
    """Sizes and strides, so that equal groups compare equal."""
    return tuple(sorted((stride, size) for size, stride in zip(of["sizes"], of["strides"]) if size > 1))


def ranks(groups):
    product = 1
    for _, size in groups:
        product *= size
    return product


class Account(dict):
    """Bytes that a rank receives, by groups and operation; nothing over groups of one rank."""

    def add(self, groups, op, size, calls):
        n = ranks(groups)
        share = {"all_reduce": 2 * (n - 1) / n, "send_recv": 1}.get(op, (n - 1) / n)
        if n > 1 and size * calls > 0:
            self[groups, op] = self.get((groups, op), 0) + share * size * calls


def add_units(account, job, plan):
    """FSDP's units: gathered before each pass unless they are kept, reduced, and summed over copies."""
    dense = plan["data_parallel"]
    for unit in plan["units"]:
        sharing = dense["expert"] if unit["expert"] else dense
        shard, copies = layout(sharing["shard"]), layout(sharing["replicate"])
        whole = unit["shard_elements"] * unit["shards"]
        passes = 2 if unit["reshard_after_forward"] else 1
        account.add(shard, "all_gather", whole * job["param"], passes * job["microbatches"])
        account.add(shard, "reduce_scatter", whole * job["grad"], job["microbatches"])
        account.add(copies, "all_reduce", unit["shard_elements"] * job["grad"], job["microbatches"])


def add_gradients(account, job, plan):
    """DDP: the gradients of all that a rank has, where nobody shares parameters."""
    dense = plan["data_parallel"]
    elements = {False: 0, True: 0}
    for parameter in plan["parameters"]:
        size = 1
        for extent in parameter["local"][0]["shape"]:
            size *= extent
        elements["experts" in parameter["fqn"].split(".") and bool(dense.get("expert"))] += size
    account.add(layout(dense["replicate"]), "all_reduce", elements[False] * job["grad"], 1)
    if elements[True]:
        account.add(layout(dense["expert"]["replicate"]), "all_reduce", elements[True] * job["grad"], 1)


def add_activations(account, job, plan):
    passes = job["layers"] * job["microbatches"] * (3 if job["full"] else 2)
    tokens = job["micro"] * SEQ // job["cp"]
    values = 2 * tokens * job["kv"] * HEAD_DIM // job["tp"]
    tp, cp = ((1, job["tp"]),) if job["tp"] > 1 else (), ((job["tp"], job["cp"]),) if job["cp"] > 1 else ()
    width = job["stored"] if job["titan"] and not plan["units"] else job["param"]  # fully_shard alone casts
    if job["titan"]:  # sequence parallelism
        account.add(tp, "all_gather", tokens * HIDDEN * width, 2 * passes)
        account.add(tp, "reduce_scatter", tokens * HIDDEN * width, 2 * passes)
    else:
        account.add(tp, "all_reduce", tokens * HIDDEN * width, 2 * passes)
    account.add(cp, "all_gather", job["cp"] * values * width, passes)
    account.add(cp, "send_recv", 4 * values, job["cp"] * job["layers"] * job["microbatches"])


def planned(job, plan):
    account = Account()
    if plan["units"]:
        add_units(account, job, plan)
    else:
        add_gradients(account, job, plan)
    add_activations(account, job, plan)
    return account


# ---- what commands say ----


def groups_of(plan):
    """Layouts by the names of groups."""
    named = {name: layout(mesh["layout"]) for name, mesh in plan["meshes"].items()}
    for sharing in (plan["data_parallel"], plan["data_parallel"].get("expert")):
        mesh = sharing and sharing["mesh"]
        if isinstance(mesh, list) and mesh:
            named.setdefault(mesh[-1], layout(sharing["shard"]))
            named.setdefault(mesh[0], layout(sharing["replicate"]))
    return named


def from_sim(path, plan):
    said, named = {}, groups_of(plan)
    for row in run(path, "sim")["collectives"]:
        key = named[row["group"]], row["op"]
        assert ranks(key[0]) == row["ranks"], f"{row['group']} has {row['ranks']} ranks"
        said[key] = said.get(key, 0) + row["received_bytes_per_step"]
    return said


READERS = {"sim": from_sim}

# Tokens go to experts by a rule of the dispatcher, between stages as the schedule has it: their groups alone are
# looked at, by the reader.
NOT_PLANNED = {"all_to_all"}


def differences(path, job, plan):
    want = planned(job, plan)
    for name, reader in READERS.items():
        said = reader(path, plan)
        for key in sorted(set(want) | set(said)):
            a, b = said.get(key, 0), want.get(key, 0)
            if key[1] not in NOT_PLANNED and abs(a - b) > 1e-4 * max(a, b):
                yield f"{name} {key[1]} over {key[0]}: {a:.0f} bytes, by the plan {b:.0f}"


def kept(job, plan, path):
    """What rank 0 keeps of parameters, as sim has it in GiB."""
    elements = 0
    for parameter in plan["parameters"]:
        size = 1
        for extent in parameter["local"][0]["shape"]:
            size *= extent
        elements += size
    said = run(path, "sim")["memory"]["classes"][0]["parameters"] * 2**30
    if abs(said - job["stored"] * elements) > 1e-4 * said:
        yield f"sim keeps {said:.0f} bytes of parameters, by the plan {job['stored'] * elements}"


def main():
    passed = failed = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "config.yaml")
        for number in range(cases):
            job = random_job(random.Random(f"{seed}/{number}"))
            with open(path, "w", encoding="utf-8") as file:
                file.write(text(job))
            plan = run(path, "plan")
            if not plan or plan.get("error") or not run(path, "sim"):
                continue
            compared += 1
            if job["pp"] > 1:
                wrong = [] if from_sim(path, plan) else ["sim lists no collectives"]
            else:
                wrong = [*differences(path, job, plan), *kept(job, plan, path)]
            passed, failed = passed + (not wrong), failed + bool(wrong)
            for line in wrong:
                print(f"case {number}: {line}")
            if wrong:
                print(text(job), end="")
    if compared < cases // 2:
        print(f"only {compared} of {cases} configs have a forecast")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
