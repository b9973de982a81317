"""Functions and classes cut out of their modules, where the rest of a module needs packages that play no part.

What is cut is the library's own text, run as it stands; `given` are the names that it finds around it.
"""
import ast, os, sys


def found(*parts):
    """The path of a module's file, in the first folder of the path that has it."""
    return next(path for path in (os.path.join(folder, *parts) for folder in sys.path) if os.path.exists(path))


def parsed(*parts):
    with open(found(*parts)) as file:
        return ast.parse(file.read())


def inside(tree, name):
    """The function or class of a dotted name: "Engine._init_device_mesh" is a function of its own then."""
    for part in name.split("."):
        tree = next(node for node in tree.body if getattr(node, "name", None) == part)
    return tree


def run(nodes, given):
    """Runs these statements among the names given; returns all names that there are then."""
    names = dict(given)
    exec(compile(ast.Module(list(nodes), []), "cut", "exec"), names)
    return names


def cut(parts, names, given):
    """{name: what it is} of functions and classes of one module, each by its dotted name's last part."""
    tree = parsed(*parts)
    made = run([inside(tree, name) for name in names], given)
    return {name.rpartition(".")[2]: made[name.rpartition(".")[2]] for name in names}
