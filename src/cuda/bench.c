#include "cuda/bench.h"

#include "base/die.h"
#include "cuda/kernels.h"

#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARM = 3 };

void bench_check(int error, const char *call)
{
	if (error)
		die("cudabench: %s: %s", call, cudaGetErrorString((cudaError_t)error));
}

static int by_time(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

struct spread bench_spread(double *times, int64_t count)
{
	qsort(times, (size_t)count, sizeof(*times), by_time);
	return (struct spread) { times[0], (times[(count - 1) / 2] + times[count / 2]) / 2,
				 times[(count * 9 + 9) / 10 - 1] };
}

/* Microseconds that `each` units take in a row. */
static double time_once(const struct bench *bench, struct work work, int64_t each,
			cudaEvent_t start, cudaEvent_t end)
{
	float ms;
	int64_t i;

	CUDA(cudaEventRecord(start, bench->stream));
	for (i = 0; i < each; i++)
		work.enqueue(work.data, bench->stream);
	CUDA(cudaEventRecord(end, bench->stream));
	CUDA(cudaEventSynchronize(end));
	CUDA(cudaEventElapsedTime(&ms, start, end));
	return 1e3 * (double)ms;
}

struct spread bench_time(const struct bench *bench, struct work work, int64_t each)
{
	double *times = arena_array(bench->arena, (size_t)bench->repeats, sizeof(*times));
	cudaEvent_t start, end;
	int64_t i;

	CUDA(cudaEventCreate(&start));
	CUDA(cudaEventCreate(&end));
	for (i = 0; i < WARM; i++)
		time_once(bench, work, each, start, end);
	for (i = 0; i < bench->repeats; i++)
		times[i] = time_once(bench, work, each, start, end) / (double)each;
	CUDA(cudaEventDestroy(start));
	CUDA(cudaEventDestroy(end));
	return bench_spread(times, bench->repeats);
}

int64_t bench_units(const struct bench *bench, struct work work, int64_t most)
{
	const double target = 20e3;
	cudaEvent_t start, end;
	double one;

	CUDA(cudaEventCreate(&start));
	CUDA(cudaEventCreate(&end));
	time_once(bench, work, 1, start, end);
	one = time_once(bench, work, 1, start, end);
	CUDA(cudaEventDestroy(start));
	CUDA(cudaEventDestroy(end));
	if (one * (double)most <= target)
		return most;
	return one >= target ? 1 : (int64_t)(target / one) + 1;
}

void *bench_memory(size_t bytes, enum content content)
{
	void *memory;

	CUDA(cudaMalloc(&memory, bytes));
	switch (content) {
	case CONTENT_ZERO:
		CUDA(cudaMemset(memory, 0, bytes));
		break;
	case CONTENT_BF16:
		CUDA(kernel_fill_bf16(memory, bytes / 2, NULL));
		break;
	case CONTENT_FP32:
		CUDA(kernel_fill_fp32(memory, bytes / 4, NULL));
		break;
	case CONTENT_FP8:
		CUDA(kernel_fill_fp8(memory, bytes, NULL));
		break;
	}
	CUDA(cudaDeviceSynchronize());
	return memory;
}

void bench_free(void *memory)
{
	CUDA(cudaFree(memory));
}

size_t bench_free_bytes(void)
{
	size_t free_bytes, total;

	CUDA(cudaMemGetInfo(&free_bytes, &total));
	return free_bytes;
}

void bench_begin(struct bench *bench, const char *name, const char *timed)
{
	json_object(bench->json, NULL);
	json_string(bench->json, "name", name);
	json_string(bench->json, "timed", timed);
	json_array(bench->json, "rows");
}

void bench_end(struct bench *bench)
{
	json_array_end(bench->json);
	json_object_end(bench->json);
	bench_say(bench, "\n");
}

void bench_row(struct bench *bench, const char *key, const char *word)
{
	json_object(bench->json, NULL);
	json_string(bench->json, key, word);
}

void bench_row_end(struct bench *bench, struct spread spread)
{
	json_double(bench->json, "time_us", spread.median);
	json_double(bench->json, "min_us", spread.least);
	json_double(bench->json, "p90_us", spread.p90);
	json_object_end(bench->json);
}

void bench_say(const struct bench *bench, const char *format, ...)
{
	va_list args;

	if (bench->quiet)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	fflush(stdout);
}
