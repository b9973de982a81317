#!/usr/bin/env python3
"""Every row of a table of times: what SimGrid says again, and what parplan says.

usage: compare.py TABLE FOLDER COLLECTIVES HOP NET_HOP    (COLLECTIVES: tests/simgrid/collectives.c, built; - without SimGrid)
"""
import functools, json, os, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from serve.client import run

TABLE, FOLDER, COLLECTIVES, HOP, NET_HOP = sys.argv[1:]
UPDATE = os.environ.get("UPDATE")


@functools.lru_cache(None)
def platform(ranks, nodes, link, nic):
    path = os.path.join(FOLDER, "platform-%s-%s-%s-%s.xml" % (ranks, nodes, link, nic))
    known = {"ranks": ranks, "nodes": nodes, "link": link, "nic": nic, "hop": HOP, "net_hop": NET_HOP}
    words = [word for item in known.items() for word in ("-v", "%s=%s" % item)]
    with open(path, "w") as file:
        subprocess.run(["awk", *words, "-f", "tests/simgrid/platform.awk"], stdout=file, check=True)
    return path


def simulated(rows):
    """What SimGrid says of each row; "" of all without SimGrid."""
    if COLLECTIVES == "-":
        return [""] * len(rows)
    asked = "".join("%s %s %s %s %s\n" % (platform(ranks, nodes, link, nic), op, ranks, nodes, size)
                    for op, ranks, nodes, size, _, link, nic, _ in rows)
    done = subprocess.run([COLLECTIVES, "--cfg=network/model:CM02", "--cfg=network/TCP-gamma:0", "--cfg=network/crosstraffic:0",
                           "--cfg=surf/precision:1e-12", "--log=root.thres:error"], input=asked, stdout=subprocess.PIPE, text=True, check=False)
    answers = done.stdout.split()
    return answers + ["nothing"] * (len(rows) - len(answers))


def forecast(op, ranks, nodes, size, gpu):
    done = run(["coll", "--format", "json", "--op", "all_to_all" if op == "pairwise" else op, "--ranks", ranks, "--nodes", nodes,
                "--bytes", size, "--gpu", gpu, "--algo", "Ring", "--proto", "Simple", "--profile", FOLDER + "/exact.yaml"])
    return json.loads(done.stdout)["results"][0]["time_us"] if done.stdout else 0


def near(op, ranks, nodes, simulated_us, ours):
    """Within 1 % where all hops are alike; 5 % where they are not (a ring that passes whole parts waits for the network
    every step, NCCL's passes slices and does so once a round) and where a pipeline fills (broadcast). Pairwise steps
    take longer than NCCL's exchange, which posts all at once: SimGrid's time of them is a bound."""
    off = ours / simulated_us - 1
    if op == "pairwise":
        return ours > 0 and off < 0.01
    alike = nodes in ("1", ranks) or op in ("all_to_all", "send_recv")
    most = 0.01 if alike and op != "broadcast" else 0.05
    return -most < off < most


def same(a, b):
    return a > 0 and b > 0 and a / b - 1 < 1e-4 and b / a - 1 < 1e-4


def number(text):
    try:
        return float(text)
    except ValueError:
        return 0.0


def judge(row, again):
    """What is wrong, or None, for each check of a row; and the time SimGrid gives it."""
    op, ranks, nodes, size, gpu, _, _, us = row
    what, found = "%s of %s bytes over %s ranks on %s nodes, %s" % (op, size, ranks, nodes, gpu), []
    if again:
        us = again if UPDATE else us
        found.append(None if same(number(us), number(again)) else "%s: SimGrid says %s us, %s %s us" % (what, again, TABLE, us))
    ours = forecast(op, ranks, nodes, size, gpu)
    fits = number(us) > 0 and near(op, ranks, nodes, number(us), ours)
    return found + [None if fits else "%s: %s us, SimGrid says %s us" % (what, ours, us)], us


def main():
    with open(TABLE) as file:
        lines = [text.split("\t") for text in file.read().splitlines()]
    rows, found = [line for line in lines if len(line) == 8], []
    for row, again in zip(rows, simulated(rows)):
        faults, row[-1] = judge(row, again)
        found += faults
    if UPDATE and COLLECTIVES != "-":
        with open(TABLE, "w") as file:
            file.writelines("\t".join(line) + "\n" for line in lines)
    failed = [fault for fault in found if fault]
    print("\n".join([*failed, "%d passed, %d failed" % (len(found) - len(failed), len(failed))]))


main()
