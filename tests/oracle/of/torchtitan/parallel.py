"""Random jobs through the real ParallelDims and parallelize functions: meshes and groups, FSDP units, placements, log lines, exceptions."""
import dataclasses, re

from of.torch.mesh import factors
from of.torchtitan import since, timeline
from of.torchtitan.split import quoted

LINE = re.compile(r"^(Building .*device mesh|Applied (FSDP|HSDP|DDP|replicate|fully_shard|Context Parallel) to the model)")
ROOT_AXES = ["pp", "dp_replicate", "dp_shard", "dp_shard_mod_ep", "dp_shard_in_ep", "cp", "tp"]
FLAT = ["dp", "dp_shard_cp", "dp_cp", "ep"]
FAMILIES = [  # family, flavours, the first row of the timeline whose parent has it, the first that has it no more
    ("llama3", ["debugmodel"], None, None), ("llama4", ["debugmodel"], "01f4e5022", "d92336fee"),
    ("deepseek_v3", ["debugmodel"], "6204cdff9", None), ("qwen3", ["debugmodel", "debugmodel_moe"], "6e06a49cd", None),
    ("gpt_oss", ["debugmodel"], "0cb743558", None)]
MOE = {"llama4", "deepseek_v3", "gpt_oss"}


def families(version):
    row = timeline().index(version.rstrip("^"))
    for family, flavors, first, gone in FAMILIES:
        if (first is None or row >= timeline().index(first)) and not (gone and since(version, gone)):
            yield family, flavors


def degree(rng, job, key, value):
    """Puts a degree into the job; 1 mostly goes without saying."""
    if value != 1 or rng.random() < 0.2:
        job[key] = value


def make(rng, version):
    """Degrees whose product is the world, but for some that are wrong; settings that the version has."""
    family, flavors = rng.choice(list(families(version)))
    flavor = rng.choice(flavors)
    experts = family in MOE or flavor.endswith("moe")
    world = rng.choice([2, 4, 4, 6, 8, 8, 8, 12, 16, 16, 24, 32, 64] + [128, 512] * (rng.random() < 0.06))
    job, hsdp, cp = {}, since(version, "db6b39acd"), since(version, "b19456a98")
    kinds = (["dp_shard", "dp_replicate", "tp"] + ["cp"] * cp if hsdp else ["dp", "tp"]) + ["pp"]
    wanted = rng.sample(kinds, rng.randint(1, min(len(kinds), 4)))
    if "pp" in wanted and (rng.random() < 0.4 or family != "llama3" and not since(version, "6e06a49cd")):
        wanted.remove("pp")  # splits of other models are younger
    sizes = dict(zip(wanted, factors(rng, world, len(wanted)))) if wanted else {}
    if sizes.get("pp", 1) > 8:
        sizes["pp"] = rng.choice([1, 2])
    if sizes.get("tp", 1) > 16:
        sizes["tp"] = rng.choice([1, 2, 4])
    for key in kinds:
        if key not in ("dp", "dp_shard"):
            degree(rng, job, key, sizes.get(key, 1))
    rest = 1
    for key, value in job.items():
        rest *= value
    shard = "dp_shard" if hsdp else "dp"
    if rng.random() < 0.8:
        job[shard] = world // rest if world % rest == 0 else 1
    if rng.random() < 0.05:
        key = rng.choice(kinds)
        job[key] = rng.choice([0, -1, -2, 3, job.get(key, 1) * 2])
    if not hsdp and since(version, "2f989b9f3") and rng.random() < 0.3:
        job["dp_type"] = "ddp"
    if experts and since(version, "01f4e5022") and rng.random() < 0.7:
        most = max(1, abs(job.get("dp_shard", 1)) * abs(job.get("cp", 1)) * abs(job.get("tp", 1)))
        job["ep"] = rng.choice([d for d in range(1, most + 1) if most % d == 0]) if rng.random() < 0.85 else rng.choice([2, 3, 4, 8])
        if since(version, "aeb3a4baf") and not since(version, "c4b409af2") and rng.random() < 0.5:
            job["etp"] = rng.choice([1, job.get("tp", 1), job.get("tp", 1), 2])
    if since(version, "5940ddeb5") and rng.random() < 0.4:
        job["reshard"] = rng.choice(["always", "never", "default"])
    if rng.random() < 0.1:
        job["no_loss_parallel"] = True
    if rng.random() < 0.1:
        job["ac"] = "full"
    if since(version, "f6a9daa13") and not since(version, "9810191bb"):
        if rng.random() < 0.1:
            job["compile"] = True
        if rng.random() < 0.06:
            job["async_tp"] = True
    backends = ["full_dtensor"] * (since(version, "d64eabcce") and not since(version, "601cf4d23"))
    backends += ["partial_dtensor", "spmd_types"] if since(version, "641b5f6b8") else []
    if backends and rng.random() < 0.8:
        job["spmd_backend"] = rng.choice(backends)
    if job.get("pp", 1) > 1:
        job["schedule"] = rng.choice(["1F1B", "1F1B", "GPipe", "Interleaved1F1B"]) if since(version, "a88dc4125") else "1f1b"
        if not since(version, "cec7fb6fc"):
            job["split_points"] = ["layers.%d" % (8 * stage // job["pp"]) for stage in range(1, job["pp"])]
            job["schedule"] = job["schedule"].replace("Interleaved", "")
    job["batch"] = 32
    job["seq_len"] = abs(job.get("tp", 1) * job.get("cp", 1) or 1) * rng.choice([64, 256, 256, 1024] + [1, 3] * (rng.random() < 0.2))
    if since(version, "73aed7f6c"):
        job["tokens"] = 2 * abs(job.get("tp", 1) * job.get("cp", 1) or 1) * 64
        if job.get("pp", 1) > 1:
            job["microbatches"] = rng.choice([1, job["pp"], 2 * job["pp"], 4 * job["pp"]])
    return {"version": version, "world": world, "rank": rng.randrange(world), "family": family, "flavor": flavor, "job": job}


ready = []


def prepare():
    """Once a process: what is watched, and how TorchTitan's modules are imported."""
    if ready:
        return
    import os

    from of.torchtitan import capture, job, stubs

    os.environ.update(LOCAL_RANK="0", TORCHTITAN_SKIP="1")
    capture.install()
    stubs.install()
    ready.append(job.Lines())
    import logging

    logging.getLogger().addHandler(ready[0])
    logging.getLogger().setLevel(logging.INFO)


def meshes_of(job):
    """This rank's ranks on every mesh that has a name; '-' before those that count as absent."""
    import torch.distributed as dist

    from of.torchtitan.capture import ranks_text

    found = {}
    named = getattr(job.dims, "_meshes", None) or getattr(job.dims, "_single_axis_meshes", None)
    if named:
        for name, mesh in named.items():
            if mesh is not None:
                ranks = dist.get_process_group_ranks(mesh.get_group())
                found[name] = ("" if job.dims.get_optional_mesh(name) is not None else "-") + ranks_text(ranks)
        return found
    axes = list(job.mesh.mesh_dim_names or ())
    for number, name in enumerate(axes):
        found[name] = ranks_text(dist.get_process_group_ranks(job.mesh.get_group(number)))
    for name in FLAT:
        if name not in found:
            try:
                found[name] = ranks_text(dist.get_process_group_ranks(job.mesh[name].get_group()))
            except (KeyError, RuntimeError):
                pass
    return found


def word(placement):
    """As parplan writes it."""
    kind = type(placement).__name__
    if kind == "_StridedShard":
        return "SS(%d,%d)" % (placement.dim, placement.split_factor)
    return "S(%d)" % placement.dim if kind == "Shard" else "R" if kind == "Replicate" else kind


def fold(rows):
    """{name: value} with the layers that are alike named once: 'layers.{0,2}.x'."""
    alike = {}
    for name, value in rows:
        found = re.match(r"layers\.(\d+)(.*)", name)
        key = (found[2] if found else name, str(value))
        alike.setdefault(key, [found, name, value, []])[3].append(int(found[1]) if found else 0)
    return {"layers.{%s}%s" % (",".join(map(str, sorted(numbers))), key[0]) if found else name: value
            for key, (found, name, value, numbers) in alike.items()}


def row_of(shape, mesh, placements, local):
    """The whole shape, what each mesh dim does with it, and the local shape."""
    size = lambda dims: "x".join(map(str, dims))
    return "%s [%s] %s" % (size(shape), ", ".join("%s %s" % pair for pair in zip(mesh, placements)), size(local))


def parameters_of(parts):
    from of.torchtitan.capture import clean

    rows = []
    for part in parts:
        for name, parameter in part.named_parameters():
            mesh, placements, local = [], [], parameter.shape
            if hasattr(parameter, "placements"):
                mesh, placements = list(parameter.device_mesh.mesh_dim_names or ()), [word(p) for p in parameter.placements]
                mesh[1 : len(mesh) - len(placements) + 1] = []  # up to 1d392caa5 HSDP's experts have fewer placements than mesh dims
                local = parameter.to_local().shape
            rows.append((clean(name), row_of(parameter.shape, mesh, placements, local)))
    return fold(rows)


KERNELS = (("flex", "FlexAttention"), ("varlen", "VarlenAttention"), ("sdpa", "ScaledDotProduct"))


def kernel_of(config):
    """The attention kernel that a model's config asks for, for models that are never built; None where there is no telling."""
    found, rest = set(), [config]
    while rest:
        part = rest.pop()
        name = type(part).__qualname__
        found |= {kernel for kernel, start in KERNELS if name.startswith(start)}
        if isinstance(part, (list, tuple)):
            rest += part
        elif dataclasses.is_dataclass(part):
            rest += [getattr(part, field.name) for field in dataclasses.fields(part)]
    return found.pop() if len(found) == 1 else None


def model_of(model):
    """What flavours of one name differ in from commit to commit."""
    kernels = {kernel for kernel, name in KERNELS for module in model.modules() if type(module).__name__.startswith(name)}
    found = {"layers": len(model.layers), "vocab": model.tok_embeddings.weight.shape[0]}
    return dict(found, attention=kernels.pop()) if len(kernels) == 1 else found


def ask(case, version):
    import os

    from of.torch.fake import Rank
    from of.torchtitan import capture, stubs

    prepare()
    lines, capture.calls[:] = ready[0].lines, []
    lines.clear()
    os.environ.update(RANK=str(case["rank"]), WORLD_SIZE=str(case["world"]))
    from of.torchtitan.job import Job

    answer, job = {}, Job(case)
    with Rank(case["rank"], case["world"]):
        try:
            job.degrees()
            job.build_mesh()
            answer["meshes"] = meshes_of(job)
            job.build_model()
            answer["model"] = model_of(job.model)
            job.apply()
        except Exception as error:  # any exception is an answer
            answer["error"] = {"type": type(error).__name__, "message": str(error)}
            kernel = kernel_of(job.model_args) if "model" not in answer and since(version, "169545712") else None
            if kernel not in (None, "flex"):  # which goes without saying
                answer["model"] = {"attention": kernel}
            if os.environ.get("ORACLE_TRACE"):
                import traceback

                answer["trace"] = traceback.format_exc()
        answer["log"] = list(dict.fromkeys(line for line in lines if LINE.match(line)))
        if "error" not in answer:
            answer["units"] = fold((row[0], row[1:]) for row in capture.units(job.parts))
            answer["params"] = parameters_of(job.parts)
            ddp = [mesh for kind, _, mesh in capture.calls if kind == "replicate"]
            if ddp:
                answer["ddp"] = list(ddp[0].mesh_dim_names or ())
    import torch

    answer["torch"] = torch.__version__.split("+")[0]
    if stubs.used:
        answer["stubs"] = sorted(set(stubs.used))
    return answer


WORDS = {"dp": "dp", "dp_type": "dp_type", "dp_replicate": "dp_replicate", "dp_shard": "dp_shard", "cp": "cp", "tp": "tp", "pp": "pp",
         "ep": "ep", "etp": "etp", "reshard": "reshard_after_forward", "async_tp": "async_tp", "spmd_backend": "spmd_backend"}


def config(case, answer, version):
    """The job as a config of parplan's own."""
    job, model = case["job"], ["preset: %s-%s" % (case["family"], case["flavor"])]
    model += ["%s: %s" % pair for pair in answer.get("model", {}).items()]
    parallelism = ["  %s: %s" % (WORDS[key], str(value).lower() if value is True else value) for key, value in job.items() if key in WORDS]
    if job.get("no_loss_parallel"):
        parallelism.append("  loss_parallel: false")
    if job.get("schedule"):
        points = ", split_points: [%s]" % ", ".join(job["split_points"]) if "split_points" in job else ""
        count = "microbatches: %d" % job["microbatches"] if "microbatches" in job else "microbatch_size: 1"
        parallelism.append("  pipeline: {schedule: %s, %s%s}" % (job["schedule"], count, points))
    compiled = str(job.get("compile", False)).lower()
    training = ["seq_len: %d" % job["seq_len"], "local_batch_size: %d" % job["batch"], "compile: " + compiled,
                "activation_checkpoint: {mode: %s}" % job.get("ac", "none"), "cuda_graph: \"false\""]  # as job.py has it
    if "tokens" in job:
        training.append("tokens_per_microbatch: %d" % job["tokens"])
    return "parplan: 1\nframework: {torchtitan: \"%s\", torch: %s}\nworld: %d\nmodel: {%s}\nparallelism:\n%s\ntraining: {%s}\n" % (
        version, answer["torch"], case["world"], ", ".join(model), "\n".join(parallelism) or "  tp: 1", ", ".join(training))


def ranks_of(text):
    """The ranks that capture.ranks_text wrote."""
    if "+" not in text:
        return [int(n) for n in text.split(",")]
    first, step, count = map(int, re.match(r"(\d+)\+(\d+)\*(\d+)$", text).groups())
    return [first + step * i for i in range(count)]


def group_with(rank, groups):
    """The group with a rank, sorted; groups of one are not always listed."""
    return next((sorted(g) for g in groups or () if rank in g), [rank])


def meshes_differ(answer, plan, rank):
    mine = {name: mesh for name, mesh in plan["meshes"].items()}
    for name, text in answer["meshes"].items():
        there = name in mine and mine[name]["exists"]
        if there != (text[0] != "-"):
            return "mesh %s %s, parplan says otherwise" % (name, "exists" if text[0] != "-" else "is absent")
        if there and group_with(rank, mine[name]["groups"]) != ranks_of(text):
            return "mesh %s is %s, parplan says %s" % (name, text, group_with(rank, mine[name]["groups"]))
    more = [name for name in mine if mine[name]["exists"] and name not in answer["meshes"]]
    return "meshes %s exist for parplan alone" % more if more else None


def own_units(plan, rank):
    from of.torchtitan.capture import ranks_text

    data, here = plan["data_parallel"], {s["index"] for s in plan["stages"] if rank in s["ranks"]}
    rows = []
    for unit in plan["units"]:
        if unit["stage"] not in here:
            continue
        groups = data["expert"] if unit["expert"] else data
        shard, replicate = group_with(rank, groups["shard_groups"]), groups.get("replicate_groups")
        if replicate and unit["shards"] != len(shard):  # cut over what should be replicas
            shard, replicate = group_with(rank, replicate), None
        rows.append((unit["name"], [unit["parameters"], unit["shard_elements"], ranks_text(shard),
                                    ranks_text(group_with(rank, replicate)) if replicate else "", unit["reshard_after_forward"]]))
    return fold(rows)


def own_parameters(plan, rank, ddp):
    here = {s["index"] for s in plan["stages"] if rank in s["ranks"]}
    rows = []
    for p in plan["parameters"]:
        if p["stage"] in here:
            mesh, placements = p["mesh"], p["placements"]
            if ddp and plan["data_parallel"]["applied"] == "ddp":  # whose replicas are plain tensors
                mesh, placements = mesh[1:], placements[1:]
            local = next((l["shape"] for l in p["local"] if l["rank"] == rank), p["shape"])
            rows.append((p["fqn"], row_of(p["shape"], mesh, placements, local)))
    return fold(rows)


def unfold(table):
    """{name: row} of what fold() has put together."""
    rows = {}
    for name, row in table.items():
        found = re.match(r"layers\.\{([\d,]*)\}(.*)", name)
        rows.update({"layers.%s%s" % (layer, found[2]): row for layer in found[1].split(",")} if found else {name: row})
    return rows


def other_parameters(want, have):
    """Parameters that one side has in another shape, or not at all: what models are made of is not this topic."""
    shape = lambda rows, name: rows[name].split(" ")[0] if name in rows else None
    return {name for name in {**want, **have} if shape(want, name) != shape(have, name)}


def without_sizes(units, other):
    """Units, those that hold such parameters without their number and size."""
    def is_in(name, unit):
        inside = unit.strip("[]").split(", ")
        return unit == "(root)" or any(name.startswith(module + ".") for module in inside)

    return {name: row[2:] if any(is_in(o, name) for o in other) else row for name, row in units.items()}


def tables_differ(what, want, have):
    """The first few rows of two tables that are not alike."""
    rows = ["%s %s is %s, parplan says %s" % (what, key, want.get(key), have.get(key))
            for key in list(want) + [k for k in have if k not in want] if want.get(key) != have.get(key)]
    return "; ".join(rows[:3]) if rows else None


def same_error(have, want):
    """Exact, but for the device, which is the CPU here."""
    return have["type"] == want["type"] and have["message"] == want["message"].replace("'cpu'", "'cuda'")


def compare(case, answer, version, parplan):
    path = parplan.file("job.yaml", config(case, answer, version))
    plan = parplan.json("plan", "--no-config", "--expand", "--rank", case["rank"], path)
    have, want = plan.get("error"), answer.get("error")
    if want and not have and quoted(want, parplan.json("check", "--no-config", path)):
        return None  # it stops the job after all that a plan tells of
    if have or want:
        return None if have and want and same_error(have, want) else "raises %s, parplan says %s" % (want, have)
    wrong = meshes_differ(answer, plan, case["rank"])
    lines = [line for line in plan["log"] if LINE.match(line)]
    if not wrong and lines != answer["log"]:
        wrong = "logs %s, parplan says %s" % (answer["log"], lines)
    if wrong:
        return wrong
    want, have = unfold(answer["params"]), unfold(own_parameters(plan, case["rank"], "ddp" in answer and not since(version, "e1847f439")))
    other = other_parameters(want, have)
    if case["job"].get("ep", 1) > 8:  # more than the debug models have experts: ranks without any
        other |= {name for name in want if ".experts." in name or "inner_experts." in name}
    # parplan tells the size of the ranks that have most: where ep cannot cut evenly, this one may have less
    uneven = {name for name in want if "experts." in name and int(re.match(r"\d+", want[name])[0]) % case["job"].get("ep", 1)}
    units = [without_sizes(unfold(table), other | uneven) for table in (answer["units"], own_units(plan, case["rank"]))]
    kept = [{name: row for name, row in rows.items() if name not in other} for rows in (want, have)]
    return tables_differ("unit", *units) or tables_differ("parameter", *kept)


def listed(case, answer, version):
    """What stays different."""
    error, job = answer.get("error", {}), case["job"]
    if error.get("type") == "IndexError" and job.get("pp", 1) > 1 and job.get("cp", 1) > 1:
        return "apply_cp_to_forward asks for the first block of a stage that has none (context_parallel.py): only on those ranks"
    return None
