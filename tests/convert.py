#!/usr/bin/env python3
"""What `convert` writes of a sound config is the same job: the same degrees and strategy, and nothing that `check` calls an error or
a word it does not know. Of what the target cannot say, `convert` warns: then only a plan is asked for, or none where it says that
the target will not start. Every file of testdata/dialects that plans on some world is converted to every target whose words are a
config.
Usage: convert.py [FILE...]"""
import glob, os, re, sys, tempfile

from init import MISREAD, WORLDS, ask, differing
from serve.client import run as parplan

TARGETS = {"native": "yaml", "torchtitan": "toml", "megatron": "sh", "accelerate": "yaml"}
DEGREES = ("dp_replicate", "dp_shard", "cp", "tp", "pp", "ep")


def job_of(*words):
    """Degrees and strategy, or None for no plan or one that stops."""
    plan = ask("plan", *words)
    if not plan or plan["error"] or not (plan.get("data_parallel") or {}).get("requested"):
        return None
    return {"degrees": {name: plan["degrees"].get(name) for name in DEGREES}, "strategy": plan["data_parallel"]["requested"]}


def complaints(*words):
    """What `check` says that a reader of words just written must not hear."""
    files = (ask("check", *words) or {"files": []})["files"]
    said = [finding for file in files for finding in file["findings"]]
    return {f"{f['rule']}: {f['message']}" for f in said if f["severity"] == "error" or f["rule"] in MISREAD}


def trouble_of(file, target, folder):
    """What is wrong with the file in the target's words, as sentences; None for a file that no world makes a plan of."""
    world = next((world for world in WORLDS if job_of("--world", str(world), file)), None)
    if not world or complaints("--world", str(world), file):
        return None
    size = ("--world", str(world))
    if target != "native" and None in job_of(*size, file)["degrees"].values():
        return None  # what nobody knows, no other framework's words say
    made = os.path.join(folder, f"made.{TARGETS[target]}")
    done = parplan(["convert", "--to", target, *size, file])
    with open(made, "w") as out:
        out.write(done.stdout)
    if re.search("will not start with what is written|no replicas (without|beside)", " ".join(done.stderr.split())):
        return []
    told = sorted(complaints(*size, made))
    if "warning:" not in done.stderr:
        told.append(differing(job_of(*size, file), job_of(*size, made) or {}))
    elif not ask("plan", *size, made):
        told.append("no plan")
    return [f"--to {target} --world {world}: {line}" for line in told if line]


def main():
    files = [file for file in sys.argv[1:] or sorted(glob.glob("testdata/dialects/*/*")) if os.path.isfile(file)]
    counts = [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        for file, target in ((file, target) for file in files for target in TARGETS):
            told = trouble_of(file, target, folder)
            if told is None:
                continue
            counts[bool(told)] += 1
            for line in told:
                print(f"{file} {line}")
    print("%d passed, %d failed" % tuple(counts))


if __name__ == "__main__":
    main()
