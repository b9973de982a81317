"""Published runs in a folder of JSON files; of some sources nobody measured the times."""
import glob, json, os

COMPUTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "computed.json")  # {source: how that shows}
LINE = 1e-5  # of clocks nothing comes nearer to a line than 7e-4 in any source of measurements


def runs(folder):
    return [row for name in sorted(glob.glob(os.path.join(folder, "*.json"))) for row in json.load(open(name))["runs"]]


def is_measured(row, computed=frozenset(json.load(open(COMPUTED)))):
    return row["family"] not in computed


def leaves(tree, above=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, above + key + ".")
        else:
            yield above + key, value


def alike(rows):
    """Lists of (number, time) of runs of one source that differ in one number of their configs alone."""
    found = {}
    for row in rows:
        config, took = dict(leaves(row["config"])), row["measured"].get("step_time_s")
        for key, value in config.items():
            if took and type(value) in (int, float):
                rest = json.dumps({k: v for k, v in config.items() if k != key}, sort_keys=True)
                found.setdefault((row["family"], key, rest), {})[value] = took
    return [(family, sorted(times.items())) for (family, _, _), times in found.items() if len(times) > 2]


def on_lines(rows):
    """Sources of which three such runs or more lie on lines that no clock would draw: somebody added their times up."""
    count = {}
    for family, points in alike(rows):
        for (a, low), (b, middle), (c, high) in zip(points, points[1:], points[2:]):
            line = low + (high - low) * (b - a) / (c - a)
            if abs(high - low) > 1e-3 * high and abs(line - middle) < LINE * middle:
                count[family] = count.get(family, 0) + 1
    return sorted(family for family, each in count.items() if each >= 3)
