#!/usr/bin/env python3
"""Validates JSON on stdin against a schema file: the part of JSON Schema that docs/schemas uses.

Usage: validate.py SCHEMA.json < DOCUMENT. Prints the first place that does not fit and exits 1.
An unknown keyword in the schema is an error (exit 2), so that no rule is silently skipped."""
import json
import re
import sys

NOTES = {"$schema", "$id", "$defs", "title", "description", "default", "deprecated", "deprecationMessage"}
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "null": lambda v: v is None,
}


class Misfit(Exception):
    pass


def need(holds, where, what):
    if not holds:
        raise Misfit("%s: %s" % (where or "(top)", what))


def check_any(root, rules, value, where):
    faults = []
    for rule in rules:
        try:
            return check(root, rule, value, where)
        except Misfit as fault:
            faults.append(str(fault))
    raise Misfit("; or ".join(faults))


def check_object(root, schema, value, where):
    known = schema.get("properties", {})
    extra = schema.get("additionalProperties", True)
    for key in schema.get("required", []):
        need(key in value, where, "lacks %r" % key)
    for key, member in value.items():
        for pattern, rules in schema.get("patternProperties", {}).items():
            if re.search(pattern, key):
                check(root, rules, member, "%s.%s" % (where, key))
        if key in known:
            check(root, known[key], member, "%s.%s" % (where, key))
        elif isinstance(extra, dict):
            check(root, extra, member, "%s.%s" % (where, key))
        else:
            need(extra, where, "has %r, which is not described" % key)


def check(root, schema, value, where=""):
    if isinstance(schema, bool):
        need(schema, where, "is not described")
        return
    unknown = set(schema) - NOTES - {"type", "enum", "const", "anyOf", "$ref", "required", "properties",
                                     "additionalProperties", "patternProperties", "items", "uniqueItems", "minimum", "maximum", "pattern"}
    if unknown:
        sys.exit("validate.py does not know %s" % ", ".join(sorted(unknown)))
    if "$ref" in schema:
        check(root, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], value, where)
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        need(any(TYPES[k](value) for k in kinds), where, "is %s, not %s" % (json.dumps(value)[:60], " or ".join(kinds)))
    if "const" in schema:
        need(value == schema["const"], where, "is %r, not %r" % (value, schema["const"]))
    if "enum" in schema:
        need(value in schema["enum"], where, "is %r, not one of %s" % (value, schema["enum"]))
    if "anyOf" in schema:
        check_any(root, schema["anyOf"], value, where)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        need(value >= schema.get("minimum", value), where, "%s is below %s" % (value, schema.get("minimum")))
        need(value <= schema.get("maximum", value), where, "%s is above %s" % (value, schema.get("maximum")))
    if isinstance(value, str) and "pattern" in schema:
        need(re.search(schema["pattern"], value), where, "%r does not match %s" % (value, schema["pattern"]))
    if isinstance(value, dict):
        check_object(root, schema, value, where)
    if isinstance(value, list) and schema.get("uniqueItems"):
        texts = [json.dumps(item) for item in value]
        need(len(set(texts)) == len(texts), where, "has something twice: %s" % texts)
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            check(root, schema["items"], item, "%s[%d]" % (where, i))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        rules = json.load(file)
    try:
        check(rules, rules, json.load(sys.stdin))
    except (Misfit, ValueError) as fault:
        print(fault)
        sys.exit(1)
