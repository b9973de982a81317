"""Days of the timeline's versions, as parplan counts them."""
import functools, os, re

from harness.environment import ROOT

TIMELINE = os.path.join(ROOT, "src", "wings", "torchtitan", "timeline.c")


@functools.lru_cache(None)
def rows():
    """The timeline's rows as (commit of nine digits, day), oldest first."""
    return [(commit, moment // 100) for commit, moment in moments()]


def moments():
    """The same with the rank within the day: YYYYMMDDnn."""
    with open(TIMELINE) as file:
        return [(commit[:9], int(when))
                for commit, when in re.findall(r'^\t\{ "([0-9a-f]{9,40})", .*?, (\d{10}),', file.read(), re.M | re.S)]


def day(version):
    """YYYYMMDD of a commit of the timeline; COMMIT^ has the day of the row before."""
    commits = [commit for commit, _ in rows()]
    at = commits.index(version.rstrip("^"))
    return rows()[at - 1 if version.endswith("^") and at else at][1]
