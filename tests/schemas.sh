#!/bin/sh
# Real output against docs/schemas: every line of tests/schemas/commands is "SCHEMA COMMAND...", where a
# command prints one JSON document (its exit status does not matter). In a document that is spoilt on
# purpose the validator must find the fault.
set -u
command -v python3 >/dev/null || exit 0
python3 -B tests/schemas/run.py
