#!/bin/sh
# What a real PyTorch answered (testdata/oracle, written by tests/oracle/*.py), where somebody has
# run it; and where there is one, what it says to the modules of `parplan guard`.
set -u
command -v python3 >/dev/null || exit 0
if python3 -c 'import torch.distributed.tensor' 2>/dev/null; then
	guard=$(python3 -B tests/oracle/guard.py "$BIN" 2>&1)
	printf '%s\n' "$guard" | sed '$d'
	guard=$(printf '%s\n' "$guard" | tail -n 1)
else
	guard="0 passed, 0 failed"
fi
if ls testdata/oracle/torch-*/*.json >/dev/null 2>&1; then
	answers=$(python3 -B tests/oracle/compare.py "$BIN")
	printf '%s\n' "$answers" | sed '$d'
	answers=$(printf '%s\n' "$answers" | tail -n 1)
else
	echo "oracle: skipped: no testdata/oracle (tests/oracle/common.py tells how to make it)"
	answers="0 passed, 0 failed"
fi
printf '%s\n%s\n' "$guard" "$answers" |
	awk '/^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3; next } { print; failed++ }
	END { print passed + 0 " passed, " failed + 0 " failed" }'
