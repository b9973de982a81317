"""TorchTitan from its repository, at every commit of parplan's timeline and at each one's parent, written COMMIT^.

ORACLE_TORCHTITAN names a clone, bare or not: git clone https://github.com/pytorch/torchtitan. A commit runs with the
nearest release of PyTorch that has all it imports; where none has, stubs.py supplies what is missing and answers list it.
"""
import functools, io, json, os, re, subprocess, tarfile

from harness.environment import HOME, ROOT, CannotInstall, Environment

TIMELINE = os.path.join(ROOT, "src", "wings", "torchtitan", "timeline.c")
TOPICS = {"parallel": 4, "split": 2, "registry": 2, "config": 3, "dump": 1, "memory": 1}

# Days since the first of 2024 on which PyTorch's releases appeared, for the order in which they are tried.
RELEASES = {"2.2.2": 86, "2.3.1": 156, "2.4.1": 247, "2.5.1": 302, "2.6.0": 394, "2.7.1": 520, "2.8.0": 583, "2.9.1": 681,
            "2.10.0": 751, "2.11.0": 807, "2.12.1": 870, "2.13.0": 920, "2.14.1": 990, "2.15.0": 1050}
NIGHTLIES_AHEAD = 60  # TorchTitan follows nightlies, which become a release about two months later

PURE = ["tyro", "datasets>=3.6,<4.8", "tokenizers", "tiktoken", "blobfile", "safetensors", "einops", "tomli", "tomli_w",
        "tensorboard", "pillow", "sentencepiece", "requests", "pyarrow<21", "etils[epath,epy]", "cloudpickle", "absl-py", "protobuf",
        "portpicker", "psutil", "numpy<2", "setuptools<80"]
WITHOUT_TORCH = ["torchdata", "torchao==0.15.0", "spmd_types==0.2.3", "grain==0.2.18", "array-record", "torch_checkpointing",
                 "triton==3.3.1"]


@functools.lru_cache
def timeline():
    """The timeline's commits, oldest first, nine digits each."""
    with open(TIMELINE) as file:
        return [commit[:9] for commit in re.findall(r'^\t\{ "([0-9a-f]{9,40})", ', file.read(), re.M)]


VERSIONS = [version for commit in timeline() for version in (commit + "^", commit)][1:]  # nothing is claimed before the first


def place(version):
    """Where in the timeline a version stands: its row's number, half less for the parent."""
    return timeline().index(version.rstrip("^")) - (0.5 if version.endswith("^") else 0)


def since(version, commit):
    """Whether a version has what a commit of the timeline brought."""
    return place(version) >= place(commit)


def git(*words):
    clone = os.environ.get("ORACLE_TORCHTITAN")
    if not clone:
        raise CannotInstall("torchtitan: ORACLE_TORCHTITAN names no clone (git clone https://github.com/pytorch/torchtitan)")
    done = subprocess.run(["git", "-C", clone, *words], capture_output=True)
    if done.returncode:
        raise CannotInstall("torchtitan: git %s: %s" % (" ".join(words), done.stderr.decode().strip()))
    return done.stdout


def checkout(version):
    """The folder with the package as of a commit; tests and data are left out."""
    folder = os.path.join(HOME, "torchtitan-source", version)
    if not os.path.exists(os.path.join(folder, "torchtitan")):
        with tarfile.open(fileobj=io.BytesIO(git("archive", version, "torchtitan"))) as archive:
            archive.extractall(folder, filter="data")
    return folder


def pure():
    """The folder with the packages that do not depend on the release of PyTorch."""
    folder, ready = os.path.join(HOME, "torchtitan-packages"), os.path.join(HOME, "torchtitan-packages", "ready")
    if not os.path.exists(ready):
        python = Environment("torch-2.8.0", ["torch==2.8.0"]).build()
        python.pip("--target", folder, *PURE)
        python.pip("--target", folder, "--no-deps", *WITHOUT_TORCH)
        open(ready, "w").close()
    return folder


class Titan(Environment):
    """A release of PyTorch, shared with others, with one commit of TorchTitan before it on the path."""

    def __init__(self, version, release):
        super().__init__("torch-" + release, ["torch==" + release], path=[checkout(version), pure()])
        self.version, self.release, self.stubbed = version, release, False

    def variables(self):
        return dict(super().variables(), ORACLE_STUBS="1" if self.stubbed else "")

    def missing(self):
        """What the commit imports and this release lacks; None where its modules cannot be imported even with stubs."""
        self.build()
        for self.stubbed in (False, True):
            done = subprocess.run([self.python, "-m", "of.torchtitan.probe"], capture_output=True, text=True, env=self.variables())
            if done.stdout.startswith("["):
                return json.loads(done.stdout)
        return None


class Choice:
    """The environment of a version, chosen when it is built and remembered beside the others."""

    def __init__(self, version):
        self.version = version

    def build(self):
        note = os.path.join(HOME, "torchtitan-source", self.version + ".json")
        if os.path.exists(note):
            with open(note) as file:
                kept = json.load(file)
        else:
            kept = self.choose()
            with open(note, "w") as file:
                json.dump(kept, file)
        if not kept:
            raise CannotInstall("torchtitan at %s: no release of PyTorch imports it" % self.version)
        chosen = Titan(self.version, kept["torch"])
        chosen.stubbed = bool(kept["stubs"])
        return chosen.build()

    def choose(self):
        """The nearest release without stubs among the four nearest, else the one of them that needs fewest."""
        day = int(git("log", "-1", "--format=%ct", self.version)) // 86400 - 19723
        order = sorted(RELEASES, key=lambda release: abs(RELEASES[release] - day - NIGHTLIES_AHEAD))
        best = None
        for release in order[:4]:
            stubs = Titan(self.version, release).missing()
            if stubs is not None and (best is None or len(stubs) < len(best["stubs"])):
                best = {"torch": release, "stubs": stubs}
            if stubs == []:
                break
        return best


def environment(version):
    return Choice(version)
