"""run(WORDS): parplan as subprocess.run would run it, by tests/serve/main.c where that is built, which is quicker."""
import atexit, os, subprocess, threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.path.abspath(os.environ.get("BIN") or os.path.join(ROOT, "build", "release", "parplan"))
FOLDER = os.path.dirname(BINARY)
mine = threading.local()


def is_built():
    """True when it is made of the library that parplan is made of now."""
    serve, library = (os.path.join(FOLDER, name) for name in ("serve", "libparplan.a"))
    return os.path.exists(serve) and os.path.exists(library) and os.path.getmtime(serve) >= os.path.getmtime(library)


SERVED = is_built()


def start():
    """A process of this thread's own, in the folder where the thread is now."""
    mine.folder = os.getcwd()
    mine.process = subprocess.Popen([os.path.join(FOLDER, "serve")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(stop, mine.process)


def stop(process):
    process.stdin.close()
    process.stdout.close()
    process.wait()


def ask(words):
    """(status, stdout, stderr)"""
    if getattr(mine, "folder", None) != os.getcwd():
        start()
    words = [os.fsencode(word) for word in words]
    mine.process.stdin.write(b"%d\n" % len(words) + b"".join(b"%d\n%s" % (len(word), word) for word in words))
    mine.process.stdin.flush()
    status, out, err = map(int, mine.process.stdout.readline().split())
    return status, mine.process.stdout.read(out), mine.process.stdout.read(err)


def run(words, text=True):
    """A subprocess.CompletedProcess of parplan WORDS."""
    if not SERVED:
        return subprocess.run([BINARY, *words], capture_output=True, text=text, stdin=subprocess.DEVNULL)
    status, out, err = ask(words)
    if text:
        out, err = (part.decode().replace("\r\n", "\n") for part in (out, err))
    return subprocess.CompletedProcess([BINARY, *words], status, out, err)
