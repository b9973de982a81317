#!/bin/sh
# What the real libraries answered (testdata/oracle, recorded by tests/oracle/run).
set -u
command -v python3 >/dev/null || exit 0
case $BUILD in # sanitizers take ten times as long: they see every tenth answer
build/release) every=1 ;;
*) every=10 ;;
esac
python3 -B tests/oracle/run --recorded --every "$every" 2>&1
