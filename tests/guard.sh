#!/bin/sh
# What `parplan guard` writes is Python that compiles, passes on the plan and fails on another.
set -u
command -v python3 >/dev/null || exit 0
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
python3 -B tests/guard/run.py "$folder"
