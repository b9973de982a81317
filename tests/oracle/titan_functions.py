#!/usr/bin/env python3
"""Writes src/wings/torchtitan/functions.def: what TorchTitan's registry functions set, by the commits of main on which that changed.

    tests/oracle/titan_functions.py ask FOLDER COMMIT...     calls all functions at commits, keeps what they return in FOLDER
    tests/oracle/titan_functions.py write FOLDER             makes the table of all that FOLDER holds
    tests/oracle/titan_functions.py check FOLDER             holds the table to what FOLDER holds
    tests/oracle/titan_functions.py history                  writes testdata/torchtitan/functions.tsv, from the text alone

ORACLE_TORCHTITAN names a clone. Commits that change nothing of a registry need not be asked; one that does must be, and what
a registry calls is found by asking between two commits that differ. After `write`, tests/oracle/commits.py torchtitan.
"""
import ast, contextlib, glob, importlib, json, os, re, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import commits
from harness.environment import ROOT, CannotInstall
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
NAMES = os.path.join(ROOT, "testdata", "torchtitan", "functions.tsv")


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


def moments(boundaries):
    """{commit: moment} of commits on which a function changed: each has its own, after all that stands before it on main."""
    days = dict(line.split() for line in git("log", "--first-parent", "--format=%h %cd", "--abbrev=9", "--date=format:%Y%m%d", "HEAD")
                .decode().splitlines())
    known, answer, last = dict(commits.MARKS, **dict(versions.moments())), {}, 0
    order = history()
    ahead = [known[commit] for commit in order if commit in known]
    for commit in order:
        if commit in known:
            last = ahead.pop(0)
        elif commit in boundaries:
            last = max(last + 1, int(days[commit]) * 100 + 1)
            assert not ahead or last < ahead[0], "no moment is left before %d for %s" % (ahead[0], commit)
        if commit in boundaries:
            answer[commit] = last
    with open(commits.PLACES, "w") as file:
        file.write("# Commits of main on which a registry function changed, and their moments; by tests/oracle/titan_functions.py.\n")
        file.writelines("%s\t%d\n" % pair for pair in answer.items() if pair[0] not in known)
    return answer


def cell(entry, classes):
    """(model, settings, beyond) of what a function returned."""
    spec = entry.get("model_spec", {})
    ours, theirs = registry.settings(entry), registry.settings(classes)
    changed = {key: value for key, value in sorted(ours.items()) if theirs.get(key) != value}
    return ("%s-%s" % (spec["name"], spec["flavor"]) if spec else None, " ".join("%s=%s" % pair for pair in changed.items()),
            ", ".join(registry.beyond(entry)) or None)


def rows_of(folder):
    """(name, first commit, first commit without or None, cell): what each function made, over the commits that were asked."""
    files = {os.path.basename(path)[:-5]: path for path in glob.glob(os.path.join(folder, "*.json"))}
    rows, now = [], {}
    for commit in (commit for commit in history() if commit in files):
        with open(files[commit]) as file:
            answers = json.load(file)
        cells = {name: cell(entry, answers["default"]) for name, entry in answers.items()
                 if name not in ("default", "stubs") and "error" not in entry}
        for name in [name for name in now if cells.get(name) != now[name][1]]:
            rows.append((name, now[name][0], commit, now.pop(name)[1]))
        for name in cells:
            now.setdefault(name, (commit, cells[name]))
    return rows + [(name, since, None, what) for name, (since, what) in now.items()]


def write(folder):
    rows = rows_of(folder)
    at = moments({row[1] for row in rows} | {row[2] for row in rows if row[2]})
    with open(registry.TABLE, "w") as table:
        table.write(HEAD)
        for name, since, until, (model, changed, beyond) in sorted(rows, key=lambda row: (row[0], at[row[1]])):
            texts = [json.dumps(word) if word is not None else "NULL" for word in (model, changed, beyond)]
            table.write("FUNCTION(\"%s\", \"%s\", %s, %s, %s, %s, %s)\n" % (*name.split(), at[since], at.get(until, "EVER"), *texts))
        table.write("/* clang-format on */\n")
    print("%d rows, %d functions at last" % (len(rows), sum(row[2] is None for row in rows)))


def check(folder):
    """Holds the table to what FOLDER holds, asked at commits that it was not made of."""
    with open(os.path.join(ROOT, "src", "wings", "torchtitan", "commits.def")) as file:
        at = dict(re.findall(r"C\((\w+), (\d+)\)", file.read()))
    with open(registry.TABLE) as file:
        table = re.findall(r'^FUNCTION\("([^"]+)", "([^"]+)", (\d+), (\w+), (.*)\)$', file.read(), re.M)
    right = wrong = 0
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path) as file:
            answers = json.load(file)
        when = int(at[os.path.basename(path)[:8]])
        ours = {module + " " + name: texts for module, name, since, until, texts in table
                if int(since) <= when and (until == "EVER" or when < int(until))}
        theirs = {name: ", ".join(json.dumps(word) if word is not None else "NULL" for word in cell(entry, answers["default"]))
                  for name, entry in answers.items() if name not in ("default", "stubs") and "error" not in entry}
        for name in sorted(set(ours) | set(theirs)):
            right, wrong = right + (ours.get(name) == theirs.get(name)), wrong + (ours.get(name) != theirs.get(name))
            if ours.get(name) != theirs.get(name):
                print("%s %s: %s; the table says %s" % (path, name, theirs.get(name), ours.get(name)))
    print("%d passed, %d failed" % (right, wrong))
    return 1 if wrong else 0


def names_at(commit):
    """The functions without arguments that the text of the registries defines at a commit."""
    found = set()
    for model in registry.MODELS:
        with contextlib.suppress(CannotInstall):
            body = ast.parse(git("show", "%s:torchtitan/models/%s/config_registry.py" % (commit, model))).body
            found |= {(model, part.name) for part in body
                      if isinstance(part, ast.FunctionDef) and not part.args.args and not part.name.startswith("_")}
    return found


def read_history():
    """Writes testdata/torchtitan/functions.tsv, from the text alone."""
    touched = git("log", "--first-parent", "--reverse", "--format=%h", "--abbrev=9", "9810191bb^..HEAD", "--",
                  "torchtitan/models/*/config_registry.py").decode().split()
    with open(os.path.join(ROOT, "src", "wings", "torchtitan", "commits.def")) as file:
        at = dict(re.findall(r"C\((\w+), (\d+)\)", file.read()))
    since, rows = {}, []
    for commit in touched:
        names, moment = names_at(commit), at[commit[:8]]
        rows += [(*name, since.pop(name), moment) for name in sorted(since) if name not in names]
        for name in names:
            since.setdefault(name, moment)
    rows += [(*name, moment, "-") for name, moment in since.items()]
    with open(NAMES, "w") as file:
        file.write("# Functions of torchtitan/models/*/config_registry.py: from which moment of commits.def to before which (-: still there),\n"
                   "# read off every commit of pytorch/torchtitan that touched one, from 9810191bb on.\n")
        file.writelines("\t".join(row) + "\n" for row in sorted(rows))


if __name__ == "__main__":
    if sys.argv[1] == "ask":
        ask(sys.argv[2], sys.argv[3:])
    elif sys.argv[1] == "here":
        ask_all_here(sys.argv[2], sys.argv[3:])
    elif sys.argv[1] == "check":
        sys.exit(check(sys.argv[2]))
    elif sys.argv[1] == "history":
        read_history()
    else:
        write(sys.argv[2])
