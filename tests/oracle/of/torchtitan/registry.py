"""Registry functions, TorchTitan's configs since 9810191bb: what each sets, in parplan's keys, and that a flag overrides it."""
import dataclasses, os, re

from harness.environment import ROOT
from of.torchtitan import device, stubs, versions

MODELS = ["deepseek_v3", "flux", "gpt_oss", "kimi_k2_7", "llama3", "llama4", "muse_glimmer", "qwen3", "qwen3_5", "qwen3_vl"]
KEYS = os.path.join(ROOT, "src", "wings", "torchtitan", "keys.def")
TABLE = os.path.join(ROOT, "src", "wings", "torchtitan", "functions.def")
BEYOND = [("NVFP4", "NVFP4 linear layers"), ("MXFP8Linear", "MXFP8 linear layers"), ("MXFP8Converter", "MXFP8 linear layers"),
          ("MXFP8GroupedExperts", "MXFP8 experts"), ("Float8GroupedExperts", "float8 experts"), ("Float8GroupedMM", "float8 experts"),
          ("LoRA", "LoRA"), ("AllGatherFused", "tensor-parallel collectives inside matrix products")]
DISPATCHERS = [("DeepEPTokenDispatcher", "deepep"), ("HybridEPTokenDispatcher", "hybridep"), ("MinimalAsyncEP", "minimal_async_ep")]
KERNELS = [("FlexAttention", "flex"), ("VarlenAttention", "varlen"), ("ScaledDotProductAttention", "sdpa")]


def mapped_keys():
    """Keys of TorchTitan's config that stand for a setting of parplan's."""
    with open(KEYS) as file:
        return sorted(set(re.findall(r'^(?:MAP|NOT)\("([a-z0-9_.]+)"', file.read(), re.M)))


def plain(value, depth=0):
    """A config as JSON; "" is the name of each part's class. Functions and models are left out."""
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and depth < 6:
        parts = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if hasattr(value, f.name)}
        return dict({name: plain(part, depth + 1) for name, part in parts.items()}, **{"": type(value).__qualname__})
    return "<%s>" % type(value).__name__


def classes(value, found, seen):
    """Counts the classes that a model's config is made of; keeps the first float8 config."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        name = type(value).__qualname__
        found[name] = found.get(name, 0) + 1
        if name == "Float8LinearConfig":
            found.setdefault("all_gather", int(bool(value.enable_fsdp_float8_all_gather)))
        for f in dataclasses.fields(value):
            classes(getattr(value, f.name, None), found, seen)
    elif isinstance(value, (list, tuple)):
        for item in value:
            classes(item, found, seen)
    elif isinstance(value, dict):
        for item in value.values():
            classes(item, found, seen)


def dump(config):
    answer = {f.name: plain(getattr(config, f.name, None)) for f in dataclasses.fields(config) if f.name != "model_spec"}
    spec = getattr(config, "model_spec", None)
    if spec is not None:
        found = {}
        classes(spec.model, found, set())
        answer["model_spec"] = {"name": spec.name, "flavor": spec.flavor, "classes": found}
    return answer


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "%g" % value
    return ",".join(value) if isinstance(value, list) else str(value)


def checkpointing(part):
    """Mode and option, from either form of the config."""
    if part is None or part.get("mode") == "none":
        return {"training.activation_checkpoint.mode": "none"}
    name = part[""].split(".")[0]
    mode = part.get("mode") or {"SelectiveAC": "selective", "FullAC": "full", "MemoryBudgetAC": "memory_budget"}.get(name, name)
    answer = {"training.activation_checkpoint.mode": mode}
    if mode == "selective":
        answer["training.activation_checkpoint.option"] = part.get("selective_ac_option", "op")
    return answer


def optimizer(part):
    names = [group.get("optimizer_name") for group in part.get("param_groups", [])] or [part.get("name")]
    answer = {"training.optimizer.implementation": part.get("implementation")}
    if names[0] is not None and len(set(names)) == 1:
        answer["training.optimizer.name"] = names[0]
    if part[""].startswith("OptimizersInBackward"):
        answer["training.optimizer.in_backward"] = True
    return answer


def float8(config, found):
    """Float8 linear layers, by converters or in the model itself."""
    for converter in (config.get("model_converters") or {}).get("converters", []):
        if converter[""].startswith("Float8Linear"):
            answer = {"training.float8.enabled": True, "training.float8.recipe": converter.get("recipe_name"),
                      "training.float8.fsdp_all_gather": converter.get("enable_fsdp_float8_all_gather"),
                      "training.float8.precompute_scale": converter.get("precompute_float8_dynamic_scale_for_fsdp"),
                      "training.float8.emulate": converter.get("emulate"), "training.float8.filter_fqns": converter.get("filter_fqns")}
            return {key: value for key, value in answer.items() if value not in (None, False, [])}
    if any("Float8Linear." in name for name in found):
        return dict({"training.float8.enabled": True}, **({"training.float8.fsdp_all_gather": True} if found.get("all_gather") else {}))
    return {}


def settings(config):
    """All that a config says and parplan has a setting for, as {key: text}."""
    answer = {}
    found = config.get("model_spec", {}).get("classes", {})
    for key in mapped_keys():
        section, _, name = key.partition(".")
        part = config.get(section)
        if section in ("activation_checkpoint", "optimizer") or name == "module_fqns_per_model_part":
            continue
        if isinstance(part, dict) and name in part:
            if part[name] not in (None, [], ""):
                answer[key] = part[name]
    answer.update(checkpointing(config.get("activation_checkpoint")))
    answer.update(optimizer(config["optimizer"]))
    answer.update(float8(config, found))
    for words, key in ((KERNELS, "model.attention"), (DISPATCHERS, "parallelism.expert_dispatcher")):
        for word, value in words:
            if any(name.removeprefix("Frozen").startswith(word) for name in found):  # LoRA freezes what it does not train
                answer[key] = value
                break
    return {key: text(value) for key, value in answer.items()}


def beyond(config):
    """What a function sets that parplan has no setting for, in words."""
    names = list(config.get("model_spec", {}).get("classes", {}))
    names += [converter[""] for converter in (config.get("model_converters") or {}).get("converters", [])]
    words = [words for sign, words in BEYOND if any(sign in name for name in names)]
    optimizers = {group.get("optimizer_name") for group in config["optimizer"].get("param_groups", [])} - {None}
    if len(optimizers) > 1:
        words.append("optimizers by parameter (%s)" % ", ".join(sorted(optimizers)))
    return list(dict.fromkeys(words))


def functions(module):
    """The registry's own functions that need no arguments."""
    own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
    return {name: value for name, value in sorted(own.items())
            if not name.startswith("_") and hasattr(value, "__code__") and not value.__code__.co_argcount}


def capable(*_):
    return True


def load(model):
    """A model's registry on a machine that claims every capability of a GPU."""
    import torch

    os.environ["ORACLE_STUBS"] = "1"  # for packages that only other models need
    device.use_cpu()
    stubs.install()
    torch.cuda.get_device_capability = lambda *_: (10, 0)
    tools = stubs.load("torchtitan.tools.utils")
    for name in ("has_cuda_capability", "has_rocm_capability"):
        if hasattr(tools, name):
            setattr(tools, name, capable)
    return stubs.load("torchtitan.models.%s.config_registry" % model)


def default():
    """What the classes default to."""
    return dump(stubs.load("torchtitan.trainer").Trainer.Config())


def names(version):
    """(module, function) of all that the table has at a version."""
    moment = dict(versions.moments())[version]
    with open(TABLE) as file:
        rows = re.findall(r'^FUNCTION\("([^"]+)", "([^"]+)", (\d+), (\w+),', file.read(), re.M)
    return [(module, name) for module, name, since, until in rows if int(since) <= moment < (10 ** 12 if until == "EVER" else int(until))]


FLAGS = ["parallelism.tensor_parallel_degree", "parallelism.data_parallel_replicate_degree", "parallelism.context_parallel_degree",
         "parallelism.data_parallel_shard_degree", "parallelism.expert_parallel_degree", "training.steps"]


def make(rng, version):
    """A function, sometimes misspelt, and a few flags. A parent has no moment of its own: parplan's COMMIT^ is the row before."""
    if version.endswith("^") or versions.day(version) < 20260223:
        return {}
    module, name = rng.choice(names(version))
    flags = {flag: rng.choice([1, 2, 4, 8]) for flag in FLAGS if rng.random() < 0.15}
    return {"module": module, "name": name + ("x" if rng.random() < 0.05 else ""), "flags": flags}


def ask(case, version):
    if not case:
        return {}
    load("llama3")
    manager = stubs.load("torchtitan.config.manager").ConfigManager()
    words = ["--module", case["module"], "--config", case["name"]]
    for flag, value in case["flags"].items():
        words += ["--" + flag, str(value)]
    try:
        return {"settings": settings(dump(manager.parse_args(words)))}
    except SystemExit:  # the config refuses the values while it is made: other topics ask what of
        return {"refused": True}
    except ValueError as error:
        return {"error": {"type": "ValueError", "message": str(error).split(" Available")[0]}}


def native():
    """TorchTitan's keys as parplan's: {key: (key, whether it is the opposite)}."""
    with open(os.path.join(ROOT, "src", "input", "fields.def")) as file:
        fields = dict(re.findall(r'^FIELD\((\w+), "([^"]+)"', file.read(), re.M))
    with open(KEYS) as file:
        rows = re.findall(r'^(MAP|NOT)\("([^"]+)".*, (\w+)\)$', file.read(), re.M)
    return {key: (fields[field], kind == "NOT") for kind, key, field in rows}


def explained(lines):
    """{key: value} of `parplan explain FILE`."""
    whole = []
    for line in lines.splitlines():
        if line.startswith("    ") and whole:
            whole[-1] += " " + line.strip()
        else:
            whole.append(line)
    found = (re.match(r"([a-z0-9_.]+) = (.*?), (?:set by|given|default|from|derived)", line) for line in whole)
    return {match[1]: match[2].replace(", ", ",").strip("[]") for match in found if match}


def compare(case, answer, version, parplan):
    if not case or "refused" in answer:
        return None
    launch = ["torchrun", "--nproc_per_node=8", "--nnodes=8", "-m", "torchtitan.train"]
    launch += ["--module", case["module"], "--config", case["name"]]
    launch += [word for flag, value in case["flags"].items() for word in ("--" + flag, str(value))]
    if "error" in answer:
        check = parplan.text("check", "--framework", "torchtitan@" + version, "--", *launch)
        return None if answer["error"]["message"] in " ".join(check.split()) else "raises %s; parplan says %s" % (answer["error"], check)
    text_of = explained(parplan.text("explain", parplan.file("none.toml", ""), "--framework", "torchtitan@" + version, "--", *launch))
    translate = native()
    for key, value in answer["settings"].items():
        ours, opposite = translate.get(key, (key, False))
        wanted = {"true": "false", "false": "true"}[value] if opposite else value
        if key == "compile.components" and value == "model,loss" and ours not in text_of:
            continue  # unset stands for both
        if text_of.get(ours) != wanted:
            return "%s is %s; parplan says %s = %s" % (key, value, ours, text_of.get(ours))
    return None
