"""One training job as Trainer.__init__ builds it, by whatever names a commit has. Imported only where TorchTitan is."""
import inspect, logging, os

from of.torchtitan import since, stubs
from of.torchtitan.probe import here

KEYS = {  # what a case calls it: the names it has had
    "dp": ["data_parallel_degree"], "dp_type": ["data_parallel_type"], "dp_replicate": ["data_parallel_replicate_degree"],
    "dp_shard": ["data_parallel_shard_degree"], "cp": ["context_parallel_degree"], "tp": ["tensor_parallel_degree"],
    "pp": ["pipeline_parallel_degree"], "ep": ["expert_parallel_degree"], "etp": ["expert_tensor_parallel_degree"],
    "reshard": ["fsdp_reshard_after_forward"], "async_tp": ["enable_async_tensor_parallel"], "spmd_backend": ["spmd_backend"],
    "schedule": ["pipeline_parallel_schedule"], "seq_len": ["seq_len", "max_context_length"],
    "batch": ["batch_size", "local_batch_size"], "cpu_offload": ["enable_cpu_offload"],
    "split_points": ["pipeline_parallel_split_points"], "tokens": ["num_tokens_per_microbatch_per_dp_rank"],
    "microbatches": ["num_pp_microbatches"],
}


def module(*names):
    """The first of some modules that this commit has."""
    for name in names:
        if here(name):
            return stubs.load(name)
    return None


class Lines(logging.Handler):
    """What TorchTitan logs at INFO."""

    def __init__(self):
        super().__init__(logging.INFO)
        self.lines = []

    def emit(self, record):
        if os.sep + "torchtitan" + os.sep in record.pathname:
            self.lines.append(record.getMessage())


def sections(config):
    """The parts of a config, itself included."""
    found = [config]
    for name in dir(config):
        if not name.startswith("_"):
            part = getattr(config, name)
            if not callable(part) or isinstance(part, type):
                found.append(part)
    return found


def put(config, key, value):
    """Sets a key wherever the config has it; False where it has no such key."""
    done = False
    for name in KEYS.get(key, [key]):
        for section in sections(config):
            if hasattr(section, name) and not isinstance(section, (str, int, float, list, dict, tuple, bool, type(None))):
                setattr(section, name, value)
                done = True
    return done


def default_config(family, flavor):
    """The commit's own defaults."""
    registry = module("torchtitan.models.%s.config_registry" % family)
    if registry:
        names = {("qwen3", "debugmodel_moe"): ["qwen3_moe_debug", "qwen3_debugmodel_moe"]}.get((family, flavor), [])
        for name in names + ["%s_%s" % (family, flavor)]:
            if hasattr(registry, name):
                return getattr(registry, name)()
        raise LookupError("no %s_%s" % (family, flavor))
    old = module("torchtitan.config_manager")
    if old and hasattr(old, "JobConfig") and hasattr(old.JobConfig, "parse_args"):
        config = old.JobConfig()
        config.parse_args([])
        return config
    return stubs.load("torchtitan.config").JobConfig() if not old else old.JobConfig()


def config_of(case):
    config = default_config(case["family"], case["flavor"])
    job = case["job"]
    for key, value in job.items():
        if key in KEYS:
            put(config, key, value)
    if hasattr(getattr(config, "compile", None), "enable"):
        config.compile.enable = job.get("compile", False)
    else:
        config.training.compile = job.get("compile", False)
    put(config, "enable_loss_parallel", not job.get("no_loss_parallel", False))
    put(config, "disable_loss_parallel", job.get("no_loss_parallel", False))
    put(config, "disable_cuda_graphs", True)
    put(config, "full_dtensor", job.get("spmd_backend") == "full_dtensor")
    if job.get("spmd_backend") == "partial_dtensor" and not since(case["version"], "5ab3a0fd1"):
        put(config, "spmd_backend", "default")  # its name then
    if hasattr(config.activation_checkpoint, "mode"):
        config.activation_checkpoint.mode = job.get("ac", "none")
    else:
        config.activation_checkpoint = None
    if hasattr(config, "model") and hasattr(config.model, "name"):
        config.model.name, config.model.flavor = case["family"], case["flavor"]
    return config


class Tokenizer:
    """As large as the debug models' vocabulary."""

    n_words = vocab_size = 2048
    eos_id = 0

    def get_vocab_size(self):
        return self.n_words


def by_name(function, values):
    """Calls a function with those of `values` that it has parameters for, positional ones in its order."""
    args, kwargs = [], {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind == parameter.VAR_KEYWORD or (name not in values and parameter.default is not parameter.empty):
            continue
        if parameter.kind == parameter.KEYWORD_ONLY:
            kwargs[name] = values[name]
        else:
            args.append(values[name])
    return function(*args, **kwargs)


class Job:
    """The parts of a trainer, built in its order; whatever raises ends it."""

    def __init__(self, case):
        self.case, self.dims, self.mesh, self.parts, self.model_args = case, None, None, [], None
        self.config = config_of(case)

    def degrees(self):
        """ParallelDims(...), as train.py calls it."""
        where = module("torchtitan.distributed.parallel_dims", "torchtitan.parallelisms.parallel_dims", "torchtitan.parallelisms")
        job = self.case["job"]
        values = dict({"dp": -1, "dp_type": "fsdp", "dp_replicate": 1, "dp_shard": -1, "cp": 1, "tp": 1, "pp": 1, "ep": 1, "etp": 1}, **job)
        values.update(world_size=self.case["world"], enable_loss_parallel=not job.get("no_loss_parallel", False))
        values["full_dtensor"] = job.get("spmd_backend") == "full_dtensor"
        if hasattr(getattr(self.config, "parallelism", None), "spmd_backend"):
            values["spmd_backend"] = self.config.parallelism.spmd_backend
        fields = [name for name in where.ParallelDims.__dataclass_fields__ if not name.startswith("_") and name in values]
        self.dims = where.ParallelDims(**{name: values[name] for name in fields})

    def build_mesh(self):
        """The mesh, and the ranks that read different data."""
        if hasattr(type(self.dims), "world_mesh"):
            self.mesh = self.dims.world_mesh
        else:
            self.mesh = by_name(self.dims.build_mesh, {"device_type": "cpu"})
        if not self.dims.dp_enabled:
            return
        if hasattr(self.dims, "get_mesh"):
            self.dims.get_mesh("batch")
        else:
            self.mesh["dp"]

    def build_model(self):
        """Functions and a model on the meta device."""
        import torch

        family, flavor = self.case["family"], self.case["flavor"]
        spec_of = getattr(module("torchtitan.protocols.train_spec", "torchtitan.train_spec"), "get_train_spec", None)
        if hasattr(self.config, "model_spec"):
            spec = self.config.model_spec = self.spec_for_experts()
            utils = stubs.load("torchtitan.distributed.utils")
            if hasattr(utils, "set_spmd_backend"):
                utils.set_spmd_backend(self.config.parallelism.spmd_backend)
            args, self.parallelize, self.pipeline = spec.model, spec.parallelize_fn, spec.pipelining_fn
            self.model_args = args
            by_name(args.update_from_config, {"config": self.config, "trainer_config": self.config})
            if hasattr(self.config, "_validate_cuda_graphs"):
                self.config._validate_cuda_graphs()
            build = args.build
        elif spec_of:
            for package in ("torchtitan.models." + family, "torchtitan.experiments." + family):
                if here(package):
                    stubs.load(package)
                    break
            spec = spec_of(family)
            configs = getattr(spec, "model_args", None) or spec.config
            args, self.parallelize, self.pipeline = configs[flavor], spec.parallelize_fn, spec.pipelining_fn
            if hasattr(args, "update_from_config"):
                by_name(args.update_from_config, {"job_config": self.config, "tokenizer": Tokenizer()})
            else:
                self.set_sizes(args)
            kind = getattr(spec, "model_cls", None) or spec.cls
            build = lambda: kind(args)
        else:
            models, parallelisms = stubs.load("torchtitan.models"), stubs.load("torchtitan.parallelisms")
            args = models.models_config[family][flavor]
            self.parallelize = parallelisms.models_parallelize_fns[family]
            self.pipeline = getattr(parallelisms, "models_pipelining_fns", {}).get(family)
            self.set_sizes(args)
            build = lambda: models.model_name_to_cls[family].from_model_args(args)
        self.model_args = args
        with torch.device("meta"):
            self.model = build()

    def set_sizes(self, args):
        """What train.py set before models had update_from_config."""
        args.norm_type, args.vocab_size = self.config.model.norm_type, Tokenizer.n_words
        args.max_seq_len = self.config.training.seq_len

    def spec_for_experts(self):
        """From 7cec16600 to 20628f4e9 the registry must be told that there is ep, or the dispatcher is a local one."""
        registry = stubs.load("torchtitan.models.%s" % self.case["family"]).model_registry
        backend = inspect.signature(registry).parameters.get("moe_comm_backend")
        if self.case["job"].get("ep", 1) > 1 and backend and backend.default is None:
            return registry(self.case["flavor"], moe_comm_backend="standard")
        return self.config.model_spec

    def apply(self):
        """Pipelining and parallelize functions."""
        import torch

        known = {"model": self.model, "world_mesh": self.mesh, "parallel_dims": self.dims, "job_config": self.config,
                 "config": self.config, "device": torch.device("meta"), "model_config": self.model_args,
                 "model_args": self.model_args, "parallelize_fn": self.parallelize,
                 "loss_fn": lambda *ignored: None, "model_converters": getattr(self.config, "model_converters", None),
                 "dump_folder": "", "ft_enable": False, "ft_manager": None,
                 "training": getattr(self.config, "training", None), "parallelism": getattr(self.config, "parallelism", None),
                 "compile_config": getattr(self.config, "compile", None), "ac_config": getattr(self.config, "activation_checkpoint", None)}
        self.parts = [self.model]
        if not self.dims.pp_enabled:
            self.parts = [by_name(self.parallelize, known) or self.model]
            return
        if not self.pipeline:
            if not module("torchtitan.train", "torchtitan.trainer"):  # before there was pipelining
                by_name(self.parallelize, known)
            raise RuntimeError("Pipeline Parallel is enabled but %s does not support pipelining" % self.case["family"])
        if not hasattr(self.dims, "get_mesh"):
            known["pp_mesh"] = self.mesh["pp"]
        self.parts = []
        made = by_name(self.pipeline, known)
        self.parts = list(made[1])
        if "parallelize_fn" not in inspect.signature(self.pipeline).parameters:
            for part in self.parts:
                by_name(self.parallelize, dict(known, model=part))
