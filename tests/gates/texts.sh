#!/bin/sh
# The text of an exception stands in one file: no row's literal of 34 characters or more, what varies folded, is
# part of a literal of another .c or .def of src. `known` lists what still does, and why.
exec python3 - <<'END'
import collections, glob, re, sys

# Text, folded, as the gate prints it: why it stands twice.
known = {}
for why, texts in (
    ('a rule quotes or reads it where the model raises nothing', (
        ') cannot be greater than effective layers (',
        ') must match the size of tensor b (',
        'Invalid parallel dims: dp_replicate(',
    )),
    ('the torch model (framework/torch) has no rows for DeviceMesh, checkpoints and scripts yet', (
        '. These must be equal for unflatten to work correctly.',
        'Cannot concatenate DeviceMeshes derived from different device meshes',
        'Cannot concatenate overlapping meshes:',
        'Cannot create a submesh from a submesh.',
        'Currently, this only allows slicing out a contiguous flattened dim.',
        'Dimension out of range (expected to be in range of [',
        'Found TP device_mesh has a parent mesh with dims',
        'Resharding to smaller mesh is not supported for DTensor parameters yet',
        'Resharding to smaller mesh with TP is not supported yet',
        'Using TP with HSDP is not supported',
        '`placements` must have the same length as `device_mesh.ndim`! Found placements length: 1, and device_mesh.ndim:',
        'has been created before, Please specify another valid mesh_dim_name.',
    )),
    ('what a checkpoint raises on resuming has no rows yet', (
        '2D state_dict is under development. Please check https://github.com/pytorch/pytorch/issues/129627 for more details.',
        'Missing key in checkpoint state_dict:',
        'Missing key in checkpoint state_dict: dataloader.dp_rank_',
        'Missing key in checkpoint state_dict: model.layers.0.attention.wq.weight.',
    )),
    ("DeepSpeed's batch checks take type and place from whoever reads them", (
        'integer division or modulo by zero',
    )),
):
    known.update(dict.fromkeys(texts, why))

LITERAL = r'"(?:[^"\\]|\\.)*"'
VARIES = r'\{[^}]*\}|%(?:l?l?[du]|s|\.\d+f)'


def folded(text):
    text = re.sub(r'%"\s*PRI\w+\s*"?', '%d"', text)
    text = ''.join(part[1:-1] for part in re.findall(LITERAL, text))
    text = re.sub(r'^[A-Za-z_.]*(?:Error|Exception): ', '', text.replace('\\n', ' '))
    return [re.sub(r'\s+', ' ', part).strip() for part in re.split(VARIES, text)]


def literals(path):
    text = re.sub(r'/\*.*?\*/', '', open(path).read(), flags=re.S)
    return re.findall(r'(?:%s\s*(?:PRI\w+\s*)?)+' % LITERAL, text)


where = collections.defaultdict(set)
rows = set()
for path in sorted(glob.glob('src/**/*.[c]', recursive=True) + glob.glob('src/**/*.def', recursive=True)):
    for literal in literals(path):
        for part in folded(literal):
            if len(part) >= 34:
                where[part].add(path)
                if path.endswith('exceptions.def') or re.search(r'^"[\w.]*(?:Error|Exception): ', literal):
                    rows.add(part)
twice = {part: paths for part, paths in where.items() if len(paths) > 1 and part in rows}
for part, paths in sorted(twice.items()):
    if part not in known:
        print("%s: '%s'" % (', '.join(sorted(paths)), part))
for part in sorted(set(known) - set(twice)):
    print("tests/gates/texts.sh: stands once now: '%s'" % part)
END
