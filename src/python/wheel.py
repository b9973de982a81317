#!/usr/bin/env python3
"""Writes parplan's wheel, or what a source distribution is known by: what `make wheel` and `make dist-source` call.

    wheel.py VERSION SECONDS metadata                  PKG-INFO of a source distribution, to stdout
    wheel.py VERSION SECONDS version                   the version as Python's packages write it
    wheel.py VERSION SECONDS described FOLDER          the metadata of a wheel; their folder's name, to stdout
    wheel.py VERSION SECONDS wheel PROGRAM FOLDER      a wheel around the program; its name, to stdout

VERSION is git's description, SECONDS since 1970 is the time of the commit and of all that is in the wheel: the same
program gives the same bytes. Uses nothing but the standard library of Python 3.8."""
import base64
import glob
import hashlib
import os
import re
import struct
import sys
import time
import zipfile

import classes

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
ANSWERS = ("check", "plan", "search", "sim")
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine: EM_X86_64, EM_AARCH64 (elf.h)


def version_of(described, seconds):
    """As PEP 440 has it. v1.2.0-rc1-3-gabc is 3 commits after 1.2.0rc1; without a tag the day counts."""
    dirty = described.endswith("-dirty")
    tag = re.match(r"v(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)(\d*))?(?:-(\d+)-g([0-9a-f]+))?(?:-dirty)?$", described)
    if not tag:
        commit = re.sub(r"[^0-9a-z]+", ".", re.sub("-dirty$", "", described).lower()).strip(".")
        return "0.0.0.dev%s+g%s%s" % (time.strftime("%Y%m%d", time.gmtime(seconds)), commit, ".dirty" if dirty else "")
    number, stage, count, later, commit = tag.groups()
    before = {"alpha": "a", "beta": "b", "rc": "rc"}[stage] + (count or "0") if stage else ""
    local = [part for part in ("g" + commit if commit else "", "dirty" if dirty else "") if part]
    return number + before + (".post" + later if later else "") + ("+" + ".".join(local) if local else "")


def tags_of(program):
    """Where the program runs. One that asks for no dynamic loader brings its C library, so that it runs beside any:
    its kernel, 3.2 and on ARM 3.7 at least (.note.ABI-tag), is older than that of manylinux2014, 3.10."""
    machine = MACHINES[struct.unpack_from("<H", program, 18)[0]]
    start, size, count = struct.unpack_from("<Q", program, 32) + struct.unpack_from("<HH", program, 54)
    kinds = [struct.unpack_from("<I", program, start + at * size)[0] for at in range(count)]
    if 3 in kinds:  # PT_INTERP
        return ["linux_" + machine]
    return [tag % machine for tag in ("manylinux_2_17_%s", "manylinux2014_%s", "musllinux_1_1_%s")]


def text_of(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


def metadata(version):
    return text_of("src", "python", "METADATA").replace("@VERSION@", version)


def module():
    """The module's files: those that lie beside, and the dataclasses of what commands answer."""
    for path in sorted(glob.glob(os.path.join(HERE, "parplan", "*.py")) + [os.path.join(HERE, "parplan", "py.typed")]):
        yield "parplan/" + os.path.basename(path), text_of(path)
    yield "parplan/schemas/__init__.py", '"""Dataclasses of what parplan answers, a module for each command."""\n'
    for command in ANSWERS:
        yield "parplan/schemas/%s.py" % command, classes.module(command, text_of("docs", "schemas", command + ".json"))


def files(version, tags, program):
    """Name, contents and mode of all but RECORD."""
    folder = "parplan-%s.dist-info/" % version
    described = ["Wheel-Version: 1.0", "Generator: parplan", "Root-Is-Purelib: false"]
    described += ["Tag: py3-none-" + tag for tag in tags]
    for name, text in module():
        yield name, text.encode(), 0o644
    yield "parplan-%s.data/scripts/parplan" % version, program, 0o755
    yield folder + "METADATA", metadata(version).encode(), 0o644
    yield folder + "WHEEL", ("\n".join(described) + "\n").encode(), 0o644
    yield folder + "LICENSE", text_of("LICENSE").encode(), 0o644
    yield folder + "NOTICES", text_of("docs", "packaging", "notices").encode(), 0o644


def recorded(name, contents):
    digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
    return "%s,sha256=%s,%d\n" % (name, digest, len(contents))


def write(path, contents, seconds):
    """The archive. A zip file knows no time before 1980."""
    when = max(time.gmtime(seconds)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(path, "w") as archive:
        for name, text, mode in contents:
            entry = zipfile.ZipInfo(name, when)
            entry.create_system, entry.external_attr = 3, (0o100000 | mode) << 16
            archive.writestr(entry, text, zipfile.ZIP_DEFLATED, 9)


def wheel(version, seconds, program, folder):
    with open(program, "rb") as file:
        contents = file.read()
    tags = tags_of(contents)
    held = list(files(version, tags, contents))
    record = "parplan-%s.dist-info/RECORD" % version
    lines = "".join(recorded(name, text) for name, text, _ in held) + record + ",,\n"
    name = os.path.join(folder, "parplan-%s-py3-none-%s.whl" % (version, ".".join(tags)))
    write(name, held + [(record, lines.encode(), 0o644)], seconds)
    return name


def described(version, folder):
    name = os.path.join(folder, "parplan-%s.dist-info" % version)
    os.makedirs(name, exist_ok=True)
    with open(os.path.join(name, "METADATA"), "w", encoding="utf-8") as file:
        file.write(metadata(version))
    return name


def main():
    seconds, what, words = int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    version = version_of(sys.argv[1], seconds)
    if what == "wheel":
        print(wheel(version, seconds, *words))
    elif what == "described":
        print(described(version, *words))
    else:
        print(version if what == "version" else metadata(version).rstrip("\n"))


if __name__ == "__main__":
    main()
