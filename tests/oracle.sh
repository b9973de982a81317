#!/bin/sh
# What the real libraries answered (testdata/oracle, recorded by tests/oracle/run), and where there is a
# PyTorch, what it says to the modules of `parplan guard`.
set -u
command -v python3 >/dev/null || exit 0
if python3 -c 'import torch.distributed.tensor' 2>/dev/null; then
	guard=$(python3 -B tests/oracle/guard.py "$BIN" 2>&1)
else
	guard="0 passed, 0 failed"
fi
answers=$(python3 -B tests/oracle/run --recorded 2>&1)
printf '%s\n%s\n' "$guard" "$answers" |
	awk '/^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3; sums++; next } { print }
	END { if (sums != 2) { print "oracle: a part ended without its sum"; failed++ } print passed + 0 " passed, " failed + 0 " failed" }'
