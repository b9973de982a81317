#!/usr/bin/env python3
"""Writes src/wings/torchtitan/functions.def: what TorchTitan's registry functions set, by the days of main on which that changed.

    tests/oracle/titan_functions.py ask FOLDER COMMIT...     calls all functions at commits, keeps what they return in FOLDER
    tests/oracle/titan_functions.py write FOLDER             makes the table of all that FOLDER holds

ORACLE_TORCHTITAN names a clone. Commits that change nothing of a registry need not be asked.
"""
import contextlib, glob, importlib, json, os, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from of.torchtitan import checkout, environment, git, registry, versions

HEAD = '''/*
 * What the functions of TorchTitan's registries set (torchtitan/models/NAME/config_registry.py), where it differs from what
 * the config's classes default to. Made by tests/oracle/titan_functions.py, which calls the real functions; do not edit.
 *
 * FUNCTION(module, function, since, until, model, settings, beyond)
 *   since, until  moments as in the timeline: that is so from the first to before the second
 *   model         name and flavour of its model_spec
 *   settings      key=value ...: TorchTitan's keys, else parplan's
 *   beyond        what it sets that no setting stands for, or NULL
 */
/* clang-format off */
'''
EVER = 9999999999


def history():
    """The commits of main, oldest first, nine digits each."""
    return [line[:9] for line in git("log", "--first-parent", "--reverse", "--format=%H", "HEAD").decode().split()]


def ask_here(path):
    """Inside an environment: calls everything and writes it to `path`."""
    answers = {}
    for model in registry.MODELS:
        try:
            module = registry.load(model)
        except ImportError:
            continue
        for name, function in registry.functions(module).items():
            try:
                answers["%s %s" % (model, name)] = registry.dump(function())
            except Exception as error:  # kept: a function that fails is not in the table
                answers["%s %s" % (model, name)] = {"error": repr(error)}
    answers["default"] = registry.default()
    with open(path, "w") as file:
        json.dump(answers, file)


def ask_all_here(folder, commits):
    """Inside an environment: a child for each commit, which all share the imported torch."""
    for name in ("torch", "torch.distributed.tensor", "torchao", "tyro", "datasets", "grain", "triton", "PIL"):
        with contextlib.suppress(Exception):  # what a release lacks is supplied to each child
            importlib.import_module(name)
    for commit in commits:
        child = os.fork()
        if not child:
            sys.path.insert(0, checkout(commit))
            ask_here(os.path.join(folder, commit + ".json"))
            sys.stdout.flush()
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            print("%s cannot be asked" % commit, flush=True)


def ask(folder, commits):
    """All of them with the release that the last commit of the timeline before the first of them runs with."""
    os.makedirs(folder, exist_ok=True)
    order = history()
    noted = [commit for commit in order[:order.index(commits[0]) + 1] if commit in dict(versions.moments())][-1]
    chosen = environment(noted).build()
    subprocess.run([chosen.python, os.path.abspath(__file__), "here", os.path.abspath(folder), *commits],
                   env=dict(chosen.variables(), ORACLE_STUBS="1"), check=True)


def moments(commits):
    """Commits in the order of main with moments that fit among the timeline's, which are of days and of ranks in a day."""
    order = git("log", "--reverse", "--format=%h %cd", "--abbrev=9", "--date=format:%Y%m%d", "b5bcd76c6").decode().splitlines()
    known, answer = dict(versions.moments()), []
    day, rank = 0, 0
    for commit, at in (line.split() for line in order):
        if commit in known and known[commit] // 100 == int(at):
            day, rank = at, known[commit] % 100
        elif at != day:
            day, rank = at, 0
        if commit in commits:
            answer.append((commit, known.get(commit, int(at) * 100 + rank + (rank > 0))))
    return answer


def cell(entry, classes):
    """(model, settings, beyond) of what a function returned."""
    spec = entry.get("model_spec", {})
    ours, theirs = registry.settings(entry), registry.settings(classes)
    changed = {key: value for key, value in sorted(ours.items()) if theirs.get(key) != value}
    return ("%s-%s" % (spec["name"], spec["flavor"]) if spec else None, " ".join("%s=%s" % pair for pair in changed.items()),
            ", ".join(registry.beyond(entry)) or None)


def write(folder):
    files = {os.path.basename(path)[:-5]: path for path in glob.glob(os.path.join(folder, "*.json"))}
    rows, open_rows = [], {}
    for commit, moment in moments(files):
        with open(files[commit]) as file:
            answers = json.load(file)
        cells = {name: cell(entry, answers["default"]) for name, entry in answers.items()
                 if name not in ("default", "stubs") and "error" not in entry}
        for name in [name for name in open_rows if cells.get(name) != open_rows[name][1]]:
            since, before = open_rows.pop(name)
            rows.append((name, since, moment, before))
        for name in cells:
            open_rows.setdefault(name, (moment, cells[name]))
    rows += [(name, since, EVER, now) for name, (since, now) in open_rows.items()]
    with open(registry.TABLE, "w") as table:
        table.write(HEAD)
        for name, since, until, (model, changed, beyond) in sorted(rows):
            words = name.split() + [since, "EVER" if until == EVER else until, model, changed, beyond]
            texts = [json.dumps(word) if word is not None else "NULL" for word in words[4:]]
            table.write("FUNCTION(\"%s\", \"%s\", %s, %s, %s, %s, %s)\n" % (*words[:4], *texts))
        table.write("/* clang-format on */\n")
    print("%d rows, %d functions at last" % (len(rows), len(open_rows)))


if __name__ == "__main__":
    if sys.argv[1] == "ask":
        ask(sys.argv[2], sys.argv[3:])
    elif sys.argv[1] == "here":
        ask_all_here(sys.argv[2], sys.argv[3:])
    else:
        write(sys.argv[2])
