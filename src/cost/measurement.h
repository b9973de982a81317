#ifndef COST_MEASUREMENT_H
#define COST_MEASUREMENT_H

#include "base/buf.h"
#include "base/finding.h"
#include "base/stream.h"
#include "base/vec.h"
#include "cost/collective.h"
#include "input/node.h"

/* How a table was timed. */
enum timing {
	TIMED_CUDA_EVENT,    /* by events on the device */
	TIMED_HOST_QUEUED,   /* by the host over many calls in a row: nccl-tests' default */
	TIMED_HOST_ISOLATED, /* by the host, one call at a time (nccl-tests -z 1) */
	TIMED_LOG	     /* in a job: waiting for the others is in it */
};

const char *timing_name(enum timing timing);

/* One table: times of a collective on a system by size. */
struct measurement {
	const char *source; /* where it is from: a URL, or the file's path */
	const struct collective *op;
	const char *gpu; /* as the file writes it, or a preset's name */
	int64_t ranks, nodes;
	double nic_count, nic_bandwidth; /* per node, GB/s each; 0: as the device's preset has it */
	const char *fabric;		 /* a preset's name, or NULL */
	bool pcie;			 /* no NVLink between the devices of a node */
	const char *nccl;		 /* "2.27.3", or NULL */
	enum timing timed;
	VEC(struct measured_time) times; /* in ascending order of bytes, one per size */
};

struct measured_time {
	double bytes, time; /* us */
};

/* What was read of one kind of source in one file. */
struct measured_source {
	const char *path, *kind;
	int64_t rows;	    /* that were used */
	int64_t unreadable; /* garbled, cut off, or at odds with themselves */
	int64_t first;	    /* the line, or the event, of the first of those; 0: none */
	int64_t left_out;   /* sound, but of no use: */
	const char *why;    /* the reason of the first of those, or NULL */
};

/* Calls of one collective in one place, each as one rank saw it. */
struct sampled_calls {
	struct measurement *table; /* without times as yet */
	VEC(struct sampled_call) calls;
};

struct sampled_call {
	double bytes, time; /* us */
	uint64_t call;	    /* the same on every rank of one call */
};

/* A number of the cost model that a benchmark measured. */
struct measured_figure {
	enum figure_id id;
	double value;
	const char *gpu, *source; /* the device by its preset's name; device, date and file */
};

struct measurements {
	VEC(struct measurement *) list;
	VEC(struct nccl_log *) logs;	     /* cost/nccl_log.h */
	VEC(struct measured_figure) figures; /* one per number: the last that was read */
	VEC(struct measured_source) sources;
	VEC(struct sampled_calls) sampled;
	size_t unhealthy; /* tables that say of themselves that the machine was not well */
};

/* What a command line says about tables that do not: text of nccl-tests knows no network. */
struct measurement_hints {
	const struct collective *op; /* NULL: not said */
	const char *gpu, *fabric, *nccl;
	int64_t ranks, nodes;		 /* 0: not said */
	double nic_count, nic_bandwidth; /* 0: not said */
	bool pcie;
};

extern const struct rule_id rule_measurement;

/*
 * Reads a text, whichever of the known kinds it is of (measurement_reader.h); findings for one that
 * has nothing of use, and for tables that lack what a calibration needs.
 */
void measurements_read(struct arena *arena, struct text_stream *stream, const char *path,
		       const struct measurement_hints *hints, struct measurements *into,
		       struct findings *findings);

/*
 * To be called when all files are read: the calls that they sampled become tables. Of one call the
 * rank counts that waited least, and of the calls of one size the first decile.
 */
void measurements_close(struct arena *arena, struct measurements *into);

/* Of the number of a call in its communicator and the communicator's name. */
uint64_t call_hash(uint64_t number, const char *communicator);

/* Adds a call as one rank saw it; `like` says where, and is copied when nothing like it was. */
void measurement_sample(struct arena *arena, struct measurements *into,
			const struct measurement *like, struct sampled_call call);

/* 22803 is 2.28.3. */
const char *nccl_tests_version(struct arena *arena, int64_t code);

/* Adds a time; of several of one size the least stays. */
void measurement_put(struct arena *arena, struct measurement *table, double bytes, double time);

/* Sorts its sizes and appends it, if it has any. */
void measurement_finish(struct arena *arena, struct measurement *table, struct measurements *into);

/* "8x400Gb/s NDR IB" and the like: adapters, and which network they make. */
void measurement_network(struct measurement *table, const char *words);

/* The `calibration` and `nccl` lists of a profile file, and how a profile is written. */
void measurements_of_profile(struct arena *arena, const struct node *root,
			     struct measurements *into, struct findings *findings);
void measurements_write(const struct measurements *tables, struct buf *out);

/* Device, ranks, nodes, network and version of such a row; false when one of the first three is
 * missing. */
bool measurement_read_place(struct measurement *table, const struct node *row);
void measurement_write_place(struct buf *out, const struct measurement *table);

/* The inside of a text in double quotes. */
void measurement_quote(struct buf *out, const char *text);

/* The measured numbers of a profile file, each with its basis and source. */
void measured_figures_write(const struct measurements *tables, struct buf *out);

#endif
