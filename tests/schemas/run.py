#!/usr/bin/env python3
"""Every command of tests/schemas/commands against its schema; a document that is spoilt must not fit."""
import functools, json, os, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from validate import Misfit, check


@functools.lru_cache(None)
def rules_of(schema):
    with open("docs/schemas/%s.json" % schema, encoding="utf-8") as file:
        return json.load(file)


def misfit(schema, text):
    """Why a text does not fit, or None."""
    try:
        check(rules_of(schema), rules_of(schema), json.loads(text))
    except (Misfit, ValueError) as fault:
        return str(fault)
    return None


def main():
    passed = failed = 0
    with open("tests/schemas/commands", encoding="utf-8") as file:
        rows = [line.strip().split(None, 1) for line in file if line.strip() and not line.startswith("#")]
    for schema, command in rows:
        text = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode()
        why = misfit(schema, text)
        spoilt = misfit(schema, text.replace('"schema":', '"schemo":', 1))
        passed += (not why) + bool(spoilt)
        failed += bool(why) + (not spoilt)
        if why or not spoilt:
            print("%s\ndocs/schemas/%s.json does not fit: %s" % (why or "not even spoilt is it refused", schema, command))
    print("%d passed, %d failed" % (passed, failed))


main()
