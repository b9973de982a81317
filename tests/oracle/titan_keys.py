#!/usr/bin/env python3
"""Writes testdata/torchtitan/keys.tsv: from which day to before which each key of TorchTitan's config files was known.

    tests/oracle/titan_keys.py REPOSITORY

Read off the last commit of each day of main that changed config_manager.py or job_config.py: what argparse was told, later the
fields of the dataclasses, from 2024-04-30 on until config files went (9810191bb).
"""
import ast, re, subprocess, sys

FILES = ("torchtitan/config/job_config.py", "torchtitan/config_manager.py")
FIRST, LAST = 20240430, "9810191bb"


def git(repository, *words):
    done = subprocess.run(["git", "-C", repository, *words], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def fields(classes, name, above):
    for line in classes[name].body:
        if isinstance(line, ast.AnnAssign):
            key = above + line.target.id
            kind = line.annotation.id if isinstance(line.annotation, ast.Name) else ""
            if kind in classes:
                yield from fields(classes, kind, key + ".")
            elif above:
                yield key


def keys(text):
    """Keys of a version of the file that declares them."""
    classes = {line.name: line for line in ast.parse(text).body if isinstance(line, ast.ClassDef)}
    if "JobConfig" in classes and any(isinstance(line, ast.AnnAssign) for line in classes["JobConfig"].body):
        return set(fields(classes, "JobConfig", ""))
    return set(re.findall(r"[\"']--(\w+(?:\.\w+)+)[\"']", text))


def main():
    repository = sys.argv[1]
    log = git(repository, "log", "--first-parent", "--reverse", "--date=format:%Y%m%d", "--format=%h %cd", LAST + "~", "--", *FILES)
    days = {}
    for line in log.splitlines():
        commit, day = line.split()
        days[int(day)] = commit
    since, spans, before = {}, [], set()
    for day, commit in sorted(days.items()):
        texts = [git(repository, "show", "%s:%s" % (commit, path)) for path in FILES]
        now = set().union(*(keys(text) for text in texts if text))
        for key in now - before:
            since[key] = day
        spans += [(key, since[key], day) for key in before - now]
        before = now
    spans += [(key, since[key], None) for key in before]
    print("# Keys of TorchTitan's config files: known from the first day to before the second (-: while there were config files);")
    print("# tests/oracle/titan_keys.py reads them off pytorch/torchtitan.")
    for key, first, end in sorted(spans):
        if not end or end > FIRST:
            print("%s\t%s\t%s" % (key, first if first > FIRST else "-", end or "-"))


main()
