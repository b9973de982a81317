"""What the history of a clone has: the texts of all versions of some files."""
import subprocess


def git(clone, *words):
    return subprocess.run(["git", "-C", clone, *words], capture_output=True, check=True).stdout.decode(errors="replace")


def texts(clone, commit, *paths):
    """(path, text) of every version of the Python files below paths, up to a commit."""
    seen = set()
    for line in git(clone, "log", "--format=", "--raw", "--no-abbrev", "--no-renames", commit, "--", *paths).splitlines():
        _, _, _, blob, state, path = line.split(None, 5)
        if state == "D" or not path.endswith(".py") or (path, blob) in seen:
            continue
        seen.add((path, blob))
        yield path, git(clone, "cat-file", "blob", blob)


def tree(clone, commit, *paths):
    """(path, text) of the Python files below paths as they are at a commit."""
    for path in git(clone, "ls-tree", "-r", "--name-only", commit, "--", *paths).splitlines():
        if path.endswith(".py"):
            yield path, git(clone, "show", "%s:%s" % (commit, path))
