#ifndef EVIDENCE_OBSERVED_FACTORISATION_H
#define EVIDENCE_OBSERVED_FACTORISATION_H

#include "evidence/observed/families.h"
#include "plan/compare.h"

/* One axis as traffic shows it. */
struct seen_axis {
	int32_t family; /* -1: no call shows it */
	int64_t degree; /* 0: not known */
	bool strong;	/* sizes or shapes say so */
	enum seen_role how;
};

/* Which families are the axes of the job, and whether their sizes multiply to the world. */
struct factorisation {
	struct seen_axis axis[ROLES];
	bool solved;
};

/* Roles must have been found. `intended` decides between families of one role; may be NULL. */
struct factorisation factorisation_of(const struct families *families, const struct plan *intended);

/* The groups that a plan means for an axis; no modes where it has none. Of ROLE_SHARD those that
 * share parameters: dp_shard and cp together. */
struct layout axis_planned(const struct plan *plan, enum role axis);

/* Whether groups are those of the layout; by size alone where members are not known. */
bool family_is(const struct group_family *family, const struct layout *layout);

/*
 * Whether parameters are gathered over a family exactly as often as gradients are scattered: once a
 * step each, as a distributed optimizer (ZeRO-1) does, or FSDP that keeps what it gathered.
 */
bool family_is_even(const struct families *families, int32_t index);

/* The axis that a role speaks of; ROLES: of none. */
enum role axis_of(enum seen_role role);

#endif
