"""Where the program is, and how it is run."""
from __future__ import annotations

import os
import shutil
import subprocess
from typing import Optional, Sequence, Union

StrPath = Union[str, "os.PathLike[str]"]


class ParplanError(Exception):
    """There is no answer."""


class ProgramNotFound(ParplanError):
    """The program parplan is neither in this installation nor on the PATH."""


class CommandFailed(ParplanError):
    """The program could not do what it was asked: an option is wrong, a file cannot be read."""

    def __init__(self, command: Sequence[str], status: int, stderr: str) -> None:
        super().__init__(stderr.strip() or "%s ended with status %d" % (" ".join(command[:2]), status))
        self.command = list(command)
        self.status = status
        self.stderr = stderr


def program() -> str:
    """The path of the program: $PARPLAN_PROGRAM, else that of this installation, else the PATH's."""
    given = os.environ.get("PARPLAN_PROGRAM")
    if given:
        return given
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # PREFIX/lib/pythonX.Y/site-packages in every scheme of pip but that of --target, which has bin/ beside the packages.
    for folder in os.path.join(packages, "..", "..", ".."), packages:
        path = os.path.normpath(os.path.join(folder, "bin", "parplan"))
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("parplan")
    if found is None:
        raise ProgramNotFound("there is no program parplan in this installation or on the PATH")
    return found


def run(*words: StrPath, input: Optional[str] = None, cwd: Optional[StrPath] = None,
        timeout: Optional[float] = None) -> "subprocess.CompletedProcess[str]":
    """Runs any command of parplan: run("why", "job.log", "--format", "json").stdout. Raises CommandFailed at status 2."""
    command = [program(), *[os.fspath(word) for word in words]]
    ended = subprocess.run(command, input=input or "", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           cwd=cwd, timeout=timeout, encoding="utf-8", errors="replace")
    if ended.returncode not in (0, 1):
        raise CommandFailed(command, ended.returncode, ended.stderr)
    return ended
