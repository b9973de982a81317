"""Logs of jobs that died under torchrun, each in its own way: `parplan why` must name the cause, and the rank where one is to blame."""
import re

VARIES = True  # times, ports, the order of lines
ONE = "guilty"  # the last rank alone
# kind: what must stand first among the causes (names of rules and ends, a part of the last exception, values of the launcher's block),
# and whose it is
WANTED = {
    "killed": (["host-out-of-memory"], None), "segfault": (["process-crashed"], None), "leaves": ({"exitcode": "3", "rank": "1"}, None),
    "no label": ("ValueError: sample 8812 has no label", ONE), "nan": ("AssertionError: loss is nan at step 1", ONE),
    "memory": (["host-allocation-failed"], ONE), "shapes": (["collective-mismatch"], None),
    "timeout": (["gloo-timeout"], None), "monitored": (["barrier-rank-missing"], None), "port": (["address-in-use"], None),
    "unreachable": (["store-unreachable"], None), "clients": (["ranks-missing"], None), "mesh": (["mesh-larger-than-world"], None),
    "missing key": (["resume-missing-key"], None), "other size": (["resume-size-mismatch"], None),
    "no checkpoint": (["checkpoint-not-there"], None),
    "module keys": (["state-dict-keys", "state-dict-names"], None), "imports": (["module-not-installed"], None), "no gpu": (["nccl-without-gpu"], None),
    "loader": (["host-out-of-memory"], None), "unused": (["ddp-unused-parameters"], None), "norm": (["gradients-not-finite"], None),
}


def make(rng, version):
    kind = rng.choice(sorted(k for k in WANTED if k != "other size" or int(version.split(".")[1]) >= 6))
    return {"kind": kind, "world": 2, "detail": kind == "shapes" and rng.random() < 0.5}


def ask(case, version):
    import glob, os, socket, subprocess, sys, tempfile

    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(case["world"]), "--rdzv-backend", "c10d",
                 "--rdzv-endpoint", "127.0.0.1:0", "-m", "of.runs.dying", case["kind"], folder]
        env = dict(os.environ, GLOO_SOCKET_IFNAME="lo")
        if case["detail"]:
            env["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=240, env=env)
        text = done.stdout.replace(folder, "/job").replace(sys.executable, "/usr/bin/python").replace(socket.gethostname(), "node-1")
    text = re.sub(r"(/[^\s\"':,]*)?/(site-packages|python3\.\d+|tests/oracle)/", r"/\2/", text)
    lines = [line for line in text.split("\n") if not re.search(r"OMP_NUM_THREADS|^\*{20,}|^W.*\*{20,}", line)]
    return {"log": "\n".join(line[:400] for line in lines[:160])}


def compare(case, answer, version, parplan):
    if "error" in answer:
        return "does not run: %s" % answer["error"]
    got = parplan.json("why", parplan.file("job.log", answer["log"]))
    wanted, whose = WANTED[case["kind"]]
    causes = [hit for hit in got.get("hits", []) if not hit["follows"]]
    if isinstance(wanted, dict):  # nothing is printed but by the launcher
        values = [{value["name"]: value["value"] for value in hit["values"]} for hit in got.get("hits", [])]
        return None if not causes and any(wanted.items() <= value.items() for value in values) else "%s: says %s" % (case["kind"], values)
    if isinstance(wanted, str):
        last = got.get("last_exception")
        if causes or not last or wanted not in last["printed"]:
            return "%s: says %s, last exception %s" % (case["kind"], [h["known_as"][0]["name"] for h in causes], last)
        ranks = last["ranks"]["list"]
    else:
        first = (causes or got.get("hits") or [None])[0]
        names = [known["name"] for known in first["known_as"]] if first else []
        if not set(names) & set(wanted):
            return "%s: says %s, last exception %s" % (case["kind"], names, got.get("last_exception"))
        ranks = first["ranks"]["list"]
    if whose and ranks != str(case["world"] - 1):
        return "%s: rank %d is to blame, parplan says %s" % (case["kind"], case["world"] - 1, ranks)
    return None
