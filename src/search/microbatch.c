#include "search/microbatch.h"

#include "sim/layer.h"
#include "sim/logits.h"
#include "sim/recompute.h"

#include <math.h>
#include <string.h>

/* What a microbatch depends on, beside whether its gradients are added to others, and in stages. */
static const enum axis axes[] = { AXIS_SITE, AXIS_TP,	  AXIS_CP,    AXIS_SEQUENCE, AXIS_EP,
				  AXIS_ETP,  AXIS_TENSOR, AXIS_MICRO, AXIS_RECOMPUTE };

enum { BY_AXES = sizeof(axes) / sizeof(axes[0]), KEYS, ROOM = 1024 };

struct entry {
	bool used;
	int64_t key[KEYS];
	struct microbatch microbatch;
};

/* A table with open addressing, at most half full. */
struct microbatches {
	struct arena *arena;
	struct entry *entries;
	size_t room, count;
};

struct microbatches *microbatches_new(struct arena *arena)
{
	struct microbatches *known = arena_new(arena, struct microbatches);

	known->arena = arena;
	known->room = ROOM;
	known->entries = arena_array(arena, ROOM, sizeof(*known->entries));
	return known;
}

static size_t place_of(const int64_t *key)
{
	uint64_t mixed = 0;
	int i;

	for (i = 0; i < KEYS; i++)
		mixed = (mixed ^ (uint64_t)key[i]) * 0x9e3779b97f4a7c15U;
	return (size_t)(mixed >> 32);
}

/* The entry of a key, or the free one where it belongs. */
static struct entry *entry_of(const struct microbatches *known, const int64_t *key)
{
	size_t at = place_of(key) & (known->room - 1);

	while (known->entries[at].used &&
	       memcmp(known->entries[at].key, key, sizeof(int64_t[KEYS])))
		at = (at + 1) & (known->room - 1);
	return &known->entries[at];
}

static void grow(struct microbatches *known)
{
	const struct entry *before = known->entries;
	const size_t room = known->room;
	size_t i;

	known->room = 2 * room;
	known->entries = arena_array(known->arena, known->room, sizeof(*known->entries));
	for (i = 0; i < room; i++)
		if (before[i].used)
			*entry_of(known, before[i].key) = before[i];
}

/*
 * What is computed again at least. Operators are as long as the host takes to launch them, and the
 * host launches ahead while other ranks are waited for: those that are farther away leave less.
 */
static double least_again(const struct profile *profile, const struct workload *work,
			  const struct layer *layer)
{
	if (work->recompute != RECOMPUTE_OPERATORS ||
	    work->tp * work->cp * work->sp * work->ep == 1)
		return layer->again;
	return layer->again - profile_get(profile, FIGURE_OPERATORS_AGAIN) *
				      (layer->compute.forward - layer->kernels);
}

/*
 * Seconds of one block: both passes, of them gradients of weights, and experts' traffic where the
 * forward pass is made again; each pass without gradients of weights.
 */
struct block {
	double pass, weight, hidden, there, back;
};

static struct block block_of(const struct profile *profile, const struct workload *work,
			     bool experts)
{
	struct layer layer = layer_cost(profile, work, experts);
	double there, back;

	layer.again = least_again(profile, work, &layer);
	there = layer_forward(&layer);
	back = layer_backward(&layer);
	return (struct block) { there + back, layer.weight,
				2 * layer.expert.forward + layer.expert.backward, there,
				back - layer.weight };
}

/* Where it is not known how experts are cut: the less of what is there, and of them not at all. */
static void uncut(const struct profile *profile, const struct workload *work, struct block *block,
		  struct activations *sizes)
{
	struct workload whole = *work;
	struct activations others;
	struct block other;

	whole.etp = 1;
	other = block_of(profile, &whole, true);
	others = activations_of(&whole);
	block->pass = fmin(block->pass, other.pass);
	block->weight = fmax(block->weight, other.weight); /* which is taken off */
	block->hidden = fmax(block->hidden, other.hidden);
	block->there = fmin(block->there, other.there);
	block->back = fmin(block->back, other.back);
	sizes->kept[EXPERTS] = fmin(sizes->kept[EXPERTS], others.kept[EXPERTS]);
	sizes->again[EXPERTS] = fmin(sizes->again[EXPERTS], others.again[EXPERTS]);
	sizes->working[EXPERTS] = fmin(sizes->working[EXPERTS], others.working[EXPERTS]);
}

static struct microbatch cost_of(const struct profile *profile, const struct workload *work,
				 const int64_t blocks[KINDS])
{
	const struct pass head = logits_time(profile, work);
	struct microbatch cost = { .pass = head.forward + head.backward,
				   .weights = head.backward / 2,
				   .there = HUGE_VAL,
				   .back = HUGE_VAL };
	struct workload way = *work;
	int kind;

	if (!way.etp)
		way.etp = way.tp;
	cost.activations = activations_of(&way);
	for (kind = 0; kind < KINDS; kind++) {
		struct block block;
		if (!blocks[kind])
			continue;
		block = block_of(profile, &way, kind == EXPERTS);
		if (kind == EXPERTS && !work->etp)
			uncut(profile, &way, &block, &cost.activations);
		cost.blocks[kind] = block.pass;
		cost.pass += (double)blocks[kind] * block.pass;
		cost.weights += (double)blocks[kind] * block.weight;
		cost.hidden += (double)blocks[kind] * block.hidden;
		cost.there = fmin(cost.there, block.there);
		cost.back = fmin(cost.back, block.back);
	}
	return cost;
}

const struct microbatch *microbatch_of(struct microbatches *known, const struct profile *profile,
				       const struct workload *work, const int64_t blocks[KINDS],
				       const struct candidate *candidate)
{
	int64_t key[KEYS];
	struct entry *entry;
	int i;

	for (i = 0; i < BY_AXES; i++)
		key[i] = candidate->at[axes[i]];
	key[BY_AXES] = layer_accumulates(work) + 2 * (work->pp > 1) +
		       4 * (recompute_by_stage(work) ? work->pp * work->virtual_stages : 0);
	entry = entry_of(known, key);
	if (entry->used)
		return &entry->microbatch;
	if (2 * known->count >= known->room) {
		grow(known);
		entry = entry_of(known, key);
	}
	known->count++;
	entry->used = true;
	memcpy(entry->key, key, sizeof(key));
	entry->microbatch = cost_of(profile, work, blocks);
	return &entry->microbatch;
}
