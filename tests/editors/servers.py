#!/usr/bin/env python3
"""The schemas in taplo and in yaml-language-server themselves, and by jsonschema's metaschema.

Usage: servers.py FOLDER, where npm and pip have put them."""
import json, os, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lsp"))
from client import Client, position

BIN = os.environ.get("BIN", "parplan")
TOOLS = os.path.abspath(sys.argv[1])
passed = failed = 0


def holds(what, truth, shown=""):
    global passed, failed
    passed += bool(truth)
    failed += not truth
    if not truth:
        print("%s\n%s" % (what, str(shown)[:1500]))


def schema(path, *words):
    with open(path, "wb") as file:
        file.write(subprocess.run([BIN, "schema", *words], stdout=subprocess.PIPE, check=True).stdout)
    return path


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def with_taplo(folder):
    schema(os.path.join(folder, "torchtitan.schema.json"), "--framework", "torchtitan@v0.2.0")
    good = '#:schema ./torchtitan.schema.json\n[model]\nname = "llama3"\n\n[parallelism]\ntensor_parallel_degree = 2\n'
    for name, text, status in ("good.toml", good, 0), ("bad.toml", good.replace("parallel_degree", "paralel_degree"), 1):
        done = subprocess.run([os.path.join(TOOLS, "node_modules/.bin/taplo"), "check", write(os.path.join(folder, name), text)],
                              cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        holds("taplo check %s ends with %d" % (name, status), done.returncode == status, done.stdout.decode())
    holds("taplo names the slip", b"tensor_paralel_degree" in done.stdout, done.stdout.decode())


AXOLOTL = """# yaml-language-server: $schema=./axolotl.schema.json
base_model: meta-llama/Llama-3.1-8B
micro_batch_size: 1
sequence_len: 2048
gradient_accumulation_steps: 4
"""
NATIVE = """# yaml-language-server: $schema=./parplan.schema.json
parplan: 1
model: llama3-8b
parallelism:
  dp_shard: 8
  pipeline: 1F1B
training:
  param_dtype: bfloat16
"""


def with_yaml_server(folder):
    schema(os.path.join(folder, "axolotl.schema.json"), "axolotl")
    schema(os.path.join(folder, "parplan.schema.json"))
    client = Client("--stdio", server=[os.path.join(TOOLS, "node_modules/.bin/yaml-language-server")])
    client.ask("initialize", {"processId": None, "rootUri": "file://" + folder, "capabilities": {}})
    client.tell("initialized", {})
    client.tell("workspace/didChangeConfiguration", {"settings": {"yaml": {"validate": True, "hover": True, "completion": True}}})
    for name, text, slip in (("axolotl.yaml", AXOLOTL, ("micro_batch_size", "micro_bacth_size")),
                             ("native.yaml", NATIVE, ("dp_shard", "dp_shards"))):
        uri = "file://" + write(os.path.join(folder, name), text)
        holds("yaml-language-server takes %s" % name, client.open(uri, text) == [])
        client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text.replace(*slip)}]})
        said = client.diagnostics(uri, None)
        holds("and refuses %s" % slip[1], said and slip[1] in said[0]["message"], said)
        client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [{"text": text}]})
        client.diagnostics(uri, None)
    hover = client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": position(NATIVE, "dp_shard")})
    holds("its hover says what a key is", "ranks that share the parameters" in json.dumps(hover), hover)
    offered = client.ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": position(NATIVE, "bfloat16")})["result"]
    items = offered["items"] if isinstance(offered, dict) else offered
    holds("its completion has the words", "float32" in {item["label"] for item in items}, items)
    client.server.kill()


def with_metaschema():
    program = "import json, sys, jsonschema; jsonschema.Draft7Validator.check_schema(json.load(sys.stdin))"
    done = subprocess.run([BIN, "schema", "no such dialect"], stderr=subprocess.PIPE, check=False)
    for name in done.stderr.decode().split("there are ")[1].strip().split(", "):
        text = subprocess.run([BIN, "schema", name], stdout=subprocess.PIPE, check=True).stdout
        checked = subprocess.run([os.path.join(TOOLS, "venv/bin/python"), "-c", program], input=text, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, check=False)
        holds("the schema of %s is one of draft 7" % name, checked.returncode == 0, checked.stdout.decode())


def main():
    folder = os.path.join(TOOLS, "tried")
    os.makedirs(folder, exist_ok=True)
    with_metaschema()
    with_taplo(folder)
    with_yaml_server(folder)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


sys.exit(main())
