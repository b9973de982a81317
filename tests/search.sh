#!/bin/sh
# parplan search over random small problems and our own configs with few candidates: tests/search.py says what must
# hold. SEED=1 COUNT=6 MOST=300; more of them in `make check` would take too long.
set -u
command -v python3 >/dev/null || { echo "0 passed, 0 failed"; exit 0; }
# Sanitizers take ten times as long.
case $BUILD in *release*) ;; *) exec python3 -B tests/search.py "${SEED:-1}" "${COUNT:-3}" ;; esac
exec python3 -B tests/search.py "${SEED:-1}" "${COUNT:-6}" "${MOST:-300}" testdata/dialects testdata/megatron testdata/mesh \
	testdata/schedules testdata/titan testdata/torchtitan plans
