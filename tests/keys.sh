#!/bin/sh
# What keys of frameworks mean, told by tables (tests/keys.py). Silent where there is no Python.
set -u
command -v python3 >/dev/null || exit 0
python3 -B tests/keys.py
