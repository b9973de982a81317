"""What a distributed-training config will really do: the program parplan, asked from Python.

    report = parplan.check("train.toml", world=64)
    forecast = parplan.sim("train.toml", settings={"parallelism.tp": 4})

Each function runs the program once and gives its JSON as dataclasses (parplan.schemas). What is wrong with a config is
in the answer; an exception says that there is no answer. Options of all of them, each a keyword:

    text        a config that lies in no file
    world       number of ranks
    framework   NAME@VERSION to judge by, or several
    settings    values by key, over those of the config
    env         the job's environment, for ${NAME} in configs
    dialect     whose config it is, where the content does not tell
    launcher    the script or manifest that starts it
    config      the project's settings, instead of the nearest .parplan.yaml; False for none
    flags       the framework's own command line
    options     more options of the program, as in ["--gpu", "h200"]
    cwd         the folder where the program runs
    timeout     seconds, after which subprocess.TimeoutExpired is raised
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, List, Union

from ._ask import Options, ask
from ._decode import UnexpectedOutput, answer
from ._program import CommandFailed, ParplanError, ProgramNotFound, StrPath, program, run
from .schemas.check import Report
from .schemas.plan import Plan
from .schemas.search import Search
from .schemas.sim import Forecast

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["CommandFailed", "Forecast", "Options", "ParplanError", "Plan", "ProgramNotFound", "Report", "Search",
           "UnexpectedOutput", "check", "plan", "plans", "program", "run", "search", "sim"]

for _error in CommandFailed, ParplanError, ProgramNotFound, UnexpectedOutput:
    _error.__module__ = __name__  # as tracebacks show them


def check(paths: Union[StrPath, Iterable[StrPath]] = (), **options: Unpack[Options]) -> Report:
    """What will go wrong: findings with line, cause and fix (parplan check)."""
    return answer(Report, ask("check", paths, **options))


def plan(path: Union[StrPath, Iterable[StrPath]] = (), **options: Unpack[Options]) -> Plan:
    """Meshes, groups, parts of parameters, units and stages (parplan plan)."""
    return answer(Plan, ask("plan", path, **options))


def plans(paths: Union[StrPath, Iterable[StrPath]], **options: Unpack[Options]) -> List[Plan]:
    """The same of several configs, or of those of folders; each has its path. No plan is made of what cannot be read."""
    return [answer(Plan, line) for line in ask("plan", paths, **options).splitlines()]


def sim(path: Union[StrPath, Iterable[StrPath]] = (), **options: Unpack[Options]) -> Forecast:
    """Time and memory of a step (parplan sim)."""
    return answer(Forecast, ask("sim", path, **options))


def search(path: Union[StrPath, Iterable[StrPath]] = (), **options: Unpack[Options]) -> Search:
    """The layouts that are fastest and fit (parplan search)."""
    return answer(Search, ask("search", path, **options))


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError("module 'parplan' has no attribute %r" % name)
    from importlib.metadata import version

    return version("parplan")
