#!/bin/sh
# What `convert` writes is the same job: tests/convert.py says what is compared. Silent where there is no Python.
set -u
command -v python3 >/dev/null || { echo "0 passed, 0 failed"; exit 0; }
python3 -B tests/convert.py
