#!/bin/sh
# The benchmark of CUDA devices: without a compiler `make cuda` says in one line where it looked and fails; where CUDA's
# headers are, its sources are still C that compiles, with and without the libraries that it can do without.
set -u
passed=0 failed=0
found=$(make -s cuda NVCC= 2>&1)
status=$?
if [ "$status" = 2 ] && printf '%s\n' "$found" | grep -q '^make cuda needs nvcc .* looked at .*/bin/nvcc'; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "make cuda NVCC=: exit status $status: $found"
fi
for root in "${CUDA_HOME-}" /usr/local/cuda /opt/cuda /usr; do
	[ -e "$root/include/cublasLt.h" ] || continue
	for libraries in '' '-DHAVE_CUDNN -DHAVE_NCCL'; do
		if [ -n "$libraries" ]; then
			[ -e "$root/include/cudnn.h" ] || continue
			[ -e "$root/include/nccl.h" ] || continue
		fi
		for source in src/cuda/*.c; do
			# shellcheck disable=SC2086
			if found=$(${CC-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -Isrc -I"$BUILD/gen" \
				-isystem "$root/include" $libraries -fsyntax-only "$source" 2>&1); then
				passed=$((passed + 1))
			else
				failed=$((failed + 1))
				printf '%s\n' "$found" | head -n 20
				echo "$source does not compile ($libraries)"
			fi
		done
	done
	break
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
