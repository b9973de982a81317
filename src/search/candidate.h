#ifndef SEARCH_CANDIDATE_H
#define SEARCH_CANDIDATE_H

#include "search/space.h"

/* Settings that make a config a candidate, in the order in which they are to be said. */
struct said {
	struct arena *arena;
	VEC(struct variation) list;
};

/* "tp 8", or "no method" of one that is not to be given: by the last part of its key. */
const char *variation_text(struct arena *arena, const struct variation *variation);

/* All settings of a candidate on its site, the site's own first. */
void candidate_settings(const struct space *space, const struct candidate *candidate,
			struct said *said);

/* "pp 4, tp 8, dp 2x8, microbatch 2, full recomputation": in a few words. */
const char *candidate_text(const struct space *space, const struct candidate *candidate,
			   struct arena *arena);

/* Degrees of parallelism that it has, dp_replicate and dp_shard for themselves. */
size_t candidate_axes(const struct space *space, const struct candidate *candidate);

/* Layers that an end of the model counts for, by what FIELD_PP_FIRST_STAGE_LESS or _LAST_ says. */
int64_t candidate_end(const struct site *site, enum field_id less);

/*
 * Layers of each stage that give a rank so many, the embedding and the output counted as the job
 * says; 0: none does. -1: what the framework does when nothing is said.
 */
int64_t candidate_stage_layers(const struct site *site, int64_t pp, int64_t virtual_stages,
			       bool several);

/* Whether a setting is varied over sites: whatever is one there is not a candidate's to choose. */
bool candidate_varies(const struct site *site, enum field_id field);

/*
 * Whether a layout of stages that the config has, "Et*6|t*6L" of Megatron's, is not said with so
 * many ranks of a pipeline: it is of another one.
 */
bool candidate_leaves_split(const struct site *site, int64_t pp);

/* Whether the config says itself which stage of that pipeline has how many layers. */
bool candidate_uneven(const struct site *site, int64_t pp);

/*
 * Layers of a last stage that has fewer than the others, where layers do not divide and nothing
 * else is said (Megatron's decoder_last_pipeline_num_layers); 0: all have as many, or it cannot be.
 */
int64_t candidate_last_layers(const struct site *site, int64_t pp, int64_t virtual_stages);

/* Whether ranks share parameters: those of data and of context parallelism that hold one copy. */
bool candidate_shares(const struct space *space, const struct candidate *candidate);

/* Whether data parallelism that its framework derives repeats parameters: ZeRO's stage says it. */
bool candidate_repeats(const struct space *space, const struct candidate *candidate);

/* Whether data parallelism that the framework derives is what a config has already. */
bool candidate_keeps_dp(const struct space *space, const struct candidate *candidate,
			const struct settings *own);

/* Whether there are ranks that could share the optimizer's state. */
bool candidate_cuts_state(const struct space *space, const struct candidate *candidate);

/* Whether its stages are said as so many to a rank, rather than by the layers of each. */
bool candidate_counts_stages(const struct site *site);

/* Whether its batch is said as what a rank has of a step, rather than by microbatches. */
bool candidate_has_local(const struct site *site);

#endif
