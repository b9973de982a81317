#!/bin/sh
# The degrees that fixes name, taken: tests/fixes.py says how. Silent where there is no Python.
set -u
command -v python3 >/dev/null || { echo "0 passed, 0 failed"; exit 0; }
python3 -B tests/fixes.py
