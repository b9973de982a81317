#!/usr/bin/env python3
"""Holds the groups of `parplan plan` against those that MPI_Comm_split makes of real processes.

usage: compare.py PARPLAN SPLIT    (SPLIT: tests/mpi/split.c, built)
"""
import json
import subprocess
import sys

# world, tp, cp, pp, ep, etp, --use-tp-pp-dp-mapping
CASES = [
    (8, 2, 1, 2, 1, 2, 0),
    (8, 2, 2, 1, 4, 1, 0),
    (8, 2, 2, 2, 2, 2, 1),
    (12, 3, 1, 2, 2, 1, 0),
    (16, 2, 2, 2, 4, 1, 0),
    (16, 2, 2, 2, 2, 2, 1),
    (16, 4, 1, 2, 8, 1, 0),
    (16, 1, 4, 2, 8, 1, 0),
]


def expected(split):
    """What MPI makes of each case."""
    words = [str(number) for case in CASES for number in case]
    text = subprocess.run(["mpiexec", "-n", str(max(case[0] for case in CASES)), split, *words], check=True,
                          capture_output=True, text=True, timeout=240).stdout
    every = [part.splitlines() for part in text.split("end\n")[:-1]]
    assert len(every) == len(CASES), text
    return [groups_in(lines) for lines in every]


def groups_in(lines):
    groups = {}
    for name, *members in (line.split() for line in lines if line):
        groups.setdefault(name, []).append([int(member) for member in members])
    return {name: sorted(found) for name, found in groups.items()}


def planned(parplan, case):
    world, tp, cp, pp, ep, etp, last = case
    order = "tp-cp-ep-pp-dp" if last else "tp-cp-ep-dp-pp"
    config = {"parplan": 1, "framework": {"megatron": "core@2025-12"}, "world": world,
              "parallelism": {"tp": tp, "cp": cp, "pp": pp, "ep": ep, "etp": etp,
                              "axis_order": order}}
    out = subprocess.run([parplan, "plan", "--format", "json", "-"], input=json.dumps(config),
                         capture_output=True, text=True, check=False).stdout
    meshes = json.loads(out)["meshes"]
    return {name: sorted(mesh["groups"]) or [[rank] for rank in range(world)]
            for name, mesh in meshes.items()}


def main():
    parplan, split = sys.argv[1:]
    passed = failed = 0
    for case, real in zip(CASES, expected(split)):
        ours = planned(parplan, case)
        for name, groups in real.items():
            if name not in ours and name in ("ep", "etp", "expert_dp", "etp_ep", "etp_ep_pp"):
                continue  # without experts there is no second grid
            if ours.get(name) == groups:
                passed += 1
            else:
                failed += 1
                print(f"{case}: {name}: MPI {groups}, parplan {ours.get(name)}")
    print(f"{passed} passed, {failed} failed")


main()
