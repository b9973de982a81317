"""Writes docs/accuracy.md: forecasts of BIN against the runs in RUNS, beside a naive roofline and the peers' own predictions.

usage: report.py BIN RUNS ROOT
"""
import concurrent.futures, json, math, os, re, statistics, subprocess, sys

import published

BIN, RUNS, ROOT = sys.argv[1:4]
KIND = {"reserved": "reserved_gib", "device": "device_gib", "unspecified": "reserved_gib"}
EDGES = [0, 0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 1.01]
EFFICIENCY = {"bf16": 0.62, "fp8": 0.45, "fp4": 0.30}


def clean(tree):
    return {k: clean(v) if isinstance(v, dict) else v for k, v in tree.items() if v is not None}


def preset(folder, name):
    """The plain scalars of a preset, through `like`."""
    path = os.path.join(ROOT, "src", "presets", folder, name + ".yaml")
    if not os.path.exists(path):
        return {}
    text = open(path).read()
    like = re.search(r"^like: (\S+)", text, re.M)
    found = preset(folder, like.group(1)) if like else {}
    for key, value in re.findall(r"^\s*([a-z_0-9]+): (?:\{value: )?([\d.]+|true|false)\b", text, re.M):
        found[key] = value == "true" if value in ("true", "false") else float(value)
    return found


def model_of(config):
    model = config["model"]
    if isinstance(model, str):
        return preset("models", model)
    own = {k: v for k, v in model.items() if not isinstance(v, dict)}
    for part in ("moe", "mla"):
        own.update(model.get(part) or {})
    return {**preset("models", model["preset"]), **own} if "preset" in model else own


def active(m):
    """Parameters that a token meets in products."""
    h, kv = m["hidden"], m.get("kv_heads") or m["heads"]
    dim = m.get("head_dim") or h / m["heads"]
    matrices = 3 if m.get("gated_mlp", True) else 2
    each = h * dim * 2 * (m["heads"] + kv)
    experts = m.get("experts") or 0
    dense = (m.get("dense_layers") or 0) if experts else m["layers"]
    routed = matrices * h * ((m.get("topk") or 0) * (m.get("expert_ffn") or 0) + (m.get("shared_ffn") or 0))
    return m["layers"] * each + dense * matrices * h * m["ffn"] + (m["layers"] - dense) * routed + h * m["vocab"]


def roofline(config):
    """6ND and causal attention over the datasheet's peak, at one efficiency per format."""
    m, t, gpu = model_of(config), config["training"], preset("gpus", config["cluster"]["gpu"])
    if not {"layers", "hidden", "heads", "ffn", "vocab"} <= set(m) or "peak_bf16" not in gpu:
        return None
    word = str(t.get("matmul_dtype") or ("fp8" if (t.get("float8") or {}).get("enabled") else "bf16"))
    form = "fp4" if "fp4" in word else "fp8" if "fp8" in word else "bf16"
    if not gpu.get("peak_" + form):
        form = "bf16"
    world = config.get("world") or config["cluster"]["nodes"] * config["cluster"]["gpus_per_node"]
    dim = m.get("head_dim") or m["hidden"] / m["heads"]
    per_token = 6 * active(m) + 6 * m["layers"] * m["heads"] * dim * t["seq_len"]
    if (t.get("activation_checkpoint") or {}).get("mode") == "full":
        per_token *= 4 / 3
    return per_token * t["global_batch_size"] * t["seq_len"] / (world * gpu["peak_" + form] * 1e12 * EFFICIENCY[form])


def forecast(row, corrections=()):
    config = clean(row["config"])
    for path, value in corrections:
        part = config
        for key in path.split(".")[:-1]:
            part = part.setdefault(key, {})
        part[path.split(".")[-1]] = value
    run = subprocess.run([BIN, "sim", "--format", "json", "-"], input=json.dumps(config), capture_output=True, text=True)
    return json.loads(run.stdout) if run.stdout.startswith("{") else None


FREE = {"local_batch_size", "micro_batch_size", "activation_checkpoint", "reshard_after_forward", "loss_parallel"}
RISKS = 0.1, 0.2, 0.35  # what parplan search takes by default, and when it is told to risk more


def problem(row):
    """What a choice of layout leaves alone: runs that share it are choices for one job."""
    config = clean(row["config"])
    rest = {k: v for k, v in config.items() if k != "parallelism"}
    rest["training"] = {k: v for k, v in config.get("training", {}).items() if k not in FREE}
    return row["family"], json.dumps(rest, sort_keys=True)


def choices(pairs, risk):
    """By family: of each job with five measured layouts or more that are not all alike, how much slower than the best
    the layout is that would be proposed first, and the best of five; and how many run out of memory before one runs."""
    jobs, found, layouts = {}, {}, {}
    for row, got in pairs:
        if got and "step_time_s" in got and (row["measured"].get("step_time_s") or row["measured"].get("oom")):
            layouts.setdefault((problem(row), json.dumps(clean(row["config"]), sort_keys=True)), []).append((row["measured"].get("step_time_s"), got))
    for (job, _), runs in layouts.items():  # one layout may have been measured several times
        took, got = [time for time, _ in runs if time], runs[0][1]
        jobs.setdefault(job, []).append((got["memory"]["probability_out_of_memory"] > risk, got["step_time_s"], statistics.median(took) if took else None))
    for (family, _), runs in jobs.items():
        took = [run[2] for run in runs if run[2]]
        if len(took) < 5:
            continue
        order = [run[2] for run in sorted(runs, key=lambda run: run[:2])]
        ran = [time for time in order if time]
        found.setdefault(family, []).append((ran[0] / min(took) - 1, min(ran[:5]) / min(took) - 1, order.index(ran[0]), statistics.fmean(took) / min(took) - 1))
    return found


def put_jobs(lines):
    print("| source | jobs | first, mean % | p90 | best of five, mean % | ran out before one ran | blindly, mean % |\n|---|---:|---:|---:|---:|---:|---:|")
    for family, rows in lines:
        first, five, out, blind = ([row[i] for row in rows] for i in range(4))
        print("| %s | %d | %.1f | %.1f | %.1f | %.2f | %.0f |" % (family, len(rows), 100 * statistics.fmean(first), 100 * sorted(first)[math.ceil(0.9 * len(first)) - 1], 100 * statistics.fmean(five), statistics.fmean(out), 100 * statistics.fmean(blind)))


def put_choices(pairs):
    found, *bolder = (choices(pairs, risk) for risk in RISKS)
    print("\n## Choosing a layout\n\nJobs of which five measured layouts or more are published: how much slower than the fastest of them the one is that is forecast\nfastest of those that run out of memory with a probability of 10 % at most, and a layout chosen blindly.\n")
    put_jobs([(family, found[family]) for family in sorted(found)] + [("all", pooled(found))] +
             [("all, of %.0f %% at most" % (100 * risk), pooled(rest)) for risk, rest in zip(RISKS[1:], bolder)])


def put_computed(pairs):
    """Of sources that are in no table above: the same errors, and what all would be with them."""
    print("\n## Computed by others\n\nTimes that their source calls measured, and that a program put together (`tests/bench/computed.json` says how that shows).\nNo table above counts them, and `make fit` leaves them out.\n")
    errors, found = {}, choices(pairs, RISKS[0])
    for row, got in pairs:
        if got and "step_time_s" in got and row["measured"].get("step_time_s"):
            errors.setdefault("all, with these" if published.is_measured(row) else row["family"], []).append(got["step_time_s"] / row["measured"]["step_time_s"] - 1)
    computed = sorted(family for family in errors if family != "all, with these")
    errors["all, with these"] = pooled(errors)
    print("| source | runs | median | p90 | bias |\n|---|---:|---:|---:|---:|")
    for family in computed + ["all, with these"]:
        print("| %s | %d %s" % (family, len(errors[family]), describe(errors[family])))
    print()
    put_jobs([(family, found[family]) for family in computed if family in found] + [("all, with these", pooled(found))])


def held_of(row, got, source={}):
    """The error of a forecast's memory, or None. `source` says what its source measured where the row says otherwise: `kind`, `stage`
    (of what PyTorch allocated: the first or the last rank of a pipeline rather than the fullest), `gigabytes` of 10^9 bytes."""
    held = row["measured"].get("peak_memory_gib")
    held = held * 1e9 / 2**30 if held and source.get("gigabytes") else held
    if not held or not got or "memory" not in got:
        return None
    memory = got["memory"]
    kind = KIND.get(source.get("kind", row["measured"].get("memory_kind")), "peak_gib")
    fullest = next(part for part in memory["classes"] if part["fullest"])
    of = next((part for part in memory["classes"] if part["name"] == source.get("stage")), fullest)
    return (memory[kind] + of["peak"] - of["runtime"] - fullest["peak"] + fullest["runtime"]) / held - 1


def put_corrections(rows, answers):
    """Of rows that were transcribed otherwise than their source has them: errors before and after."""
    table = json.load(open(os.path.join(ROOT, "tests", "bench", "corrections.json")))
    all_memory = {}
    print("\n## As their sources have it\n")
    print("Settings of some of these runs that decide are not in their rows, or otherwise than in the source that the row names, which was read")
    print("again (`tests/bench/corrections.json` says where). The tables above take rows as they are; with these settings memory is off by:\n")
    print("| source | what it says | runs | median | bias | corrected median | bias |\n|---|---|---:|---:|---:|---:|---:|")
    for row, got in zip(rows, answers):
        if row.get("class") != "noisy" and held_of(row, got) is not None:
            all_memory[row["id"]] = held_of(row, got)
    said = {}
    for entry in table:
        chosen = [row for row in rows if re.fullmatch(entry["runs"], row["id"]) and row["id"] in all_memory]
        before = [all_memory[row["id"]] for row in chosen]
        for row in chosen:  # a row that several entries are of has all that they say
            sets, source = said.setdefault(row["id"], ({}, {}))
            sets.update(entry.get("set", {}))
            source.update(entry)
            all_memory[row["id"]] = held_of(row, forecast(row, sets.items()), source)
        after = [all_memory[row["id"]] for row in chosen]
        print("| %s | %s | %d %s %s" % (chosen[0]["family"], entry["what"], len(chosen), slim(before), slim(after)[1:]))
    print("\nOver all %d runs the median is then %.1f %%, and the 90th percentile %.1f %%." % ((len(all_memory),) + sizes_of(all_memory.values())[:2]))


def sizes_of(errors):
    errors = list(errors)
    sizes = sorted(abs(e) for e in errors)
    return 100 * statistics.median(sizes), 100 * sizes[int(0.9 * (len(sizes) - 1))], 100 * statistics.fmean(errors)


def slim(errors):
    median, _, bias = sizes_of(errors)
    return "| %.1f | %+.1f |" % (median, bias)


def describe(errors):
    if not errors:
        return "| | | |"
    return "| %.1f | %.1f | %+.1f |" % sizes_of(errors)


def main():
    rows = published.runs(RUNS)
    for family in published.on_lines([row for row in rows if published.is_measured(row)]):
        print("times of %s lie on lines: are they computed?" % family, file=sys.stderr)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        pairs = list(zip(rows, pool.map(forecast, rows)))
    rows, answers = zip(*(pair for pair in pairs if published.is_measured(pair[0])))
    time, memory, naive, peers, outside, widths, stopped, risks = {}, {}, {}, {}, [], [], [], []
    fit = {"right": 0, "wrong": 0, "tight": 0}
    for row, got in zip(rows, answers):
        if not got or got.get("error"):
            stopped.append(row["id"])
            continue
        took, family, fits = row["measured"].get("step_time_s"), row["family"], got["memory"]["fits"]
        fit["tight" if fits == "tight" else "right" if (fits == "no") == bool(row["measured"].get("oom")) else "wrong"] += 1
        held = held_of(row, got)
        risks.append((got["memory"]["probability_out_of_memory"], bool(row["measured"].get("oom"))))
        if row.get("class") == "noisy":
            continue
        if held is not None:
            memory.setdefault(family, []).append(held)
        if not took:
            continue
        time.setdefault(family, []).append(got["step_time_s"] / took - 1)
        low, high = got["interval_s"]
        outside.append(not low <= took <= high)
        widths.append((high - low) / 2 / got["step_time_s"])
        guess = roofline(row["config"])
        if guess:
            naive.setdefault(family, []).append(guess / took - 1)
        said = {peer["peer"]: peer["err_pct"] / 100 for peer in row.get("peers", []) if peer.get("err_pct") is not None}
        for peer, error in said.items():
            peers.setdefault((family, peer), []).append(error)
    left_out = json.load(open(os.path.join(ROOT, "tests", "bench", "left-out.json")))
    write(time, memory, naive, peers, left_out, fit, outside, widths, stopped, risks)
    put_corrections(rows, answers)
    put_choices([pair for pair in zip(rows, answers) if pair[0].get("class") != "noisy"])
    put_computed([pair for pair in pairs if pair[0].get("class") != "noisy"])


def pooled(table):
    return [e for errors in table.values() for e in errors]


def write(time, memory, naive, peers, left_out, fit, outside, widths, stopped, risks):
    total = sum(fit.values())
    print(open(os.path.join(ROOT, "tests", "bench", "accuracy.head.md")).read())
    print("## Step time\n\n| source | runs | median | p90 | bias | median, source left out | roofline median | p90 | bias |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for family in sorted(time) + ["all"]:
        mine, other = (pooled(time), pooled(naive)) if family == "all" else (time[family], naive.get(family, []))
        without = left_out.get(family)
        print("| %s | %d %s %s %s" % (family, len(mine), describe(mine), "" if without is None else "%.1f" % without, describe(other)))
    print("\n%.1f %% of runs lie outside their interval, whose median half-width is %.1f %%." % (100 * sum(outside) / len(outside), 100 * statistics.median(widths)))
    print("\n## Peers on the same runs\n\n| source | predicted by | runs | median | p90 | bias |\n|---|---|---:|---:|---:|---:|")
    for family in sorted({f for f, _ in peers}):
        print("| %s | parplan | %d %s" % (family, len(time[family]), describe(time[family])))
        for (of, name), errors in sorted(peers.items()):
            if of == family:
                print("| %s | %s | %d %s" % (family, name, len(errors), describe(errors)))
    print("\n## Peak memory\n\n| source | runs | median | p90 | bias |\n|---|---:|---:|---:|---:|")
    for family in sorted(memory) + ["all"]:
        errors = pooled(memory) if family == "all" else memory[family]
        print("| %s | %d %s" % (family, len(errors), describe(errors)))
    print("\nOf %d runs, whether they fit is forecast right for %.1f %%, wrong for %.1f %%, and left open (`tight`) for %.1f %%." % (total, *(100 * fit[k] / total for k in ("right", "wrong", "tight"))))
    print("\n| probability of running out of memory | runs | ran out | of them, % |\n|---|---:|---:|---:|")
    for low, high in zip(EDGES, EDGES[1:]):
        ends = [oom for risk, oom in risks if low <= risk < high]
        print("| %g to %g %% | %d | %d | %s |" % (100 * low, min(100, 100 * high), len(ends), sum(ends), "%.0f" % (100 * sum(ends) / len(ends)) if ends else ""))
    if stopped:
        print("\nNo forecast is made of %d more, whose configs as they were transcribed stop with an exception: %s." % (len(stopped), ", ".join(stopped)))


main()
