#include "framework/stage_layout.h"

#include "base/text.h"
#include "framework/placing_stages.h"

#include <stdbool.h>
#include <string.h>

/* NVIDIA/Megatron-LM@d98e8a64 megatron/core/transformer/pipeline_parallel_layer_layout.py. */

enum { REPEATS_MOST = 4096, STAGES_MOST = PLACED_STAGES_MOST };

/* A layout while it is read: what it holds so far. */
struct reading {
	const char *at;
	int64_t *layers, room;
	int64_t stages; /* begun */
	int depth;
	bool broken;
};

static void read_items(struct reading *r);

/* Adds decoder layers to the stage under way. */
static void add_layers(struct reading *r, int64_t count)
{
	if (r->layers && r->stages <= r->room)
		r->layers[r->stages - 1] += count;
}

static void begin_stage(struct reading *r)
{
	if (++r->stages > STAGES_MOST)
		r->broken = true;
	else if (r->layers && r->stages <= r->room)
		r->layers[r->stages - 1] = 0;
}

/* The number behind '*', or 1. */
static int64_t read_repeats(struct reading *r)
{
	int64_t count;

	if (*r->at != '*')
		return 1;
	r->at++;
	if (!text_digits(&r->at, 4, &count) || count > REPEATS_MOST) {
		r->broken = true;
		return 1;
	}
	return count;
}

/* "(tt|)*29": the inside is read as often as is said. */
static void read_group(struct reading *r)
{
	const char *start = ++r->at, *end;
	int64_t repeats, i;
	struct reading dry = { .at = start, .stages = 1, .depth = r->depth + 1 };

	if (dry.depth > 8) {
		r->broken = true;
		return;
	}
	read_items(&dry);
	r->at = dry.at;
	if (dry.broken || *r->at != ')') {
		r->broken = true;
		return;
	}
	r->at++;
	repeats = read_repeats(r);
	end = r->at;
	r->depth++;
	for (i = 0; i < repeats && !r->broken; i++) {
		r->at = start;
		read_items(r);
	}
	r->depth--;
	r->at = end;
}

static void read_item(struct reading *r)
{
	const char item = *r->at++;
	int64_t repeats = read_repeats(r);

	if (item == 't')
		add_layers(r, repeats);
	else if (item == '|')
		while (repeats-- > 0 && !r->broken)
			begin_stage(r);
}

/* Up to the end or the bracket that closes the group. */
static void read_items(struct reading *r)
{
	while (*r->at && *r->at != ')' && !r->broken) {
		if (*r->at == '(')
			read_group(r);
		else if (strchr("Etm|L", *r->at))
			read_item(r);
		else if (*r->at == ',' || *r->at == ' ')
			r->at++;
		else
			r->broken = true;
	}
}

int64_t stage_layout_read(const char *text, int64_t *layers, int64_t room)
{
	struct reading r = { .at = text, .layers = layers, .room = room };

	begin_stage(&r);
	read_items(&r);
	return r.broken || *r.at ? 0 : r.stages;
}
