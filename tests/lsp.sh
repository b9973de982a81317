#!/bin/sh
# The language server by its protocol; editors themselves are tried by `make check-editors`.
set -u
command -v python3 >/dev/null || exit 0
python3 -B tests/lsp/test.py
