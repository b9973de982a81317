"""Virtual environments with one release of a package each, kept under build/oracle between runs.

PyTorch's releases for Linux link against CUDA's libraries, some 3 GB of packages that a machine without a GPU never
calls. They are left out: small stand-ins of the same names, made with the machine's compiler, let the real
torch be loaded; every function in them answers 100, which is cudaErrorNoDevice.
"""
import glob, os, re, shutil, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
HOME = os.environ.get("ORACLE_HOME") or os.path.join(ROOT, "build", "oracle")
CUDA_LIBRARY = re.compile(r"lib(cu|nv|nccl)")
CUDA_SYMBOL = re.compile(r"(cu|nccl|nvrtc|nvml|nvshmem|nvtx|__cuda|nvJit)")
CUDA_PACKAGE = re.compile(r"(nvidia|cuda|triton)")


class CannotInstall(Exception):
    """Says in one line which package could not be had, and what would help."""


def output(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout


def stand_in(libraries, folder):
    """Makes in `folder` a library for each CUDA library that those in `libraries` need and that is not there."""
    files = glob.glob(os.path.join(libraries, "*.so*"))
    here = {os.path.basename(f) for f in files}
    needed, file_of, versioned, loose, defined = set(), {}, {}, set(), set()
    for path in files:
        needed |= {n for n in re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", path)) if CUDA_LIBRARY.match(n)} - here
        owner = None
        for line in output("readelf", "-VW", path).splitlines():
            section, file, name = "section" in line, re.search(r"File: (\S+)", line), re.search(r"Name: (\S+)  Flags", line)
            owner = None if section else file[1] if file else owner
            if name and owner:
                file_of[name[1]] = owner
        for line in output("nm", "-D", path).splitlines():
            kind, (name, _, version) = line.split()[-2], line.split()[-1].partition("@")
            if kind not in "Uwv":
                defined.add(name)
            elif version:
                versioned.setdefault(version.lstrip("@"), set()).add(name)
            else:
                loose.add(name)
    os.makedirs(folder, exist_ok=True)
    source, script = os.path.join(folder, "stand-in.c"), os.path.join(folder, "stand-in.map")
    for number, library in enumerate(sorted(needed)):
        blocks = {v: names for v, names in versioned.items() if file_of.get(v) == library}
        if number == 0:  # symbols that name no library are looked for in all of them
            blocks["UNVERSIONED"] = {n for n in loose - defined if CUDA_SYMBOL.match(n)}
        with open(source, "w") as c, open(script, "w") as versions:
            for version, names in sorted(blocks.items()):
                c.writelines("int %s(void) { return 100; }\n" % n for n in sorted(names))
                versions.write("%s { global: %s };\n" % (version, " ".join(n + ";" for n in sorted(names))))
            if not blocks:
                versions.write("EMPTY { global: *; };\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-w", "-fno-builtin", "-Wl,-soname," + library,
                        "-Wl,--version-script," + script, source, "-o", os.path.join(folder, library)], check=True)


class Environment:
    """`python` with `packages`, pip requirements; torch, where it is among them, comes without CUDA's packages.

    `bare` are requirements taken without what they depend on; `path` are folders put before all others.
    """

    def __init__(self, name, packages, bare=(), path=(), python=None):
        self.folder = os.path.join(HOME, name)
        self.packages, self.bare, self.path = list(packages), list(bare), list(path)
        self.source = python or os.environ.get("ORACLE_PYTHON") or sys.executable
        self.python = os.path.join(self.folder, "bin", "python")
        self.stand_ins = os.path.join(self.folder, "stand-ins")

    def pip(self, *words):
        done = subprocess.run([self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-warn-conflicts",
                               "--no-cache-dir", *words], capture_output=True, text=True)
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            version = output(self.python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
            raise CannotInstall("%s for Python %s: %s (ORACLE_PYTHON names another Python)"
                                % (" ".join(words), version, errors[-1] if errors else "pip exits with %d" % done.returncode))

    def needs_of(self, package):
        """What an installed package says it needs here, CUDA's packages left out."""
        program = ("from importlib.metadata import requires\n"
                   "from pip._vendor.packaging.requirements import Requirement as R\n"
                   "for r in map(R, requires(%r) or []):\n"
                   "    if not r.marker or r.marker.evaluate({'extra': ''}): print('%%s%%s' %% (r.name, r.specifier))" % package)
        return [r for r in output(self.python, "-c", program).split("\n") if r and not CUDA_PACKAGE.match(r)]

    def build(self):
        """Makes it where it is not there yet; half-made ones are made anew."""
        ready, wanted = os.path.join(self.folder, "ready"), "\n".join(self.packages + ["--"] + self.bare)
        if os.path.exists(ready) and open(ready).read() == wanted:
            return self
        shutil.rmtree(self.folder, ignore_errors=True)
        subprocess.run([self.source, "-m", "venv", self.folder], check=True)
        torch = [p for p in self.packages if re.match(r"torch\b", p)]
        if torch:
            self.pip("--no-deps", *torch)
            self.pip(*(self.needs_of("torch") + ["numpy<2", "setuptools<80"]))
            site = output(self.python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip()
            stand_in(os.path.join(site, "torch", "lib"), self.stand_ins)
        if self.bare:
            self.pip("--no-deps", *self.bare)
        rest = [p for p in self.packages if p not in torch]
        if rest:
            self.pip(*rest)
        with open(ready, "w") as file:
            file.write(wanted)
        return self

    def variables(self):
        """The environment variables its programs run under."""
        path = os.pathsep.join(self.path + ["/".join([ROOT, "tests", "oracle"])])
        return dict(os.environ, LD_LIBRARY_PATH=self.stand_ins, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1",
                    CUDA_VISIBLE_DEVICES="", TOKENIZERS_PARALLELISM="false", OMP_NUM_THREADS="1")
