"""Holds a timeline to Chrome's trace-event format and to the forecast it shows.

Usage: trace.py FILE. Exit 1 with a sentence where something does not hold.
"""

import bisect
import json
import sys


def need(holds, what, *about):
    if not holds:
        sys.exit(what % about if about else what)


def nanoseconds(event, key):
    return round(event[key] * 1000)


def slices_of(events):
    """Slices by thread, in the order written; their shape is checked."""
    threads = {}
    for event in events:
        if event["ph"] != "X":
            continue
        seconds = event["args"].get("seconds", event["args"].get("busy_s"))
        need(event["name"] and isinstance(seconds, (int, float)), "a slice without seconds: %s", event)
        start, length = nanoseconds(event, "ts"), nanoseconds(event, "dur")
        need(start >= 0 and length > 0, "an empty slice: %s", event)
        need((event["ts"] * 8).is_integer() and (event["dur"] * 8).is_integer(), "a time that no binary fraction holds: %s", event)
        threads.setdefault((event["pid"], event["tid"]), []).append((start, start + length, event))
    return threads


def check_thread(thread, slices):
    """Whole slices follow each other; parts lie inside the last whole one, apart from each other."""
    end, outer, free = 0, None, 0
    for start, stop, event in slices:
        if event["cat"] == "inside":
            need(outer and outer[0] <= start and stop <= free, "a part sticks out on %s: %s", thread, event)
            free = start
            continue
        need(start >= end, "slices overlap on %s: %s", thread, event)
        end, outer, free = stop, (start, stop), stop


def check_arrows(events, threads):
    starts, ends = {}, {}
    threads = {thread: [s for s in slices if s[2]["cat"] != "inside"] for thread, slices in threads.items()}
    for event in events:
        if event["ph"] in "sf":
            side = starts if event["ph"] == "s" else ends
            need(event["id"] not in side, "two arrows are called %s", event["id"])
            side[event["id"]] = event
            time = nanoseconds(event, "ts")
            slices = threads[event["pid"], event["tid"]]
            last = bisect.bisect_right(slices, time, key=lambda slice: slice[0]) - 1
            inside = last >= 0 and time < slices[last][1]
            need(inside, "an arrow ends in no slice: %s", event)
    need(starts.keys() == ends.keys(), "arrows with one end: %s", sorted(starts.keys() ^ ends.keys())[:5])
    for name, event in starts.items():
        need(event["ts"] <= ends[name]["ts"], "an arrow goes back in time: %s", event)


def check_names(events, threads):
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    processes = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    need(threads.keys() <= named, "threads without a name: %s", threads.keys() - named)
    need({p for p, _ in threads} <= processes, "processes without a name")
    need(0 not in processes, "a process called 0, which Perfetto takes for the idle one")


def check_memory(events):
    """Counters go forward in time on each process, hold something, and are none below nothing."""
    times, fullest = {}, 0
    for event in events:
        if event["ph"] != "C":
            continue
        need(event["ts"] >= times.get(event["pid"], 0), "memory goes back in time: %s", event)
        need(min(event["args"].values()) >= 0, "less than no memory: %s", event)
        times[event["pid"]] = event["ts"]
        fullest = max(fullest, sum(event["args"].values()))
    need(times and fullest > 0, "no memory is shown")


def check_time(trace, threads):
    """Work and waiting on the busiest rank make the simulated time, which is the forecast if all was simulated."""
    other = trace["otherData"]
    end = max(stop for slices in threads.values() for _, stop, _ in slices)
    need(abs(end * 1e-9 - other["simulated_s"]) < 1e-6 * other["simulated_s"] + 2e-7, "the last slice ends at %s", end)
    if other["microbatches"] == other["microbatches_simulated"]:
        need(abs(other["simulated_s"] / other["step_time_s"] - 1) < 1e-6, "the forecast is %s", other["step_time_s"])
    whole = [s for s in threads[other["busiest_pipeline_rank"] + 1, 1] if s[2]["cat"] != "inside"]
    gaps, at = 0, 0
    for start, stop, _ in whole:
        gaps, at = gaps + start - at, stop
    busy = sum(stop - start for start, stop, _ in whole)
    need(busy + gaps + end - at == end, "%s of work and %s of waiting are not %s", busy, gaps, end)
    need(busy > 0.3 * end, "hardly any work is shown")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        trace = json.load(file)
    need(trace["otherData"]["schema"] == "parplan.trace/1", "no schema")
    events = trace["traceEvents"]
    threads = slices_of(events)
    for thread, slices in threads.items():
        check_thread(thread, slices)
    check_arrows(events, threads)
    check_names(events, threads)
    check_memory(events)
    check_time(trace, threads)
    shown = sum(1 for slices in threads.values() for s in slices if s[2]["cat"] in ("compute", "communication"))
    need(shown + trace["otherData"]["tasks_left_out"] <= trace["otherData"]["tasks"], "more slices than tasks")


main()
