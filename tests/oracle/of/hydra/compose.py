"""Random folders of verl's kind: the actor's degrees as hydra composes them, of its groups, packages and overrides."""
import json

KEYS = {"tp": "tensor_model_parallel_size", "pp": "pipeline_model_parallel_size", "cp": "context_parallel_size",
        "ep": "expert_model_parallel_size"}
ACTOR = "actor_rollout_ref.actor"
WHOLE = ACTOR + ".megatron"


def sizes(rng, most=3):
    return {KEYS[name]: rng.choice([1, 2, 4, 8]) for name in rng.sample(sorted(KEYS), rng.randint(1, most))}


def nested(path, values, depth=0):
    """YAML of values below a dotted path."""
    lines = ["%s%s:" % ("  " * n, part) for n, part in enumerate(path.split("."), depth)] if path else []
    lines += ["%s%s: %d" % ("  " * (len(lines) + depth), key, value) for key, value in values.items()]
    return "\n".join(lines) + "\n"


def engine_file(rng):
    """A file of the group engine: what it holds lands below the package, or below that of its own header."""
    header = rng.choice(["", "", "# @package _global_\n", "# @package %s\n" % ACTOR, "# @package _group_\n"])
    path = {"": "megatron", "# @package _group_\n": "megatron"}.get(header, WHOLE if "_global_" in header else "megatron")
    return header + nested(path, sizes(rng))


def make(rng, version):
    files = {"engine/%s.yaml" % name: engine_file(rng) for name in ("one", "two")}
    files["engine/three.yaml"] = "defaults:\n- %s\n- _self_\n\n%s" % (rng.choice(["one", "two", "/extra/more"]), nested("megatron", sizes(rng)))
    files["extra/more.yaml"] = rng.choice(["", "# @package _global_\n"]) + nested(WHOLE, sizes(rng))
    entries = ["engine@%s: %s" % (ACTOR, rng.choice(["one", "two", "three"]))]
    if rng.random() < 0.4:
        entries.append(rng.choice(["extra@_global_: more", "optional extra: absent", "extra@_here_: more", "extra/more@_global_", "extra: more"]))
    if rng.random() < 0.4:
        files["base.yaml"] = "defaults:\n- engine@%s: %s\n%s\n%s" % (ACTOR, rng.choice(["one", "two"]), rng.choice(["", "- _self_"]),
                                                                     nested(WHOLE, sizes(rng)))
        entries = ["base"] + [("override " if e.startswith("engine") else "") + e for e in entries]
        entries.sort(key=lambda entry: entry.startswith("override"))  # which come last
    entries.insert(rng.choice([0, len(entries) if not entries[-1].startswith("override") else 0, 1]), "_self_")
    own = nested(WHOLE, sizes(rng)) if rng.random() < 0.6 else ""
    files["root.yaml"] = "defaults:\n%s\n%s\ntrainer:\n  nnodes: 1\n  n_gpus_per_node: 64\n" % ("\n".join("- " + e for e in entries), own)
    words = []
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        key = rng.choice(sorted(KEYS.values()))
        words.append(rng.choice(["++%s.%s=%d", "++%s.%s=%d", "+%s.%s=%d", "%s.%s=%d"]) % (WHOLE, key, rng.choice([1, 2, 4, 8])))
    if rng.random() < 0.3:
        words.append("engine@%s=%s" % (ACTOR, rng.choice(["one", "two", "three"])))
    if rng.random() < 0.15:
        words.append("~%s.%s" % (WHOLE, rng.choice(sorted(KEYS.values()))))
    return {"files": files, "words": words}


def ask(case, version):
    import os
    import tempfile

    from hydra import compose, initialize_config_dir

    with tempfile.TemporaryDirectory() as folder:
        for name, text in case["files"].items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        try:
            with initialize_config_dir(version_base="1.3", config_dir=folder):
                config = compose("root", overrides=case["words"])
        except Exception as error:
            return {"error": {"type": type(error).__name__, "message": str(error).replace(folder, "FOLDER")}}
        from omegaconf import OmegaConf

        return {name: OmegaConf.select(config, "%s.%s" % (WHOLE, key)) for name, key in KEYS.items()}


def compare(case, answer, version, parplan):
    for name, text in case["files"].items():
        path = parplan.file(name, text)  # the root is written last
    words = ["--format", "json", "--set", ACTOR + ".strategy=megatron", path, "--", *case["words"]]
    done = parplan.run("check" if "error" in answer else "plan", *words)
    if "error" in answer:
        return None if done.returncode == 1 else "raises %s, parplan ends with %d" % (answer["error"], done.returncode)
    declared = json.loads(done.stdout)["declared"]
    for name, want in answer.items():
        if (declared[name] or 1) != (want or 1):
            return "%s is %s, parplan says %s" % (name, want, declared[name])
    return None


def listed(case, answer, version):
    if answer.get("error", {}).get("type") == "ConfigCompositionException":
        return "hydra refuses a word for a key that is not there, or + for one that is; parplan lays it over the tree"
    return None
