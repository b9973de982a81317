#!/usr/bin/env python3
"""`parplan lsp` by its protocol: every request, changes as one types, and what goes wrong."""
import json, os, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Client, position

passed, failed = 0, []


def holds(what, truth, shown=None):
    global passed
    passed += bool(truth)
    if not truth:
        failed.append(what)
        print("%s%s" % (what, "" if shown is None else ": %s" % json.dumps(shown)[:600]))


NATIVE = """parplan: 1
# größer: \U0001f600 counts two units
framework: {torchtitan: v0.2.0}
world: 16
model: llama3-8b
parallelism:
  dp_replicate: 2
  dp_shard: -1
  tp: 1
training:
  seq_len: 8192
  local_batch_size: 2
"""


def apply_edits(text, edits):
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
        start, end = edit["range"]["start"], edit["range"]["end"]
        head = lines[start["line"]].encode("utf-16-le")[:2 * start["character"]].decode("utf-16-le")
        tail = lines[end["line"]].encode("utf-16-le")[2 * end["character"]:].decode("utf-16-le")
        lines[start["line"]:end["line"] + 1] = (head + edit["newText"] + tail).split("\n")
    return "\n".join(lines)


def check_says(path):
    done = subprocess.run([os.environ.get("BIN", "parplan"), "check", "--format", "json", os.path.basename(path)],
                          cwd=os.path.dirname(path), stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)["files"][0]["findings"]


def uri_of(path):
    return "file://" + path.replace(" ", "%20")


def at(uri, where):
    return {"textDocument": {"uri": uri}, "position": where}


def labels(answer):
    return {item["label"] for item in answer["result"]}


class Work:
    """A folder that is a repository of its own, with the texts that are written into it."""
    def __init__(self, folder):
        self.folder = folder
        os.mkdir(os.path.join(folder, ".git"))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


def test_start(client):
    answer = client.start()
    can = answer["capabilities"]
    holds("the server says who it is", answer["serverInfo"]["name"] == "parplan", answer)
    holds("texts are synchronised by changes", can["textDocumentSync"]["change"] == 2, can)
    for name in "hover", "completion", "definition", "codeAction", "inlayHint", "documentSymbol":
        holds("the server provides %s" % name, can.get(name + "Provider"), can)


def test_diagnostics(client, work):
    path = work.write("train it.yaml", NATIVE)
    uri = uri_of(path)
    said, found = client.open(uri, NATIVE), check_says(path)
    holds("diagnostics are what check finds", sorted(d["code"] for d in said) == sorted(f["rule"] for f in found),
          [said, found])
    holds("their places are those of check",
          sorted(d["range"]["start"]["line"] for d in said) == sorted((f["span"] or {"line": 1})["line"] - 1 for f in found), said)
    return uri


def test_typing(client, uri):
    """Incremental changes, in UTF-16: a slip is a finding with a fix, which takes it back."""
    where = position(NATIVE, "tp: 1")
    client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [
        {"range": {"start": where, "end": dict(where, character=where["character"] + 2)}, "text": "tpp"},
        {"range": {"start": position(NATIVE, "\U0001f600", 0), "end": position(NATIVE, "\U0001f600", 2)}, "text": "\u00e9"}]})
    text = NATIVE.replace("tp: 1", "tpp: 1").replace("\U0001f600", "\u00e9")
    said = client.diagnostics(uri, 2)
    slip = [d for d in said if d["code"] == "unknown-key"]
    holds("a slip is found as it is typed", slip and slip[0]["range"]["start"] == position(text, "tpp"), said)
    action = client.ask("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": slip[0]["range"],
                                                    "context": {"diagnostics": slip}})["result"]
    fix = [a for a in action if a.get("isPreferred")]
    holds("there is a quick fix", len(fix) == 1, action)
    fixed = apply_edits(text, fix[0]["edit"]["changes"][uri])
    holds("which takes the slip back", fixed == text.replace("tpp", "tp"), fixed)
    client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [{"text": NATIVE}]})
    holds("a whole text takes the place of another", "unknown-key" not in [d["code"] for d in client.diagnostics(uri, 3)])
    for version, letter in enumerate("abcdef", 4):
        client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [
            {"text": NATIVE + "# %s\n" % letter}]})
    client.diagnostics(uri, 9)
    holds("who types fast is not answered at each letter", not [m for m in client.kept if m.get("method", "").endswith("publishDiagnostics")])
    client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 10}, "contentChanges": [{"text": NATIVE + "tp: ["}]})
    holds("a text that is broken while it is written says so", [d for d in client.diagnostics(uri, 10) if d["code"] == "syntax-error"])
    client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 11}, "contentChanges": [{"text": NATIVE}]})
    client.diagnostics(uri, 11)


def test_requests(client, uri):
    hover = client.ask("textDocument/hover", at(uri, position(NATIVE, "dp_shard")))["result"]["contents"]["value"]
    for part in "`parallelism.dp_shard` = `-1`", "It comes to 8 in a world of 16 ranks", "Groups of 8 ranks", "ranks that share":
        holds("hover says %s" % part, part in hover, hover)
    holds("nothing is said of nothing", client.ask("textDocument/hover", at(uri, {"line": 1, "character": 3}))["result"] is None)
    hints = client.ask("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": {
        "start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}})["result"]
    shown = {(h["position"]["line"], h["label"]) for h in hints}
    holds("-1 is shown as what it comes to", (7, "= 8, 2 groups of 8") in shown, hints)
    holds("degrees are shown with their groups", (6, "8 groups of 2") in shown, hints)
    symbols = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})["result"]
    holds("the outline has the maps", [s["name"] for s in symbols] == ["parplan", "framework", "world", "model", "parallelism", "training"], symbols)
    holds("and their keys", "dp_shard" in [c["name"] for s in symbols for c in s["children"]], symbols)


def completed(client, uri, version, text):
    """Labels that are offered at "|" in a text."""
    where = position(text, "|")
    client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text.replace("|", "")}]})
    return client.ask("textDocument/completion", at(uri, where))


def test_completion(client, uri):
    keys = labels(completed(client, uri, 20, NATIVE.replace("  tp: 1\n", "  c|\n")))
    holds("keys are offered", {"cp", "tp", "pp", "pipeline"} <= keys, sorted(keys))
    holds("but none that is there", not keys & {"dp_shard", "world"}, sorted(keys))
    holds("words are offered", {"bfloat16", "float32"} <= labels(completed(client, uri, 21, NATIVE + "  param_dtype: |\n")))
    holds("presets are offered", "llama3-8b" in labels(completed(client, uri, 22, NATIVE.replace("llama3-8b", "l|"))))
    holds("keys at the top", {"checkpoint", "cluster"} <= labels(completed(client, uri, 23, NATIVE + "|\n")))
    holds("keys in braces", "torch" not in labels(completed(client, uri, 24, NATIVE.replace("parallelism:\n", "checkpoint: {f|}\nparallelism:\n"))) and
          "format" in labels(completed(client, uri, 24, NATIVE.replace("parallelism:\n", "checkpoint: {f|}\nparallelism:\n"))))
    item = [i for i in completed(client, uri, 25, NATIVE.replace("  tp: 1\n", "  c|\n"))["result"] if i["label"] == "cp"][0]
    holds("the key takes the place of the word", item["textEdit"]["newText"] == "cp: " and
          item["textEdit"]["range"]["start"]["character"] == 2, item)
    client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 30}, "contentChanges": [{"text": NATIVE}]})


def test_toml_and_json(client, work):
    text = '[job]\ndump_folder = "x"\n\n[model]\nname = "llama3"\nflavor = "8B"\n\n[parallelism]\ntensor_parallel_degree = 2\n\n[training]\nlocal_batch_size = 1\nseq_len = 2048\n'
    uri = uri_of(work.write("train.toml", text))
    client.open(uri, text, "toml")
    got = completed(client, uri, 2, text.replace("tensor_parallel_degree = 2\n", "tensor_parallel_degree = 2\npipe|\n"))
    holds("TOML: keys of the section", "pipeline_parallel_degree" in labels(got) and "seq_len" not in labels(got), sorted(labels(got)))
    headers = labels(completed(client, uri, 3, text + "[ch|\n"))
    holds("TOML: sections", "checkpoint" in headers, sorted(headers))
    got = completed(client, uri, 4, text + "[activation_checkpoint]\nmode = |\n")
    holds("TOML: words in quotes", '"selective"' in [i["textEdit"]["newText"] for i in got["result"]], got)
    text = '{\n  "train_micro_batch_size_per_gpu": 1,\n  "zero_optimization": {\n    "stage": 3\n  }\n}\n'
    uri = uri_of(work.write("ds.json", text))
    client.open(uri, text, "json")
    got = labels(completed(client, uri, 2, text.replace('"stage": 3', '"stage": 3,\n    "over|"')))
    holds("JSON: keys of the map", "overlap_comm" in got and "stage" not in got, sorted(got))


HOMES = [  # a file, its language, where to write, what is offered there and what is not
    ("train.yaml", "yaml", "model:\n  model_name: a/b\n  |\ntraining: {trainer_type: TRL_SFT}\ndata: {}\n", "chat_template", "lora_r"),
    ("nanotron.yaml", "yaml", "parallelism:\n  dp: 2\n  pp: 1\n  tp: 2\n  |\ntokens: {sequence_length: 64, micro_batch_size: 1}\n", "expert_parallel_size", "dp"),
    ("lora.yaml", "yaml", "devices: 4\nnum_nodes: 2\ntrain:\n  global_batch_size: 16\n  |\n", "lr_warmup_steps", "lora_r"),
    ("sft.toml", "toml", "max_steps = 2\n[data]\nbatch_size = 2\n[model]\nname = \"a/b\"\n|\n", "fsdp_cpu_offload", "num_train_gpus"),
]


def test_homes(client, work):
    """Keys of a framework's classes, each in its own map."""
    for name, language, text, there, elsewhere in HOMES:
        uri = uri_of(work.write(name, text.replace("|", "")))
        client.open(uri, text.replace("|", ""), language)
        got = labels(completed(client, uri, 2, text))
        holds("%s: keys of the class" % name, there in got and elsewhere not in got, sorted(got)[:20])
        client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_settings(client, work):
    text = "fail-on: loud\nrules:\n  tp-across-nodes: error\n"
    uri = uri_of(work.write(".parplan.yaml", text))
    said = client.open(uri, text)
    holds(".parplan.yaml has diagnostics", [d["code"] for d in said] == ["bad-word"], said)
    got = labels(completed(client, uri, 2, "rules:\n  hsdp|\n"))
    holds(".parplan.yaml: names of rules", "hsdp-collapsed" in got, sorted(got)[:9])
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    with tempfile.TemporaryDirectory() as other:
        os.symlink(work.folder, os.path.join(other, "link"))
        linked = uri_of(os.path.join(other, "link", ".parplan.yaml"))
        holds("through a link, too", [d["code"] for d in client.open(linked, text)] == ["bad-word"])
        client.tell("textDocument/didClose", {"textDocument": {"uri": linked}})
    os.remove(os.path.join(work.folder, ".parplan.yaml"))


def test_includes(client, work):
    """A parent's file: where its values come from, and what the editor holds of it."""
    parent = "cluster: {num_nodes: 2, gpus_per_node: 8}\npolicy:\n  model_name: meta-llama/Llama-3.1-8B\n  dtensor_cfg: {enabled: true, tensor_parallel_size: 4}\n  train_global_batch_size: 64\n"
    child = "defaults: parent.yaml\npolicy:\n  train_micro_batch_size: 1\n"
    parent_uri, uri = uri_of(work.write("parent.yaml", parent)), uri_of(work.write("child.yaml", child))
    client.open(uri, child)
    where = client.ask("textDocument/definition", at(uri, position(child, "parent.yaml", 2)))["result"]
    holds("a parent's name leads to it", where and where["uri"] == parent_uri, where)
    client.open(parent_uri, parent.replace("size: 4", "size: 32"))
    client.tell("textDocument/didSave", {"textDocument": {"uri": parent_uri}})
    holds("the open text of a parent counts, not the one on the disk",
          any("32" in d["message"] for d in client.diagnostics(uri)), client.kept[-1:])
    for one in parent_uri, uri:
        client.tell("textDocument/didClose", {"textDocument": {"uri": one}})


def test_strangers(client, work):
    holds("other YAML is left alone", client.open(uri_of(work.write("other.yaml", "a: 1\nb: [1, 2]\n")), "a: 1\nb: [1, 2]\n") == [])
    holds("what has no file is judged, too", isinstance(client.open("untitled:Untitled-1", NATIVE), list))
    hover = client.ask("textDocument/hover", at("untitled:Untitled-1", position(NATIVE, "dp_shard")))["result"]
    holds("and answered", "dp_shard" in json.dumps(hover), hover)
    holds("what is not open has no answer", client.ask("textDocument/hover", at("file:///nowhere.yaml", {"line": 0, "character": 0}))["result"] is None)
    holds("an unknown method is refused", client.ask("parplan/nothing")["error"]["code"] == -32601)
    client.raw(b"Content-Length: 3\r\n\r\n{x}")
    holds("what is no JSON is refused", client.wait(lambda m: m.get("error", {}).get("code") == -32700)["id"] is None)
    deep = '{"a":' * 3000 + "1" + "}" * 3000
    holds("what is nested too deep is a config no more", isinstance(client.open("file:///tmp/deep.json", deep, "json"), list))
    wild = {"textDocument": {"uri": "untitled:Untitled-1"}, "position": {"line": 4294967295, "character": 99999999}}
    for method in "hover", "completion", "definition", "documentSymbol", "inlayHint", "codeAction":
        answer = client.ask("textDocument/" + method, wild)
        holds("%s outside of the text" % method, "result" in answer, answer)


def test_words_of_a_file(client, work):
    """What a file says stays on its line and is no markup."""
    text = NATIVE.replace("llama3-8b", '"x`\\n<img src=y>"').replace("seq_len: 8192", '"seq\\nlen": 1\n  seq_len: 8192')
    uri = uri_of(work.write("words.yaml", text))
    said = client.open(uri, text)
    holds("no line is made of a value", said and not [d for d in said if "\n<img" in d["message"]], said)
    hover = client.ask("textDocument/hover", at(uri, position(text, '"x`')))["result"]["contents"]["value"]
    holds("a value is code, whatever it is", "`` x`\\n<img src=y> ``" in hover, hover)
    symbols = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})["result"]
    names = [s["name"] for s in symbols] + [c["name"] for s in symbols for c in s["children"]]
    holds("names of the outline are one line", "seq\\nlen" in names, names)


def test_memory(client, uri):
    def resident():
        with open("/proc/%d/statm" % client.server.pid, encoding="ascii") as file:
            return int(file.read().split()[1])
    # A sanitizer keeps what is freed for a while.
    if not os.path.exists("/proc/self/statm") or os.environ.get("BUILD") in ("build/asan", "build/torture"):
        return
    def round_of(count):
        for _ in range(count):
            client.ask("textDocument/hover", at(uri, position(NATIVE, "dp_shard")))
    round_of(20)
    before = resident()
    round_of(100)
    holds("memory does not grow with requests", resident() - before < 64, [before, resident()])


def test_end():
    client = Client()
    holds("before initialize nothing is answered", client.ask("textDocument/hover", {})["error"]["code"] == -32002)
    client.start()
    client.ask("shutdown")
    holds("after shutdown neither", "error" in client.ask("textDocument/hover", {}))
    client.tell("exit")
    holds("shutdown and exit: 0", client.server.wait(timeout=10) == 0)
    client = Client()
    client.start()
    client.server.stdin.close()
    holds("an editor that goes without: 1", client.server.wait(timeout=10) == 1)
    client = Client()
    client.raw(b"GET / HTTP/1.1\r\n\r\n")
    holds("no protocol: 2", client.server.wait(timeout=10) == 2)
    done = subprocess.run([os.environ.get("BIN", "parplan"), "lsp", "--framework", "nothing"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    holds("wrong options: 2, and nothing on stdout", done.returncode == 2 and not done.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        work, client = Work(os.path.realpath(folder)), Client()
        test_start(client)
        uri = test_diagnostics(client, work)
        for test in test_typing, test_requests, test_completion:
            test(client, uri)
        for test in test_toml_and_json, test_homes, test_settings, test_includes, test_strangers, test_words_of_a_file:
            test(client, work)
        test_memory(client, uri)
        holds("shutdown and exit end it well", client.stop() == 0)
        test_end()
    print("%d passed, %d failed" % (passed, len(failed)))


main()
