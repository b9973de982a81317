#!/usr/bin/env python3
"""Every format of `parplan check` against its json, over files that are clean, wrong and hostile.

Usage: formats.py PARPLAN FOLDER. What a format writes is read back by a reader of its own; findings, places, texts
and edits must be those of the json. Prints what differs, then "N passed, M failed"."""
import functools
import html
import json
import os
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "schemas"))
import validate  # noqa: E402

PARPLAN, FOLDER = sys.argv[1], sys.argv[2]
SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemas")
COMMENT_BYTES = 65536
KEY = r'"a\n::error::b]]>\x07<&\"%41,: [x](1) | @a #1 é 🙂"'
HOSTILE = {
    b"new\nline.yaml": "parplan: 1\n%s: 1\n" % KEY,
    b"quote\"'<&>]]>.yaml": "parplan: 1\n%s: 1\n" % KEY,
    b"per%41,cent:x;y=z.yaml": "parplan: 1\n%s: 1\n" % KEY,
    b"bytes\xff\xfe.yaml": "parplan: 1\n%s: 1\n" % KEY,
    b"escape\x1b[31m|`tick``.yaml": "parplan: 1\n%s: 1\n" % KEY,
    "ünï 🙂.yaml".encode(): "parplan: 1\n%s: 1\n" % KEY,
    b"columns.yaml": "parplan: 1\nworld: 8\nparallelism: {\"é🙂\": 1, tp: 3, dp_shard: 3}\n",
    b"crlf.yaml": "parplan: 1\r\nworld: 8\r\nparallelism: {tp: 3, dp_shard: 3}\r\n",
    b"mark.yaml": "\ufeffparplan: 1\nworlt: 8\n",
    b"syntax.yaml": "parplan: [1\n",
    b"empty.yaml": "",
    b"many.yaml": "parplan: 1\n" + "".join("# parplan: bogus%d\n" % i for i in range(1500)),
}
CASES = [
    ["clean.yaml"], ["wrong.yaml"], ["empty.yaml"], ["many.yaml"], ["-"], ["crlf.yaml", "mark.yaml", "columns.yaml"],
    ["wrong.yaml", "clean.yaml", "sub/../wrong.yaml", "./syntax.yaml"], ["wrong.yaml", "not-there.yaml", "clean.yaml"],
    ["clean.yaml", "--set", "parallelism.tp=3"], ["clean.yaml", "--fail-on", "note", "--error", "unknown-key"],
    [os.path.join(os.path.realpath(FOLDER), "wrong.yaml")],
] + [[name] for name in HOSTILE if b"many" not in name] + [["edits.yaml"]]


def run(arguments, form, *more):
    command = [PARPLAN, "check", "--format", form, *arguments, *more]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, input=b"parplan: 1\nparallelism: {tp: [}\n", check=False)
    return done.stdout, done.returncode


def plain(text):
    """A text as formats show it: control characters and bytes that are no UTF-8 become U+FFFD."""
    return "".join("\ufffd" if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or 0xD800 <= ord(c) < 0xE000
                   else c for c in text)


def line(text):
    return re.sub(r"[ \t\n\r]+", " ", plain(text))


def shown(path):
    return path if path.startswith("<") else os.path.relpath(os.path.normpath(path), os.path.realpath(FOLDER)) \
        if os.path.isabs(path) else os.path.normpath(path)


@functools.lru_cache(None)
def source(path):
    with open(os.path.join(os.fsencode(FOLDER), os.fsencode(path)), encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def expected(document):
    """(path, line, column, rule, severity, message, edits) of every finding; an option's place is the file's."""
    found = []
    for file in document["files"]:
        for finding in file["findings"]:
            span, path = finding["span"] or {}, finding["path"]
            if path != file["path"] and path.startswith("<"):
                span, path = {}, file["path"]
            found.append({"path": shown(path), "line": span.get("line"), "column": span.get("column"),
                          "rule": finding["rule"], "severity": finding["severity"], "message": finding["message"],
                          "edits": finding["fix"]["edits"], "related": len(finding["related"])})
    return found


def unjudged(document):
    """How many files were judged in part, or not at all: every format says so of each."""
    return sum(file["judged"]["status"] != "judged" for file in document["files"])


def undecided(document):
    """The rules that are undecided: as many everywhere."""
    names = [s["rule"] for s in document["summary"]["skipped"] if not s["optional"]]
    same("undecided", len(names), document["summary"]["judged"]["rules"]["undecided"])
    return names


def same(what, got, want):
    if got != want:
        for a, b in zip(got, want):
            if a != b:
                raise AssertionError("%s: %r, not %r" % (what, a, b))
        raise AssertionError("%s: %d, not %d" % (what, len(got), len(want)))


def schema(name, document):
    with open(os.path.join(SCHEMAS, name + ".json"), encoding="utf-8") as file:
        rules = json.load(file)
    validate.check(rules, rules, document)


def places(wanted):
    return [(w["path"], w["line"], w["column"], w["rule"], w["severity"]) for w in wanted]


def begins(what, texts, wanted, shape=plain):
    same(what, [t[:len(shape(w["message"]))] for t, w in zip(texts, wanted)], [shape(w["message"]) for w in wanted])


@functools.lru_cache(None)
def starts(text):
    return [0] + [match.end() for match in re.finditer("\n", text)]


def offset(text, row, column, encoded=False):
    """The index of a 1-based line and column, counted in code points, or in bytes of UTF-8."""
    start = starts(text)[row - 1]
    if encoded:
        rest = text[start:start + 1000].encode("utf-8", "surrogateescape")
        return start + len(rest[:column - 1].decode("utf-8", "surrogateescape"))
    return start + column - 1 + (row == 1 and text.startswith("\ufeff"))


def applied(text, edits, encoded=False):
    for row, column, end_row, end_column, new in sorted(edits, reverse=True):
        text = text[:offset(text, row, column, encoded)] + new + text[offset(text, end_row, end_column, encoded):]
    return text


def fixed(wanted):
    """What a finding's edits make of its file; None without edits."""
    if not wanted["edits"]:
        return None
    return applied(source(wanted["path"]), [(*list(e["span"].values()), e["text"]) for e in wanted["edits"]])


def uri(location):
    return urllib.parse.unquote(location["uri"], errors="surrogateescape").removeprefix("file://")


def sarif(output, wanted, document):
    log = json.loads(output)
    schema("sarif", log)
    run_ = log["runs"][0]
    results, rules = run_["results"], [rule["id"] for rule in run_["tool"]["driver"]["rules"]]
    got, texts = [], []
    for result, want in zip(results, wanted):
        where = result["locations"][0]["physicalLocation"]
        region = where["region"]
        alone = want["line"] is None
        got.append((uri(where["artifactLocation"]), None if alone else region["startLine"], region.get("startColumn"),
                    rules[result["ruleIndex"]], result["level"]))
        texts.append(result["message"]["text"].replace("\\[", "["))
        same("ruleId", [result["ruleId"]], [rules[result["ruleIndex"]]])
        same("relatedLocations", len(result.get("relatedLocations", [])), want["related"])
        same("codeFlows", "codeFlows" in result, bool(want["related"] and not alone))
        change = result["fixes"][0]["artifactChanges"][0] if "fixes" in result else None
        new = applied(source(uri(change["artifactLocation"])), [
            (*r["deletedRegion"].values(), r["insertedContent"]["text"]) for r in change["replacements"]]) if change else None
        same("fix", new, fixed(want) if not want["path"].startswith("<") else None)
    same("results", got + [None] * (len(results) - len(wanted)), places(wanted))
    begins("messages", texts, wanted)
    prints = [result["partialFingerprints"]["parplan/v1"] for result in results]
    same("fingerprints", len(set(prints)), len(prints))
    notices = run_["invocations"][0]["toolExecutionNotifications"]
    same("skipped", [n["associatedRule"]["id"] for n in notices if "associatedRule" in n], undecided(document))
    same("judged", run_["invocations"][0]["properties"]["rulesUndecided"], len(undecided(document)))


def junit(output, wanted, document):
    root = xml.fromstring(output)
    for kind in ("tests", "failures", "errors", "skipped"):
        same(kind, int(root.get(kind)), sum(int(suite.get(kind)) for suite in root))
    cases = list(root.iter("testcase"))
    same("tests", len(cases), int(root.get("tests")))
    for kind, name in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        same(kind, len(list(root.iter(name))), int(root.get(kind)))
    texts = "".join(e.text or "" for name in ("failure", "system-out") for e in root.iter(name)).split("\n")
    got = sorted(re.sub(r"^.*?(:\d+:\d+)?: (?=(error|warning|note): )", r"\1 ", t) for t in texts if t and not t.startswith("  "))
    heads = sorted("%s %s: %s" % (":%d:%d" % (w["line"], w["column"]) if w["line"] else "", w["severity"], line(w["message"]))
                   for w in wanted)
    begins("findings", [g for g in got], [{"message": h} for h in heads], lambda text: text)
    same("findings", len(got), len(heads))
    names = undecided(document)
    same("judged", sum(c.get("name") == "judged" and c.find("skipped") is not None for c in cases), unjudged(document))
    same("skipped", [c.get("name") for c in cases if c.find("skipped") is not None and c.get("name") in names], names)


def written_out(path):
    """A path as it goes out to runners: bytes that are no text are U+FFFD, control characters but those that %XX stands for are written out."""
    return re.sub("[\x00-\x09\x0b\x0c\x0e-\x1f]", lambda c: "\\u%04x" % ord(c[0]), re.sub("[\udc80-\udcff]", "\ufffd", path))


def github(output, wanted, document):
    lines = output.decode("utf-8", "surrogateescape").split("\n")[:-2]
    words = {"error": "error", "warning": "warning", "notice": "note"}
    got, texts, judged = [], [], 0
    for command in lines:
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", command)
        if not match:
            raise AssertionError("no workflow command: %r" % command)
        kind, listed, text = match.groups()
        have = dict(part.split("=", 1) for part in listed.split(","))
        have = {key: unescape(value) for key, value in have.items()}
        if have["title"] == "parplan":
            continue
        if have["title"] == "parplan (judged)":
            judged += kind == "notice" and ("partly judged: " in text or "not judged: " in text)
            continue
        got.append((have.get("file", "<stdin>"), int(have["line"]) if "line" in have else None,
                    int(have["col"]) if "col" in have else None, have["title"][len("parplan ("):-1], words[kind]))
        texts.append(unescape(text) if "file" in have else re.sub(r"^<stdin>:\d+:\d+: ", "", unescape(text)))
    same("judged", judged, unjudged(document))
    same("annotations", [g[:2] + g[3:] for g in got], [(written_out(p[0]), p[1], *p[3:]) if p[0] != "<stdin>" else (p[0], None, *p[3:]) for p in places(wanted)])
    begins("messages", texts, wanted)


def unescape(text):
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


def gitlab(output, wanted, document):
    issues = json.loads(output)
    schema("gitlab", issues)
    same("fingerprints", len({i["fingerprint"] for i in issues}), len(issues))
    same("judged", sum(i["check_name"] == "judged" for i in issues), unjudged(document))
    issues = [i for i in issues if i["check_name"] != "judged"]
    severities = {"major": "error", "minor": "warning", "info": "note"}
    same("issues", [(i["location"]["path"], i["location"]["lines"]["begin"], i["check_name"], severities[i["severity"]]) for i in issues],
         [(readable(w["path"]), w["line"] or 1, w["rule"], w["severity"]) for w in wanted])
    begins("descriptions", [i["description"][len(i["check_name"]) + 2:] for i in issues], wanted, line)


def readable(path):
    """A path in JSON, where a byte that is no UTF-8 is U+FFFD."""
    return re.sub("[\udc80-\udcff]", "\ufffd", path)


def rdjson(output, wanted, document):
    result = json.loads(output)
    schema("rdjson", result)
    every = result["diagnostics"]
    result["diagnostics"] = [each for each in every if each["code"]["value"] != "judged"]
    same("judged", len(every) - len(result["diagnostics"]), unjudged(document))
    severities = {"ERROR": "error", "WARNING": "warning", "INFO": "note"}
    got = []
    for each, want in zip(result["diagnostics"], wanted):
        start = each["location"].get("range", {}).get("start", {})
        row, column = start.get("line"), start.get("column")
        if row and not want["path"].startswith("<"):
            text = source(want["path"])
            column = offset(text, row, column, True) - offset(text, row, 1) + 1
        got.append((each["location"]["path"], row, column, each["code"]["value"], severities[each["severity"]]))
        new = [applied(source(want["path"]), [(s["range"]["start"]["line"], s["range"]["start"]["column"], s["range"]["end"]["line"],
                                               s["range"]["end"]["column"], s["text"])], True) for s in each["suggestions"]]
        same("suggestions", new, [fixed(want)] if want["edits"] and not want["path"].startswith("<") else [])
    same("diagnostics", got, [(readable(p[0]), *p[1:]) for p in places(wanted)])
    same("diagnostics", len(result["diagnostics"]), len(wanted))
    begins("messages", [each["message"] for each in result["diagnostics"]], wanted)


def gcc(output, wanted, document):
    lines = output.decode("utf-8", "surrogateescape").split("\n")
    same("last line", lines.pop(), "")
    pattern = re.compile(r"(.*?)(?::(\d+):(\d+))?: (error|warning|note): (.*?)(?: \[([a-z0-9-]+)\])?")
    found = [pattern.fullmatch(each).groups() for each in lines]
    if any(re.search("[\x00-\x1f]", each) for each in lines):
        raise AssertionError("a control character")
    judged = [f for f in found if not f[1] and not f[5] and re.match("(partly|not) judged: ", f[4])]
    same("judged", len(judged), unjudged(document))
    found = [f for f in found if f not in judged]
    notes = sum(w["related"] for w in wanted)
    same("lines", len(found), len(wanted) + notes)
    heads = [f for f in found if f[5]] if notes else found
    names = [re.sub("[\udc80-\udcff]", "\ufffd", w["path"].replace("\n", "\\n").replace("\x1b", "\\x1b")) for w in wanted]
    same("places", [(f[0], f[1] and int(f[1]), f[2] and int(f[2]), f[5], f[3]) for f in heads],
         [(name, *p[1:]) for name, p in zip(names, places(wanted))])
    begins("messages", [f[4] for f in heads], wanted, line)


def markdown(output, wanted, _):
    text = output.decode("utf-8", "surrogateescape")
    if len(output) >= COMMENT_BYTES:
        raise AssertionError("%d bytes are too many for a comment" % len(output))
    rows = [row for row in text.split("\n") if re.match(r"\| (error|warning|note) ", row)]
    more = re.search(r"^(\d+) more do not fit here", text, re.M)
    same("rows", len(rows) + (int(more.group(1)) if more else 0), len(wanted))
    for row in rows:
        cells = re.split(r"(?<!\\)\|", row)
        same("cells of %s" % row, len(cells), 6)
    order = ["error", "warning", "note"]
    kinds = [order.index(row.split(" ")[1]) for row in rows]
    same("order", kinds, sorted(kinds))
    want = sorted((order.index(w["severity"]) for w in wanted))[:len(rows)]
    same("severities", kinds, want)
    same("details", text.count("<details>"), text.count("</details>"))
    if not more:
        first = [re.sub(r"\\(.)|&#8203;", r"\1", html.unescape(re.split(r"(?<!\\)\|", row)[3].replace("&#8203;", ""))).strip() for row in rows]
        for message in [line(w["message"]) for w in wanted]:
            if not any(each.startswith(message.strip().replace("\\", "")) or each.replace("\\", "").startswith(message.replace("\\", "")) for each in first):
                raise AssertionError("no row says %r" % message)


FORMATS = [sarif, junit, github, gitlab, rdjson, gcc, markdown]


def xsd(output):
    """xmllint is asked where it is installed."""
    try:
        done = subprocess.run(["xmllint", "--noout", "--huge", "--schema", os.path.join(SCHEMAS, "junit.xsd"), "-"],
                              input=output, capture_output=True, check=False)
    except FileNotFoundError:
        return
    if done.returncode:
        raise AssertionError(done.stderr.decode()[:300])


def one(case, form, wanted, document, status):
    output, code = run(case, form.__name__)
    same("exit status", code, status)
    if form is junit:
        xsd(output)
    form(output, wanted, document)


def main():
    passed, failed = 0, 0
    for name, text in HOSTILE.items():
        with open(os.path.join(os.fsencode(FOLDER), name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
    for case in CASES:
        output, status = run(case, "json")
        document = json.loads(output)
        # JSON has no bytes: a path that is no UTF-8 is taken from the command line.
        if len(document["files"]) == 1 and isinstance(case[0], bytes):
            for finding in document["files"][0]["findings"]:
                finding["path"] = os.fsdecode(case[0])
            document["files"][0]["path"] = os.fsdecode(case[0])
        wanted = expected(document)
        for form in FORMATS:
            try:
                one(case, form, wanted, document, status)
                passed += 1
            except (AssertionError, validate.Misfit, ValueError, KeyError, AttributeError, xml.ParseError) as fault:
                failed += 1
                print("parplan check --format %s %s: %s: %s" % (form.__name__, case, type(fault).__name__, fault))
    print("%d passed, %d failed" % (passed, failed))


main()
