"""Runs one script of ../shared/acceptance as it is, with the slips in it mended that docs/vectors.md
proves: usage tests/acceptance.py SCRIPT [its own arguments]. Once the scripts are right these do nothing."""
import json, os, runpy, sys

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


def main():
    name = sys.argv.pop(1)
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
