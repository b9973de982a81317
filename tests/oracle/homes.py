"""Keys of classes behind a framework's files, by which src/wings/NAME/keys.def says whose each is and what it takes."""
import ast, os, re

from history import texts

KINDS = [(r"bool", "FLAG"), (r"int|float", "NUMBER"), (r"str", "TEXT"), (r"(dict|Dict)(\[.*\])?", "MAP"),
         (r"(list|List)(\[.*\])?", "LIST")]


def kind(annotation):
    """What values a field takes, or None: which is not plain."""
    if annotation.startswith("Annotated["):
        annotation = ast.unparse(ast.parse(annotation).body[0].value.slice.elts[0])
    text = re.sub(r"^Optional\[(.*)\]$", r"\1", re.sub(r" \| None$", "", annotation))
    return next((kind for pattern, kind in KINDS if re.fullmatch(pattern, text)), None)


def arguments(node):
    """(name, annotation) of what a class' own __init__ takes; else of its fields."""
    for inner in node.body:
        if isinstance(inner, ast.FunctionDef) and inner.name == "__init__":
            return [(one.arg, one.annotation) for one in inner.args.args[1:] + inner.args.kwonlyargs]
    return [(one.target.id, one.annotation) for one in node.body if isinstance(one, ast.AnnAssign)]


def fields(text, classes):
    """(owner, name, what it takes) of the fields of those classes, and of the arguments of those functions."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name in classes:
            items = [(one.arg, one.annotation) for one in node.args.args]
        elif isinstance(node, ast.ClassDef) and node.name in classes:
            items = arguments(node)
        else:
            items = []
        for name, annotation in items:
            for owner in classes[node.name].split():
                yield owner, name, kind(ast.unparse(annotation)) if annotation else None


def write(wing, clone, commit, paths, classes, more=None):
    """Writes the rows of keys.def, whose head stays, from all versions of the files below those paths, up to a commit; `more` has
    the names by owner that are read elsewhere, of a framework that looks at no value's kind."""
    out = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", wing, "keys.def")
    kinds, rows = {}, {}
    for _, text in texts(clone, commit, *paths):
        for owner, name, takes in fields(text, classes):
            kinds.setdefault((name, owner), set()).add(None if more else takes)
    for owner in more or {}:
        for name in more[owner].split():
            kinds[name, owner] = {None}
    for (name, owner), takes in kinds.items():
        rows.setdefault((name, takes.pop() or "ANY" if len(takes) == 1 else "ANY"), set()).add(owner)
    head = open(out).read().split("/* clang-format off */\n")[0] + "/* clang-format off */\n"
    with open(out + ".new", "w") as file:
        file.write(head)
        order = list(dict.fromkeys([owner for each in classes.values() for owner in each.split()] + list(more or {})))
        for name, takes in sorted(rows):
            owners = [one for one in order if one in rows[name, takes]]
            file.write('KEY("%s", %s, %s)\n' % (name, " | ".join(owners), takes))
    os.replace(out + ".new", out)
