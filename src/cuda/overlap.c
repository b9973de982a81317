#include "cuda/bench.h"

#include "cuda/product.h"

#include <cuda_runtime.h>

/* What a product and a copy lose to each other on two streams. */
struct request {
	struct bench_request bench;
	int64_t size, bytes;
};

struct buffers {
	void *a, *b;
	size_t bytes;
};

static void copy(const void *data, struct CUstream_st *stream)
{
	const struct buffers *buffers = data;

	CUDA(cudaMemcpyAsync(buffers->b, buffers->a, buffers->bytes, cudaMemcpyDeviceToDevice,
			     stream));
}

/* Units of `front`, timed while three times as much of `back` is on another stream. */
static struct spread together(const struct bench *bench, struct work front, int64_t fronts,
			      struct work back, int64_t backs)
{
	double *times = arena_array(bench->arena, (size_t)bench->repeats, sizeof(*times));
	cudaStream_t other;
	cudaEvent_t start, end;
	int64_t i, j;
	float ms;

	CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CUDA(cudaEventCreate(&start));
	CUDA(cudaEventCreate(&end));
	for (i = 0; i < bench->repeats; i++) {
		for (j = 0; j < 3 * backs; j++)
			back.enqueue(back.data, other);
		CUDA(cudaEventRecord(start, bench->stream));
		for (j = 0; j < fronts; j++)
			front.enqueue(front.data, bench->stream);
		CUDA(cudaEventRecord(end, bench->stream));
		CUDA(cudaDeviceSynchronize());
		CUDA(cudaEventElapsedTime(&ms, start, end));
		times[i] = 1e3 * (double)ms / (double)fronts;
	}
	CUDA(cudaEventDestroy(start));
	CUDA(cudaEventDestroy(end));
	CUDA(cudaStreamDestroy(other));
	return bench_spread(times, bench->repeats);
}

static void put(struct bench *bench, const char *what, struct work front, struct work back)
{
	const int64_t fronts = bench_units(bench, front, 200),
		      backs = bench_units(bench, back, 200);
	const struct spread alone = bench_time(bench, front, fronts);
	const struct spread both = together(bench, front, fronts, back, backs);

	bench_row(bench, "what", what);
	json_double(bench->json, "alone_us", alone.median);
	json_double(bench->json, "slowdown", both.median / alone.median);
	bench_row_end(bench, both);
	bench_say(bench, "# %-22s %10.2f %10.2f %8.3f\n", what, alone.median, both.median,
		  both.median / alone.median);
}

static void run(struct bench *bench, const void *data)
{
	const struct request *request = data;
	const int64_t size = request->size ? request->size : 8192;
	struct buffers buffers = { .bytes = request->bytes ? (size_t)request->bytes
							   : (size_t)256 << 20 };
	struct product *product = product_new(bench, PRODUCT_BF16, size, size, size);

	if (!product) {
		bench_say(bench, "# overlap: no bf16 products on this device\n");
		return;
	}
	buffers.a = bench_memory(buffers.bytes, CONTENT_BF16);
	buffers.b = bench_memory(buffers.bytes, CONTENT_ZERO);
	bench_say(bench, "# overlap: what, us alone, us beside the other, times as long\n");
	bench_begin(bench, "overlap", "cuda_event");
	put(bench, "product beside copies", product_work(product),
	    (struct work) { copy, &buffers });
	put(bench, "copy beside products", (struct work) { copy, &buffers }, product_work(product));
	bench_end(bench);
	bench_free(buffers.a);
	bench_free(buffers.b);
	product_free(product);
}

static const struct opt options[] = {
	BENCH_OPTIONS(struct request),
	{ OPT_COUNT, 0, "size", "N", NULL, "rows and columns of the product (default 8192)",
	  offsetof(struct request, size) },
	{ OPT_COUNT, 0, "bytes", "BYTES", NULL, "size of the copies (default 256 MiB)",
	  offsetof(struct request, bytes) },
	{ .kind = OPT_END },
};

const struct measurement_row measure_overlap = {
	.name = "overlap",
	.summary = "what a product and copies lose to each other",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
