"""Packages and repositories beside an environment of PyTorch, so that many frameworks share one copy of it.

Packages lie in a folder of their own under build/oracle (ORACLE_HOME), put on the path before PyTorch's; a
repository's files of one commit come from a clone that an environment variable names, as ORACLE_MEGATRON.
"""
import os, shutil, subprocess

from harness.environment import HOME, CannotInstall, Environment


class Beside(Environment):
    """The environment of torch `torch`, with `name`: pip requirements taken without what they depend on.

    `sources` are folders put before them on the path, `also` other environments of this kind whose packages come after.
    """

    def __init__(self, name, torch, packages=(), sources=(), also=()):
        self.beside, self.wanted, self.also = os.path.join(HOME, "beside-" + name), list(packages), list(also)
        super().__init__("torch-" + torch, ["torch==" + torch], path=[*sources, self.beside, *(o.beside for o in self.also)])

    def build(self):
        super().build()
        for other in self.also:
            other.build()
        ready, wanted = os.path.join(self.beside, "ready"), "\n".join(self.wanted)
        if os.path.exists(ready) and open(ready).read() == wanted:
            return self
        shutil.rmtree(self.beside, ignore_errors=True)
        os.makedirs(self.beside)
        if self.wanted:
            self.pip("--no-deps", "--no-build-isolation", "--target", self.beside, *self.wanted)
        with open(ready, "w") as file:
            file.write(wanted)
        return self


def checkout(variable, name, commit, folders):
    """Some folders of a repository at a commit, out of the clone that an environment variable names."""
    into = os.path.join(HOME, "sources", "%s-%s" % (name, commit))
    if os.path.exists(os.path.join(into, "ready")):
        return into
    if variable not in os.environ:
        raise CannotInstall("%s: %s names no clone of it" % (name, variable))
    shutil.rmtree(into, ignore_errors=True)
    os.makedirs(into)
    done = subprocess.run(["bash", "-o", "pipefail", "-c", 'git -C "$0" archive "$1" "${@:3}" | tar -x -C "$2"',
                        os.environ[variable], commit, into, *folders], capture_output=True, text=True)
    if done.returncode:
        raise CannotInstall("%s at %s: %s" % (name, commit, done.stderr.strip()))
    open(os.path.join(into, "ready"), "w").close()
    return into
