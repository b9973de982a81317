"""Makes testdata/pickle: python3 tests/dcp/hostile.py FOLDER.

values.pN: one value of every kind, as Python's pickler writes it in protocol N.
The others: pickles that no program should run, each wrong in one way; tests/unit/base/pickle.c says what is said."""
import os, pickle, struct, sys, types

PROTO = b"\x80\x04"


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


class Bag(dict):
    pass


def stand_in(*classes):
    module = sys.modules.setdefault("shapes", types.ModuleType("shapes"))
    for made in classes:
        made.__module__ = "shapes"
        setattr(module, made.__name__, made)


def values(protocol):
    loop = []
    loop.append(loop)
    shared = ["twice"]
    bag = Bag(inside=1)
    bag.note = "outside"
    value = {
        "none": None,
        "flags": [True, False],
        "ints": (0, 255, 256, -1, 65536, -(2**31), 2**40, 2**63 - 1, -(2**63)),
        "big": [2**63, -(2**70)],
        "floats": [0.5, -1e300, float("inf")],
        "text": "caf\u00e9 \u4e16 \\ ' \n \U0001f600",
        "empty": ([], (), {}, ""),
        "one": (1,),
        "shared": [shared, shared],
        "loop": loop,
        "point": Point(1, "two"),
        "bag": bag,
        "long text": "x" * 300,
        7: "number as key",
    }
    if protocol >= 3:
        value["bytes"] = b"\x00\xff'"
    if protocol >= 4:
        value["sets"] = [{5}, frozenset({6})]
    return pickle.dumps(value, protocol)


def text(string):
    return b"\x8c" + bytes([len(string)]) + string.encode()


def bomb(levels):
    """Each list holds the one before twice: 2 ** levels values in a few bytes per level."""
    out = PROTO + b"]\x94"
    for level in range(levels):
        out += b"](h" + bytes([level]) + b"h" + bytes([level]) + b"e\x94"
    return out + b"."


def dict_bomb(levels):
    out = PROTO + b"}\x94"
    for level in range(levels):
        out += b"}(" + text("a") + b"h" + bytes([level]) + text("b") + b"h" + bytes([level]) + b"u\x94"
    return out + b"."


def hostile():
    system = b"cos\nsystem\n"
    yield "global-call", b"\x80\x02" + system + b"X\x04\x00\x00\x00true\x85R."
    yield "stack-global-call", PROTO + text("posix") + text("system") + b"\x93" + text("true") + b"\x85R."
    yield "inst-call", b"(S'true'\nios\nsystem\n."
    yield "obj-call", b"(" + system + b"S'true'\no."
    yield "newobj-call", b"\x80\x02" + system + b")\x81."
    yield "eval", PROTO + text("builtins") + text("eval") + b"\x93" + text("1") + b"\x85R."
    yield "torch-look-alike", PROTO + text("shapesque") + text("Point") + b"\x93."
    yield "name-with-escape", PROTO + text("shapes") + text("\x1b[2J") + b"\x93."
    yield "name-of-no-text", PROTO + b"K\x01K\x02\x93."
    yield "call-of-number", PROTO + b"K\x05)R."
    yield "call-with-list", PROTO + text("shapes") + text("Point") + b"\x93]R."
    yield "state-of-list", PROTO + b"]}b."
    yield "extension", PROTO + b"\x82\x01."
    yield "persistent", b"Pid-1\n."
    yield "persistent-binary", PROTO + text("id") + b"Q."
    yield "out-of-band", b"\x80\x05\x97."
    yield "length-8", PROTO + b"\x8d" + struct.pack("<Q", 2**63) + b"abc."
    yield "length-4", PROTO + b"X" + struct.pack("<I", 2**32 - 1) + b"abc."
    yield "length-long", PROTO + b"\x8b" + struct.pack("<i", -1) + b"."
    yield "frame-long", PROTO + b"\x95" + struct.pack("<Q", 2**40) + b"N."
    yield "memo-far", PROTO + b"Nr" + struct.pack("<I", 2**32 - 1) + b"."
    yield "memo-unset", PROTO + b"h\x07."
    yield "memo-hole", PROTO + b"Nq\x05h\x03."
    yield "memo-line", b"Np-1\n."
    yield "truncated-text", PROTO + text("hello")[:4]
    yield "truncated-line", b"I12"
    yield "truncated", PROTO + b"](K\x01K\x02e"
    yield "unknown-opcode", PROTO + b"]\xff."
    yield "no-pickle", b'{"state_dict_metadata": {}}'
    yield "empty", b""
    yield "protocol-9", b"\x80\x09N."
    yield "nothing-to-stop", PROTO + b"."
    yield "below-mark", PROTO + b"K\x01(R."
    yield "no-mark", PROTO + b"]e."
    yield "odd-dict", PROTO + b"}(" + text("key") + b"u."
    yield "odd-group", b"(Nd."
    yield "append-to-number", PROTO + b"K\x01K\x02a."
    yield "pairs-in-list", PROTO + b"](K\x01K\x02u."
    yield "bad-int", b"I1x\n."
    yield "bad-float", b"Fone\n."
    yield "bad-string", b"S'a\n."
    yield "bad-escape", b"S'\\q'\n."
    yield "bad-unicode", b"V\\u12\n."
    # Read, and harmless as long as whoever walks them counts.
    yield "deep", PROTO + b"]" * 100000 + b"a" * 99999 + b"."
    yield "list-bomb", bomb(60)
    yield "dict-bomb", dict_bomb(60)
    yield "loop", PROTO + b"]\x94h\x00a."
    yield "dup-bomb", PROTO + b"](N" + b"2" * 50000 + b"e."


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    stand_in(Point, Bag)
    for protocol in range(6):
        with open("%s/values.p%d" % (folder, protocol), "wb") as file:
            file.write(values(protocol))
    for name, data in hostile():
        with open("%s/%s.pickle" % (folder, name), "wb") as file:
            file.write(data)


main()
