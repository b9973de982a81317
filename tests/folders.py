"""What `parplan check FOLDER` looks at: the files that git lists in random trees of random .gitignore files."""
import json
import os
import random
import subprocess
import sys

PARPLAN, FOLDER = os.path.abspath(sys.argv[1]), sys.argv[2]
CONFIG = "parplan: 1\nparallelism: {dp_shard: 8}\n"
NAMES = ["a", "b", "ab", "old", "gen", "train", "x y", "a[1]", "!b", "#c"]
SUFFIXES = [".yaml", ".yml", ".toml.yaml"]
PATTERNS = ["*.yml", "old", "old/", "/gen", "a*", "!a.yaml", "!ab*", "train/*", "!train/a.yaml", "**/gen/*", "gen/**", "a?.yaml", "[ab].yaml",
            "[!ab].yaml", "x\\ y", "x y/", "\\!b", "\\#c*", "#c", "", "*/", "!train/", "a\\[1\\]*", "b.yaml   ", "*", "!*/", "!*.yaml"]
ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "HOME": FOLDER}
passed, failed = 0, 0


def held(what, got, want):
    global passed, failed
    if got == want:
        passed += 1
    else:
        failed += 1
        print("%s: %r, not %r" % (what, got, want))


def write(path, text=CONFIG):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def git(folder, *arguments):
    return subprocess.run(["git", *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, check=True).stdout.decode()


def check(folder, *arguments):
    done = subprocess.run([PARPLAN, "check", "--format", "json", *arguments], cwd=folder, capture_output=True, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr.decode()


def checked(document):
    return sorted(file["path"] for file in document["files"])


def grow(rng, folder, depth):
    """A random tree; some of its folders have a .gitignore."""
    for name in rng.sample(NAMES, 4):
        write(os.path.join(folder, name + rng.choice(SUFFIXES)))
    if rng.random() < 0.6:
        write(os.path.join(folder, ".gitignore"), "\n".join(rng.choices(PATTERNS, k=rng.randint(1, 5))) + rng.choice(["", "\n", "\r\n"]))
    for name in rng.sample(NAMES, 2 if depth else 0):
        grow(rng, os.path.join(folder, name), depth - 1)


def against_git(seed):
    rng, folder = random.Random(seed), os.path.join(FOLDER, "tree%d" % seed)
    grow(rng, folder, 2)
    git(folder, "init", "-q")
    listed = git(folder, "ls-files", "-z", "--others", "--exclude-standard").split("\0")
    wanted = sorted(path for path in listed if path.endswith((".yaml", ".yml")))
    status, document, _ = check(folder, ".")
    held("seed %d" % seed, (status, checked(document)), (0, wanted))
    below = sorted({path.split("/")[0] for path in wanted if "/" in path})
    for part in below:
        held("seed %d, %s" % (seed, part), checked(check(folder, "--end-of-options", part)[1]), [p for p in wanted if p.startswith(part + "/")])


def what_is_said():
    folder = os.path.join(FOLDER, "said")
    write(folder + "/.git/config", "")
    write(folder + "/.parplan.yaml", "exclude: [old/]\n")
    write(folder + "/configs/good.yaml")
    write(folder + "/configs/bad.yaml", "parplan: 1\nparallelism: {tp: five}\n")
    write(folder + "/configs/broken.json", '{"a": [1,')
    write(folder + "/configs/broken.yaml", "a: [1,\nb: }\n")
    write(folder + "/configs/map.yaml", "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n")
    write(folder + "/configs/.hidden.yaml")
    write(folder + "/configs/.hidden/a.yaml")
    write(folder + "/configs/readme.txt", "text")
    write(folder + "/configs/large.json", " " * (17 << 20))
    write(folder + "/old/a.yaml")
    write(FOLDER + "/elsewhere/outside.yaml")
    os.symlink("../../elsewhere", folder + "/configs/link")
    os.symlink("good.yaml", folder + "/configs/link.yaml")
    os.mkfifo(folder + "/configs/pipe.yaml")
    status, document, _ = check(folder)
    held("status", status, 1)
    held("files", checked(document), ["configs/bad.yaml", "configs/good.yaml"])
    held("unread", document["unread"], ["configs/broken.json", "configs/broken.yaml"])
    held("too large", document["too_large"], ["configs/large.json"])
    held("counts", (document["excluded_files"], document["other_files"]), (1, 2))
    held("from within", checked(check(folder + "/configs")[1]), ["bad.yaml", "good.yaml"])
    held("one job", check(folder, "-j1", "configs"), check(folder, "-j7", "configs/"))
    held("twice and a file", checked(check(folder, "old/a.yaml", "configs")[1]), ["configs/bad.yaml", "configs/good.yaml"])
    os.mkdir(folder + "/empty")
    held("nothing", check(folder, "empty")[0], 0)
    held("nothing, strict", check(folder, "--strict", "empty")[0], 1)
    held("no repository", check(FOLDER + "/elsewhere")[0], 2)
    held("named", checked(check(FOLDER + "/elsewhere", ".")[1]), ["outside.yaml"])
    page = subprocess.run([PARPLAN, "report", "configs", "-o", "-"], cwd=folder, capture_output=True, check=False).stdout.decode()
    held("report", page.count('class="file"'), 2)
    if os.getuid():
        os.chmod(folder + "/empty", 0)
        held("unreadable", check(folder)[0], 2)
        os.chmod(folder + "/empty", 0o755)


for number in range(12):
    against_git(number)
what_is_said()
print("%d passed, %d failed" % (passed, failed))
