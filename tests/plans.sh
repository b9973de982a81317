#!/bin/sh
# Every example under plans/ is checked: it has exactly the findings that its comments announce,
#   dp_shard: 8   # want: hsdp-collapsed [RULE...]
# on the line of the finding, and none without. A file may say how it is to be run: "# run: OPTION...".
find plans \( -name '*.yaml' -o -name '*.toml' -o -name '*.json' \) | sort | xargs "$BUILD/judge" plans
