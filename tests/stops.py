#!/usr/bin/env python3
"""Where plan says that a job stops, check has an error, of configs of all dialects with random degrees on top; where plan says that
this is not known, check warns in the same words.
Usage: stops.py [ROUNDS [SEED]]"""
import glob, itertools, json, os, random, subprocess, sys

rounds, seed = (int(word) for word in (*sys.argv[1:], *("2", "1")[len(sys.argv) - 1:]))
binary = os.environ["BIN"]
least = 40 * rounds  # so many of them stop, or this looks at nothing


def run(*words):
    return subprocess.run([binary, *words], capture_output=True, text=True, errors="replace")


def options(rng):
    axes = [axis for axis in ("tp", "cp", "pp", "ep", "etp", "dp_replicate", "dp_shard") if rng.random() < 0.3]
    sets = [("--set", "parallelism.%s=%d" % (axis, rng.choice([1, 2, 3, 4, 8]))) for axis in axes]
    return [*itertools.chain(*sets), "--world", str(rng.choice([8, 16, 24, 64]))]


def is_silent(path, words):
    """None where plan sees no end of the job; else whether check does not, either."""
    planned = run("plan", "--format", "json", *words, path).stdout
    if not planned.startswith("{") or not json.loads(planned)["stops"]:
        return None
    return run("check", "-q", "--no-config", "--fail-on", "error", *words, path).returncode == 0


def is_in_doubt(path):
    """Whether plan and check say of a job that stops in some of the versions that fit that it is not known whether it does."""
    done = run("plan", "--format", "json", path)
    planned = json.loads(done.stdout)
    warned = run("check", "--no-config", "--fail-on", "error", path)
    start, _, why = (planned["note"] or "").partition(": ")
    return (planned["error"] is not None and planned["stops"] is None and done.returncode == warned.returncode == 0
            and "not known" in start and "(%s)" % why.rstrip(".") in " ".join(warned.stdout.split()))


passed = failed = 0
files = sorted(name for name in glob.glob("testdata/dialects/*/*.*") + glob.glob("testdata/mistakes/*.yaml") if "broken" not in name)
for turn, path in itertools.product(range(rounds), files):
    words = options(random.Random("%d/%d/%s" % (seed, turn, path)))
    silent = is_silent(path, words)
    passed, failed = passed + (silent is False), failed + bool(silent)
    if silent:
        print("no error: parplan check %s %s" % (" ".join(words), path))
for path in ("testdata/launch/torchtitan/wrapper.sh", "testdata/titan/own-schedule.toml"):
    in_doubt = is_in_doubt(path)
    passed, failed = passed + in_doubt, failed + (not in_doubt)
    if not in_doubt:
        print("not the same doubt of plan and check: " + path)
if passed + failed < least:
    print("only %d of %d jobs stop" % (passed + failed, rounds * len(files)))
    failed += 1
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
