"""Holds parplan to testdata/oracle: python3 tests/oracle/compare.py PARPLAN. Ends with 'N passed, N failed'."""
import glob, json, os, re, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(*words):
    done = subprocess.run([sys.argv[1], *words, "--format", "json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else {"error": {"type": "exit %d" % done.returncode, "message": done.stderr}}


def same_error(want, have):
    """Exact, but for addresses, which parplan does not print."""
    if not want or not have:
        return not want and not have
    return want["type"] == have["type"] and re.sub(r" at 0x[0-9a-f]+", "", want["message"]) == have["message"]


def mesh(torch, case):
    got = run("mesh", "--torch", torch, "--world", str(case["world"]), case["expr"])
    if not same_error(case.get("error"), got["error"]):
        return "%s: %s, not %s" % (case["expr"], got["error"], case.get("error"))
    for axis, want in (case.get("groups") or {}).items():
        have = sorted(sorted(group) for group in got["value"]["groups"][axis])
        if have != sorted(sorted(group) for group in want):
            return "%s: %s is %s, not %s" % (case["expr"], axis, have, want)
    return None


def shard(torch, case):
    got = run("shard", "--torch", torch, "--shape", ",".join(map(str, case["shape"])), "--mesh", ",".join(map(str, case["mesh"])),
              "--placements", " ".join(case["placements"]))
    if not same_error(case.get("error"), got["error"]):
        return "%s: %s, not %s" % (case, got["error"], case.get("error"))
    have = [{"shape": r["shape"], "offset": r["offset"]} for r in got.get("ranks", [])]
    return None if have == case.get("ranks", []) else "%s: %s" % (case, have)


def fsdp(torch, case):
    """The metadata of a sharded weight, and, through 2.8's metadata, what FSDP2 stores."""
    if case.get("error"):
        return None
    ranks = [{"shape": r["shape"], "offset": r["offset"]} for r in case["ranks"]]
    shape = [case["rows"], case["columns"]]
    wrong = shard(torch, {"shape": shape, "mesh": case["mesh"], "placements": case["placements"], "ranks": ranks})
    if wrong:
        return wrong
    got = run("shard", "--torch", "2.8", "--shape", ",".join(map(str, shape)), "--mesh", ",".join(map(str, case["mesh"])),
              "--placements", " ".join(case["placements"]))
    for want, have in zip(case["ranks"], got["ranks"]):
        start = have["offset"][0]
        if want["stored"] != list(range(start, start + have["shape"][0])):
            return "%s: rank %d stores %s, not %s" % (case, have["rank"], want["stored"], have)
    return None


def boxes(torch, shape, how):
    """What parplan says each rank holds."""
    got = run("shard", "--torch", torch, "--shape", ",".join(map(str, shape)), "--mesh", ",".join(map(str, how["mesh"])),
              "--placements", " ".join(how["placements"]))
    return [(r["offset"], r["shape"]) for r in got["ranks"]]


def overlap(one, other):
    """The box in both, or None."""
    start = [max(a, b) for a, b in zip(one[0], other[0])]
    end = [min(a + n, b + m) for a, n, b, m in zip(one[0], one[1], other[0], other[1])]
    return None if any(a >= b for a, b in zip(start, end)) else (start, [b - a for a, b in zip(start, end)])


def dcp(torch, case):
    """Saved chunks are the boxes of the ranks, each once; a rank reads where its box meets them."""
    if case.get("error"):
        return None
    saved = [(c["offset"], c["shape"]) for c in case["chunks"] if all(c["shape"])]
    held = boxes(torch, case["shape"], case["saved"])
    want = sorted({(tuple(o), tuple(s)) for o, s in held if all(s)})
    if sorted((tuple(o), tuple(s)) for o, s in saved) != want:
        return "%s: saved %s, not %s" % (case, saved, want)
    for rank, box in enumerate(boxes(torch, case["shape"], case["loaded"])):
        want = sorted(o for o in (overlap(chunk, box) for chunk in saved) if o)
        have = sorted((r["offset"], r["shape"]) for r in case["ranks"][rank] if all(r["shape"]))
        if have != want:
            return "%s: rank %d reads %s, not %s" % (case, rank, have, want)
    return None


def main():
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "testdata", "oracle", "torch-*", "*.json"))):
        with open(path) as file:
            golden = json.load(file)
        judge = {"mesh": mesh, "shard": shard, "fsdp": fsdp, "dcp": dcp}[os.path.basename(path)[:-5]]
        for case in golden["cases"]:
            why = judge(golden["torch"], case)
            passed, failed = passed + (why is None), failed + (why is not None)
            if why and failed <= 10:
                print("%s: %s" % (os.path.relpath(path, ROOT), why))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


sys.exit(main())
