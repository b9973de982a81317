"""The tables of docs/vectors.md: how many claims are known in which way, and what has been asked."""
import os, re

from harness.environment import ROOT

PATH = os.path.join(ROOT, "docs", "vectors.md")
KINDS = ["run", "read", "reported", "derived"]
OWNERS = [  # whose behaviour a rule speaks of, by the first of these in its source
    ("TorchTitan", r"torchtitan"), ("Megatron-LM", r"Megatron"), ("DeepSpeed", r"deepspeed"), ("accelerate", r"accelerate"),
    ("transformers and trainers on it", r"transformers|axolotl|LlamaFactory|ms-swift|hydra|omegaconf"),
    ("verl, NeMo, Lightning, torchtune and others", r"verl|NeMo|[Ll]ightning|torchtune|nanotron|OpenRLHF|mosaicml|xtuner|litgpt|instructlab|marin"),
    ("torchao and torchft", r"pytorch/ao|torchao|torchft"), ("PyTorch", r"pytorch|torch\b"), ("NCCL", r"nccl"),
    ("launchers and clusters", r"kubeflow|open-mpi|awslabs|GitM-Labs"), ("file formats", r"YAML|TOML|JSON|PCRE2"),
]


def owner_of(source):
    places = [(found.start(), owner) for owner, pattern in OWNERS for found in [re.search(pattern, source)] if found]
    return min(places)[1] if places else "parplan's own rules and arithmetic"


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)] + rows
    return "\n".join("| %s |" % " | ".join(str(cell) for cell in line) for line in lines)


def of_rules(rules):
    counts = {}
    for rule in rules:
        row = counts.setdefault(owner_of(rule["source"]), dict.fromkeys(KINDS, 0))
        row[rule["evidence"]] += 1
    rows = [[owner] + [row[kind] or "" for kind in KINDS] for owner, row in sorted(counts.items(), key=lambda pair: (-sum(pair[1].values()), pair[0]))]
    return table(["rules about", "run", "read", "reported", "computed"],
                 rows + [["all"] + [sum(row[kind] for row in counts.values()) for kind in KINDS]])


def of_answers(counts):
    """`counts` of (subject, topic): [versions, cases, listed]."""
    return table(["library", "asked for", "versions", "answers kept", "of them listed below"],
                 [[subject, topic, len(versions), cases, listed or ""] for (subject, topic), (versions, cases, listed) in sorted(counts.items())])


def of_listed(listed):
    return "\n".join("* %s (%d)" % (reason, number) for reason, number in sorted(listed.items())) or "None."


def page(tables):
    """The page's text with these tables between their marks: {name: text}."""
    with open(PATH) as file:
        text = file.read()
    for name, made in tables.items():
        text = re.sub(r"(<!-- %s -->\n).*?(<!-- end -->)" % name, lambda found: found[1] + made + "\n" + found[2], text, flags=re.S)
    return text
