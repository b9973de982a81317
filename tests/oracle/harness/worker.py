"""Runs inside an environment: reads cases as JSON lines, asks the real library, writes an answer a line.

    python -m harness.worker SUBJECT TOPIC VERSION < cases > answers

A library's own prints go to stderr. An answer is what the topic's ask() returns, or {"error": {"type", "message"}}.
"""
import importlib, json, os, sys, warnings


def main():
    subject, topic, version = sys.argv[1:4]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever the library prints must not mix with the answers
    warnings.simplefilter("ignore")
    module = importlib.import_module("of.%s.%s" % (subject, topic))
    for line in sys.stdin:
        try:
            answer = module.ask(json.loads(line), version)
        except Exception as error:  # any exception is an answer
            answer = {"error": {"type": type(error).__name__, "message": str(error)}}
        answers.write(json.dumps(answer, separators=(",", ":")) + "\n")
        answers.flush()


main()
