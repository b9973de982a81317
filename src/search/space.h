#ifndef SEARCH_SPACE_H
#define SEARCH_SPACE_H

#include "framework/wing.h"
#include "framework/job.h"
#include "rules/level.h"

struct wording;

/*
 * What a search decides between. A site is the user's config on one number of ranks, one device and
 * with one choice of what is varied beside; on each of them the axes below have the values that
 * the framework can be told. A layout fixes all axes but the last two; it has a candidate for each
 * microbatch and each way of recomputation.
 */
enum axis {
	AXIS_SITE,
	AXIS_PP,
	AXIS_TP,
	AXIS_CP,
	AXIS_SEQUENCE,	/* ranks of Ulysses, beside data parallelism or of its ranks */
	AXIS_REPLICATE, /* dp_replicate; dp_shard is what is left. Where the framework derives data
			   parallelism: 1 if all of it shares parameters, else all of it */
	AXIS_EP,
	AXIS_ETP,
	AXIS_ZERO,   /* what data-parallel ranks cut, where that is no degree */
	AXIS_TENSOR, /* sequence parallelism beside tp, and whether its traffic overlaps */
	AXIS_SCHEDULE,
	AXIS_VIRTUAL, /* stages of each pipeline rank */
	AXIS_RESHARD,
	AXIS_MICRO, /* sequences of a microbatch */
	AXIS_RECOMPUTE,
	AXES
};

/* The value of a degree, or the number of a choice. */
struct candidate {
	int64_t at[AXES];
};

/* A value of an axis whose values are words. */
struct choice {
	const char *name;	  /* "full", "Interleaved1F1B" */
	struct variation said[3]; /* a value of NULL: that it is not given */
	int count;		  /* of `said`; 0: as the config has it */
	int64_t least_layers;	  /* of a stage for which it is another one than those before */
	bool overlaps;		  /* traffic of tensor parallelism, which has to keep to a node */
};

struct choices {
	VEC(struct choice) list;
};

/* Values that the user allows of an axis or of dp_shard. */
struct restriction {
	const char *option; /* "--fix" */
	enum field_id field;
	VEC(const char *) values;
};

struct restrictions {
	VEC(struct restriction) list;
};

struct site {
	struct job job;	      /* the config there, with layouts as it is */
	int64_t world, batch; /* ranks; sequences of a step, which no layout changes */
	double scale;	      /* tokens of a step at the first site over those here */
	double price;	      /* of an hour of a device there; 1: nobody told one */
	const char *name;     /* what makes it another one than the first: "64 h100-sxm"; or "" */
	VEC(struct variation) said;    /* what is varied there */
	const struct profile *profile; /* of its device, once that is known to be the presets' */
	bool world_beside;	       /* its ranks follow from no setting of the config */
	bool derived_dp;	       /* the framework makes data parallel what is left */
	enum field_id ulysses;	       /* which setting says the ranks of Ulysses: sp beside data
					  parallelism, or FIELD_ULYSSES of its ranks */
	bool knows_sharing;	 /* a candidate says who shares parameters, or all of those do */
	bool tokens;		 /* its batches are given in tokens */
	bool total;		 /* a key has all data parallelism, of whatever kind */
	int64_t overlapped;	 /* ranks of tp whose traffic may overlap there, at most */
	bool drops_experts;	 /* it builds no groups of experts, whatever is asked */
	struct wording *wording; /* how the config says it */
	bool open[FIELD_COUNT];	 /* the config can say it */
	bool does[HABITS];	 /* its framework does it at that version */
};

/* Consecutive layouts of the same degrees, which are decided together. */
struct region {
	size_t first, end;
};

struct space {
	struct arena *arena;
	VEC(struct site *) sites;
	struct restrictions restrictions;
	struct choices zero, tensor, schedule, reshard, recompute;
	struct levels levels;		    /* of the project's rules */
	VEC(const struct rule_id *) warned; /* what the config as it is is warned of */
	bool starts; /* it has a plan, so that it is known what warns of it */
	VEC(struct candidate) layouts;
	VEC(struct region) regions;
	VEC(uint64_t) first; /* the number of each layout's first candidate; then of all */
	uint64_t uneven;     /* layouts over which the batch cannot be cut */
};

/* What a choice says of a field, or "". */
const char *choice_says(const struct choice *choice, enum field_id field);

/* The values that the user allows of a field, or NULL: all. */
const struct restriction *space_restriction(const struct space *space, enum field_id field);

/* Enumerates the layouts of all sites, in order. A space has sites and restrictions before. */
void space_fill(struct space *space);

/* All candidates, and one of them by its number. */
uint64_t space_count(const struct space *space);
struct candidate space_candidate(const struct space *space, uint64_t number);

/* The number of a candidate; false when it is none. */
bool space_find(const struct space *space, const struct candidate *candidate, uint64_t *number);

/* The values of an axis in order, of those that differ from `candidate` in nothing before it. */
struct axis_values {
	VEC(int64_t) list;
};
void space_values(const struct space *space, const struct candidate *candidate, enum axis axis,
		  struct arena *arena, struct axis_values *values);

/* The microbatches and the recomputations of a layout: its candidates in order, by the former. */
struct leaves {
	struct axis_values micro, recompute;
};
void space_leaves(const struct space *space, const struct candidate *layout, struct arena *arena,
		  struct leaves *leaves);

/* Ranks of data parallelism, those of Ulysses among them that share samples. */
int64_t candidate_dp(const struct space *space, const struct candidate *candidate);

/* Ranks of data parallelism that share each sample. */
int64_t candidate_inside(const struct space *space, const struct candidate *candidate);

/* Sequences that each of them has of a step; 0: the batch cannot be cut so. */
int64_t candidate_each(const struct space *space, const struct candidate *candidate);

/* "parallelism.tp" where one setting says it; else what the axis is called: "recompute". */
const char *space_axis_name(enum axis axis);

#endif
