#!/usr/bin/env python3
"""A native config that `init` makes of another framework's file is the same job: the same plan, the same forecast, and nothing
that `check` takes for a word it does not know. Every file of testdata/dialects that plans on some world is asked.
Usage: init.py [FILE...]"""
import glob, json, os, sys, tempfile

from serve.client import run as parplan

WORLDS = (64, 16, 8, 128, 4, 1)
MODEL, GPU = ("--set", "model.preset=llama3-8b"), ("--set", "cluster.gpu=h100-sxm")
# Without a plan of their own: what a native config builds is the engine's that it names.
NO_PLAN = {"areal", "litgpt", "open-instruct", "openrlhf", "oumi", "prime-rl", "primus", "transformers", "trl"}
MISREAD = {"unknown-key", "wrong-type", "bad-word", "out-of-range"}


def ask(*words):
    """What a command prints with --format json, or None where it prints nothing."""
    done = parplan([*words, "--format", "json"])
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


def plan_of(*words):
    """The parts that must not differ, or None for no plan or one that stops."""
    plan = ask("plan", *words)
    if not plan or plan["error"] or not plan.get("data_parallel"):
        return None
    parallel = {key: plan["data_parallel"][key] for key in ("requested", "applied", "shard_groups", "replicate_groups")}
    groups = {name: mesh["groups"] for name, mesh in plan["meshes"].items() if mesh["exists"]}
    return {"degrees": plan["degrees"], "data_parallel": parallel, "meshes": groups}


def forecast_of(*words):
    """Step time and bytes, or None where there is no forecast. A native config has no launcher that may say who shares the model."""
    told = ask("sim", *words)
    if not told or told["error"] or not told.get("step_time_s"):
        return None
    told["memory"]["open"] = [what for what in told["memory"]["open"] if not what.startswith("who shares the model")]
    return {"step_time_s": told["step_time_s"], "memory": told["memory"]}


def differing(ours, theirs, path=""):
    """The first place where two trees differ, as a sentence; None where they are the same."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted({*ours, *theirs}):
            told = differing(ours.get(key), theirs.get(key), f"{path}.{key}" if path else key)
            if told:
                return told
        return None
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return next(filter(None, (differing(a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(ours, theirs)))), None)
    return None if ours == theirs else f"{path}: {str(ours)[:200]} became {str(theirs)[:200]}"


def misread(native):
    """Findings of `check` about words of the native text itself."""
    files = (ask("check", native) or {"files": []})["files"]
    return [f"{f['rule']}: {f['message']}" for file in files for f in file["findings"] if f["rule"] in MISREAD]


def trouble_of(file, folder):
    """What is wrong with the native config of a file, as sentences; None for a file that no world makes a plan of."""
    for world in WORLDS:
        plan = plan_of("--world", str(world), file)
        if plan:
            break
    else:
        return None
    size, native = ("--world", str(world)), os.path.join(folder, "native.yaml")
    with open(native, "w") as out:
        out.write(parplan(["init", *size, file]).stdout)
    told = [differing(plan, plan_of(*size, native) or {}, "plan")]
    for given in ((), GPU, (*MODEL, *GPU)):
        forecast = forecast_of(*size, *given, file)
        if forecast:
            told.append(differing(forecast, forecast_of(*size, *given, native) or {}, "sim"))
            break
    return [f"--world {world}: {line}" for line in [*filter(None, told), *misread(native)]]


def names():
    """Every framework with a plan of its own, as `framework:` names it."""
    lines = parplan(["explain", "--dialects"]).stdout.splitlines()
    return sorted({line.split()[0] for line in lines if line.startswith("  ") and line.split()[1:3] == ["as", "of"]} - NO_PLAN)


def named_trouble(name, folder):
    """What is wrong with a native config that names a framework."""
    native = os.path.join(folder, "named.yaml")
    with open(native, "w") as out:
        out.write(
            f"parplan: 1\nframework: {{{name}: 2026-01-01}}\nworld: 8\nmodel: llama3-8b\nparallelism: {{dp_shard: 4, tp: 2}}\n"
        )
    text = parplan(["plan", native]).stdout
    return ["its plan says 'not modelled'"] if "not modelled" in text or not text else []


def main():
    files = sys.argv[1:] or sorted(glob.glob("testdata/dialects/*/*"))
    counts = [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        asked = {file: trouble_of(file, folder) for file in files if os.path.isfile(file)}
        asked.update({f"framework: {{{name}: 2026-01-01}}": named_trouble(name, folder) for name in names()})
    for name, told in asked.items():
        if told is None:
            continue
        counts[bool(told)] += 1
        for line in told:
            print(f"{name} {line}\n  again: tests/run $BUILD init")
    print("%d passed, %d failed" % tuple(counts))


if __name__ == "__main__":
    main()
