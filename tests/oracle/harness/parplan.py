"""The program under test, run as a user runs it."""
import json, os, shutil, sys, tempfile

from harness.environment import ROOT

sys.path.append(os.path.join(ROOT, "tests"))
from serve.client import run


class Parplan:
    """Calls of parplan for one case; remembers the last one, so that a difference can be reproduced."""

    def __init__(self):
        self.last, self.folder = "", None

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def file(self, name, text):
        """Writes an input file of the case; returns its path."""
        self.folder = self.folder or tempfile.mkdtemp(prefix="parplan-oracle-")
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def text(self, *words):
        """What a command prints for people."""
        return self.run(*words).stdout

    def run(self, *words):
        """A command as subprocess.run returns it."""
        words = [str(word) for word in words]
        self.last = " ".join("'%s'" % w if set(w) & set(" ()[];*$\"") else w for w in ["parplan", *words])
        return run(words)

    def json(self, *words):
        """What a command prints with --format json; {"error": …} where it prints nothing."""
        done = self.run(*words, "--format", "json")
        try:
            return json.loads(done.stdout)
        except ValueError:
            return {"error": {"type": "exit %d" % done.returncode, "message": done.stderr.strip()}}
