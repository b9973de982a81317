#ifndef COST_MEASUREMENT_H
#define COST_MEASUREMENT_H

#include "base/buf.h"
#include "base/finding.h"
#include "base/vec.h"
#include "cost/collective.h"
#include "input/node.h"

/* How a table was timed. */
enum timing {
	TIMED_CUDA_EVENT,    /* by events on the device */
	TIMED_HOST_QUEUED,   /* by the host over many calls in a row: nccl-tests' default */
	TIMED_HOST_ISOLATED, /* by the host, one call at a time (nccl-tests -z 1) */
	TIMED_LOG	     /* as a job's log has it */
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

struct measurements {
	VEC(struct measurement *) list;
	size_t unhealthy; /* tables that say of themselves that the machine was not well */
};

/* What a command line says about tables that do not: text of nccl-tests knows no network. */
struct measurement_hints {
	const struct collective *op; /* NULL: not said */
	const char *gpu, *fabric, *nccl;
	int64_t nodes;			 /* 0: not said */
	double nic_count, nic_bandwidth; /* 0: not said */
	bool pcie;
};

extern const struct rule_id rule_measurement;

/*
 * Reads the tables of a text, whichever of the known forms it has; findings for a text that has
 * none, and for tables that lack what a calibration needs.
 */
void measurements_read(struct arena *arena, const struct source *source,
		       const struct measurement_hints *hints, struct measurements *into,
		       struct findings *findings);

/* The forms, one each. The text one skips what it cannot read, and never fails. */
void measurement_text(struct arena *arena, const struct source *source,
		      const struct measurement_hints *hints, struct measurements *into);
void measurement_json(struct arena *arena, const struct node *root, const char *path,
		      const struct measurement_hints *hints, struct measurements *into);

/* 22803 is 2.28.3. */
const char *nccl_tests_version(struct arena *arena, int64_t code);

/* Adds a time; of several of one size the least stays. */
void measurement_put(struct arena *arena, struct measurement *table, double bytes, double time);

/* Sorts its sizes and appends it, if it has any. */
void measurement_finish(struct arena *arena, struct measurement *table, struct measurements *into);

/* "8x400Gb/s NDR IB" and the like: adapters, and which network they make. */
void measurement_network(struct measurement *table, const char *words);

/* The `calibration` list of a profile file, and how it is written. */
void measurements_of_profile(struct arena *arena, const struct node *root,
			     struct measurements *into, struct findings *findings);
void measurements_write(const struct measurements *tables, struct buf *out);

#endif
