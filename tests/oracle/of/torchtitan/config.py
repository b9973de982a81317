"""TOML files and command lines through TorchTitan's own parser of each era: argparse, tyro, registry functions.

A case is a file, or none, and the words after it. What the parser makes of them is compared with what parplan reads from
the same file and words; what the parser refuses, parplan must have a finding about, whose quote the parser really says.
The first case of a version asks for all keys and their defaults.
"""
import contextlib, functools, io, json, os, re, sys, tempfile

from of.torchtitan import registry, stubs, versions

RULES = {"unknown-key", "renamed-key", "misspelt-key", "wrong-type", "bad-word", "unknown-flag", "quoted-number", "config-file-unsupported",
         "syntax"}
REFUSALS = RULES - {"unknown-key", "renamed-key", "misspelt-key", "wrong-type", "quoted-number"}
NAMED = {"FIRST": 0, "TOML": 20260223, "EVER": 99999999}
ROW = re.compile(r'^(KEY|MAP|NOT)\("([^"]+)", (\w+), (NULL|"[^"]*"), (NULL|"[^"]*"), (\w+), (\w+)(?:, (\w+))?\)', re.M)
SCHEDULES = {"1f1b": "1F1B", "gpipe": "GPipe", "interleaved_1f1b": "Interleaved1F1B", "flexible_interleaved_1f1b": "Interleaved1F1B"}
APART = ["job.config_file", "job.custom_config_module", "experimental.custom_args_module", "experimental.custom_import",
         "experimental.custom_model_path", "model.name", "model.flavor", "model.tokenizer_path", "model.hf_assets_path"]  # files, modules
WORDS = {"experimental.pipeline_parallel_schedule": ["1F1B", "GPipe", "1f1b"], "parallelism.pipeline_parallel_schedule": ["1F1B", "GPipe"],
         "activation_checkpoint.selective_ac_option": ["op", "2"], "optimizer.name": ["AdamW", "Adam"], "model.converters": ["float8"]}
MISSPELT = ["training.sequence_len", "parallelism.tensor_parallel_degre", "training.tensor_parallel", "optimizer.learning_rate",
            "checkpoint.enabled", "paralelism.tensor_parallel_degree", "nosuch.key", "job.descriptions"]


CHECKED = ["parallelism.pipeline_parallel_degree", "parallelism.num_pp_microbatches", "parallelism.enable_fsdp_symm_mem",
           "debug.batch_invariant", "debug.spmd_typechecking"]  # by the config itself while it is made, from 9810191bb on: no parser's words
SECTIONS = ("parallelism", "training", "compile", "comm", "debug")  # of which the table has all keys from 9810191bb on


def has(version):
    """A parent has no moment of its own: parplan's COMMIT^ is the row before."""
    return not version.endswith("^")


def moment(word):
    """A day or a moment of the table as a moment."""
    number = NAMED[word] if word in NAMED else int(word)
    return number * 100 if number < 10 ** 8 else number


@functools.lru_cache
def table():
    """parplan's keys: (name, type, words, since, until, whether it is a setting)."""
    with open(registry.KEYS) as file:
        rows = ROW.findall(file.read())
    return [(name, kind, words.strip('"').split("|") if words != "NULL" else [], moment(since), moment(until), bool(field))
            for _, name, kind, words, _, since, until, field in rows]


def known(version):
    """{name: (type, words)} of the keys that parplan has at a version."""
    when = dict(versions.moments())[version]
    return {name: (kind, words) for name, kind, words, since, until, _ in table() if since <= when < until}


def value(rng, name, kind, words):
    """One that the key takes, as TOML has it."""
    if kind == "INT":
        return rng.choice([1, 2, 4, 8, 16])
    if kind == "REAL":
        return rng.choice([0.5, 2.0, 0.0001])
    if kind == "BOOL":
        return rng.random() < 0.6
    if kind == "LIST":
        return WORDS.get(name) or rng.choice([["a"], ["a", "b"]])
    return rng.choice(WORDS.get(name) or words or ["abc", "x/y"])


def toml(item):
    if isinstance(item, bool):
        return "true" if item else "false"
    return "[%s]" % ", ".join(map(toml, item)) if isinstance(item, list) else json.dumps(item)


def file_text(items):
    sections = {}
    for name, item in items:
        section, _, leaf = name.rpartition(".")
        sections.setdefault(section, {})[leaf] = item
    return "".join("[%s]\n%s\n" % (section, "".join("%s = %s\n" % (leaf, toml(item)) for leaf, item in keys.items()))
                   for section, keys in sections.items())


def dashed(rng, name, era):
    return name.replace("_", "-") if era != "argparse" and rng.random() < 0.4 else name


def flag(rng, name, kind, words, item, era):
    """The words that set a key to a value, in one of the forms that the parser of that time takes."""
    word = "--" + dashed(rng, name, era)
    if kind == "BOOL":
        if era == "argparse":
            return [word, "False"] if words == ["bool"] else [word]
        if item:
            return [word]
        section, _, leaf = word.rpartition(".")
        return [section + (".no-" if "-" in leaf or rng.random() < 0.5 else ".no_") + leaf]
    text = ",".join(item) if kind == "LIST" else str(item)
    return [word + "=" + text] if rng.random() < 0.3 else [word, text]


def spoil(rng, keys, items, words, era, version):
    """One mistake, in the file or among the words."""
    name = rng.choice(sorted(keys))
    kind, allowed = keys[name]
    others = sorted({row[0] for row in table()} - set(keys))
    mistake = rng.choice(["key", "key", "other", "type", "word", "flag", "other flag", "number", "choice", "boolean", "missing", "stray"])
    if mistake == "key":
        items.append((rng.choice([m for m in MISSPELT if m not in keys]), rng.choice([2, 2, True, "x"])))
    elif mistake == "other" and others:
        items.append((rng.choice(others), 2))
    elif mistake == "type" and kind in ("INT", "BOOL", "LIST"):
        items[:] = [pair for pair in items if pair[0] != name] + [(name, rng.choice(["x", "8", "true", 1.5] if kind != "LIST" else [3, "a,b"]))]
    elif mistake == "word" and allowed:
        items[:] = [pair for pair in items if pair[0] != name] + [(name, "nosuch")]
    elif mistake == "flag":
        words += ["--" + dashed(rng, rng.choice([m for m in MISSPELT if m not in keys]), era), "2"]
    elif mistake == "other flag" and others:
        words += ["--" + rng.choice(others), "2"]
    elif mistake == "number" and kind in ("INT", "REAL"):
        words += ["--" + name, rng.choice(["x", "1.5", "None", "", "1e3", "0x10", " 8", "1_000"])]
    elif mistake == "choice" and allowed:
        words += ["--" + name, "nosuch"]
    elif mistake == "boolean" and kind == "BOOL":
        words += ["--" + name + rng.choice(["=true", "=True", "=False"])] if rng.random() < 0.5 else ["--" + name, rng.choice(["True", "false"])]
    elif mistake == "missing" and kind != "BOOL":
        words += ["--" + name]
    elif mistake == "stray":
        words.insert(0, "stray")


def era_of(version):
    day = versions.day(version)
    return "registry" if day >= 20260223 else "tyro" if day >= 20250418 else "argparse"


def make(rng, version):
    if rng.random() < 0.02:
        return {"keys": True}
    era, keys = era_of(version), {name: row for name, row in known(version).items() if name not in APART and row[0] != "NODE"}
    items, words = [], []
    if era == "registry":
        keys = {name: row for name, row in keys.items() if name.split(".")[0] in SECTIONS and name not in CHECKED}
    else:
        for name in rng.sample(sorted(keys), rng.randint(0, 6)):
            items.append((name, value(rng, name, *keys[name])))
    weighed = sorted(keys) + 3 * [name for name in sorted(keys) if "degree" in name]
    for name in dict.fromkeys(rng.sample(weighed, rng.choice([0, 1, 1, 2, 3])) + [item[0] for item in items if rng.random() < 0.2]):
        kind, allowed = keys[name]
        words += flag(rng, name, kind, allowed, value(rng, name, kind, allowed), era)
    if rng.random() < 0.45:
        spoil(rng, keys, items, words, era, version)
    if era == "argparse" and rng.random() < 0.05:
        words += ["--training.tensor_par" if "training.tensor_parallel_degree" in keys else "--training.step", "2"]
    case = {"words": words}
    if era == "registry":
        case["items"] = [pair for pair in items if rng.random() < 0.2]  # the file that is no longer read
        return case if case["items"] else {"words": words}
    return dict(case, items=items) if items else case


def sections_of(config):
    """{section: {key: value}} of argparse's JobConfig, whose sections are instances of classes made for the purpose."""
    return {name: {key: item for key, item in vars(type(part)).items() if not key.startswith("__")}
            for name, part in vars(config).items() if type(part).__module__ != "argparse" and not isinstance(part, (dict, str))}


def flat(tree, prefix=""):
    found = {}
    for key, item in tree.items():
        if isinstance(item, dict):
            found.update(flat(item, prefix + key + "."))
        elif key:
            found[prefix + key] = item
    return found


def parse(words):
    """{key: value} as TorchTitan's parser of that commit has it."""
    from of.torchtitan.job import module

    old = module("torchtitan.config_manager")
    if old and hasattr(old.JobConfig, "parse_args"):
        config = old.JobConfig()
        config.parse_args(words)
        return flat(sections_of(config))
    manager = getattr(old, "ConfigManager", None) or module("torchtitan.config.manager").ConfigManager
    if "--module" in words:
        registry.load("llama3")
    config = manager().parse_args(words)
    return flat(registry.plain(config))


def launch(case, version):
    """The words without the file's."""
    return (["--module", "llama3", "--config", "llama3_debugmodel"] if era_of(version) == "registry" else []) + case.get("words", [])


def clean(text):
    """A parser's last words, without its frames."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = " ".join(re.sub("[╭╮╰╯─│┏┓┗┛━┃]|--{3,}", " ", text).split())
    return re.sub(r"^.*?\berror: ", "error: ", text).split(" For full helptext")[0][:600]


@functools.lru_cache
def standard(version):
    return parse(launch({}, version))


def jsonable(item):
    return item if isinstance(item, (str, int, float, bool, list, type(None))) else str(item)


def ask(case, version):
    stubs.install()
    if "keys" in case:
        return {"values": {key: jsonable(item) for key, item in sorted(standard(version).items())}}
    words, said = launch(case, version), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        if case.get("items") and era_of(version) != "registry":
            with open(os.path.join(folder, "config.toml"), "w") as file:
                file.write(file_text(case["items"]))
            words = ["--job.config_file", file.name] + words
        try:
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
                values = parse(words)
        except SystemExit:
            return {"error": {"type": "SystemExit", "message": clean(said.getvalue()).replace(folder, "")}}
        except Exception as error:
            return {"error": {"type": type(error).__name__, "message": " ".join(str(error).replace(folder, "").split())}}
    usual = standard(version)
    touched = {name for name, _ in case.get("items", [])}
    return {"values": {key: jsonable(item) for key, item in sorted(values.items())
                       if key != "job.config_file" and (key in touched or item != usual.get(key, item))}}


def text(item):
    if item is None or item == []:
        return ""
    return registry.text(item)


def same(ours, theirs, opposite):
    """Whether parplan's text of a setting is the value; None where a setting has none."""
    theirs = {"true": "false", "false": "true"}[theirs] if opposite and theirs in ("true", "false") else theirs
    return (ours or "") == theirs or theirs in SCHEDULES and ours == SCHEDULES[theirs]


def findings_of(check):
    return [finding for file in check.get("files", []) for finding in file["findings"] if finding["rule"] in RULES]


def refused(answer, findings):
    """Whether parplan says of a refusal that it is one, in the parser's own words where it quotes."""
    loud = [finding for finding in findings if finding["severity"] in ("error", "warning")]
    quotes = [finding["quote"].split("\n")[0] for finding in loud if finding["quote"]]
    if not loud:
        return "%s: %s; parplan has no finding" % (answer["type"], answer["message"])
    whole = answer["type"] + ": " + answer["message"]
    if quotes and not any(said(quote, whole) for quote in quotes):
        return "%s; parplan quotes %s" % (whole, quotes)
    return None


def said(quote, whole):
    """Sets of names are in no order."""
    head, _, names = quote.partition("{")
    return head.strip() in whole and all(name in whole for name in re.findall(r"'([^']+)'", names))


def known_differ(answer, version):
    """Keys that only one side has."""
    own, theirs = set(known(version)), set(answer["values"])
    if era_of(version) == "registry":
        own, theirs = [{name for name in side if name.split(".")[0] in SECTIONS} for side in (own, theirs)]
    if own == theirs:
        return None
    return "keys that parplan lacks: %s; that only parplan has: %s" % (sorted(theirs - own), sorted(own - theirs))


def compare(case, answer, version, parplan):
    words = ["--no-config", "--dialect", "torchtitan", "--framework", "torchtitan@" + version]  # options stand before "--", what the framework reads behind
    path = parplan.file("config.toml", file_text(case.get("items", [])))
    after = ["--", "torchrun", "-m", "torchtitan.train"] + launch(case, version) if launch(case, version) else []
    findings = findings_of(json.loads(parplan.text("check", *words, "--format", "json", path, *after)))
    if era_of(version) == "registry" and case.get("items"):
        return None if any(finding["rule"] == "config-file-unsupported" for finding in findings) else "reads no file; parplan says nothing"
    if "error" in answer:
        return refused(answer["error"], findings)
    loud = [finding for finding in findings if finding["rule"] in REFUSALS and finding["severity"] == "error"]
    wrong = {finding["message"] for finding in findings if finding["rule"] in ("wrong-type", "quoted-number", "bad-word")}
    if [finding for finding in loud if finding["rule"] != "bad-word"]:
        return "works; parplan says %s" % loud[0]["message"]
    difference = known_differ(answer, version) if "keys" in case else None
    ignored = [name for name, _ in case.get("items", []) if name not in known(version)]
    if ignored and not any(finding["rule"].endswith("-key") for finding in findings):
        return "ignores %s; parplan says nothing" % ignored
    return difference or values_differ(answer, version, parplan, words, path, after, wrong)


def values_differ(answer, version, parplan, words, path, after, wrong):
    table_of, translate = known(version), registry.native()
    ours = registry.explained(parplan.text("explain", *words, path, *after))
    for key, item in answer["values"].items():
        if key not in table_of or key not in translate or "<" in str(item):
            continue
        if key == "compile.components" and item == ["model", "loss"] and translate[key][0] not in ours:
            continue  # unset stands for both
        name, opposite = translate[key]
        if any(key in message for message in wrong):
            continue  # said to be no value of that key
        if not same(ours.get(name), text(item), opposite):
            return "%s is %r; parplan says %s = %s" % (key, item, name, ours.get(name))
    return None


def listed(case, answer, version):
    """What stays different."""
    unknown = re.search(r"Unrecognized options: --([a-z_-]+)", answer.get("error", {}).get("message", ""))
    if unknown and era_of(version) == "registry" and unknown[1] not in SECTIONS:
        return "from 9810191bb on components add sections, so parplan judges only those of the config's own that a plan depends on"
    return None
