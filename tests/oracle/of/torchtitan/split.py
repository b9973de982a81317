"""Pipeline stages: which modules each stage holds and which pipeline rank builds it, or what the split or the schedule raises.

The real pipeline function runs once for each pipeline rank, over the fake process group, on a model of empty modules.
"""
import importlib, inspect, json, types

from of.torchtitan import device, since, stubs, versions

WHERE = ["torchtitan.distributed.pipeline_parallel", "torchtitan.models.llama3.infra.pipeline", "torchtitan.models.llama3.pipeline_llama",
         "torchtitan.models.llama.pipeline_llama", "torchtitan.parallelisms.pipeline_llama", "torchtitan.parallelisms.parallelize_llama"]
SCHEDULES = ["1F1B", "Interleaved1F1B", "GPipe", "LoopedBFS", "InterleavedZeroBubble", "ZBVZeroBubble", "DualPipeV", "1f1b", "gpipe",
             "interleaved_1f1b", "PipelineScheduleSingle", "PipelineScheduleMulti", "OneF1B"]
OWN = ["1f1b", "gpipe", "interleaved_1f1b", "flexible_interleaved_1f1b"]  # before TorchTitan asked torch for the class
PREFIX = "pipeline_parallel_"


def make_points(rng, layers, stages):
    names = sorted(rng.sample(range(1, layers), min(stages - 1, layers - 1)))
    points = ["layers.%d" % n for n in names]
    if points and rng.random() < 0.1:
        points[rng.randrange(len(points))] = "layers.%d" % (layers + 3)
    return points


def make_parts(rng, layers, stages, last):
    cuts = [0] + sorted(rng.randint(0, layers) for _ in range(stages - 1)) + [layers]
    parts = [["layers.%d" % n for n in range(a, b)] for a, b in zip(cuts, cuts[1:])]
    parts[0].insert(0, "tok_embeddings")
    parts[-1] += ["norm", last]
    return parts


def make(rng, version):
    layers, pp = rng.choice([2, 3, 4, 5, 6, 8, 10, 12, 16, 22, 27, 32]), rng.choice([2, 2, 3, 4, 4, 8])
    names = OWN * 3 + ["1F1B", "GPipe", "Interleaved1F1B", "other"] if versions.day(version) < 20241009 else SCHEDULES[:7] * 3 + SCHEDULES
    keys = {PREFIX + "schedule": rng.choice(names)}
    kind = rng.choice(["plain", "plain", "layers", "layers", "less", "less", "points", "parts"])
    stages = pp * rng.choice([1, 1, 2, 2, 3]) + (rng.random() < 0.15)
    if kind == "layers" or rng.random() < 0.1:
        keys[PREFIX + "layers_per_stage"] = rng.choice([1, 2, 3, 4, 6, -(-(layers + 2) // stages)])
    if kind in ("less", "layers") and rng.random() < 0.7:
        keys[PREFIX + "first_stage_less_layers"] = rng.choice([0, 0, 1, 2, 3, 5])
        keys[PREFIX + "last_stage_less_layers"] = rng.choice([0, 1, 1, 2, 4])
    if kind == "points" or (versions.day(version) < 20241010 and rng.random() < 0.8):
        keys[PREFIX + "split_points"] = make_points(rng, layers, stages)
    if kind == "parts":
        keys["module_fqns_per_model_part"] = make_parts(rng, layers, stages, "lm_head" if since(version, "786e26f8e") else "output")
    batch = rng.choice([1, 2, 4, 6, 8, 8, 16, 16])
    if rng.random() < 0.6:
        keys[PREFIX + "microbatches"] = keys["num_pp_microbatches"] = rng.choice([2, 4, 8, 8, 16])
        keys[PREFIX + "microbatch_size"] = rng.choice([1, 1, 2, 3, 4])
    return {"layers": layers, "pp": pp, "batch": batch, "keys": keys}


class Mesh:
    """A pipeline mesh of one axis, seen from one rank."""

    def __init__(self, rank, size):
        self.rank, self.ranks = rank, size
        self.mesh_dim_names, self.device_type = ("pp",), "cpu"

    def __getitem__(self, name):
        return self

    def get_local_rank(self, *_):
        return self.rank

    def size(self, *_):
        return self.ranks

    def get_group(self, *_):
        import torch.distributed as dist

        return dist.group.WORLD


def model(case, version):
    import torch.nn as nn

    def empty():
        return nn.Identity()

    whole = nn.Module()
    whole.tok_embeddings = empty()
    whole.layers = nn.ModuleDict({str(n): empty() for n in range(case["layers"])})
    whole.norm = empty()
    setattr(whole, "lm_head" if since(version, "786e26f8e") else "output", empty())
    return whole


def held(part):
    """Names of what a stage's module still has."""
    names = [name for name, child in part.named_children() if name != "layers"]
    layers = ["layers." + name for name, _ in part.layers.named_children()]
    return sorted(names) + layers


def config(case, degree):
    """The commit's own config, or its sections, with the case's values put in; and which of the case's keys it has."""
    values = dict(case["keys"], **{PREFIX + "degree": degree})
    try:
        job = importlib.import_module("torchtitan.config").JobConfig()
    except (ImportError, AttributeError):
        try:
            job = importlib.import_module("torchtitan.config_manager").JobConfig()
        except (ImportError, AttributeError):
            own = importlib.import_module("torchtitan.config")
            job = types.SimpleNamespace(parallelism=own.ParallelismConfig(), training=own.TrainingConfig())
    if hasattr(job, "parse_args"):
        job.parse_args([])
    section = getattr(job, "parallelism", None)
    if section is None or not hasattr(section, PREFIX + "degree"):
        section = job.experimental
    known = [key for key in values if hasattr(section, key)]
    for key in known:
        setattr(section, key, values[key])
    for name in ("local_batch_size", "batch_size"):
        if hasattr(job.training, name):
            setattr(job.training, name, case["batch"])
    return job, [key for key in known if key in case["keys"]]


def find():
    for name in WHERE:
        try:
            module = stubs.load(name)
        except ImportError:
            continue
        for function in ("pipeline_llm", "pipeline_llama"):
            if hasattr(module, function):
                return module, getattr(module, function)
    return None, None


def run(case, version, rank, built):
    """One rank's pipeline function; `built` gets (index, rank, modules) of its stages."""
    import torch
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=rank, world_size=case["pp"], store=FakeStore())
    try:
        _, function = find()
        mesh = Mesh(rank, case["pp"])
        job, known = config(case, case["pp"])
        dims = types.SimpleNamespace(pp=case["pp"], tp=1, dp_enabled=True, cp_enabled=False, pp_enabled=True, world_mesh=mesh,
                                     get_mesh=lambda *_: mesh, get_optional_mesh=lambda *_: mesh, loss_parallel_enabled=False,
                                     _meshes={}, _single_axis_meshes={})
        arguments = types.SimpleNamespace(n_layers=case["layers"], dim=8, vocab_size=16, layers=[None] * case["layers"])
        given = {"model": model(case, version), "parallel_dims": dims, "job_config": job, "training": getattr(job, "training", None),
                 "parallelism": getattr(job, "parallelism", None), "device": torch.device("cpu"), "model_config": arguments,
                 "model_args": arguments, "parallelize_fn": lambda part, *a, **k: part, "loss_fn": lambda *a: None, "pp_mesh": mesh,
                 "world_mesh": mesh}
        wanted = inspect.signature(function).parameters
        try:
            function(**{name: given.get(name) for name in wanted})
        finally:
            for stage in Stages.made:
                built.append([stage[0], rank, held(stage[1])])
            Stages.made.clear()
        return known
    finally:
        dist.destroy_process_group()


class Stages:
    """Notes the modules that the real stages are made of."""

    made = []

    @classmethod
    def watch(cls):
        """Puts a watch around the stage classes that TorchTitan's modules import."""
        for name in WHERE + ["torchtitan.distributed.pipeline", "torchtitan.parallelisms.pipelining_utils"]:
            try:
                module = stubs.load(name)
            except ImportError:
                continue
            for word in ("PipelineStage", "ManualPipelineStage"):
                real = getattr(module, word, None)
                if inspect.isclass(real):
                    setattr(module, word, cls.watched(real))

    @classmethod
    def watched(cls, real):
        def make_stage(part, index, *args, **kwargs):
            cls.made.append((index, part))
            return real(part, index, *args, **kwargs)

        return make_stage


def ask(case, version):
    import torch

    if not Stages.made and not getattr(Stages, "ready", False):
        Stages.ready = True
        device.use_cpu()
        stubs.install()
        Stages.watch()
    answer = {"torch": torch.__version__.split("+")[0], "keys": sorted(config(case, case["pp"])[1])}
    if find()[1] is None:
        answer["none"] = True  # no pipeline parallel yet
        return answer
    built = []
    try:
        for rank in range(case["pp"]):
            run(case, version, rank, built)
    except Exception as error:  # the job stops here
        answer["error"] = {"type": type(error).__name__, "message": str(error)}
        return answer
    answer["stages"] = [[rank, short(modules)] for _, rank, modules in sorted(built)]
    return answer


def short(modules):
    """Modules of a stage as one text: tok_embeddings 0-7 norm output."""
    layers = [int(name.split(".")[1]) for name in modules if name.startswith("layers.")]
    words = sorted("output" if name == "lm_head" else name for name in modules if not name.startswith("layers."))
    runs = []
    for layer in layers:
        if runs and runs[-1][1] == layer - 1:
            runs[-1][1] = layer
        else:
            runs.append([layer, layer])
    return " ".join(words + ["%d-%d" % tuple(pair) for pair in runs])


def toml(value):
    if isinstance(value, list):
        return "[%s]" % ", ".join(toml(item) for item in value)
    return "\"%s\"" % value if isinstance(value, str) else str(value)


def call(command, case, answer, version, parplan):
    values = {key: value for key, value in case["keys"].items() if key in answer["keys"]}
    values[PREFIX + "degree"] = case["pp"]
    section = "parallelism" if versions.day(version) >= 20250318 else "experimental"
    words = [command, "--framework", "torchtitan@" + version, "--framework", "torch@" + answer["torch"], "--world", case["pp"] * 2,
             "--set", "model.layers=%d" % case["layers"]]
    if versions.day(version) >= 20260223:
        text = {section: values, "model_spec": {"name": "llama3", "flavor": "8B"}, "training": {"disable_cuda_graphs": True}}
        if versions.day(version) < 20260820:
            text["training"] = {"local_batch_size": case["batch"]}
        return parplan.json(*words, parplan.file("config.json", json.dumps(text)))
    size = "local_batch_size" if versions.day(version) >= 20250605 else "batch_size"
    lines = ["[model]", "name = \"llama3\"", "flavor = \"8B\"", "[training]", "%s = %d" % (size, case["batch"]), "[%s]" % section]
    lines += ["%s = %s" % (key, toml(value)) for key, value in sorted(values.items())]
    return parplan.json(*words, parplan.file("config.toml", "\n".join(lines) + "\n"))


def compare(case, answer, version, parplan):
    ours = call("plan", case, answer, version, parplan)
    error = ours.get("error")
    if answer.get("none"):
        return None
    if "error" in answer:
        theirs = answer["error"]
        if not error and quoted(theirs, call("check", case, answer, version, parplan)):
            return None
        if not error:
            return "raises %s: %s; parplan plans %s" % (theirs["type"], theirs["message"], stages(ours))
        if error["type"] != theirs["type"] or error["message"] != theirs["message"]:
            return "raises %s: %s; parplan says %s: %s" % (theirs["type"], theirs["message"], error["type"], error["message"])
        return None
    if error:
        return "works: %s; parplan says %s: %s" % (answer["stages"], error["type"], error["message"])
    mine = stages(ours)
    return None if mine == answer["stages"] else "stages %s; parplan has %s" % (answer["stages"], mine)


def quoted(error, check):
    """Whether a finding quotes the error: what stops the job after its stages are built."""
    text = "%s: %s" % (error["type"], error["message"])
    return any(finding.get("quote") == text for file in check.get("files", []) for finding in file["findings"])


def stages(ours):
    return [[stage["pp_rank"], short(stage["modules"])] for stage in ours.get("stages", [])]
