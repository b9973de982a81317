#ifndef COST_CALIBRATION_H
#define COST_CALIBRATION_H

#include "base/vec.h"
#include "cost/collective.h"
#include "cost/measurement.h"
#include "cost/nccl_log.h"
#include "input/node.h"

/*
 * Measured tables that correct the model: the logarithm of measured over modelled time is
 * interpolated over log2 of the bytes and kept flat outside. A table speaks for its own
 * collective, ranks and nodes; for other ranks, collectives and sibling devices its say falls off
 * with their distance, and it has none over another network or between PCIe boxes.
 */
struct calibration {
	struct arena *arena;
	VEC(struct calibration_row) rows;
	VEC(struct nccl_log *) logs;
};

struct calibration_point {
	double size, ratio; /* log2 of bytes; ln of measured over modelled */
};

struct calibration_row {
	const struct measurement *table;
	const struct profile *profile; /* of the table's system */
	struct route route;
	VEC(struct calibration_point) points; /* in ascending order of size */
};

/* What a modelled time is multiplied by. */
struct correction {
	double factor;
	double spread; /* four out of five are within this factor */
	bool own;      /* some table speaks for this system */
};

void calibration_init(struct calibration *calibration, struct arena *arena);

/*
 * Adds what a log of NCCL printed of a communicator, before any tables: their times are compared
 * with those of the algorithms that it leads to. False when its device or network is not known.
 */
bool calibration_add_log(struct calibration *calibration, struct nccl_log *log);

/*
 * What NCCL printed of a communicator of this device, of as many ranks and nodes, of the version
 * nearest to its own; or NULL.
 */
const struct nccl_printed *calibration_printed(const struct calibration *calibration,
					       const struct communicator_place *place);

/* The way between the ranks of a table's system; false when its device or network is not known. */
bool calibration_route(const struct calibration *calibration, const struct measurement *table,
		       struct route *route);

/* Adds a table; false when its device is not known or it has no sizes. */
bool calibration_add(struct calibration *calibration, const struct measurement *table);

struct correction calibration_at(const struct calibration *calibration, const struct route *route,
				 const struct collective *op, double bytes);

/* Median errors over the sizes of tables that lie in [from, to); negative: there are none. */
struct calibration_fit {
	double model;	 /* of the model without calibration */
	double left_out; /* of each size, foretold by the others of its table */
};

struct calibration_fit calibration_fit(const struct calibration_row *const *rows, size_t count,
				       double from, double to);

#endif
