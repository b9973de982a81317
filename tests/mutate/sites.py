"""Where a source can be made wrong by one small change, and what that change is.

Kinds: a relation one off, operands or axes swapped, a condition dropped, a row of a table dropped, a date moved to the next
epoch, a constant one off. Comments, strings and preprocessor lines are left alone: what a message says is no behaviour.
"""
import re
from collections import namedtuple

# text[start:end] becomes `new`.
Site = namedtuple("Site", "kind start end new")

KINDS = ("relation", "swapped", "condition", "row", "epoch", "constant")
NEXT = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
AXES = ("pp", "dp_replicate", "dp_shard", "cp", "tp", "ep")
# Their arguments may stand in either order.
COMMUTES = {"multiply", "max", "min", "gcd", "lcm", "strcmp", "strcasecmp", "strncmp", "memcmp", "larger", "smaller", "add", "sizeof"}
NAME = r"[A-Za-z_]\w*(?:(?:->|\.)\w+|\[\w+\])*"
OPERAND = r"(?:%s|\d+)" % NAME
HIDDEN = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|^[ \t]*\#(?:\\\n|[^\n])*""", re.S | re.M)


def mask(text):
    """The text with blanks for all that is no code; a string keeps its quotes."""
    def blank(found):
        whole = found.group()
        inner = re.sub(r"[^\n]", " ", whole)
        return '"' + inner[1:-1] + '"' if whole[0] == '"' else inner
    return HIDDEN.sub(blank, text)


def relations(code, text):
    for found in re.finditer(r"(?<![<>=!\-+*/&|^%])(<=|>=|==|!=|<|>)(?![<>=])", code):
        if not re.match(r"< sizeof\(\w+\) / ", code[found.start():found.start() + 60]):  # beyond an array: the sanitizers' to see
            yield Site("relation", found.start(), found.end(), NEXT[found.group(1)])


def swaps(code, text):
    for found in re.finditer(r"\b(\w+)\((?:[^(),;{}\n]+, )*?([^(),;{}\n]+), ([^(),;{}\n]+)(?=[,)])", code):
        one, other = (text[found.start(n):found.end(n)] for n in (2, 3))
        if found.group(1) not in COMMUTES and one != other and code[code.rfind("\n", 0, found.start()) + 1:][:1] == "\t":
            yield Site("swapped", found.start(2), found.end(3), "%s, %s" % (other, one))
    for found in re.finditer(r"(?<![\w.>\])])(%s) ([-/%%]) (%s)(?![\w(\[.]|->)" % (OPERAND, OPERAND), code):
        if found.group(1) != found.group(3):
            yield Site("swapped", found.start(), found.end(), "%s %s %s" % (found.group(3), found.group(2), found.group(1)))
    for found in re.finditer(r"(?<=->)(%s)\b|\b(?<=FIELD_)(%s)\b" % ("|".join(AXES), "|".join(AXES).upper()), code):
        other = AXES[(AXES.index(found.group().lower()) + 1) % len(AXES)]
        yield Site("swapped", found.start(), found.end(), other if found.group(1) else other.upper())


def span(code, at, step):
    """How far the operand of && or || goes from `at`, forwards or backwards."""
    depth, opens, closes = 0, *(("([{", ")]}") if step > 0 else (")]}", "([{"))
    while 0 <= at < len(code):
        c = code[at]
        if c in opens:
            depth += 1
        elif c in closes:
            depth -= 1
        if depth < 0 or depth == 0 and (c in ";?:,=" and code[at - 1:at + 2].count("=") < 2 and code[at - 1] not in "<>!"
                                        and code[at + step:at + step + 1] != "=" or code[at:at + 2] in ("&&", "||")):
            return at
        if depth == 0 and step < 0 and code[at - 6:at] == "return":
            return at - 1
        at += step
    return None


def closing(code, at):
    """Where the parenthesis closes that is open at `at`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        at += 1
    return at - 1


def conditions(code, text):
    for found in re.finditer(r"\s*(?:&&|\|\|)\s*", code):
        right, left = span(code, found.end(), 1), span(code, found.start() - 1, -1)
        if right and left is not None:
            end = left + 1
            while code[end] in " \t\n|&":
                end += 1
            yield Site("condition", found.start(), len(code[:right].rstrip()), "")
            yield Site("condition", end, found.end(), "")
    for found in re.finditer(r"\bif \(", code):
        end = closing(code, found.end())
        for new in ("1", "0"):
            yield Site("condition", found.end(), end, new)
    for found in re.finditer(r"(?<![\w)])!(?![=])", code):
        yield Site("condition", found.start(), found.end(), "")


# The row that ends a list: without it whoever walks the list leaves the array, which is the sanitizers' to see.
ENDS = re.compile(r"\t\{ (?:NULL|0|\w+_END|(?:\.\w+ = )\w+_END)[ ,}]")


def rows(code, text):
    for found in re.finditer(r"^\t(?:\[\w+\] = )?\{ .*?\},?\n(?=\t(?:\[|\{|\"|\s*\{)|\};)", code, re.M | re.S):
        row = found.group()
        if row.count("{") == row.count("}") and ";" not in row and not ENDS.match(row):
            yield Site("row", found.start(), found.end(), "")
    for found in re.finditer(r"^(?!FIELDS_FROM)[A-Z_]+\([^()\n]*\)\n", code, re.M):
        yield Site("row", found.start(), found.end(), "")


DATE = r"(?<![\w.])(20[12]\d(?:0[1-9]|1[0-2])[0-3]\d(?:\d\d)?)(?![\w.])"


def epochs(code, text):
    dates = sorted({(found.group().ljust(10, "0"), found.group()) for found in re.finditer(DATE, code)})
    names = [date for _, date in dates]
    for found in re.finditer(DATE, code):
        at = names.index(found.group())
        for other in names[max(0, at - 1):at] + names[at + 1:at + 2]:
            yield Site("epoch", found.start(), found.end(), other)
    for found in re.finditer(r"version_reaches\([^;{}]*?, \d+, (\d+)\)", code):
        for other in (-1, 1):
            if int(found.group(1)) + other >= 0:
                yield Site("epoch", found.start(1), found.end(1), str(int(found.group(1)) + other))


def constants(code, text):
    for found in re.finditer(r"(?<![\w.])(\d+)(\.\d+)?(?![\w.]|\s*\*/)", code):
        line = code[code.rfind("\n", 0, found.start()) + 1:code.find("\n", found.start())]
        whole = found.group(1)
        room = re.match(r"\t*(?:static |const |unsigned |struct )*\w+[^=()]*\[\d+\][^=]*(?:=|;|$)", line) or line.startswith("FIELDS_FROM")
        if re.fullmatch(DATE, whole) or len(whole) > 1 and whole[0] == "0" or room:
            continue
        # How sure a reader is of a file counts beside others alone: it becomes the least and the most.
        sure = 10 <= int(whole) < 100 and re.search(r"detect$|claims$", place(text, found.start()))
        for other in (1, 99) if sure else (int(whole) - 1, int(whole) + 1):
            if other >= 0:
                yield Site("constant", found.start(1), found.end(1), str(other))


def find(text):
    """{kind: sites} of a source."""
    code = mask(text)
    makers = dict(zip(KINDS, (relations, swaps, conditions, rows, epochs, constants)))
    return {kind: list(maker(code, text)) for kind, maker in makers.items()}


def place(text, at):
    """The function or table that a position is in, or "" at the head of a file."""
    name = ""
    for found in re.finditer(r"^(?![ \t#/*}\n]|/\*).*?(\w+)(?:\[[^\]\n]*\])*(?:\(| = | *\{)", text[:at], re.M):
        name = found.group(1)
    return name
