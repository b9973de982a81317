#include "base/die.h"
#include "base/io.h"
#include "cuda/bench.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* parplan-cudabench [MEASUREMENT] [OPTIONS]: one of them, or all with their defaults. */
static const struct measurement_row *const rows[] = {
	&measure_launch,    &measure_memory,  &measure_gemm,
	&measure_attention, &measure_overlap, &measure_collectives,
};

enum { ROWS = sizeof(rows) / sizeof(*rows), REPEATS = 20 };

static const struct opt common[] = {
	BENCH_OPTIONS(struct { struct bench_request bench; }),
	{ .kind = OPT_END },
};

static void print_options(const struct opt *options)
{
	for (; options->kind != OPT_END; options++)
		printf("  --%s%s%-*s  %s\n", options->name, options->argument ? " " : "",
		       (int)(18 - strlen(options->name)),
		       options->argument ? options->argument : "", options->help);
}

static int help(const struct measurement_row *row)
{
	size_t i;

	if (row) {
		printf("Usage: parplan-cudabench %s [OPTIONS]\n\n%s.\n\nOptions:\n", row->name,
		       row->summary);
		print_options(row->options);
		return 0;
	}
	printf("Usage: parplan-cudabench [MEASUREMENT] [OPTIONS]\n\n"
	       "Measures the first CUDA device (collectives: all of them) for parplan calibrate.\n"
	       "Without a measurement: all, with their defaults.\n\nMeasurements:\n");
	for (i = 0; i < ROWS; i++)
		printf("  %-14s %s\n", rows[i]->name, rows[i]->summary);
	printf("\nOptions, and those that MEASUREMENT --help lists:\n");
	print_options(common);
	return 0;
}

static const struct measurement_row *find(const char *name)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (!strcmp(rows[i]->name, name))
			return rows[i];
	return NULL;
}

static const char *today(struct arena *arena)
{
	const time_t now = time(NULL);
	struct tm date;
	char text[16];

	gmtime_r(&now, &date);
	strftime(text, sizeof(text), "%Y-%m-%d", &date);
	return arena_strdup(arena, text);
}

/* The device, and what it is run by. */
static void head(struct bench *bench)
{
	struct cudaDeviceProp properties;
	int count, driver, runtime;

	if (cudaGetDeviceCount(&count) != cudaSuccess || !count)
		die("cudabench: there is no CUDA device here (see nvidia-smi)");
	CUDA(cudaGetDeviceProperties(&properties, 0));
	CUDA(cudaDriverGetVersion(&driver));
	CUDA(cudaRuntimeGetVersion(&runtime));
	bench->gpu = arena_strdup(bench->arena, properties.name);
	bench->capability = properties.major * 10 + properties.minor;
	json_string(bench->json, "schema", "parplan.cudabench/1");
	json_string(bench->json, "device", bench->gpu);
	json_string(bench->json, "date", today(bench->arena));
	json_int(bench->json, "devices", count);
	json_int(bench->json, "capability", bench->capability);
	json_int(bench->json, "multiprocessors", properties.multiProcessorCount);
	json_int(bench->json, "driver", driver);
	json_int(bench->json, "runtime", runtime);
	bench_say(bench, "# %s, compute capability %d.%d, driver %d, runtime %d\n\n", bench->gpu,
		  properties.major, properties.minor, driver, runtime);
}

static void measure(struct bench *bench, const struct bench_request *request,
		    const struct measurement_row *only, const void *options)
{
	struct json_writer json;
	const char *error;
	struct buf out;
	size_t i;

	buf_init(&out);
	json_begin(&json, &out);
	json_object(&json, NULL);
	bench->json = &json;
	bench->repeats = request->repeats ? request->repeats : REPEATS;
	bench->quiet = request->json && !strcmp(request->json, "-");
	head(bench);
	CUDA(cudaStreamCreateWithFlags(&bench->stream, cudaStreamNonBlocking));
	json_array(&json, "measurements");
	for (i = 0; i < ROWS; i++)
		if (!only)
			rows[i]->run(bench, arena_alloc(bench->arena, rows[i]->request_size));
		else if (rows[i] == only)
			rows[i]->run(bench, options);
	json_array_end(&json);
	json_object_end(&json);
	buf_char(&out, '\n');
	error = request->json ? io_write(bench->arena, request->json, out.data, out.length) : NULL;
	if (error)
		die("cudabench: %s: %s", request->json, error);
	buf_release(&out);
}

int main(int argc, char **argv)
{
	const struct measurement_row *only = argc > 1 ? find(argv[1]) : NULL;
	const struct opt *options = only ? only->options : common;
	const int words = only ? 2 : 1;
	struct operands operands = { 0 };
	struct bench bench = { 0 };
	struct arena arena;
	const char *error;
	void *request;
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return help(only);
	arena_init(&arena);
	bench.arena = &arena;
	request = arena_alloc(&arena, only ? only->request_size : sizeof(struct bench_request));
	error = opt_parse(&arena, options, argc - words, argv + words, request, &operands);
	if (error)
		die("cudabench: %s (parplan-cudabench --help)", error);
	if (operands.count)
		die("cudabench: there is no measurement '%s' (parplan-cudabench --help)",
		    operands.items[0]);
	measure(&bench, request, only, request);
	arena_release(&arena);
	return 0;
}
