#include "cuda/bench.h"

#include "cuda/kernels.h"

#include <cuda_runtime.h>
#include <time.h>

/* What starting a kernel costs: alone, in a row, in a graph, and to the host. */
enum { ROW = 1000, MANY = 10000 };

struct request {
	struct bench_request bench;
};

static void launch(const void *data, struct CUstream_st *stream)
{
	(void)data;
	CUDA(kernel_empty(stream));
}

static void nothing(const void *data, struct CUstream_st *stream)
{
	(void)data;
	(void)stream;
}

static void replay(const void *data, struct CUstream_st *stream)
{
	cudaGraphExec_t const *graph = data;

	CUDA(cudaGraphLaunch(*graph, stream));
}

static void put(struct bench *bench, const char *what, struct spread spread)
{
	bench_row(bench, "what", what);
	bench_row_end(bench, spread);
	bench_say(bench, "# %-8s %10.3f %10.3f %10.3f\n", what, spread.least, spread.median,
		  spread.p90);
}

/* A graph of ROW kernels, one after the other. */
static struct spread of_graph(struct bench *bench)
{
	cudaGraphExec_t replayed;
	cudaGraph_t graph;
	struct spread spread;
	int i;

	CUDA(cudaStreamBeginCapture(bench->stream, cudaStreamCaptureModeThreadLocal));
	for (i = 0; i < ROW; i++)
		launch(NULL, bench->stream);
	CUDA(cudaStreamEndCapture(bench->stream, &graph));
#if CUDART_VERSION >= 12000
	CUDA(cudaGraphInstantiate(&replayed, graph, 0));
#else
	CUDA(cudaGraphInstantiate(&replayed, graph, NULL, NULL, 0));
#endif
	spread = bench_time(bench, (struct work) { replay, &replayed }, 1);
	CUDA(cudaGraphExecDestroy(replayed));
	CUDA(cudaGraphDestroy(graph));
	return (struct spread) { spread.least / ROW, spread.median / ROW, spread.p90 / ROW };
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

/* Host time of a launch, while the queue is not full: some hundred at a time. */
static struct spread of_host(struct bench *bench)
{
	enum { BATCH = 200 };
	double *times = arena_array(bench->arena, MANY / BATCH, sizeof(*times));
	int i, j;

	for (i = 0; i < MANY / BATCH; i++) {
		double start;
		CUDA(cudaStreamSynchronize(bench->stream));
		start = now();
		for (j = 0; j < BATCH; j++)
			launch(NULL, bench->stream);
		times[i] = (now() - start) / BATCH;
	}
	CUDA(cudaStreamSynchronize(bench->stream));
	return bench_spread(times, MANY / BATCH);
}

static void run(struct bench *bench, const void *request)
{
	(void)request;
	bench_say(bench, "# launch of an empty kernel, us: least, median, p90\n");
	bench_begin(bench, "launch", "cuda_event");
	put(bench, "queued", bench_time(bench, (struct work) { launch, NULL }, ROW));
	put(bench, "alone", bench_time(bench, (struct work) { launch, NULL }, 1));
	put(bench, "graph", of_graph(bench));
	put(bench, "events", bench_time(bench, (struct work) { nothing, NULL }, 1));
	put(bench, "host", of_host(bench)); /* by the host's clock */
	bench_end(bench);
}

static const struct opt options[] = {
	BENCH_OPTIONS(struct request),
	{ .kind = OPT_END },
};

const struct measurement_row measure_launch = {
	.name = "launch",
	.summary = "what starting an empty kernel costs: in a row, alone, in a graph, on the host",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
