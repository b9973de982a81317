"""Writes the dataclasses of a JSON Schema under docs/schemas: a module of Python 3.8.

Objects become classes, named by their place in $defs or by the member that holds them; what may be absent or null is
Optional. Only what those schemas use is understood."""
import json
import keyword
import re

# What a command's whole answer is called, where that is not the command.
ROOTS = {"check": "Report", "sim": "Forecast"}
KINDS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "any": "Any"}
HEAD = '''"""%(title)s: the members of its JSON, as docs/schemas/%(command)s.json describes them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional, Union
'''


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def singular(name):
    for end, less in ("ies", "y"), ("shes", "sh"), ("sses", "ss"), ("s", ""):
        if name.endswith(end):
            return name[:-len(end)] + less
    return name


def union(kinds):
    """Of annotations, each of which may be Optional itself."""
    some, absent = [], False
    for kind in kinds:
        absent = absent or kind == "None" or kind.startswith("Optional[")
        some += [] if kind == "None" else [re.sub(r"^Optional\[(.*)\]$", r"\1", kind)]
    one = "Union[%s]" % ", ".join(some) if len(some) > 1 else "".join(some)
    return "Optional[%s]" % one if one and absent else one or "None"


def literal(values):
    return "Literal[%s]" % ", ".join(map(repr, values))


class Classes:
    def __init__(self, schema):
        self.schema = schema
        self.written = {}  # class: what it is made of, its text

    def kind(self, node, hint, parent=""):
        """The annotation of a node; hint names its class, should it need one."""
        if "$ref" in node:
            name = node["$ref"].rsplit("/", 1)[1]
            return self.kind(self.schema["$defs"][name], name)
        if "const" in node or "enum" in node:
            return literal(node.get("enum", [node.get("const")]))
        if "anyOf" in node:
            return union(self.kind(each, hint, parent) for each in node["anyOf"])
        types = node.get("type", "any")
        return union(self.typed(each, node, hint, parent) for each in ([types] if isinstance(types, str) else types))

    def typed(self, type_, node, hint, parent):
        if type_ == "array":
            return "List[%s]" % self.kind(node.get("items", {}), singular(hint), parent)
        if type_ != "object":
            return KINDS[type_]
        members = self.members(node)
        if not members:
            rest = node.get("additionalProperties")
            return "Dict[str, %s]" % (self.kind(rest, singular(hint), parent) if isinstance(rest, dict) else "Any")
        return self.dataclass(node, members, camel(hint), parent)

    def members(self, node):
        """Properties of an object. An open one that requires members of the whole answer has what one alternative of
        that has: the figures of another forecast."""
        members, whole = dict(node.get("properties", {})), self.schema["properties"]
        shared = [name for name in node.get("required", []) if name not in members and name in whole]
        if shared and "additionalProperties" not in node:
            figures = self.schema.get("anyOf", [{}])[0].get("required", [])
            members.update((name, whole[name]) for name in dict.fromkeys(shared + figures))
        return members

    def dataclass(self, node, members, name, parent):
        while name in self.written and self.written[name][0] != node:
            name = (parent or "The") + name
        if name not in self.written:
            self.written[name] = (node, "")
            required = node.get("required", [])
            fields = [self.field(key, members[key], True, name) for key in members if key in required]
            fields += [self.field(key, members[key], False, name) for key in members if key not in required]
            said = '    """%s"""\n' % node["description"] if "description" in node else ""
            self.written[name] = (node, "@dataclass\nclass %s:\n%s%s" % (name, said, "".join(fields)))
        return name

    def field(self, key, node, required, owner):
        kind = self.kind(node, key, owner)
        name = key + "_" if keyword.iskeyword(key) else key
        said = '    """%s"""\n' % node["description"] if "description" in node else ""
        return "    %s: %s\n%s" % (name, kind if required else union([kind, "None"]) + " = None", said)


def module(command, text):
    """The module for the text of a schema."""
    schema = json.loads(text)
    root = ROOTS.get(command, camel(command))
    classes = Classes(schema)
    classes.dataclass({key: schema[key] for key in schema if key in ("description", "required", "properties")},
                      schema["properties"], root, "")
    parts = [HEAD % {"title": schema["title"], "command": command}]
    parts += [text for _, text in classes.written.values()]
    parts.append("__all__ = [%s]\n" % ", ".join('"%s"' % name for name in sorted(classes.written)))
    return "\n\n".join(parts)
