"""What `parplan explain --dump torchtitan` prints, run beside TorchTitan: parplan reads from what it writes what the function made."""
import contextlib, io, json, sys

from harness.parplan import Parplan
from of.torchtitan import registry, stubs, versions


def has(version):
    return not version.endswith("^") and versions.day(version) >= 20260223


def make(rng, version):
    module, name = rng.choice(registry.names(version))
    return {"module": module, "name": name, "flags": {flag: rng.choice([1, 2, 4]) for flag in registry.FLAGS[:2] if rng.random() < 0.2}}


def words(case):
    return ["--module", case["module"], "--config", case["name"]] + [word for flag, value in case["flags"].items() for word in ("--" + flag, str(value))]


def ask(case, version):
    registry.load("llama3")
    with Parplan() as parplan:
        program = parplan.text("explain", "--dump", "torchtitan")
    before, written, scope = sys.argv, io.StringIO(), {}
    sys.argv = ["dump.py"] + words(case)
    try:
        with contextlib.redirect_stdout(written):
            exec(program, scope)
        return {"settings": registry.settings(registry.dump(scope["config"])), "written": json.loads(written.getvalue())}
    except SystemExit:  # the framework itself refuses the function's config while it reads the command line
        return {"refused": True}
    finally:
        sys.argv = before


def compare(case, answer, version, parplan):
    if "refused" in answer:
        return None
    path = parplan.file("config.json", json.dumps(answer["written"], indent=1))
    ours = registry.explained(parplan.text("explain", path, "--framework", "torchtitan@" + version, "--world", "64"))
    translate = registry.native()
    for key, value in answer["settings"].items():
        name, opposite = translate.get(key, (key, False))
        wanted = {"true": "false", "false": "true"}[value] if opposite else value
        if ours.get(name) != wanted and not key.startswith("training.float8.") and (key, value) != ("compile.components", "model,loss"):
            return "%s is %s; parplan reads %s = %s" % (key, value, name, ours.get(name))
    return None
