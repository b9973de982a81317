#!/bin/sh
# What ends a job by its plan is an error of check: tests/stops.py. Silent where there is no Python.
set -u
command -v python3 >/dev/null || { echo "0 passed, 0 failed"; exit 0; }
# Sanitizers take ten times as long.
case $BUILD in *release*) rounds=2 ;; *) rounds=1 ;; esac
exec python3 -B tests/stops.py "$rounds"
