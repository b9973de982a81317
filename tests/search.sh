#!/bin/sh
# parplan search over random small problems: tests/search.py says what must hold. SEED=1 COUNT=6; more of them in
# `make check` would take too long.
set -u
command -v python3 >/dev/null || { echo "0 passed, 0 failed"; exit 0; }
# Sanitizers take ten times as long.
case $BUILD in *release*) count=6 ;; *) count=3 ;; esac
exec python3 -B tests/search.py "${SEED:-1}" "${COUNT:-$count}"
