#!/bin/sh
# Folders as operands of check: what of a tree is looked at, held to git; what is said of the rest.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -B tests/folders.py "$BIN" "$folder"
