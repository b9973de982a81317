#include "cuda/bench.h"

#include "cuda/kernels.h"

#include <cuda_runtime.h>

/* Bytes per second that moving data on the device reaches, by size: small ones stay in the cache.
 */
struct request {
	struct bench_request bench;
	int64_t from, to;
};

struct buffers {
	void *a, *b, *c;
	size_t bytes;
};

static void copy(const void *data, struct CUstream_st *stream)
{
	const struct buffers *buffers = data;

	CUDA(cudaMemcpyAsync(buffers->b, buffers->a, buffers->bytes, cudaMemcpyDeviceToDevice,
			     stream));
}

static void set(const void *data, struct CUstream_st *stream)
{
	const struct buffers *buffers = data;

	CUDA(cudaMemsetAsync(buffers->b, 0, buffers->bytes, stream));
}

static void add_fp32(const void *data, struct CUstream_st *stream)
{
	const struct buffers *buffers = data;

	CUDA(kernel_add_fp32(buffers->c, buffers->a, buffers->b, buffers->bytes, stream));
}

static void add_bf16(const void *data, struct CUstream_st *stream)
{
	const struct buffers *buffers = data;

	CUDA(kernel_add_bf16(buffers->c, buffers->a, buffers->b, buffers->bytes, stream));
}

/* What is done, and the bytes read and written for each byte of size. */
static const struct {
	const char *what;
	void (*enqueue)(const void *data, struct CUstream_st *stream);
	int moved;
} kinds[] = {
	{ "copy", copy, 2 },
	{ "set", set, 1 },
	{ "add_fp32", add_fp32, 3 },
	{ "add_bf16", add_bf16, 3 },
};

static void put(struct bench *bench, size_t kind, const struct buffers *buffers)
{
	const struct work work = { kinds[kind].enqueue, buffers };
	const struct spread spread = bench_time(bench, work, bench_units(bench, work, 100));
	const double rate = kinds[kind].moved * (double)buffers->bytes / spread.median / 1e3;

	bench_row(bench, "what", kinds[kind].what);
	json_int(bench->json, "bytes", (int64_t)buffers->bytes);
	json_double(bench->json, "gbs", rate);
	bench_row_end(bench, spread);
	bench_say(bench, "# %-10s %12zu %12.2f %10.1f\n", kinds[kind].what, buffers->bytes,
		  spread.median, rate);
}

static void run(struct bench *bench, const void *data)
{
	const struct request *request = data;
	size_t bytes = request->from ? (size_t)request->from / 16 * 16 : 4096;
	size_t most = request->to ? (size_t)request->to / 16 * 16 : (size_t)4 << 30, kind;
	struct buffers buffers;

	while (most > 16 && most > bench_free_bytes() / 10 * 3 / 16 * 16)
		most = most / 32 * 16;
	buffers.a = bench_memory(most, CONTENT_BF16);
	buffers.b = bench_memory(most, CONTENT_BF16);
	buffers.c = bench_memory(most, CONTENT_ZERO);
	bench_say(bench, "# memory: what, bytes, us, GB/s read and written together\n");
	bench_begin(bench, "memory", "cuda_event");
	for (; bytes >= 16 && bytes <= most; bytes *= 4)
		for (kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
			buffers.bytes = bytes;
			put(bench, kind, &buffers);
		}
	bench_end(bench);
	bench_free(buffers.a);
	bench_free(buffers.b);
	bench_free(buffers.c);
}

static const struct opt options[] = {
	BENCH_OPTIONS(struct request),
	{ OPT_COUNT, 0, "from", "BYTES", NULL, "the least size (default 4096)",
	  offsetof(struct request, from) },
	{ OPT_COUNT, 0, "to", "BYTES", NULL, "the largest size (default 4 GiB, or what fits)",
	  offsetof(struct request, to) },
	{ .kind = OPT_END },
};

const struct measurement_row measure_memory = {
	.name = "memory",
	.summary = "rates of copies, sets and sums on the device by size",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
