"""Fits the constants of step time to the runs in RUNS, and again with each ninth of the sources left out.

usage: fit.py [--write | --record] BIN RUNS ROOT

What is fitted are the rows of constants.yaml that are `fitted` and name no source of their own. They are moved in log space so
that log(forecast / measured) becomes small, by Gauss and Newton's method on finite differences. Errors beyond TURN count in
proportion only, so that runs that are far off decide little; a source weighs its number of runs to the power 0.7, so that the
largest does not decide all; and HOLD keeps a constant of which the runs say little where it is.

Left out, a source is forecast with constants fitted to the other parts alone. What those say nothing of goes (PULL) to where
somebody would put it who has seen no run (UNSEEN): the values in place have seen all sources, those left out among them.

SAMPLE=36 fits to at most so many runs of each source, which count for all of them.

--write puts the constants and the medians left out into place, unless one of both is worse than before. --record puts the
medians alone into place: those of a model that was another are not to be compared with. Nothing is random.
"""
import concurrent.futures, hashlib, json, math, os, re, shutil, statistics, subprocess, sys, tempfile, time

import published

WRITE, RECORD = "--write" in sys.argv, "--record" in sys.argv
BIN, RUNS, ROOT = [a for a in sys.argv[1:] if not a.startswith("--")]
CONSTANTS = os.path.join(ROOT, "src", "presets", "costs", "constants.yaml")
LEFT_OUT = os.path.join(ROOT, "tests", "bench", "left-out.json")
PARTS, ROUNDS, SWEEPS = 9, 8, 500
ENOUGH = 0.002  # rounds end when one gains less than this share
TURN, HOLD, PULL, DIFFERENCE = 0.1, 0.1, 0.01, 0.05
SAMPLE = int(os.environ.get("SAMPLE", "0"))  # runs of a source that are fitted to, at most; 0: all
STRIDES = 0.7, 0.3, 0.1, 0.03  # how far a constant goes in one round, in logarithms: the first that gains
BATCH = 40  # configs that one process forecasts

# Before any run is seen: nothing is lost and nothing overlaps, a block is fifty kernels at 10 us, an operation takes the H100's
# power over its peak, a product without tensor cores the A100's ratio of both, and what little there may be is a hundredth.
UNSEEN = {
    "kernel.sustained16": 1, "kernel.energy16": 0.7, "kernel.energy8": 0.35, "kernel.attention_sustained": 1,
    "kernel.latency": 2, "kernel.attention_hopper_sustained": 1, "kernel.score_passes": 6, "kernel.odd_head": 16, "kernel.fp8_cast": 1,
    "software.passes": 1, "software.norm_passes": 20, "software.host_megatron": 0.5, "software.host_engine": 0.5,
    "software.host_backward": 2, "software.host_tensor": 0.01, "software.progress": 0.01, "software.host_exchange": 0.5,
    "software.passes_fused": 1, "software.host_experts": 1, "collective.tp_exposed": 1, "collective.dp_serial": 1,
}
# Shares that are 1 at most.
AT_MOST = {"kernel.attention_hopper_sustained": 1, "kernel.sustained16": 1, "kernel.attention_sustained": 1, "collective.tp_exposed": 1}


def clean(tree):
    return {k: clean(v) if isinstance(v, dict) else v for k, v in tree.items() if v is not None}


def constants(text):
    """[(key, value, span of the value in text)] of those that are fitted and name no source of their own."""
    found, section, at = [], "", 0
    for line in text.splitlines(True):
        if re.match(r"\w+:\s*$", line):
            section = line.split(":")[0]
        row = re.match(r"\s+(\w+): \{value: ([^,}]+), basis: fitted\}", line)
        if row:
            found.append((section + "." + row[1], float(row[2]), (at + row.start(2), at + row.end(2))))
        at += len(line)
    return found


def brief(value):
    """Three significant digits, never with an exponent."""
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    text = "%.*f" % (digits, float("%.3g" % value))
    return text.rstrip("0").rstrip(".") if "." in text else text


def sampled(rows):
    """(rows, how many each stands for): of every source SAMPLE at most, in the order of their names' hashes."""
    by = {}
    for row in sorted(rows, key=lambda row: hashlib.sha256(row["id"].encode()).digest()):
        by.setdefault(row["family"], []).append(row)
    kept = {family: of[: SAMPLE or len(of)] for family, of in by.items()}
    return [(row, len(by[family]) / len(of)) for family, of in sorted(kept.items()) for row in of]


class Forecasts:
    """Times that BIN forecasts for configs, many to a process: reading a preset takes longer than simulating a step."""

    def __init__(self, rows, keys, folder):
        self.keys, self.folder, self.profiles, self.paths = keys, folder, 0, []
        self.program = shutil.copy(BIN, folder)  # which may be built anew meanwhile
        for i, row in enumerate(rows):
            self.paths.append(os.path.join(folder, "%d.json" % i))
            with open(self.paths[-1], "w") as file:
                json.dump(clean(row["config"]), file)

    def profile(self, x):
        tree = {}
        for key, value in zip(self.keys, x):
            section, name = key.split(".")
            tree.setdefault(section, {})[name] = math.exp(value)
        self.profiles += 1
        path = os.path.join(self.folder, "profile-%d.json" % self.profiles)
        with open(path, "w") as file:
            json.dump(tree, file)
        return path

    def run(self, profile, rows):
        """{row: seconds} of one process; of a batch that fails, of each row by itself."""
        first, others = self.paths[rows[0]], [self.paths[row] for row in rows[1:]]
        compare = [word for path in others for word in ("--compare", path)]
        done = subprocess.run([self.program, "sim", "-q", "--no-config", "--format", "json", "--profile", profile, first] + compare, capture_output=True, text=True)
        got = json.loads(done.stdout) if done.stdout.startswith("{") else {}
        times = {rows[0]: got["step_time_s"]} if "step_time_s" in got else {}
        there = {other["path"]: other["forecast"]["step_time_s"] for other in got.get("compare", []) if other.get("forecast")}
        times.update((row, there[self.paths[row]]) for row in rows[1:] if self.paths[row] in there)
        if len(times) < len(rows) > 1:
            for row in rows:
                times.update(self.run(profile, [row]))
        return times

    def of(self, jobs):
        """A {row: seconds} for each of jobs, which are (x, rows)."""
        profiles = [self.profile(x) for x, _ in jobs]
        batches = [(job, rows[i:i + BATCH]) for job, (_, rows) in enumerate(jobs) for i in range(0, len(rows), BATCH)]
        found = [{} for _ in jobs]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            for (job, _), times in zip(batches, pool.map(lambda b: self.run(profiles[b[0]], b[1]), batches)):
                found[job].update(times)
        for path in profiles:
            os.remove(path)
        return found


class Fit:
    def __init__(self, forecasts, rows, keys):
        self.forecasts, self.rows, self.keys, self.touched = forecasts, rows, keys, None
        self.limit = [math.log(AT_MOST[key]) if key in AT_MOST else math.inf for key in keys]
        counts = {}
        for row in rows:
            counts[row["family"]] = counts.get(row["family"], 0) + 1
        self.weight = [(counts[row["family"]] * row.get("stands", 1)) ** 0.7 / counts[row["family"]] for row in rows]

    def logs(self, times):
        return {i: math.log(t / self.rows[i]["measured"]["step_time_s"]) for i, t in times.items()}

    def residuals(self, x):
        return self.logs(self.forecasts.of([(x, range(len(self.rows)))])[0])

    def slopes(self, x, at):
        """Of each row, {constant: change of its residual with the logarithm of the constant}. After the first time, rows that a constant did not touch are passed over."""
        touched = self.touched or [range(len(self.rows))] * len(x)
        moved = [[v + DIFFERENCE * (j == k) for k, v in enumerate(x)] for j in range(len(x))]
        slopes = {i: {} for i in at}
        for j, times in enumerate(self.forecasts.of(list(zip(moved, touched)))):
            for i, r in self.logs(times).items():
                if abs(r - at[i]) > 1e-7:
                    slopes[i][j] = (r - at[i]) / DIFFERENCE
        self.touched = self.touched or [[i for i in slopes if j in slopes[i]] for j in range(len(x))]
        return slopes

    def loss(self, x, at, rows, centre, pull):
        size = sum(self.weight[i] * (at[i] ** 2 / 2 if abs(at[i]) < TURN else TURN * (abs(at[i]) - TURN / 2)) for i in rows)
        return size + pull / 2 * sum((v - c) ** 2 for v, c in zip(x, centre))

    def step(self, x, at, slopes, rows, centre, pull, stride):
        """The step that lessens the loss most were residuals linear, no constant by more than stride."""
        step = [0.0] * len(x)
        for _ in range(12):
            a = [[pull * (j == k) for k in range(len(x))] for j in range(len(x))]
            b = [pull * (c - v) for v, c in zip(x, centre)]
            for i in rows:
                slope = slopes[i].items()
                off = abs(at[i] + sum(s * step[j] for j, s in slope))
                weight = self.weight[i] * min(1, TURN / max(off, 1e-9))
                for j, s in slope:
                    b[j] -= weight * s * at[i]
                    for k, t in slope:
                        a[j][k] += weight * s * t
            step = lowest(a, b, step, [-stride] * len(x), [min(stride, top - v) for v, top in zip(x, self.limit)])
        return step

    def descend(self, x, at, rows, centre, pull, slopes=None, rounds=ROUNDS):
        """(x, residuals) after some rounds; slopes that are given are kept through all of them."""
        best = self.loss(x, at, rows, centre, pull)
        for _ in range(rounds):
            here, before = slopes or self.slopes(x, at), best
            for stride in STRIDES:
                there = [v + s for v, s in zip(x, self.step(x, at, here, rows, centre, pull, stride))]
                found = self.residuals(there)
                loss = self.loss(there, found, rows, centre, pull)
                if loss < best:
                    x, at, best = there, found, loss
                    break
            if best > before * (1 - ENOUGH):
                break
        return x, at


def lowest(a, b, x, low, high):
    """Where x a x / 2 - b x is lowest between bounds, a being positive definite: one coordinate after the other, from x on."""
    for _ in range(SWEEPS):
        moved = 0
        for j, row in enumerate(a):
            to = x[j] + (b[j] - sum(v * w for v, w in zip(row, x))) / row[j]
            to = min(max(to, low[j]), high[j])
            moved = max(moved, abs(to - x[j]))
            x[j] = to
        if moved < 1e-5:
            break
    return x


def dealt(families):
    """{family: part}: in the order of their names' hashes."""
    order = sorted(families, key=lambda family: hashlib.sha256(family.encode()).digest())
    return {family: i % PARTS for i, family in enumerate(order)}


def lot(families):
    """A word for how the families are dealt: medians left out of two lots cannot be compared."""
    return hashlib.sha256(json.dumps(dealt(families), sort_keys=True).encode()).hexdigest()[:8]


def sizes(residuals, rows):
    return sorted(abs(math.expm1(residuals[i])) for i in rows)


def median(residuals, rows):
    return 100 * statistics.median(sizes(residuals, rows))


def p90(residuals, rows):
    errors = sizes(residuals, rows)
    return 100 * errors[int(0.9 * (len(errors) - 1))]


def leave_out(fit, x, at, families):
    """Residuals of all runs, each forecast without its part, and the constants of each part."""
    parts, slopes = dealt(families), fit.slopes(x, at)
    centre = [math.log(UNSEEN[key]) if key in UNSEEN else v for key, v in zip(fit.keys, x)]
    residuals, found = {}, []
    for part in range(PARTS):
        rows = [i for i in at if parts[fit.rows[i]["family"]] != part]
        there, got = fit.descend(x, at, rows, centre, PULL, slopes, 4)
        residuals.update((i, got[i]) for i in at if parts[fit.rows[i]["family"]] == part)
        found.append(there)
    return residuals, found


def show(keys, before, after, parts, families, was, now, without):
    print("%-28s %8s %8s %8s   left out" % ("constant", "before", "after", "change"))
    for j, key in enumerate(keys):
        each = [math.exp(x[j]) for x in parts]
        change = 100 * (after[j] / before[j] - 1)
        print("%-28s %8s %8s %+7.1f%%   %s to %s" % (key, brief(before[j]), brief(after[j]), change, brief(min(each)), brief(max(each))))
    print("\n%-36s %5s %7s %7s %9s" % ("source: median error in percent", "runs", "before", "after", "left out"))
    for family, rows in sorted(families.items()):
        print("%-36s %5d %7.1f %7.1f %9.1f" % (family, len(rows), median(was, rows), median(now, rows), median(without, rows)))
    every = sorted(was)
    for name, statistic in (("all", median), ("all, p90", p90)):
        print("%-36s %5d %7.2f %7.2f %9.2f" % (name, len(every), statistic(was, every), statistic(now, every), statistic(without, every)))
    worse = ["%s by %.1f" % (f, d) for f, d in ((f, median(now, r) - median(was, r)) for f, r in sorted(families.items())) if d > 2]
    print("\nworse by more than two points: %s" % (", ".join(worse) or "none"))


def objections(medians, was, now):
    """Why the constants found are not to be written."""
    old, every = json.load(open(LEFT_OUT)), sorted(was)
    if median(now, every) > median(was, every):
        yield "the median of all runs rises from %.2f to %.2f %%" % (median(was, every), median(now, every))
    if old.get("lot") != medians["lot"]:
        print("left-out.json is of other parts, so that its %.1f %% and the %.1f %% here are not compared" % (old["all"], medians["all"]))
    elif medians["all"] > old["all"]:
        yield "the median of all runs left out rises from %.1f to %.1f %%" % (old["all"], medians["all"])


def record(medians):
    with open(LEFT_OUT, "w") as file:
        file.write(json.dumps(medians, indent=1) + "\n")


def write(text, found, after):
    for (_, _, (start, end)), value in reversed(list(zip(found, after))):
        text = text[:start] + brief(value) + text[end:]
    with open(CONSTANTS, "w") as file:
        file.write(text)


def main():
    start, text = time.monotonic(), open(CONSTANTS).read()
    rows = [r for r in published.runs(RUNS) if published.is_measured(r) and r["measured"].get("step_time_s") and r.get("class") != "noisy"]
    rows = [dict(row, stands=each) for row, each in sampled(rows)]
    found = constants(text)
    keys, before = [key for key, _, _ in found], [value for _, value, _ in found]
    with tempfile.TemporaryDirectory() as folder:
        x = [math.log(value) for value in before]
        there = Fit(Forecasts(rows, keys, folder), rows, keys).residuals(x)
        silent = [row["id"] for i, row in enumerate(rows) if i not in there]
        if silent:
            print("left out, since their configs stop: %s" % ", ".join(silent))
        rows = [row for i, row in enumerate(rows) if i in there]
        fit = Fit(Forecasts(rows, keys, folder), rows, keys)
        was = fit.residuals(x)
        x, at = fit.descend(x, was, sorted(was), x, HOLD)
        after = [float(brief(math.exp(v))) for v in x]
        now = fit.residuals([math.log(value) for value in after])
        families = {}
        for i in sorted(was):
            families.setdefault(rows[i]["family"], []).append(i)
        without, parts = leave_out(fit, x, at, families)
    show(keys, before, after, parts, families, was, now, without)
    medians = {family: round(median(without, r), 1) for family, r in sorted(families.items())}
    medians.update({"all": round(median(without, sorted(was)), 1), "lot": lot(families)})
    against = list(objections(medians, was, now))
    for why in against:
        print("not to be written: " + why)
    if RECORD or WRITE and not against:
        record(medians)
    if WRITE and not against:
        write(text, found, after)
        print("written; `make accuracy golden` shows what becomes of it")
    print("took %d s" % (time.monotonic() - start))
    return 1 if WRITE and against else 0


sys.exit(main())
