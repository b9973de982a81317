#!/bin/sh
# Own file and native config are the same job: tests/init.py says what is compared. Silent where there is no Python.
set -u
command -v python3 >/dev/null || { echo "0 passed, 0 failed"; exit 0; }
python3 -B tests/init.py
