#!/usr/bin/env python3
"""Real configs against the schema that `parplan schema` makes of their kind. What check finds nothing wrong with the
keys and values of, the schema accepts; a file with a name that check calls misspelt or unknown, it refuses. The schemas
themselves fit a schema of what they may use.

Usage: keys.py FILE-OR-FOLDER..."""
import collections, functools, json, os, re, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from validate import Misfit, check

try:
    import tomllib
except ImportError:  # before 3.11
    tomllib = None
try:
    import yaml
except ImportError:
    yaml = None

BIN = os.environ.get("BIN", "parplan")
# What a schema can say; the rest of what check finds is about several keys, or about ranks.
NAMES = {"unknown-key", "misspelt-key", "renamed-key", "expect-unknown"}
VALUES = {"wrong-type", "bad-word", "out-of-range", "quoted-number", "schema-version", "duplicate-key", "syntax"}


def parplan(*words):
    return subprocess.run([BIN, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


@functools.lru_cache(None)
def schema_of(*words):
    done = parplan("schema", *words)
    return json.loads(done.stdout) if done.returncode == 0 else None


def load(path):
    """What the file holds, or None where it cannot be read here."""
    with open(path, "rb") as file:
        text = file.read()
    try:
        if path.endswith(".toml"):
            return tomllib.loads(text.decode()) if tomllib else None
        if path.endswith(".json"):
            return json.loads(text)
        if yaml:
            loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
            return next(iter(yaml.load_all(text, Loader=loader)), None)
    except (ValueError, yaml.YAMLError if yaml else ValueError):
        return None
    return None


def schema_for(judged):
    name = judged["dialect"]
    for framework in judged["framework"]:
        if framework["name"] == name and (framework["origin"] == "pinned" or framework["version"].startswith("v")):
            versioned = schema_of("--framework", "%s@%s" % (name, framework["version"]))
            if versioned:
                return versioned
    return schema_of(name)


def findings_of(judged):
    said = collections.defaultdict(list)
    for finding in judged["findings"]:
        if finding["path"] == judged["path"]:
            said[finding["rule"]].append(finding)
    return said


def judge(path):
    """A sentence about what is not as it should be, "" where all is, None where nothing is judged."""
    done = parplan("check", "--format", "json", path)
    try:
        judged = json.loads(done.stdout)["files"][0]
    except (ValueError, IndexError, KeyError):
        return None
    if not judged.get("dialect"):
        return None
    schema, value, said = schema_for(judged), load(path), findings_of(judged)
    # A manifest or a task is judged by the launch line in it.
    if schema is None or not isinstance(value, dict) or "apiVersion" in value or "run" in value:
        return None
    wrong = [f for rule in NAMES for f in said.get(rule, []) if f["severity"] != "note"]
    try:
        check(schema, schema, value)
        accepted, why = True, ""
    except Misfit as misfit:
        accepted, why = False, str(misfit)
    if wrong and accepted:
        return "%s: accepted, though %s" % (judged["dialect"], wrong[0]["message"])
    if not accepted and not any(said.get(rule) for rule in NAMES | VALUES):
        return "%s: refused: %s" % (judged["dialect"], why)
    return ""


def judge_settings(path):
    """The same of a .parplan.yaml, by what check says of it."""
    done = parplan("check", "--format", "json", "--config", path, "plans/hsdp-2x8.yaml")
    said = [f["rule"] for file in json.loads(done.stdout)["files"] if file["path"] == path for f in file["findings"]]
    schema, value = schema_of(".parplan.yaml"), load(path)
    try:
        check(schema, schema, value)
    except Misfit as misfit:
        return "" if said else "refused: %s" % misfit
    return "accepted, though check finds %s" % ", ".join(said) if NAMES & set(said) else ""


def judge_schemas():
    """Every schema that there is says only what schemas/keys.json lets one say."""
    with open("tests/schemas/keys.json", encoding="utf-8") as file:
        rules = json.load(file)
    names = re.search(r"there are (.*)", parplan("schema", "no such dialect").stderr.decode()).group(1).split(", ")
    for name in names:
        try:
            check(rules, rules, schema_of(name))
            yield ""
        except Misfit as misfit:
            yield "parplan schema %s: %s" % (name, misfit)


def files_of(places):
    for place in places:
        if os.path.isfile(place):
            yield place
        for folder, folders, names in sorted(os.walk(place)):
            folders.sort()
            yield from (os.path.join(folder, name) for name in sorted(names) if re.search(r"\.(ya?ml|toml|json)$", name))


def main():
    passed = failed = 0
    for why in judge_schemas():
        passed += not why
        failed += bool(why)
        if why:
            print(why)
    for path in files_of(sys.argv[1:]):
        why = judge_settings(path) if os.path.basename(path) == ".parplan.yaml" else judge(path)
        passed += why == ""
        failed += bool(why)
        if why:
            print("%s: %s" % (path, why))
    print("%d passed, %d failed" % (passed, failed))


main()
