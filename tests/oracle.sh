#!/bin/sh
# What the real libraries answered (testdata/oracle, recorded by tests/oracle/run).
set -u
command -v python3 >/dev/null || exit 0
python3 -B tests/oracle/run --recorded 2>&1
