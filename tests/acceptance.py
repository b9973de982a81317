"""Runs one script of ../shared/acceptance as it is, with the slips in it mended that docs/vectors.md
proves: usage tests/acceptance.py SCRIPT [its own arguments]. Once the scripts are right these do nothing."""
import collections, contextlib, io, json, os, runpy, sys

folder = os.path.join("..", "shared", "acceptance")
sys.path.insert(0, folder)
sys.dont_write_bytecode = True


def unit_lists(shards):
    """shards.py sorts numbers: a unit listed with two sizes becomes two units, blocks with experts and without."""
    for v in shards.get("param_shards", []):
        sizes, counts = v["fsdp_unit_padded_shard_numel"], v["unit_count"]
        for name, size in list(sizes.items()):
            if not isinstance(size, list):
                continue
            moe = counts[name + ".moe.experts"]
            del sizes[name]
            for label, n, count in (("moe", size[0], moe), ("dense", size[1], counts[name] - moe)):
                sizes["%s (%s)" % (name, label)], counts["%s (%s)" % (name, label)] = n, count
    return shards


def named_files(cases):
    """torchtitan_ci.py's spoilt() asks a case for "file", which cases() leaves out."""
    for c in cases:
        early = "/train_configs/" in c["base"] and "/models/" not in c["base"]
        yield c if "file" in c else dict(c, file="test_runner.py" if early else "tests")


def silence():
    """silence.py, with the number of warnings as one more failure where it is above --at-most."""
    import silence, torchtitan_ci
    from common import arguments, each
    a = arguments(silence.__doc__, at_most={"type": float, "default": 0.1}, file={"default": None})
    silence.a = torchtitan_ci.a = a
    silence.fired = fired = collections.Counter()
    todo, said = list(silence.jobs(a)), io.StringIO()
    with contextlib.redirect_stdout(said):
        failed = each(a, todo, silence.judge)
    warnings = sum(n for (severity, _), n in fired.items() if severity == "warning")
    if warnings > a.at_most * len(todo):
        print("FAIL warnings: %d in %d runs, more than %g each: %s" % (warnings, len(todo), a.at_most, fired.most_common(5)))
        last = said.getvalue().split()[-4:]
        said = io.StringIO(said.getvalue().rsplit("\n", 2)[0] + "\n%s passed, %d failed\n" % (last[0], failed + 1))
        failed += 1
    print(said.getvalue(), end="")
    sys.exit(1 if failed else 0)


def main():
    name = sys.argv.pop(1)
    if name == "silence":
        silence()
    if name == "torchtitan_ci":
        import torchtitan_ci
        from common import arguments, each
        torchtitan_ci.a = arguments(torchtitan_ci.__doc__, file={"default": None})
        cases = list(named_files(torchtitan_ci.cases(torchtitan_ci.a)))
        sys.exit(1 if each(torchtitan_ci.a, cases, torchtitan_ci.judge) else 0)
    load = json.load
    json.load = lambda f, **k: unit_lists(load(f, **k)) if "shards" in getattr(f, "name", "") else load(f, **k)
    runpy.run_path(os.path.join(folder, name + ".py"), run_name="__main__")


main()
