"""Recorded answers: testdata/oracle/NAME-VERSION/TOPIC.jsonl, a case and the library's answer on each line."""
import glob, json, os

from harness.environment import ROOT

FOLDER = os.path.join(ROOT, "testdata", "oracle")
MOST_BYTES = 2 << 20


def write(label, topic, pairs):
    """Writes pairs of case and answer, as many as the size allows; returns how many."""
    os.makedirs(os.path.join(FOLDER, label), exist_ok=True)
    size = kept = 0
    with open(os.path.join(FOLDER, label, topic + ".jsonl"), "w") as file:
        for case, answer in pairs:
            line = json.dumps({"case": case, "answer": answer}, separators=(",", ":")) + "\n"
            if size + len(line) > MOST_BYTES:
                break
            file.write(line)
            size, kept = size + len(line), kept + 1
    return kept


def read_all():
    """Yields (label, topic, [(case, answer), …]) of everything recorded, in a fixed order."""
    for path in sorted(glob.glob(os.path.join(FOLDER, "*", "*.jsonl"))):
        with open(path) as file:
            pairs = [json.loads(line) for line in file]
        label, topic = os.path.basename(os.path.dirname(path)), os.path.basename(path)[: -len(".jsonl")]
        yield label, topic, [(pair["case"], pair["answer"]) for pair in pairs]
