#!/usr/bin/env python3
"""Replays the blocks of a page that are a session of Python: pages.py PAGE. Prints what differs; $UPDATE rewrites."""
import code
import contextlib
import difflib
import io
import os
import re
import sys
import traceback


class Session(code.InteractiveInterpreter):
    """As Python shows it, of a traceback the last line."""

    def showtraceback(self):
        sys.stdout.write("".join(traceback.format_exception_only(*sys.exc_info()[:2])))

    def says(self, source):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.runsource(source, symbol="single")
        return said.getvalue()


def replayed(session, block):
    """A block's statements, each with what it says now."""
    made = ""
    for statement in re.findall(r"^>>> .*\n(?:\.\.\. .*\n|\.\.\.\n)*", block, re.M):
        source = "".join(line[4:] or "\n" for line in statement.splitlines(True))
        made += statement + session.says(source + ("\n" if "\n... " in statement else ""))
    return made


def main():
    path, session = sys.argv[1], Session({"__name__": "__console__"})
    with open(path, encoding="utf-8") as file:
        page = file.read()
    made = re.sub(r"(?<=^```pycon\n).*?(?=^```$)", lambda found: replayed(session, found.group()), page, flags=re.M | re.S)
    if os.environ.get("UPDATE") and made != page:
        with open(path, "w", encoding="utf-8") as file:
            file.write(made)
    elif made != page:
        sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), made.splitlines(True), path, "what it says now"))
        print("%s no longer shows what Python says; rewrite it: UPDATE=1 tests/run build/release wheel" % path)


main()
