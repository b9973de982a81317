#!/usr/bin/env python3
"""Hostile text in positions of what parplan reads, and what it then prints: positions.py FOLDER [FAMILY...].

A family is a kind of input with the command lines that read it. Each word of the input becomes hostile in turn; each
output must be well-formed in its own format, hold no line, element, attribute or command that only the hostile text
could have brought, and nothing that moves a terminal's cursor. Prints what is not so, then "N passed, M failed".
POSITIONS=N tries so many words of each input, evenly (POSITIONS=1000: all of them). "ci" commits hostile configs, names and
settings and asks what such a pull request changes; "lsp" opens them in an editor and asks for all that it shows."""
import ast, json, os, queue, re, shlex, subprocess, sys
from urllib.parse import quote
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from lsp.client import Client  # noqa: E402
from serve.client import BINARY, run  # noqa: E402

FOLDER = os.path.realpath(sys.argv[1])
POSITIONS = int(os.environ.get("POSITIONS") or 6)
WORD = "forged"
# One line with what each format takes for its own; lines, of which none may stand in an output as one of its own.
MARKS = ("x\x1b[2J\a\u202e\x9b</script></title></text></style>]]>--><img src=x onerror=forged(1)>&lt;'\"\"\"\\`>ran`"
         "$(>ran)|;>ran;%s%n{}[x](javascript:forged)@forged #667 ##[group]##vso[x]<!--")
LINES = ("x\nforged.yaml:1:1: error: forged\n::error::forged\n##vso[task.x]forged\nforged_key: 1\n# forged\n| forged | b |\n"
         "forged = 1\n$(>ran)\n>ran\nraise SystemExit('forged')\n<img src=x onerror=forged(1)>")
BYTES = b"x\xff\xc3(\xf0\x9f\x1b[31m"
CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
# At the start of a line, behind no more than what an output itself puts there; in what is written for other programs
# behind any blanks.
MINE = re.compile(rb"^[|#*+-]?[ \t]?(?:forged|::|##vso|raise |\$\(>|>ran|<img)", re.M | re.I)
INDENTED = re.compile(MINE.pattern.replace(rb"[ \t]?", rb"[ \t]*"), re.M | re.I)


# ---- what each kind of output must be ----

def text(out, mine=MINE):
    line = mine.search(out)
    return line and "a line of its own: %r" % out[line.start():line.end() + 40]


def commands(out):
    for line in out.split(b"\n"):
        if re.match(rb"\s*::", line) and not re.match(rb"::(error|warning|notice) (file=[^:]*,)?title=parplan", line):
            return "a command: %r" % line[:80]
    return text(re.sub(rb"^::(error|warning|notice) .*", b"", out, flags=re.M))


def of_json(out):
    json.loads(out.decode())


def lines_of_json(out):
    for line in out.splitlines():
        json.loads(line.decode())


def of_xml(out):
    for element in xml.fromstring(out.decode()).iter():
        if element.tag.rpartition("}")[2] in ("img", "script", "foreignObject") or any(name.startswith("on") for name in element.attrib):
            return "an element <%s %s>" % (element.tag, element.attrib)


class Page(HTMLParser):
    wrong = None

    def handle_starttag(self, tag, attrs):
        if tag in ("img", "iframe", "object", "base", "link", "form") or any(
                name.startswith("on") or (name in ("href", "src", "action") and not (value or "").startswith("#")) for name, value in attrs):
            self.wrong = "an element <%s %s>" % (tag, attrs)
        self.inside = tag

    def handle_data(self, data):
        if getattr(self, "inside", "") in ("script", "style") and WORD in data:
            self.wrong = "text in <%s>" % self.inside

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_comment(self, data):
        self.wrong = "a comment"


def html(out):
    page = Page()
    page.feed(out.decode())
    return page.wrong


def dot(out):
    """Graphviz's own reader, where it is there; names and labels are quoted."""
    wrong = re.search(rb"^\s*(forged|\$\(>|>ran|<img)", out.replace(b"\\\n", b""), re.M)
    if "\"" in out.decode() and subprocess.run(["sh", "-c", "! command -v nop >/dev/null || nop -p"], input=out, capture_output=True).returncode:
        return "nop does not read it"
    return wrong and not re.search(rb'"', out) and "a line of its own"


def markdown(out):
    """Without code: no element, no link of the text's making, tables as wide as their heads."""
    out = out.removeprefix(b"<!-- parplan ci -->\n")
    words = re.sub(r"^(`{3,}|~{3,}).*?^\1", "", out.decode(), flags=re.M | re.S)
    words = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda code: re.sub(r"[^|\\\n]", "c", code.group()), words, flags=re.S)
    wrong = re.search(r"(?<!\\)<(?!/?(details|summary|sub|br|code|strong|table|tr|td|th)\b)[a-z!/]|(?<!\\)\]\((?=javascript)|(?<![\w\\;])[@]forged", words)
    if wrong:
        return "markup: %r" % words[max(0, wrong.start() - 30):wrong.end() + 30]
    width = None
    for line in words.split("\n"):
        bars = len(re.findall(r"(?<!\\)\|", line))
        if not line.startswith("|"):
            width = None
        elif width not in (None, bars):
            return "a row of %d cells, not %d: %r" % (bars, width, line[:160])
        else:
            width = bars
    return text(re.sub(rb"^\|.*|^(`{3,}|~{3,})[^\n]*\n.*?\n\1", b"", out, flags=re.M | re.S))


def shell(out):
    """Run where no program is found: nothing but the launcher is called."""
    ran = os.path.join(FOLDER, "ran")
    script = b"torchrun() { :; }; python() { :; }; python3() { :; }; export() { :; }\n" + out
    done = subprocess.run(["/bin/bash", "-c", script.decode("utf-8", "surrogateescape")], cwd=FOLDER, env={"PATH": "/nonexistent"}, capture_output=True)
    if os.path.exists(ran):
        os.unlink(ran)
        return "it runs what the text says"
    return b"syntax error" in done.stderr and "bash: %r" % done.stderr[:200]


def python(out):
    for node in ast.walk(ast.parse(out)):
        if isinstance(node, ast.Name) and node.id in ("forged", "SystemExit"):
            return "a name of the text's"


def toml(out):
    import tomllib
    if WORD in json.dumps(list(tomllib.loads(out.decode()))):
        return "a key of its own"


def yaml(out):
    return text(out, INDENTED)


def drawn(out):
    """Words of a drawing are broken wherever there is room."""


# ---- inputs ----

def words(source):
    """Spans of words outside comments: of a config, a launch script, a list of hosts, a log."""
    at = 0
    for line in source.split("\n"):
        code = line if re.search(r"\d+:\d+", line) else re.sub(r"(^|\s)#.*", "", line)
        for word in re.finditer(r"\"[^\"]*\"|'[^']*'|[A-Za-z0-9_](?:[\w./-]*\w)?", code):
            yield at + word.start(), at + word.end()
        at += len(line) + 1


def quoted(payload):
    return json.dumps(payload)


def everywhere(source, quote, payloads):
    spans = list(words(source))
    step = max(1, len(spans) // POSITIONS)
    for start, end in spans[::step]:
        for payload in payloads:
            yield (source[:start] + quote(payload) + source[end:]).encode()


def paths(value, path=()):
    """Places of JSON, one of each path without its indices: (keys to it, True for the key itself)."""
    if isinstance(value, dict):
        for key in value:
            yield path + (key,), True
            yield from paths(value[key], path + (key,))
    elif isinstance(value, list):
        for index in range(min(2, len(value))):
            yield from paths(value[index], path + (index,))
    else:
        yield path, False


def changed(value, path, key, payload):
    if not path:
        return payload
    first, rest = path[0], path[1:]
    if isinstance(value, list):
        return [changed(item, rest, key, payload) if index == first else item for index, item in enumerate(value)]
    if key and not rest:
        return {payload if name == first else name: item for name, item in value.items()}
    return {name: changed(item, rest, key, payload) if name == first else item for name, item in value.items()}


def in_json(source, payloads):
    value = json.loads(source)
    seen = {}
    for path, key in paths(value):
        seen.setdefault((tuple(part for part in path if isinstance(part, str)), key), path)
    places = list(seen.items())
    for (_, key), path in places[::max(1, len(places) // POSITIONS)]:
        for payload in payloads:
            yield json.dumps(changed(value, path, key, payload), ensure_ascii=payload is MARKS).encode()


def in_lines(source, payloads):
    rows = source.rstrip("\n").split("\n")
    step = max(1, len(rows) // 3)
    for index in range(0, len(rows), step):
        for row in in_json(rows[index], payloads):
            yield "\n".join(rows[:index] + [row.decode()] + rows[index + 1:] + [""]).encode()


# ---- families: input, how it is changed, and who reads it ----

CHECK = [("check @", text), ("check --explain-all @", text), ("check --format gcc @", text), ("check --format github @", commands),
         ("check --format gitlab @", of_json), ("check --format json @", of_json), ("check --format junit @", of_xml),
         ("check --format markdown @", markdown), ("check --format rdjson @", of_json), ("check --format sarif @", of_json)]
PLAN = [("plan @", text), ("plan --format json @", of_json), ("sim --memory-report --collectives @", text), ("sim --format json @", of_json),
        ("sim --trace - @", of_json), ("sim --compare @ base.yaml", text), ("sim --compare base.yaml --format json @", of_json),
        ("ranks @", text), ("ranks --rank 1 --format json @", of_json), ("mesh @", text), ("diff base.yaml @", text),
        ("diff --format markdown @ base.yaml", markdown), ("diff --format json @ base.yaml", of_json), ("reshard @ base.yaml", text),
        ("reshard --format json base.yaml @", of_json), ("explain @ parallelism.tp", text)]
DRAW = [("draw @", drawn), ("draw --format svg @", of_xml), ("draw --format dot @", dot), ("draw --figure groups @", drawn),
        ("draw --figure groups --format svg @", of_xml), ("draw --figure groups --format dot @", dot),
        ("draw --figure shards --format svg @", of_xml), ("draw --figure compare --format svg @", of_xml),
        ("draw --figure memory --format svg @", of_xml), ("draw --figure pipeline --format svg @", of_xml)]
WRITE = [("report -o - @", html), ("report -o - base.yaml @", html), ("init @", yaml), ("convert --to native @", yaml),
         ("convert --to torchtitan @", toml), ("convert --to megatron @", shell), ("convert --to torchtune @", yaml),
         ("convert --to accelerate @", yaml), ("guard @", python), ("guard --emit json @", of_json)]
SEARCH = "search --fix pp=1 --fix cp=1 --fix tp=2 --top 2 -j 1 "
SEARCHES = [(SEARCH + "@", text), (SEARCH + "--format json @", of_json), (SEARCH + "--shard 1/2 --format jsonl @", lines_of_json)]
FOUND = [("draw --figure pareto @", drawn), ("draw --figure pareto --format svg @", of_xml), ("draw --figure pareto --format dot @", dot),
         ("report --search -o - @", html)]
EVIDENCE = [("observe @", text), ("observe --format json @", of_json), ("observe --format yaml @", yaml), ("verify base.yaml @", text),
            ("verify --format json base.yaml @", of_json), ("slow base.yaml @", text), ("slow --format json base.yaml @", of_json),
            ("draw groups @", drawn), ("draw groups --format svg @", of_xml), ("draw groups --format dot @", dot),
            ("draw compare --format svg base.yaml @", of_xml)]
DEAD = [("why @", text), ("why --format json @", of_json), ("why @ base.yaml", text), ("why --format json @ base.yaml", of_json)]
NATIVE = "plans/expectations.yaml"


def config(path, lines):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        source = file.read()
    return everywhere(source, shlex.quote if path.endswith(".sh") else quoted, (MARKS, LINES)), os.path.splitext(path)[1], lines


def evidence(path, lines):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        source = file.read()
    extension = os.path.splitext(path)[1]
    if extension == ".json":
        return in_json(source, (MARKS, LINES)), extension, lines
    if extension == ".jsonl":
        return in_lines(source, (MARKS, LINES)), extension, lines
    return raw(source), extension, lines


def raw(source):
    """A text of lines has no quotes: there the marks stand as they are, and bytes that are no text."""
    yield from everywhere(source, str, (MARKS,))
    spans = list(words(source))
    for start, end in spans[::max(1, len(spans) // POSITIONS)]:
        yield source[:start].encode() + BYTES + source[end:].encode()


def named():
    """A good config under hostile names."""
    with open(os.path.join(ROOT, NATIVE), "rb") as file:
        good = file.read()
    for name in (MARKS.replace("/", "\u2215").encode()[:240], LINES.encode()[:240], BYTES):
        yield good, name
        yield good.replace(b"tp: 2", b"tp: 3"), name


def told():
    """What a command line says."""
    for payload in (MARKS, LINES):
        for option in ("--set", "--env", "--framework", "--expect", "--config", "--launcher", "--dialect", "--world", "--ignore", "--baseline", "--fail-on"):
            yield ["check", option, payload, "base.yaml"]
        for option in ("--set", "--expect", "--env"):
            yield ["check", option, "cluster.gpu=" + payload, "base.yaml"]
        for line in ("plan --mesh", "plan --param", "plan --rank", "sim --gpu", "sim --nic", "sim --fabric", "sim --straggler", "sim --link-down",
                     "sim --tokens", "sim --profile", "sim --compare", "search --fix", "search --vary", "search --gpu", "search --hosts",
                     "search --lost", "search --sweep", "search --merge", "search --shard", "search --model", "ranks --lost", "ranks --hosts",
                     "draw --figure", "draw --axis", "draw --parameter", "draw --format", "convert --to", "reshard --param", "coll", "coll --gpu",
                     "presets", "explain", "rules --format", "mesh", "shard --placements", "schedule --name", "schema", "completion", "man", "help",
                     "calibrate --gpu", "calibrate -o - --nic", "why", "observe", "verify base.yaml", "slow base.yaml", "ci --base", ""):
            words_of = line.split() + [payload]
            yield words_of if "--" not in line or line.startswith(("shard", "schedule", "coll", "rules")) else words_of + ["base.yaml"]


JOB = "testdata/evidence/jobs/hsdp-2x4/"
PROJECT = """parplan: 1
framework: {torchtitan: v0.2.0}
cluster: {gpus_per_node: 8, gpu: h100-sxm}
world: 32
rules: {hsdp-collapsed: warning}
ignore: [heads-divisibility]
exclude: [old/*]
baseline: known.json
fail-on: error
strict: true
"""
SMALL = """parplan: 1 # so few layouts that all are found at once
framework: {torchtitan: v0.2.2}
cluster: {gpu: h100-sxm, nodes: 1, gpus_per_node: 2}
model: llama3-1b
parallelism: {dp_shard: -1}
training: {seq_len: 8192, local_batch_size: 1, activation_checkpoint: {mode: selective, option: op}}
expect: {data_parallel: fsdp}
"""
BASELINE = """{"schema":"parplan.baseline/1","findings":[
{"fingerprint":"c110fe8d7729c6e7","rule":"degrees-product","path":"base.yaml","key":"parallelism.dp_shard","message":"m","count":1}]}"""
FAMILIES = {
    "native": lambda: config(NATIVE, CHECK + PLAN + DRAW + WRITE),
    "hosts of a config": lambda: config("plans/hsdp-on-hosts.yaml", CHECK[:2] + PLAN + WRITE),
    "searched": lambda: config("plans/hsdp-2x8.yaml", SEARCHES),
    "found": lambda: (everywhere(SMALL, quoted, (MARKS, LINES)), ".yaml", FOUND),
    "mesh": lambda: config("plans/mesh-of-a-script.yaml", CHECK + PLAN + DRAW + WRITE),
    "toml": lambda: config("plans/torchtitan-llama3-8b.toml", CHECK + PLAN + DRAW + WRITE),
    "launch script": lambda: config("testdata/launch/megatron/commands.sh", CHECK + PLAN + WRITE),
    "manifest": lambda: config("testdata/dialects/k8s/jobset.yaml", CHECK + PLAN + WRITE),
    "launcher": lambda: config("testdata/dialects/k8s/jobset.yaml", [("check --launcher @ base.yaml", text), ("plan --launcher @ base.yaml", text)]),
    "deepspeed": lambda: evidence("testdata/dialects/deepspeed/autotp.json", CHECK + PLAN + WRITE),
    "project": lambda: (everywhere(PROJECT, quoted, (MARKS, LINES)), ".yaml",
                        [(line.replace("@", "--config @ base.yaml"), kind) for line, kind in CHECK + PLAN[:3]]),
    "baseline": lambda: (in_json(BASELINE, (MARKS, LINES)), ".json", [(line.replace("@", "--baseline @ base.yaml"), kind) for line, kind in CHECK]),
    "sweep": lambda: config("plans/sweeps/two-machines", [(SEARCH + "--time-limit 1 --sweep @ base.yaml", text),
                                                         (SEARCH + "--time-limit 1 --format json --sweep @ base.yaml", of_json),
                                                         (SEARCH + "--time-limit 1 --write @.best --sweep @ base.yaml", text)]),
    "part": lambda: (in_lines(PART.stdout.decode(), (MARKS, LINES)), ".jsonl", [(SEARCH + "--merge base.yaml @", text)]),
    "part of several": lambda: (in_lines(PARTS.stdout.decode(), (MARKS, LINES)), ".jsonl", [(SEARCH + "--merge base.yaml base.yaml @", text)]),
    "hosts": lambda: (raw("# two\ngpu-a07 slots=8\ngpu-b01:8\ngpu-c[01-02] slots=8 max_slots=8\n"), "",
                      [("ranks --hosts @ base.yaml", text), ("ranks --hosts @ --format json base.yaml", of_json), ("ranks --hosts @ --lost 1 base.yaml", text),
                       ("ranks --hosts @ --rank 9 base.yaml", text), (SEARCH + "--hosts @ --lost node1 base.yaml", text)]),
    "profile": lambda: config("testdata/nccl/h100-all-reduce.yaml", [("sim --profile @ base.yaml", text), ("sim --profile @ --format json base.yaml", of_json),
                                                                   ("coll --profile @ all_reduce 1GiB", text), ("slow --profile @ base.yaml @", text)]),
    "flight recorder": lambda: evidence("testdata/evidence/hsdp-2x8/rank_0.json", EVIDENCE + DEAD),
    "hung recorder": lambda: evidence("testdata/evidence/hung/other/dump_0.json", EVIDENCE + DEAD),
    "execution trace": lambda: evidence("testdata/evidence/execution/trace.json", EVIDENCE),
    "profiler": lambda: evidence("testdata/evidence/profiler/rank0_trace.json", EVIDENCE + [("calibrate -o - @", yaml), ("calibrate --format json -o /dev/null @", of_json)]),
    "inspector": lambda: evidence("testdata/calibrate/inspector-rank0.jsonl", EVIDENCE + [("calibrate -o - @", yaml), ("calibrate --format json -o /dev/null @", of_json)]),
    "ras": lambda: evidence(JOB + "ras-1.json", EVIDENCE),
    "ras text": lambda: evidence(JOB + "ras.txt", EVIDENCE),
    "nccl log": lambda: evidence(JOB + "nccl.node0.4000.log", EVIDENCE + DEAD),
    "nccl tests": lambda: evidence("testdata/nccl/h100-all-reduce.txt", [("calibrate -o - @", yaml), ("calibrate --format json -o /dev/null @", of_json), ("calibrate -o /dev/null @", text)]),
    "nccl list": lambda: evidence("testdata/calibrate/nccl-2.27.log", [("calibrate -o - @", yaml), ("calibrate --format json -o /dev/null @", of_json)]),
    "cudabench": lambda: evidence("testdata/calibrate/cudabench.json", [("calibrate -o - @", yaml), ("calibrate --format json -o /dev/null @", of_json)]),
    "training log": lambda: evidence("testdata/evidence/training/megatron.log", EVIDENCE + DEAD),
    "titan log": lambda: evidence("testdata/evidence/titan.log", EVIDENCE + DEAD),
    "dead log": lambda: evidence("testdata/logs/degrees.log", DEAD),
    "hung log": lambda: evidence("testdata/logs/hang-slurm.log", DEAD),
    "memory log": lambda: evidence("testdata/logs/memory.log", DEAD),
}
TOTALS = {"runs": 0, "wrong": 0, "inputs": 0}


def judge(words_of, kind, done=None):
    """Says what is wrong with what a command line prints, or has printed."""
    done = done or run(words_of, text=False)
    TOTALS["runs"] += 1
    found = []
    if not 0 <= done.returncode <= 3:
        found.append("exit status %d" % done.returncode)
    for out in (done.stdout, done.stderr):
        control = CONTROLS.search(out)
        if control:
            found.append("control characters: %r" % out[max(0, control.start() - 30):control.end() + 10])
    if b"##[" in done.stdout + done.stderr or b"##vso[" in done.stdout + done.stderr:
        found.append("a runner's command within a line")
    found.append(text(done.stderr) and "stderr: %s" % text(done.stderr))
    if done.stdout:
        # Instead of what it cannot write a command says why not.
        kind = text if done.returncode and kind in (shell, python, toml, yaml, dot) else kind
        try:
            found.append(kind(done.stdout))
        except (ValueError, SyntaxError, xml.ParseError) as error:
            found.append("no %s: %s" % (kind.__name__.replace("of_", ""), error))
    if os.path.exists(SUMMARY):
        with open(SUMMARY, "rb") as file:
            found.append(markdown(file.read()))
        os.unlink(SUMMARY)
    complain(words_of, found)


def complain(words_of, found):
    for what in filter(None, found):
        TOTALS["wrong"] += 1
        print("%s: %s" % (" ".join(word if word.isprintable() else repr(word) for word in words_of), what))


def try_family(family, names):
    contents, extension, lines = FAMILIES[family]()
    for number, content in enumerate(contents):
        TOTALS["inputs"] += 1
        name = "%s-%d%s" % (family.replace(" ", "-"), number, extension)
        with open(name, "wb") as file:
            file.write(content)
        before = TOTALS["wrong"]
        for line, kind in lines:
            judge([word.replace("@", name) if word in ("@", "@.best") else word for word in line.split()], kind)
        if TOTALS["wrong"] == before and not os.environ.get("KEEP"):
            os.unlink(name)


def try_names():
    for number, (content, name) in enumerate(named()):
        for extension in (b".yaml", b""):
            with open(name + extension, "wb") as file:
                file.write(content)
            for line, kind in CHECK + PLAN + DRAW + WRITE + SEARCHES:
                judge([os.fsdecode(name + extension) if word == "@" else word for word in line.split()], kind)
            os.unlink(name + extension)
    with open(os.path.join(ROOT, "testdata/logs/degrees.log"), "rb") as file:
        log = file.read()
    with open(os.path.join(ROOT, "testdata/evidence/hsdp-2x8/rank_0.json"), "rb") as file:
        dump = file.read()
    for content, lines in ((log, DEAD), (dump, EVIDENCE + DEAD), (b"gpu-a07 slots=8\n", FAMILIES["hosts"]()[2])):
        for _, name in named():
            with open(name, "wb") as file:
                file.write(content)
            for line, kind in lines:
                judge([os.fsdecode(name) if word == "@" else word for word in line.split()], kind)
            os.unlink(name)


# ---- a pull request ----

CI = [("ci --base @", text), ("ci --format markdown --base @", markdown), ("ci --format github --base @", commands)] + [
    (line.replace("check", "ci", 1).replace("@", "--base @"), kind) for line, kind in CHECK if "--format" in line and "github" not in line and "markdown" not in line]


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout.strip()


def committed(files):
    """A commit that has these files as they are here, by its hash."""
    for name, content in files.items():
        with open(name, "wb") as file:
            file.write(content)
    git("add", "--", *files)
    git("commit", "--allow-empty", "-qm", MARKS)
    return git("rev-parse", "HEAD")


def requested(good, bad, lines):
    """What a pull request makes hostile, and what another mends."""
    base = committed(good)
    middle = committed(bad)
    for line, kind in lines:
        judge([base if word == "@" else word for word in line.split()], kind)
    committed(good)
    for line, kind in lines[:2]:
        judge([middle if word == "@" else word for word in line.split()], kind)
    return middle


def try_ci():
    """All hostile configs at once; hostile settings of the project one by one."""
    os.makedirs("ci", exist_ok=True)
    good, bad = {}, {}
    for path in (NATIVE, "plans/torchtitan-llama3-8b.toml", "testdata/launch/megatron/commands.sh"):
        with open(os.path.join(ROOT, path), "rb") as file:
            source = file.read()
        contents, extension, _ = config(path, ())
        for number, content in enumerate(contents):
            name = os.fsencode("ci/%s-%d%s" % (os.path.basename(path), number, extension))
            good[name], bad[name] = source, content
    for content, name in named():
        good[b"ci/" + name + b".yaml"], bad[b"ci/" + name + b".yaml"] = content.replace(b"tp: 3", b"tp: 2"), content.replace(b"tp: 2", b"tp: 3")
    TOTALS["inputs"] += len(bad)
    middle = requested(good, bad, CI)
    listed = b"".join(name + b"\0" for name in [*good, b"ci/nowhere", MARKS.encode(), b"/etc/hostname", b"../outside"])
    for line, kind in CI[:3]:
        words_of = line.replace("@", middle).split() + ["--changed", "-"]
        judge(words_of, kind, subprocess.run([BINARY, *words_of], input=listed, capture_output=True))
    name = b"ci/base.yaml"
    for content in everywhere(PROJECT, quoted, (MARKS, LINES)):
        TOTALS["inputs"] += 1
        with open("base.yaml", "rb") as file:
            whole = file.read()
        requested({b"ci/.parplan.yaml": PROJECT.encode(), name: whole}, {b"ci/.parplan.yaml": content, name: whole.replace(b"tp: 2", b"tp: 4")}, CI[:4])
    git("rm", "-rqf", "ci")
    git("commit", "-qm", "none")


# ---- an editor ----

SHOWN = {"title", "message", "label", "name", "detail", "documentation"}  # as plain text; the rest of an answer is quoted as JSON


class Editor(Client):
    def __init__(self):
        super().__init__(server=[BINARY, "lsp"])
        self.start()

    def look(self, name, content):
        """What is wrong with all that an editor is shown of a text under that name."""
        uri = "file://" + quote(os.path.join(os.fsencode(FOLDER), name))
        words_in = [content[:start] for start, _ in words(content)]
        here = {"textDocument": {"uri": uri}}
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": content.count("\n") + 1, "character": 0}}
        answers = [self.open(uri, content)]
        for method in ("documentSymbol", "inlayHint", "codeAction"):
            answers.append(self.ask("textDocument/" + method, dict(here, range=everything, context={"diagnostics": []})))
        for before in words_in[::max(1, len(words_in) // (4 * POSITIONS))]:
            where = {"line": before.count("\n"), "character": len(before[before.rfind("\n") + 1:].encode("utf-16-le")) // 2}
            for method in ("hover", "completion", "definition"):
                answers.append(self.ask("textDocument/" + method, dict(here, position=where)))
        self.tell("textDocument/didClose", here)
        said = [message for message in self.kept if message.get("method", "").startswith("window/")]
        self.kept.clear()
        return [shown(answer) for answer in answers] + ["it says %s" % json.dumps(message) for message in said]


def shown(value, key=""):
    """What is wrong with an answer, wherever in it."""
    if isinstance(value, dict):
        if value.get("kind") == "markdown":
            return markdown(value["value"].encode()) and "hover: " + markdown(value["value"].encode())
        if "error" in value:
            return "an error: %s" % value["error"]
        return next(filter(None, (shown(value[name], name) for name in value)), None)
    if isinstance(value, list):
        return next(filter(None, (shown(item, key) for item in value)), None)
    if isinstance(value, str) and key in SHOWN:
        return text(value.encode()) and "%s: %s" % (key, text(value.encode()))


def edited():
    """Texts as an editor has them, with the names of their files."""
    for path in (NATIVE, "plans/hsdp-on-hosts.yaml", "plans/torchtitan-llama3-8b.toml", "testdata/launch/megatron/commands.sh",
                 "testdata/dialects/k8s/jobset.yaml", "testdata/dialects/verl/hsdp.yaml"):
        contents, extension, _ = config(path, ())
        for number, content in enumerate(contents):
            yield os.fsencode("edited-%d%s" % (number, extension)), content
    for content in evidence("testdata/dialects/deepspeed/autotp.json", ())[0]:
        yield b"edited.json", content
    for content in everywhere(PROJECT, quoted, (MARKS, LINES)):
        yield b".parplan.yaml", content
    for content, name in named():
        yield name + b".yaml", content


def try_lsp():
    editor = Editor()
    for name, content in edited():
        TOTALS["inputs"] += 1
        TOTALS["runs"] += 1
        try:
            complain(["lsp", os.fsdecode(name)], editor.look(name, content.decode()))
        except (EOFError, queue.Empty, ValueError) as error:
            complain(["lsp", os.fsdecode(name)], ["no answer: %s" % error])
            editor = Editor()
    control = CONTROLS.search(editor.bytes)
    complain(["lsp"], [control and "control characters: %r" % editor.bytes[max(0, control.start() - 30):control.end() + 10]])
    editor.stop()
    complain(["lsp"], [text(editor.server.stderr.read())])


os.chdir(FOLDER)
os.environ["COLUMNS"] = "10000"  # no line is broken where there is room
SUMMARY = os.environ["GITHUB_STEP_SUMMARY"] = os.path.join(FOLDER, "summary.md")
os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", GIT_AUTHOR_NAME=MARKS, GIT_AUTHOR_EMAIL="a@example.org",
                  GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@example.org")
for source, copy in ((NATIVE, "base.yaml"), ("plans/hosts/four-nodes", "hosts/four-nodes")):
    os.makedirs(os.path.dirname(copy) or ".", exist_ok=True)
    with open(os.path.join(ROOT, source), "rb") as from_file, open(copy, "wb") as to_file:
        to_file.write(from_file.read())
PART = run((SEARCH + "--shard 1/2 --format jsonl base.yaml").split(), text=False)
PARTS = run((SEARCH + "--shard 1/2 --format jsonl base.yaml base.yaml").split(), text=False)
chosen = sys.argv[2:] or [*FAMILIES, "names", "command line", "ci", "lsp"]
for family in chosen:
    if family == "names":
        try_names()
    elif family in ("ci", "lsp"):
        {"ci": try_ci, "lsp": try_lsp}[family]()
    elif family == "command line":
        for words_of in told():
            judge(words_of, text)
    else:
        try_family(family, chosen)
print("%d inputs, %d runs" % (TOTALS["inputs"], TOTALS["runs"]), file=sys.stderr)
print("%d passed, %d failed" % (TOTALS["runs"] - TOTALS["wrong"], TOTALS["wrong"]))
