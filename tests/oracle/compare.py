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


def main():
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "testdata", "oracle", "torch-*", "*.json"))):
        with open(path) as file:
            golden = json.load(file)
        judge = {"mesh": mesh, "shard": shard, "fsdp": fsdp}[os.path.basename(path)[:-5]]
        for case in golden["cases"]:
            why = judge(golden["torch"], case)
            passed, failed = passed + (why is None), failed + (why is not None)
            if why and failed <= 10:
                print("%s: %s" % (os.path.relpath(path, ROOT), why))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


sys.exit(main())
