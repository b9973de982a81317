#!/bin/sh
# Every mistake of src/rules/known/mistakes.c stands in testdata/mistakes/ as somebody could have made it, and
# what check says of it is what would have helped:
#   tp: 16            # want: degrees-product   the rule, on the line of its finding
#   # want-elsewhere: tasks-per-node            the finding is not in the file
#   # say: 2 * 3 = 6                            words of one such finding: its message, facts, quote or fix
#   # severity: error                           the highest severity among them
#   # run: --world 16                           options to run it with
# ID-words.yaml and .toml are checked; ID-words.cmd is a shell line that prints the JSON of a check, in the root.
# tests/judge looks at them.
exec "$BUILD/judge" mistakes
