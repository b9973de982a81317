#ifndef CUDA_BENCH_H
#define CUDA_BENCH_H

#include "base/arena.h"
#include "base/json.h"
#include "cli/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * parplan-cudabench: what a device does, for `parplan calibrate`. Each measurement is a row here
 * and one file; times are those of CUDA events on the device unless a row says otherwise. Nothing
 * of this is part of parplan itself.
 */
struct CUstream_st; /* what cudaStream_t points to: headers here compile without CUDA's */

/* Options that all measurements take; must be the first member of each one's request. */
struct bench_request {
	const char *json;
	int64_t repeats; /* 0: 20 */
};

#define BENCH_OPTIONS(type)                                                                        \
	{ OPT_TEXT,                                                                                \
	  0,                                                                                       \
	  "json",                                                                                  \
	  "FILE",                                                                                  \
	  NULL,                                                                                    \
	  "write the results there; - is stdout",                                                  \
	  offsetof(type, bench.json) },                                                            \
	{                                                                                          \
		OPT_COUNT, 0, "repeats", "N", NULL, "timed runs of each case (default 20)",        \
			offsetof(type, bench.repeats)                                              \
	}

/* What the measurements share. */
struct bench {
	struct arena *arena;
	int64_t repeats;
	struct CUstream_st *stream;
	struct json_writer *json; /* inside "measurements" */
	bool quiet;		  /* the JSON is on stdout: no text */
	const char *gpu;	  /* "NVIDIA H100 80GB HBM3" */
	int capability;		  /* 90: compute capability 9.0 */
};

struct measurement_row {
	const char *name, *summary;
	const struct opt *options;
	size_t request_size;
	void (*run)(struct bench *bench, const void *request);
};

extern const struct measurement_row measure_launch, measure_memory, measure_gemm, measure_attention,
	measure_overlap, measure_collectives;

/* Microseconds of the repeats. */
struct spread {
	double least, median, p90;
};

/* Puts work into a stream; returns without waiting for it. */
struct work {
	void (*enqueue)(const void *data, struct CUstream_st *stream);
	const void *data;
};

/* Times `each` units of work in a row between two events, repeatedly, after three in vain; per
 * unit. */
struct spread bench_time(const struct bench *bench, struct work work, int64_t each);

/* Of times in any order, which are sorted. */
struct spread bench_spread(double *times, int64_t count);

/* How many units fill some 20 ms, of 1 to `most`, by a first try. */
int64_t bench_units(const struct bench *bench, struct work work, int64_t most);

/* Device memory full of numbers: zeros would draw less power, and run faster, than a job's do. Ends
 * the program when there is none. */
enum content { CONTENT_ZERO, CONTENT_BF16, CONTENT_FP32, CONTENT_FP8 };
void *bench_memory(size_t bytes, enum content content);
void bench_free(void *memory);

/* Bytes of device memory that are free. */
size_t bench_free_bytes(void);

/* Ends the program unless a call of the CUDA runtime succeeded. */
void bench_check(int error, const char *call);
#define CUDA(call) bench_check((int)(call), #call)

/* Begins and ends a measurement in the JSON output, and a row of it. */
void bench_begin(struct bench *bench, const char *name, const char *timed);
void bench_end(struct bench *bench);
void bench_row(struct bench *bench, const char *key, const char *word);
/* time_us (the median), min_us and p90_us; ends the row. */
void bench_row_end(struct bench *bench, struct spread spread);

/* Text on stdout, unless the JSON is there. */
void bench_say(const struct bench *bench, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
