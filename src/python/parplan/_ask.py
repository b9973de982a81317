"""The words of a command line, from the keywords of a function."""
from __future__ import annotations

import json
import os
from typing import Iterable, List, Mapping, Optional, TypedDict, Union

from ._program import CommandFailed, StrPath, run

Values = Mapping[str, object]


class Options(TypedDict, total=False):
    """What all functions take as keywords."""

    text: str
    world: int
    framework: Union[str, Iterable[str]]
    settings: Values
    env: Mapping[str, str]
    dialect: str
    launcher: StrPath
    config: Union[StrPath, bool]
    flags: Iterable[str]
    options: Iterable[str]
    cwd: StrPath
    timeout: float


def several(given: Union[StrPath, Iterable[StrPath]]) -> List[str]:
    return [os.fspath(each) for each in ([given] if isinstance(given, (str, os.PathLike)) else given)]


def operand(path: str) -> str:
    """A name that begins with a dash is a file, neither an option nor stdin."""
    return os.path.join(".", path) if path.startswith("-") else path


def ask(command: str, paths: Union[StrPath, Iterable[StrPath]], *, text: Optional[str] = None, world: Optional[int] = None,
        framework: Union[str, Iterable[str]] = (), settings: Optional[Values] = None, env: Optional[Mapping[str, str]] = None,
        dialect: Optional[str] = None, launcher: Optional[StrPath] = None, config: Union[StrPath, bool] = True,
        flags: Iterable[str] = (), options: Iterable[str] = (), cwd: Optional[StrPath] = None,
        timeout: Optional[float] = None) -> str:
    """The JSON that the command prints."""
    words = [command, "--format=json"]
    words += ["--world=%d" % world] if world is not None else []
    words += ["--framework=" + each for each in several(framework)]
    words += ["--set=%s=%s" % (key, json.dumps(value)) for key, value in (settings or {}).items()]
    words += ["--env=%s=%s" % pair for pair in (env or {}).items()]
    words += ["--dialect=" + dialect] if dialect is not None else []
    words += ["--launcher=" + os.fspath(launcher)] if launcher is not None else []
    if isinstance(config, bool):
        words += [] if config else ["--no-config"]
    else:
        words.append("--config=" + os.fspath(config))
    words += options
    words += map(operand, several(paths))
    words += ["-"] if text is not None else []
    words += ["--", *flags] if flags else []
    ended = run(*words, input=text, cwd=cwd, timeout=timeout)
    if not ended.stdout:
        raise CommandFailed(ended.args, ended.returncode, ended.stderr)
    return ended.stdout
