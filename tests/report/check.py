"""Holds pages of parplan report to what must be true of each, whatever the config says.

    check.py PAGE...

One line for every fault, with the page and what is wrong; the exit status is 1 when there are any.
"""
import base64
import hashlib
import re
import sys
import xml.etree.ElementTree as tree

XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = set("""html head meta title style script body a header nav main footer section article h1 h2 h3 h4 p div span pre
code ul li dl dt dd table caption thead tbody tr th td figure figcaption details summary label input output""".split())
SHAPES = set("svg title desc rect path polygon circle pattern text tspan g".split())
ATTRIBUTES = set("""aria-label aria-labelledby aria-live autocomplete charset class content data-sizes data-strides data-table
href http-equiv id lang max min name role scope spellcheck tabindex type value""".split())
SHAPE_ATTRIBUTES = set("""aria-labelledby class d height id points role rx stroke-width text-anchor viewBox width x y
cx cy r x1 x2 y1 y2 transform fill patternTransform patternUnits""".split())


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def faults_of_element(element):
    name = element.tag
    if name.startswith(XHTML):
        name, elements, attributes = name[len(XHTML):], ELEMENTS, ATTRIBUTES
    elif name.startswith(SVG):
        name, elements, attributes = name[len(SVG):], SHAPES, SHAPE_ATTRIBUTES
    else:
        elements = attributes = ()
    if name not in elements:
        yield f"element <{name}>"
    for key, value in element.attrib.items():
        if key not in attributes:
            yield f"attribute {key} of <{name}>"
        if key == "href" and not value.startswith("#"):
            yield f"a link to {value}"


def faults_of_ids(root):
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    for name in sorted({name for name in ids if ids.count(name) > 1}):
        yield f"the id {name} is there twice"
    for element in root.iter():
        wanted = element.get("aria-labelledby", "").split()
        wanted += [element.get("href", "#")[1:]] + [element.get("data-table")]
        for name in wanted:
            if name and name not in ids:
                yield f"there is no id {name}"


def faults_of_policy(root):
    policy = [m.get("content") for m in root.iter(XHTML + "meta") if m.get("http-equiv") == "Content-Security-Policy"]
    styles = [s.text for s in root.iter(XHTML + "style")]
    scripts = [s.text for s in root.iter(XHTML + "script")]
    if len(policy) != 1 or len(styles) != 1 or len(scripts) != 1:
        yield f"{len(policy)} policies, {len(styles)} styles, {len(scripts)} scripts"
        return
    want = (f"default-src 'none'; style-src 'sha256-{digest(styles[0])}'; script-src 'sha256-{digest(scripts[0])}'; "
            "base-uri 'none'; form-action 'none'")
    if policy[0] != want:
        yield f"the policy is {policy[0]}, not {want}"
    for hook in re.findall(r"url\(|@import|https?:", styles[0]):
        yield f"the style loads something: {hook}"
    drawn = {name for element in root.iter() if element.tag.startswith(SVG) for name in element.get("class", "").split()}
    written = {name for element in root.iter() if element.tag.startswith(XHTML) for name in element.get("class", "").split()}
    for name in sorted(drawn & written):
        yield f"class {name} is of figures and of the page"


def faults_of_outline(root):
    level = 0
    for element in root.iter():
        heading = re.fullmatch(r"\{.*\}h([1-6])", element.tag)
        if heading and int(heading[1]) > level + 1:
            yield f"<h{heading[1]}> stands below <h{level}>: {''.join(element.itertext())[:40]}"
        if heading:
            level = int(heading[1])
    for table in root.iter(XHTML + "table"):
        if table.find(XHTML + "caption") is None:
            yield "a table without a caption"
        for cell in table.iter(XHTML + "th"):
            if cell.get("scope") not in ("row", "col"):
                yield "a heading of a table without scope"
        width = len(table.findall(f"{XHTML}thead/{XHTML}tr/{XHTML}th"))
        for row in table.findall(f"{XHTML}tbody/{XHTML}tr"):
            if len(row) != width:
                yield f"a row of {len(row)} cells in a table of {width} columns"
    for picture in root.iter(SVG + "svg"):
        if picture.find(SVG + "title") is None or picture.find(SVG + "desc") is None:
            yield "a picture without words"


def faults(path):
    with open(path, "rb") as file:
        text = file.read().decode()
    if not text.startswith("<!DOCTYPE html>\n"):
        yield "no document type"
    root = tree.fromstring(text)
    for element in root.iter():
        yield from faults_of_element(element)
    yield from faults_of_ids(root)
    yield from faults_of_policy(root)
    yield from faults_of_outline(root)
    if re.search("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]", text):
        yield "a control character"


def main():
    bad = 0
    for path in sys.argv[1:]:
        try:
            found = sorted(set(faults(path)))
        except (tree.ParseError, UnicodeDecodeError) as error:
            found = [f"not well-formed: {error}"]
        for fault in found:
            print(f"{path}: {fault}")
        bad += len(found)
    return 1 if bad else 0


sys.exit(main())
