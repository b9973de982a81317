#!/usr/bin/env python3
"""Writes src/wings/verl/keys.def: every key of what hydra composes of verl's configs, by their maps, and which releases have it.

    ORACLE_VERL=CLONE tests/oracle/verl_keys.py [COMMIT]

CLONE is that of verl-project/verl, COMMIT the last that counts (default 1dda039b). Asks hydra itself (pip install hydra-core).
"""
import collections, glob, io, os, subprocess, sys, tarfile, tempfile

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from history import git

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wings", "verl", "keys.def")
CLONE, COMMIT = os.environ["ORACLE_VERL"], sys.argv[1] if len(sys.argv) > 1 else "1dda039b"
RELEASES = ["v0.3.0.post1", "v0.4.0", "v0.4.1", "v0.5.0", "v0.6.0", "v0.6.1", "v0.7.0", "v0.7.1", "v0.8.0", "v0.9.0"]
EVERY = 15  # of the commits between that changed a config, these count
FOLDERS = ["verl/trainer/config", "verl/experimental", "recipe"]
NO_TRAINER = ("_generated", "evaluation", "generation", "legacy_reward_impl")


def unpack(commit, folder):
    names = [path for path in git(CLONE, "ls-tree", "-r", "--name-only", commit, "--", *FOLDERS).splitlines() if "/config/" in path]
    data = subprocess.run(["git", "-C", CLONE, "archive", commit, *names], capture_output=True, check=True).stdout
    tarfile.open(fileobj=io.BytesIO(data)).extractall(folder, filter="data")


def choices(path):
    """What of hydra's groups a root can be asked for."""
    text = open(path).read()
    yield []
    for group in "model_engine", "engine":
        for other in glob.glob(os.path.join(os.path.dirname(path), group, "*.yaml")) if group + ":" in text or "${%s}" % group in text else []:
            name = os.path.basename(other)[:-len(".yaml")]
            yield ["%s=%s" % (group, name)] + ["optim=%s" % name] * ("optim: " in text)


def flatten(tree, path, maps):
    maps[path].update(tree)
    for key, value in tree.items():
        if isinstance(value, dict):
            flatten(value, path + "." + key if path else str(key), maps)


def maps_of(commit):
    """({map: keys} of verl's own trainers, the same of the recipes beside it) at a commit."""
    found = collections.defaultdict(set), collections.defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        unpack(commit, folder)
        os.chdir(folder)
        for path in sorted(glob.glob("**/config/*.yaml", recursive=True)):
            name = os.path.basename(path)[:-len(".yaml")]
            if name.startswith(NO_TRAINER):
                continue
            for asked in choices(path):
                try:
                    with initialize_config_dir(os.path.abspath(os.path.dirname(path)), version_base=None):
                        config = OmegaConf.to_container(compose(name, asked), resolve=False)
                except Exception:  # no such group of this root
                    continue
                flatten(config, "", found[not path.startswith("verl/trainer/")])
        os.chdir("/")
    return found


def main():
    which, every = collections.defaultdict(int), set()
    between = git(CLONE, "log", "--format=%h", COMMIT, "--", "verl/trainer/config").split()[::EVERY]
    for i, commit in enumerate([*RELEASES, COMMIT, *between]):
        for part, maps in enumerate(maps_of(commit)):
            for path, keys in maps.items():
                every.update((path, key) for key in [*keys, ""])
                for key in [*keys, ""]:
                    which[path, key] |= 0 if i > len(RELEASES) or part else 1 << i
    rows = collections.defaultdict(list)
    for path, key in every:
        if key:
            rows[path, which[path, key]].append(key)
        elif not any(other == path and name for other, name in every):
            rows[path, which[path, key]] = []  # an empty one
    grouped = collections.defaultdict(list)
    for (path, bits), keys in rows.items():
        grouped[bits, "|".join(sorted(keys))].append(path)
    head = open(OUT).read().split("/* clang-format off */\n")[0] + "/* clang-format off */\n"
    with open(OUT + ".new", "w") as out:
        out.write(head)
        for (bits, keys), paths in sorted(grouped.items(), key=lambda item: (sorted(item[1]), item[0])):
            out.write('KEYS("%s", 0x%x, "%s")\n' % ("|".join(sorted(paths)), bits, keys))
    os.replace(OUT + ".new", OUT)


main()
