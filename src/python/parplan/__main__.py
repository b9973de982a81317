"""python -m parplan: the program itself, with the same words."""
import os
import sys

from ._program import ProgramNotFound, program

if __name__ == "__main__":
    try:
        path = program()
        os.execv(path, [path] + sys.argv[1:])
    except (OSError, ProgramNotFound) as fault:
        sys.exit("parplan: %s" % fault)
