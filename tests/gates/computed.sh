#!/bin/sh
# Runs whose times somebody has added up are told from runs that a clock has timed.
PYTHONPATH=tests/bench python3 -B -c '
import published

def runs(family, times):
    return [{"family": family, "config": {"model": {"layers": layers, "hidden": hidden}, "training": {"packed": True}}, "measured": {"step_time_s": took}}
            for (layers, hidden), took in times.items()]

sizes = [(layers, hidden) for hidden in (1, 2, 3) for layers in (12, 16, 24)]
added = runs("added", {(n, h): 0.01 * n * h + 0.003 for n, h in sizes})
timed = runs("timed", {(n, h): (0.01 * n * h + 0.003) * (1 + 0.001 * (n * h % 5)) for n, h in sizes})
steady = runs("steady", {size: 0.5 for size in sizes})
found = published.on_lines(added + timed + steady)
if found != ["added"]:
    print("sources said to be computed: %s, not those of which alone it is true" % found)
'
