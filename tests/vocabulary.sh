#!/bin/sh
# What `parplan schema` says of each kind of config, held against the configs that lie here and what check says of them.
# YAML is read by PyYAML; without it JSON and TOML are looked at alone.
set -u
command -v python3 >/dev/null || exit 0
python3 -B tests/schemas/keys.py testdata/dialects testdata/project testdata/rules plans
