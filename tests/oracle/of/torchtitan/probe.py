"""Imports the modules of TorchTitan that the topics use and prints as JSON what had to be supplied for it."""
import importlib, importlib.util, json, os, sys

from of.torchtitan import stubs

MODELS = ["llama", "llama3", "llama4", "deepseek_v3", "qwen3", "gpt_oss"]
NAMES = ["torchtitan.config_manager", "torchtitan.config", "torchtitan.parallelisms", "torchtitan.distributed"]
FORMS = ["torchtitan.models.%s", "torchtitan.experiments.%s", "torchtitan.models.%s.parallelize", "torchtitan.models.%s.infra.parallelize",
         "torchtitan.models.%s.parallelize_llama", "torchtitan.experiments.%s.infra.parallelize", "torchtitan.models.%s.config_registry"]


def here(name):
    folder = importlib.util.find_spec("torchtitan").submodule_search_locations[0]
    path = os.path.join(folder, *name.split(".")[1:])
    return os.path.exists(path + ".py") or os.path.exists(os.path.join(path, "__init__.py"))


def modules():
    """Those of the names above that this commit has."""
    names = NAMES + [form % model for model in MODELS for form in FORMS]
    return [name for name in names if here(name) and "experiments.deepseek_v3" not in name]  # another model of the same name


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from of.torchtitan import device

    device.use_cpu()
    stubs.install()
    for name in modules():
        stubs.load(name)
    answers.write(json.dumps(sorted(set(stubs.used))) + "\n")
    answers.flush()
