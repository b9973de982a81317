"""The program under test, run as a user runs it."""
import atexit, json, os, shutil, sys, tempfile, threading

from harness.environment import ROOT

sys.path.append(os.path.join(ROOT, "tests"))
from serve.client import run

mine = threading.local()


def folder():
    """One for all cases of a thread: making and removing thousands takes longer than most answers."""
    if not hasattr(mine, "folder"):
        mine.folder = tempfile.mkdtemp(prefix="parplan-oracle-")
        atexit.register(shutil.rmtree, mine.folder, True)
    return mine.folder


class Parplan:
    """Calls of parplan for one case; remembers the last one, so that a difference can be reproduced."""

    def __init__(self):
        self.last, self.files = "", set()

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        for path in self.files:
            os.remove(path)

    def file(self, name, text):
        """Writes an input file of the case; returns its path."""
        path = os.path.join(folder(), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.files.add(path)
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
