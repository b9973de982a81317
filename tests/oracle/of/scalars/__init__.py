"""What a scalar is: PyYAML's safe loader, and tomllib of the standard library."""
from harness.environment import Environment

VERSIONS = ["6.0.1", "6.0.2", "6.0.3"]  # of PyYAML
TOPICS = {"yaml": 3, "toml": 1}


def environment(version):
    return Environment("pyyaml-" + version, ["pyyaml==" + version])


def kind_of(value):
    """What parplan calls the type of a loaded value; dates and integers of more than 64 bits stay text there."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if -(1 << 63) <= value < 1 << 63 else "string"
    return {float: "number", type(None): "null", list: "list", dict: "map"}.get(type(value), "string")


def read(parplan, path, key):
    """(type, integer) of the value that parplan finds in an integer's place."""
    plan = parplan.json("plan", path)
    declared = plan.get("declared", {}).get(key)
    report = parplan.json("check", path)
    for finding in report["files"][0]["findings"] if "files" in report else []:
        if finding["rule"] in ("wrong-type", "quoted-number"):
            said = finding["message"].split(", not ")[-1]
            return next((k for k in ("integer", "boolean", "number", "string", "list", "map") if said.split()[1].startswith(k)), said), None
        if finding["rule"] == "syntax-error":
            return "refused", None
    return ("null", None) if declared is None else ("integer", declared)


def difference(answer, parplan, path, key):
    kind, value = read(parplan, path, key)
    if kind != answer["kind"] or (kind == "integer" and str(value) != answer["value"]):
        return "is %s %s, parplan says %s %s" % (answer["kind"], answer.get("value", ""), kind, "" if value is None else value)
    return None
