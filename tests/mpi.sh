#!/bin/sh
# A second opinion on rank groups: real processes, brought together by MPI_Comm_split, against the
# groups that parplan plan derives for Megatron. Runs where there is an MPI; nothing to do elsewhere.
set -u
command -v mpicc >/dev/null && command -v mpiexec >/dev/null && command -v python3 >/dev/null || exit 0
split=$(mktemp) || exit 2
trap 'rm -f "$split"' EXIT
if ! mpicc -std=c11 -D_GNU_SOURCE -Wall -o "$split" tests/mpi/split.c tests/mpi/patient.c -ldl; then
	echo "tests/mpi/*.c cannot be built"
	echo "0 passed, 1 failed"
	exit 1
fi
python3 -B tests/mpi/compare.py "$BIN" "$split"
