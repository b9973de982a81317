"""
Random configs of TorchTitan, with and without experts, some of a version that collapses HSDP: the bytes that a rank
receives over a group per step are the same, to the digits shown, in sim --format json, in figures groups, mesh and
compare (text and SVG), in check's effect and on the page of report.
    python3 tests/received.py [SEED [COUNT]]
"""
import html
import json
import os
import random
import re
import sys
import tempfile

os.environ["COLUMNS"] = "160"
from serve.client import run as parplan

SIZE = r"[0-9.]+ [KMGTP]?i?B"
VERSIONS = ["v0.2.2", "v0.2.0", "v0.1.0", "d7cabfb6c"]
MODELS = [("llama3-8b", 1), ("llama3-debugmodel", 1), ("qwen3-4b", 1), ("deepseek_v3-16b", 4), ("llama4-debugmodel", 4)]


def run(*command, status=(0, 1)):
    done = parplan(command)
    assert done.returncode in status, (command, done.returncode, done.stderr)
    return done.stdout


def size_text(size):
    units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    unit = 0
    while size >= 1024 and unit + 1 < len(units):
        size /= 1024
        unit += 1
    return "%.*f %s" % (0 if not unit or size >= 100 else 1 if size >= 10 else 2, size, units[unit])


def config(chance):
    model, most = chance.choice(MODELS)
    version = chance.choice(VERSIONS)
    if most > 1:
        version = "v0.2.2"
    replicate, shard = chance.choice([1, 2, 4]), chance.choice([2, 4, 8])
    tp = chance.choice([1, 1, 2]) if version != "d7cabfb6c" else 1
    cp = chance.choice([1, 1, 2]) if version not in ("d7cabfb6c",) and most == 1 else 1
    ep = chance.choice([1, 2, most])
    world = replicate * shard * tp * cp
    parallelism = {"dp_replicate": replicate, "dp_shard": chance.choice([shard, -1]), "tp": tp, "cp": cp}
    if ep > 1 and shard * cp * tp % ep == 0:
        parallelism["ep"] = ep
    return {
        "parplan": 1,
        "world": world,
        "framework": {"torchtitan": version},
        "cluster": {"gpu": "h100-sxm", "nodes": max(world // 8, 1), "gpus_per_node": min(world, 8), "fabric": "ib"},
        "model": model,
        "parallelism": parallelism,
        "training": {"seq_len": 2048, "local_batch_size": chance.choice([1, 2])},
    }


def is_told(text, sizes):
    """Whether a text shows one of the sizes, of which sim tells nine digits."""
    return any(text == size_text(size * (1 + off)) for size in sizes for off in (0, 1e-8, -1e-8))


class Account:
    """What sim says: bytes by the group's name, and by its ranks, which several groups may have."""

    def __init__(self, forecast, layouts):
        self.rows = [(row["group"], row["received_bytes_per_step"]) for row in forecast["collectives"]]
        self.named, self.ranks = {}, {}
        for name, size in self.rows:
            self.named[name] = self.named.get(name, 0) + size
        for name, size in self.named.items():
            ranks = layouts.get(name, name)
            self.ranks[ranks] = self.ranks.get(ranks, 0) + size


def layouts_of(plan):
    return {name: json.dumps(mesh["layout"]) for name, mesh in plan["meshes"].items()}


def boxes_of(picture):
    """Figure groups as text: bytes by the name of the box."""
    found, name = {}, None
    for line in picture.splitlines():
        top = re.search(r"\+-([a-z_]+)-+[0-9,]+ groups? of ", line)
        name = top.group(1) if top else name
        size = re.search(rf"({SIZE}) per rank and step", line)
        if size:
            assert name not in found, (name, picture)
            found[name] = size.group(1)
    return found


def svg_words(picture):
    return html.unescape(" ".join(re.findall(r"<text[^>]*>([^<]*)<", picture)))


def check_pictures(path, account):
    boxes, named = boxes_of(run("draw", "groups", path)), account.named
    assert boxes.keys() == named.keys(), ("groups", boxes, named)
    assert all(is_told(size, [named[name]]) for name, size in boxes.items()), ("groups", boxes, named)
    drawn = re.findall(rf"({SIZE}) per rank and step", svg_words(run("draw", "groups", path, "--format", "svg")))
    assert sorted(drawn) == sorted(boxes.values()), ("groups as SVG", drawn, boxes)
    for row in run("draw", path).splitlines():
        size = re.search(rf"({SIZE}), (crosses|inside)", row)
        assert not size or is_told(size.group(1), account.ranks.values()), ("mesh", row, account.ranks)


def check_sides(path, applied, asked):
    """Check's effect and figure compare tell two plans; each is that of sim, applied and asked."""
    picture = svg_words(run("draw", "compare", path, "--format", "svg"))
    told = re.findall(rf"({SIZE}) over [0-9]+ ranks", picture)
    assert told, ("compare", picture)
    for size in told:
        assert is_told(size, [*asked.ranks.values(), *applied.ranks.values()]), ("compare", size)
    text = " ".join(run("check", path).split())
    effect = re.search(r"receives, as asked: (.*?); as applied: (.*?)(forecast|=|$)", text)
    for side, account in zip(effect.groups() if effect else [], (asked, applied)):
        for size in re.findall(SIZE, side):
            assert is_told(size, account.ranks.values()), ("check", size, account.ranks)
    return bool(effect)


def cells_of(page, table):
    found = re.search(rf'id="f1-{table}".*?</table>', page, re.S)
    rows = re.findall(r"<tr>(.*?)</tr>", found.group(0), re.S)[1:] if found else []
    return [[html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row)] for row in rows]


def check_page(path, applied, asked):
    page = run("report", path, "-o", "-")
    rows = [(row[0], row[7]) for row in cells_of(page, "collectives")]
    assert [name for name, _ in rows] == [name for name, _ in applied.rows], ("report", rows)
    for (_, text), (_, size) in zip(rows, applied.rows):
        assert is_told(text, [size]), ("report", rows, applied.rows)
    beside = [row for row in cells_of(page, "asked") if row[0].startswith("received over")]
    for name, left, right in beside:
        assert left == "nothing" or is_told(left, asked.ranks.values()), ("asked", name, left)
        assert right == "nothing" or is_told(right, applied.ranks.values()), ("applied", name, right)
    return bool(beside)


def check_one(path):
    forecast = json.loads(run("sim", "--format", "json", path))
    if forecast.get("error"):
        return None
    layouts = layouts_of(json.loads(run("plan", "--format", "json", path)))
    applied = Account(forecast, layouts)
    asked = Account(json.loads(run("sim", "--format", "json", "--as", "asked", path)), layouts)
    check_pictures(path, applied)
    effect = check_sides(path, applied, asked)
    beside = check_page(path, applied, asked)
    assert not effect or beside, "check tells of traffic that differs, the page does not"
    return effect


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    chance = random.Random(seed)
    passed = failed = stopped = differing = 0
    with tempfile.TemporaryDirectory() as folder:
        for index in range(count):
            path = os.path.join(folder, "%d.yaml" % index)
            with open(path, "w") as file:
                json.dump(config(chance), file)
            try:
                effect = check_one(path)
            except AssertionError as error:
                failed += 1
                print(open(path).read())
                print("  %s" % (error,))
                continue
            stopped += effect is None
            differing += bool(effect)
            passed += 1
    if stopped > count // 2 or not differing:
        failed += 1
        print("of %d configs %d stop and %d differ: too few of use" % (count, stopped, differing))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
