#!/usr/bin/env python3
"""Takes the recipes of docs/ci.md apart: recipes.py FILE FOLDER.

Writes FOLDER/NAME.sh with one command a line for every fenced block that begins with a comment naming its
file (NAME is that file's, without folder and suffix), and FOLDER/hooks with "ID FILES" for pre-commit.
Prints what is wrong with a recipe."""
import os
import re
import sys

import yaml


def unpinned(text):
    """Every action is named by a full commit, with its tag as a comment; jobs have permissions of their own."""
    for line in re.findall(r"^.*\buses: .*$", text, re.M):
        if not re.search(r"@([0-9a-f]{40}|COMMIT) # v\d[\d.]*$", line):
            print("an action that is not named by its commit: %s" % line.strip())
    if "self-hosted" in text:
        print("a recipe runs on machines of one's own")


def blocks(text):
    return re.findall(r"^```(yaml|groovy)\n(?:#|//) (\S+)\n(.*?)^```", text, re.M | re.S)


def github(document):
    for job in document["jobs"].values():
        if document["permissions"] or "permissions" not in job:
            print("a workflow has no permissions but those of its jobs")
    steps = [step for job in document["jobs"].values() for step in job["steps"]]
    for step in steps:
        if ("run" in step) == ("uses" in step):
            print("a step has one of run and uses: %r" % step)
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout")]
    if not checkouts or checkouts[0]["with"]["fetch-depth"] != 0:
        print("a workflow needs the whole history")
    return [step["run"] for step in steps if "run" in step]


def action_inputs(document):
    return [step["with"] for job in document["jobs"].values() for step in job["steps"]
            if "/actions/parplan@" in step.get("uses", "")]


def commands(kind, path, body):
    if kind == "groovy":
        return re.findall(r"\bsh '(.*)'", body)
    document = yaml.safe_load(body)
    if "/workflows/" in path:
        return github(document)
    if path == ".gitlab-ci.yml":
        if document["parplan"]["variables"]["GIT_DEPTH"] != "0":
            print("GitLab needs the whole history")
        return document["parplan"]["before_script"] + document["parplan"]["script"]
    return []


def check_action(given):
    with open(".github/actions/parplan/action.yml") as file:
        action = yaml.safe_load(file)
    for inputs in given:
        for name in set(inputs) - set(action["inputs"]):
            print("the action has no input %s" % name)
    for step in action["runs"]["steps"]:
        if "run" in step and "shell" not in step:
            print("a step of a composite action needs a shell: %s" % step["name"])
        used = re.findall(r"inputs\.([a-z0-9-]+)", repr(step))
        for name in set(used) - set(action["inputs"]):
            print("action.yml uses an input that it lacks: %s" % name)


def check_hooks(wanted, folder):
    with open(".pre-commit-hooks.yaml") as file:
        hooks = {hook["id"]: hook for hook in yaml.safe_load(file)}
    for hook in hooks.values():
        for key in ("name", "entry", "language"):
            if key not in hook:
                print("hook %s lacks %s" % (hook["id"], key))
    with open(os.path.join(folder, "hooks"), "w") as file:
        for repository, hook in wanted:
            if repository == "local":
                hook = dict(hook, id="local-" + hook["id"])
            elif hook["id"] not in hooks:
                print("there is no hook %s" % hook["id"])
                continue
            merged = dict(hooks.get(hook["id"], {}), **hook)
            file.write("%s\t%s\t%s\n" % (merged["id"], merged.get("files", ""), merged["entry"]))
        for hook in hooks.values():
            file.write("default-%s\t%s\t%s\n" % (hook["id"], hook.get("files", ""), hook["entry"]))


def main():
    source, folder = sys.argv[1:]
    with open(source) as file:
        found = blocks(file.read())
    given, wanted = [], []
    for kind, path, body in found:
        name = os.path.splitext(os.path.basename(path))[0].lstrip(".")
        with open(os.path.join(folder, name + ".sh"), "w") as file:
            file.writelines(command + "\n" for command in commands(kind, path, body))
        if "/workflows/" in path:
            given += action_inputs(yaml.safe_load(body))
        if path == ".pre-commit-config.yaml":
            wanted += [(repo["repo"], hook) for repo in yaml.safe_load(body)["repos"] for hook in repo["hooks"]]
    for page in [os.path.join("docs", name) for name in os.listdir("docs") if name.endswith(".md")] + [
            "README.md", ".github/actions/parplan/action.yml"]:
        with open(page) as file:
            unpinned(file.read())
    for name in sorted(os.listdir(folder)):
        if name.endswith(".sh"):
            with open(os.path.join(folder, name)) as file:
                for command in file:
                    if "parplan ci" in command and "--strict" not in command and "--fail-on never" not in command:
                        print("a command that is not strict: %s" % command)
    if not given:
        print("no recipe uses the action")
    check_action(given)
    check_hooks(wanted, folder)


main()
