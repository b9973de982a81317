"""Plain and quoted YAML scalars: the type and value that yaml.safe_load gives them."""
from of.scalars import difference, kind_of

WORDS = ["yes", "No", "on", "OFF", "y", "n", "true", "True", "TRUE", "tRue", "null", "Null", "~", "NULL", "nUll", ".inf", "-.INF", ".NaN",
         "inf",
         "2024-01-01", "2024-1-1", "2001-12-14t21:59:43.10-05:00", "12:30", "1:2:3", "0:30.5", "1__0", "_1", "", "'8'", '"8"', "'yes'"]


def make(rng, version):
    if rng.random() < 0.3:
        return {"text": rng.choice(WORDS)}
    lead = rng.choice(["", "", "", "-", "+", "0", "0x", "0b", "0o", ".", "-0", "1:", "1_"])
    digits = "".join(rng.choice("0123456789" if rng.random() < 0.8 else "01abEe_.") for _ in range(rng.randint(1, 5)))
    tail = rng.choice(["", "", "", "", ".", ".5", "e3", "e+3", "E-2", ".0e3", ".0e+3", ":30", "_", "_0", "k"])
    return {"text": lead + digits + tail}


def ask(case, version):
    import yaml

    value = yaml.safe_load("a: %s\n" % case["text"])["a"]
    kind = kind_of(value)
    return {"kind": kind, "value": str(value)} if kind == "integer" else {"kind": kind}


def compare(case, answer, version, parplan):
    path = parplan.file("scalar.yaml", "parplan: 1\nparallelism:\n  tp: %s\n" % case["text"])
    if "error" in answer:
        return None  # what PyYAML refuses is no scalar
    return difference(answer, parplan, path, "tp")
