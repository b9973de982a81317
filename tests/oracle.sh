#!/bin/sh
# What a real PyTorch answered (testdata/oracle, written by tests/oracle/*.py), where somebody has
# run it.
set -u
if ! ls testdata/oracle/torch-*/*.json >/dev/null 2>&1 || ! command -v python3 >/dev/null; then
	echo "oracle: skipped: no testdata/oracle, or no python3 (tests/oracle/common.py tells how to make it)"
	echo "0 passed, 0 failed"
	exit 0
fi
python3 -B tests/oracle/compare.py "$BIN"
