"""TOML scalars: the type and value that tomllib gives them, or that it refuses them."""
from of.scalars import difference, kind_of

WORDS = ["true", "false", "True", "inf", "-inf", "nan", "+nan", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z",
         "1979-05-27 07:32:00.5", '"8"', "'8'",
         '"""8"""', "yes", "null", "", "0xDEADBEEF", "0o17", "0b101", "1_000", "1__000", "_1", "1_", "+0x10"]


def make(rng, version):
    if rng.random() < 0.4:
        return {"text": rng.choice(WORDS)}
    lead = rng.choice(["", "", "", "-", "+", "0", "0x", "0b", "0o", "."])
    digits = "".join(rng.choice("0123456789" if rng.random() < 0.85 else "01ae_") for _ in range(rng.randint(1, 5)))
    return {"text": lead + digits + rng.choice(["", "", "", ".", ".5", "e3", "E-2", ".0e+3", "_0"])}


def ask(case, version):
    import tomllib

    try:
        value = tomllib.loads("a = %s\n" % case["text"])["a"]
    except tomllib.TOMLDecodeError:
        return {"kind": "refused"}
    kind = kind_of(value)
    return {"kind": kind, "value": str(value)} if kind == "integer" else {"kind": kind}


def compare(case, answer, version, parplan):
    return difference(answer, parplan, parplan.file("scalar.toml", "parplan = 1\n[parallelism]\ntp = %s\n" % case["text"]), "tp")
