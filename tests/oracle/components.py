"""What packages and modules of a framework have for a path in a config to name, by which src/wings/NAME/components.def tells slips."""
import ast, collections, os

from history import texts, tree


def statements(body):
    """Those of a module that run when it is imported."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            for inner in "body", "orelse", "finalbody":
                yield from statements(getattr(node, inner, []))
            for handler in getattr(node, "handlers", []):
                yield from statements(handler.body)


def bound(node, package, root):
    """Names that a statement binds; of a module's imports those that are of the framework's own."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
    if isinstance(node, ast.Import) and package:
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and (package or node.level or (node.module or "").split(".")[0] == root):
        return [alias.asname or alias.name for alias in node.names]
    return []


def names(text, package, root):
    """What a module has, with "*" where it takes all of another; what begins with "_" is not for others to name."""
    found, lazy = set(), False
    for node in statements(ast.parse(text).body):
        found.update(bound(node, package, root))
        lazy = lazy or isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
    if lazy:  # it has words for what it imports when asked
        found.update(one.value for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Constant) and
                     isinstance(one.value, str) and one.value.isidentifier())
    return {name for name in found if not name.startswith("_")}


def modules(files):
    """{module or package: its names} of (path, text) of Python files."""
    has = collections.defaultdict(set)
    for path, text in files:
        parts = path[:-len(".py")].split("/")
        package = parts[-1] == "__init__"
        parts = parts[:-1] if package else parts
        for i in range(1, len(parts)):
            has[".".join(parts[:i])].add(parts[i])
        try:
            has[".".join(parts)] |= names(text, package, parts[0])
        except SyntaxError:
            continue
    return has


def write(wing, clone, commit, releases, root, is_wanted, more=()):
    """Writes the rows of components.def, whose head stays: modules that are wanted, of all versions up to a commit, with a bit for
    each release that has a name, the commit being the last of them."""
    out = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", wing, "components.def")
    which, lines = collections.defaultdict(int), collections.defaultdict(list)
    every = modules(texts(clone, commit, root))
    for i, release in enumerate([*releases, commit]):
        for module, found in modules(tree(clone, release, root)).items():
            for name in found:
                which[module, name] |= 1 << i
            every[module] |= found
    for module, found in every.items():
        if is_wanted(module) and "*" not in found:
            for name in found:
                lines[module, which[module, name]].append(name)
    head = open(out).read().split("/* clang-format off */\n")[0] + "/* clang-format off */\n"
    with open(out + ".new", "w") as file:
        file.write(head)
        for module, bits in sorted(lines):
            file.write('COMPONENTS("%s", 0x%x, "%s")\n' % (module, bits, "|".join(sorted(lines[module, bits]))))
        file.writelines(more)
    os.replace(out + ".new", out)
