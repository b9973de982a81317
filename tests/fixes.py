#!/usr/bin/env python3
"""Every degree that a fix names passes check when it is taken. Configs are made here: wrong degrees for
several frameworks, worlds and models. Usage: fixes.py"""
import itertools, json, os, re, shutil, tempfile

from serve.client import run

frameworks = ["torchtitan: v0.2.0", "torchtitan: v0.2.2", "torchtitan: HEAD", "megatron: core", "nanotron: latest",
              "picotron: latest", "deepspeed: zero", "accelerate: latest", "lightning: latest"]
degrees = {  # world, degrees
    "product": [(504, {"tp": 8, "pp": 8}), (40, {"tp": 16}), (36, {"tp": 8, "pp": 2}), (48, {"tp": 5}), (96, {"pp": 7, "tp": 2})],
    "experts": [(8, {"tp": 2, "ep": 16}), (16, {"ep": 12}), (32, {"tp": 4, "cp": 2, "ep": 24}), (64, {"cp": 4, "ep": 6})],
}
others = {"context-parallel-attention", "pipeline-unsupported"}  # cp and pp themselves are refused, whatever their number
models = {"product": "llama3-8b", "experts": "deepseek_v3-16b"}
named = re.compile(r"\b(tp|pp|cp|ep) (\d+)(?: or (\d+))?")
listed = re.compile(r"use (ep) \d+; what fits is ([\d, ]+)")
work = tempfile.mkdtemp()


def check(framework, world, model, given):
    path = os.path.join(work, "job.yaml")
    with open(path, "w") as out:
        out.write("parplan: 1\nframework: {%s}\nworld: %d\nmodel: %s\nparallelism: {%s}\ntraining: {cuda_graph: false}\n"
                  % (framework, world, model, ", ".join("%s: %d" % item for item in given.items())))
    return json.loads(run(["check", "--format", "json", path]).stdout)["files"][0]["findings"]


def errors(findings):
    return {finding["rule"] for finding in findings if finding["severity"] == "error"}


def offers(text):
    for match in named.finditer(text):
        yield from ((match.group(1), int(number)) for number in match.groups()[1:] if number)
    for match in listed.finditer(text):
        yield from ((match.group(1), int(number)) for number in match.group(2).split(","))


passed = failed = 0
for framework, (kind, rows) in itertools.product(frameworks, degrees.items()):
    for world, given in rows:
        before = check(framework, world, models[kind], given)
        for finding in before:
            if finding["rule"] not in ("degrees-product", "expert-degree"):
                continue
            for axis, number in offers((finding.get("fix") or {}).get("description") or ""):
                after = errors(check(framework, world, models[kind], dict(given, **{axis: number}))) - others
                if finding["rule"] in after or after - errors(before):
                    failed += 1
                    print("%s, world %d, %s: %s %d: %s" % (framework, world, given, axis, number, ", ".join(sorted(after))))
                else:
                    passed += 1
shutil.rmtree(work)
print("%d passed, %d failed" % (passed, failed))
