#!/usr/bin/env python3
"""What src/python makes: made.py WHEEL. Its record fits, its syntax is Python 3.8's, versions and tags are true.
Prints what is wrong."""
import ast
import base64
import csv
import hashlib
import io
import struct
import sys
import zipfile

sys.path.insert(0, "src/python")
import wheel  # noqa: E402

VERSIONS = """
v0.1.0 0.1.0
v0.1.0-dirty 0.1.0+dirty
v0.1.0-rc1 0.1.0rc1
v0.1.0-12-gabc1234 0.1.0.post12+gabc1234
v0.1.0-rc2-3-gabc1234-dirty 0.1.0rc2.post3+gabc1234.dirty
5294d88 0.0.0.dev20231114+g5294d88
5294d88-dirty 0.0.0.dev20231114+g5294d88.dirty
unknown 0.0.0.dev20231114+gunknown
"""


def program(machine, kinds):
    """The beginning of an ELF file for a machine, with segments of these kinds."""
    head = bytearray(64 + 56 * len(kinds))
    struct.pack_into("<H", head, 18, machine)
    struct.pack_into("<Q", head, 32, 64)
    struct.pack_into("<HH", head, 54, 56, len(kinds))
    for at, kind in enumerate(kinds):
        struct.pack_into("<I", head, 64 + 56 * at, kind)
    return bytes(head)


def held(archive):
    """What the record says of each file, held against the file."""
    record = next(name for name in archive.namelist() if name.endswith("/RECORD"))
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(record).decode()))}
    if set(rows) != set(archive.namelist()):
        print("the record and the archive hold different files: %s" % (set(rows) ^ set(archive.namelist())))
    for name in archive.namelist():
        contents = archive.read(name)
        digest = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        if name != record and rows.get(name) != [digest, str(len(contents))]:
            print("the record does not fit %s" % name)


def main():
    for described, wanted in (line.split() for line in VERSIONS.split("\n") if line):
        if wheel.version_of(described, 1700000000) != wanted:
            print("%s is %s for Python, not %s" % (described, wheel.version_of(described, 1700000000), wanted))
    for machine, kinds, wanted in (62, [1, 2], "musllinux_1_1_x86_64"), (62, [6, 3, 1], "linux_x86_64"), (183, [1], "musllinux_1_1_aarch64"):
        if wheel.tags_of(program(machine, kinds))[-1] != wanted:
            print("a program with segments %s has no tag %s" % (kinds, wanted))
    with zipfile.ZipFile(sys.argv[1]) as archive:
        held(archive)
        sources = {name: archive.read(name) for name in archive.namelist() if name.endswith(".py")}
    for name in "backend", "classes", "wheel":
        with open("src/python/%s.py" % name, "rb") as file:
            sources[name] = file.read()
    for name, text in sources.items():
        ast.parse(text, name, feature_version=(3, 8))


main()
