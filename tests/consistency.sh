#!/bin/sh
# One account of traffic: tests/consistency.py says what is held against what. Silent where there is no Python.
set -u
command -v python3 >/dev/null || { echo "0 passed, 0 failed"; exit 0; }
python3 -B tests/consistency.py
