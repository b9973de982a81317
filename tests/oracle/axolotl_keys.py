#!/usr/bin/env python3
"""Writes src/wings/axolotl/keys.def: every key that a version of axolotl has read from its YAML.

    ORACLE_AXOLOTL=CLONE tests/oracle/axolotl_keys.py

CLONE is that of axolotl-ai-cloud/axolotl. Keys are the fields of the pydantic classes that a file goes through (since
cc3cebfa, 2024-02-26), with their aliases, what validators of these take out of the file before it is one, and those of
axolotl's own plugins, by folder; before that, whatever the code read as cfg.NAME. A key "trl.beta" is one of a map,
"datasets.*.path" one of a map in a list.
"""
import ast, os, sys

from history import texts, tree

VALIDATED = ""
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", "axolotl", "keys.def")
CLONE, COMMIT = os.environ["ORACLE_AXOLOTL"], "067b021c"
FIRST = "cc3cebfa7"  # from here on pydantic reads the file
SCHEMAS = ["src/axolotl/utils/config", "src/axolotl/utils/schemas", "src/axolotl/integrations"]
ROOTS = ["AxolotlInputConfig", "AxolotlConfigWCapabilities"]
# What the code put into cfg itself whatever the file said, and methods of cfg.
OWN = {"capabilities", "cfg", "env_capabilities", "get", "keys", "model_config_type", "torch_dtype"}
# What transformers took of fsdp_config (TrainingArguments, and FSDP_* of accelerate) while axolotl passed it on unread.
FSDP = """activation_checkpointing auto_wrap_policy backward_prefetch backward_prefetch_policy cpu_ram_efficient_loading
final_state_dict_type forward_prefetch ignored_modules limit_all_gathers min_num_params mixed_precision_policy offload_params
reshard_after_forward sharding_strategy state_dict_type sync_module_states transformer_layer_cls_to_wrap use_orig_params
version xla xla_fsdp_grad_ckpt xla_fsdp_settings xla_fsdp_v2""".split()


class Schemas:
    """The classes of all versions by name: their bases, and the fields with all that they were annotated as."""

    def __init__(self):
        self.bases, self.fields, self.raw, self.plugins = {}, {}, {}, {}

    def read(self, path, text):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                self.read_class(node)

    def read_class(self, node):
        self.bases.setdefault(node.name, set()).update(ast.unparse(base).split(".")[-1] for base in node.bases)
        fields = self.fields.setdefault(node.name, {})
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                for name in {item.target.id} | aliases(item.value):
                    fields.setdefault(name, set()).add(ast.unparse(item.annotation))
            if isinstance(item, ast.FunctionDef) and item.name == "get_input_args":
                for word in strings(item):
                    if word.startswith("axolotl.integrations."):
                        self.plugins[word.split(".")[-1]] = word.split(".")[2] + "." + node.name
        self.raw.setdefault(node.name, set()).update(name for name in taken(node, {"data", "values"}))

    def line(self, name, seen):
        """A class and those that it is made of."""
        if name in self.bases and name not in seen:
            seen.add(name)
            for base in self.bases[name]:
                self.line(base, seen)
        return seen

    def keys(self, *roots):
        """Name of key: what it was annotated as."""
        found, classes = {}, set()
        for root in roots:
            self.line(root, classes)
        for name in classes:
            for key, kinds in self.fields[name].items():
                found.setdefault(key, set()).update(kinds)
            for key in self.raw[name]:
                found.setdefault(key, set())
        return found

    def inner(self, kinds):
        """(prefix, class) of the maps that a key holds."""
        for kind in kinds:
            names = {node.id for node in ast.walk(ast.parse(kind)) if isinstance(node, ast.Name)}
            for name in names & set(self.fields):
                yield "*." if names & {"list", "List", "conlist", "Sequence"} else "", name


def strings(node):
    return [c.value for c in ast.walk(node) if isinstance(c, ast.Constant) and isinstance(c.value, str)]


def aliases(value):
    """The other names in Field(alias=..., validation_alias=...)."""
    words = [k.value for k in ast.walk(value) if isinstance(k, ast.keyword) and k.arg in ("alias", "validation_alias")] if value else []
    return {word for node in words for word in strings(node)}


def called(node):
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def taken(tree, owners):
    """Names that are looked up in maps of these names: m.get("x"), m.pop("x"), m["x"], "x" in m."""
    for node in ast.walk(tree):
        word = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop") and node.args:
            word = node.args[0] if called(node.func.value) in owners else None
        elif isinstance(node, ast.Subscript):
            word = node.slice if called(node.value) in owners else None
        elif isinstance(node, ast.Compare):
            word = node.left if called(node.comparators[0]) in owners else None
        if isinstance(word, ast.Constant) and isinstance(word.value, str):
            yield word.value


def read_of_cfg(text):
    """What a file of before pydantic takes of the config; one commit has a file that does not parse."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    names = set(taken(tree, {"cfg"}))
    names.update(
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and called(node.value) == "cfg"
    )
    return names


def keys_of(files):
    """Name of key: the plugin that alone reads it, or None; by the schemas in files."""
    schemas, rows = Schemas(), {}
    for path, text in files:
        schemas.read(path, text)

    def add(prefix, keys, plugin):
        """Keys that a validator alone looks at, which have no kind, may be a plugin's."""
        for key, kinds in keys.items():
            if plugin is None or rows.get(prefix + key, VALIDATED) == VALIDATED:
                rows[prefix + key] = plugin if kinds or plugin else VALIDATED
            for star, name in schemas.inner(kinds):
                if (prefix + key).count(".") < 1:
                    add(prefix + key + "." + star, schemas.keys(name), plugin)

    add("", schemas.keys(*ROOTS), None)
    for name, plugin in sorted(schemas.plugins.items()):
        add("", schemas.keys(name), plugin)
    rows.update(("fsdp_config." + prefix + key, None) for key in FSDP for prefix in ("", "fsdp_"))
    return rows


rows, now = keys_of(texts(CLONE, COMMIT, *SCHEMAS)), keys_of(tree(CLONE, COMMIT, *SCHEMAS))
for path, text in texts(CLONE, FIRST + "^", "src", "scripts"):
    for name in read_of_cfg(text):
        rows.setdefault(name, None)

head = open(OUT).read().split("/* clang-format off */\n")[0] + "/* clang-format off */\n"
with open(OUT + ".new", "w") as out:
    out.write(head)
    for name in sorted(name for name in rows if name.split(".")[0] not in OWN):
        plugin = '"%s"' % rows[name] if rows[name] else "NULL"
        out.write('KEY("%s", %s, %s)\n' % (name, plugin, "NOW" if name in now else "ONCE"))
os.replace(OUT + ".new", OUT)
