"""Random trees full of ${...}: the values of four keys of a torchtune config, as OmegaConf resolves them."""
KEYS = {"dp_replicate": "data_parallel_replicate_dim", "dp_shard": "data_parallel_shard_dim", "cp": "context_parallel_dim",
        "tp": "tensor_parallel_dim"}
NAMES = ["a", "b", "c", "d"]
VARIABLES = {"RANKS": "8", "WORD": "abc", "QUOTED": "'4'", "EMPTY": "", "LIST": "[1, 2]", "FLOAT": "2.0", "TRUE": "true", "REF": "${vars.a}"}


def path(rng):
    """Where a reference may lead; mostly something is there."""
    return "vars." + rng.choice(["a", "b", "c", "d", "map.a", "map.b", "list[0]", "list[1]", "list.0", "map.list[1]", "map[a]", "none", "map"])


def relative(rng):
    return rng.choice([".a", ".b", ".c", "..vars.a", ".map.a", ".list[0]", "...a"])


def expression(rng, depth=0):
    kind = rng.random()
    inner = expression(rng, depth + 1) if depth < 2 else "vars.a"
    if kind < 0.4:
        return "${%s}" % path(rng)
    if kind < 0.5:
        return "${%s}" % relative(rng)
    if kind < 0.62:
        name = rng.choice([*VARIABLES, "ABSENT"])
        return "${oc.env:%s%s}" % (name, rng.choice(["", "", ",4", ", 4", ",null", "," + inner, ",'x'"]))
    if kind < 0.72:
        return "${oc.select:%s%s}" % (path(rng), rng.choice(["", ",4", ",null", "," + inner]))
    if kind < 0.82:
        return "${oc.decode:${oc.env:%s%s}}" % (rng.choice([*VARIABLES, "ABSENT"]), rng.choice(["", ",2", ",null"]))
    if kind < 0.9:
        return "${vars.${vars.name}}"
    return rng.choice(["%s%s", "%s ", " %s", "1%s", "x%s", r"\%s", "%s0"]).replace("%s", "${%s}" % path(rng), 1).replace("%s", inner)


def leaf(rng):
    if rng.random() < 0.35:
        return expression(rng)
    return rng.choice(["1", "2", "4", "8", "16", "'2'", '"4"', "3.0", "1e1", "true", "null", "abc", "???", "0x10", "1_6", "010", "''"])


def written(value):
    """An expression needs quotes in YAML when it has signs of YAML's own; most people leave them away."""
    return "'%s'" % value.replace("'", "''") if value[:1] in " \\[{" or ", " in value or value.endswith(" ") or "'" in value[1:-1] else value


def make(rng, version):
    lines = ["vars:", "  name: %s" % rng.choice(NAMES)]
    lines += ["  %s: %s" % (name, written(leaf(rng))) for name in NAMES]
    lines += ["  map:"] + ["    %s: %s" % (name, written(leaf(rng))) for name in ("a", "b")]
    lines += ["    list: [1, 2]", "  list:"] + ["  - %s" % written(leaf(rng)) for _ in range(2)]
    lines += ["%s: %s" % (key, written(expression(rng))) for key in KEYS.values()]
    return {"text": "\n".join(lines) + "\n"}


def value_of(config, key):
    """["integer", 8], ["str", "8"], or [what it is instead]."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        if OmegaConf.is_missing(config, key):
            return ["missing"]
        value = config[key]
    except OmegaConfBaseException as error:
        return [type(error).__name__]
    except RecursionError:
        return ["RecursionError"]
    kind = "integer" if type(value) is int else type(value).__name__
    return [kind, value] if kind in ("integer", "str") else [kind]


def ask(case, version):
    import os

    from omegaconf import OmegaConf

    os.environ.update(VARIABLES)
    config = OmegaConf.create(case["text"])
    return {name: value_of(config, key) for name, key in KEYS.items()}


def fits(want, mine, name):
    """A number in quotes is taken for what it says, with a finding of its own; nothing at all leaves dp_shard its default."""
    if want[0] == "integer":
        return mine == want[1]
    if want[0] == "str" and want[1].strip().isdigit():
        return mine in (None, int(want[1]))
    return mine is None or (name, mine) == ("dp_shard", -1)


def compare(case, answer, version, parplan):
    if "error" in answer:  # YAML's grammar is another subject's
        return None
    head = ("model:\n  _component_: torchtune.models.llama3.llama3_8b\ntensor_parallel_plan:\n  _component_: "
            "torchtune.models.llama3.base_llama_tp_plan\ndevice: cuda\ndtype: bf16\nbatch_size: 1\noptimizer_in_bwd: False\n"
            "gradient_accumulation_steps: 1\nenable_activation_checkpointing: False\n")
    words = [word for pair in VARIABLES.items() for word in ("--env", "%s=%s" % pair)]
    declared = parplan.json("plan", *words, parplan.file("tune.yaml", head + case["text"])).get("declared")
    if declared is None:
        return "parplan says nothing at all"
    for name, want in answer.items():
        if not fits(want, declared.get(name), name):
            return "%s is %s, parplan says %s" % (name, " ".join(map(str, want)), declared.get(name))
    return None
