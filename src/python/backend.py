"""How pip and others build parplan (PEP 517): make does it, with nothing but Python's standard library."""
import os
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A program that is linked as its system links, where that has no libraries for a static one.
SHARED = ("CGRAPH=no", "WHEEL_PROGRAM=build/release-without-cgraph/parplan")


def make(*words):
    """What make prints on its last line: the file that it has made."""
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    command = ["make", "-s", "-C", TOP, "-j%d" % (os.cpu_count() or 1), "PYTHON=" + sys.executable, *words]
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout.split("\n")[-2]


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Who asks for the name and the version alone has nothing built."""
    return os.path.basename(make("metadata", "WHEELS=" + os.path.abspath(metadata_directory)))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = "WHEELS=" + os.path.abspath(wheel_directory)
    try:
        path = make("wheel", folder)
    except subprocess.CalledProcessError:
        print("parplan: no static program can be made here; a program of this system's libraries is tried", file=sys.stderr)
        path = make("wheel", folder, *SHARED)
    return os.path.basename(path)


def build_sdist(sdist_directory, config_settings=None):
    made = os.path.join(TOP, make("sdist"))
    shutil.copyfile(made, os.path.join(sdist_directory, os.path.basename(made)))
    return os.path.basename(made)
