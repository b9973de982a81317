#include "framework/torch/save_plan.h"

#include "base/number.h"
#include "framework/torch/job_torch.h"

#include <inttypes.h>

const char *spread_trouble(const struct job *job)
{
	const struct plan *plan = job->applied;

	if (plan->unmodelled)
		return plan->unmodelled_why;
	if (plan->error)
		return "the job would not start";
	if (!job->model)
		return job_lacks_model(job);
	if (job->world > SPREAD_RANKS)
		return "more than 1,048,576 ranks are not gone through";
	if (!plan->parameters.count || plan->stages_assumed)
		return "which layers a pipeline stage holds is the script's own affair";
	if (!plan_places(plan))
		return "vectors of many parameters are cut, not each parameter";
	return NULL;
}

const int32_t *pp_of_ranks(struct arena *arena, const struct plan *plan, int64_t *count)
{
	const struct mesh *mesh = plan_mesh(plan, "pp");
	int32_t *pp_of;
	int64_t rank;

	*count = 1;
	if (!mesh || !plan->stages.count || plan->degrees.pp < 2)
		return NULL;
	*count = layout_size(&mesh->layout);
	pp_of = arena_array(arena, (size_t)plan->world, sizeof(*pp_of));
	for (rank = 0; rank < plan->world; rank++)
		pp_of[rank] = (int32_t)plan_pp_rank(plan, rank);
	return pp_of;
}

int64_t pp_of_parameter(const struct plan *plan, const struct sharded *sharded)
{
	if (plan->degrees.pp < 2 || sharded->stage < 0 ||
	    (size_t)sharded->stage >= plan->stages.count)
		return -1;
	return plan->stages.items[sharded->stage].pp_rank;
}

void spreads_of_plan(struct arena *arena, const struct plan *plan, struct spread ***spreads,
		     size_t *count, int *index)
{
	VEC(struct spread *) made = { 0 };
	VEC(const struct sharded *) first = { 0 };
	size_t i, j;

	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *sharded = &plan->parameters.items[i];
		for (j = 0; j < first.count && !sharded_alike(first.items[j], sharded); j++)
			;
		if (j == first.count) {
			vec_push(arena, &first, sharded);
			vec_push(arena, &made, spread_of(arena, sharded, plan->world));
		}
		index[i] = (int)j;
	}
	*spreads = made.items;
	*count = made.count;
}

/* Who has each box, by pipeline coordinate: rank[start[pp * boxes + box] ...), rising. */
struct holders {
	int32_t *start, *rank;
	bool shared;	       /* some box has several */
	const int32_t **alone; /* by pp: the one holder of each box, where none is shared */
};

/* One thing a rank plans to save. */
struct item {
	int tensor;    /* index into saved->tensors; -1: an entry */
	int entry;     /* index into saved->entries */
	int64_t bytes; /* of an entry: what it weighs in the plan */
};

struct planner {
	struct saved *saved;
	struct arena *arena;
	const struct plan *plan;
	const int32_t *pp_of;
	int64_t ranks, pp;
	bool lowest;		  /* the lowest rank writes, whatever it has already */
	struct holders *holders;  /* by spread */
	VEC(struct item) * items; /* by pp, in the order of the state dict */
	int64_t *size;		  /* by rank: bytes planned so far */
	int32_t **file;		  /* by tensor: writers, where they are its own */
	int32_t *tree, *member;	  /* the smallest plan among the ranks of one coordinate */
	int64_t members;
};

static int64_t pp_of_rank(const struct planner *planner, int64_t rank)
{
	return planner->pp_of ? planner->pp_of[rank] : 0;
}

static void hold(struct planner *planner, const struct spread *spread, struct holders *holders)
{
	size_t slots = (size_t)(spread->boxes * planner->pp), slot;
	int32_t *at;
	int64_t rank;

	holders->start = arena_array(planner->arena, slots + 1, sizeof(*holders->start));
	holders->rank = arena_array(planner->arena, (size_t)planner->ranks, sizeof(*holders->rank));
	holders->alone = arena_array(planner->arena, (size_t)planner->pp, sizeof(*holders->alone));
	at = arena_array(planner->arena, slots + 1, sizeof(*at));
#define SLOT(rank) ((size_t)(pp_of_rank(planner, rank) * spread->boxes + spread->box_of[rank]))
	for (rank = 0; rank < planner->ranks; rank++)
		if (spread->box_of[rank] >= 0)
			holders->start[SLOT(rank) + 1]++;
	for (slot = 0; slot < slots; slot++) {
		holders->shared |= holders->start[slot + 1] > 1;
		holders->start[slot + 1] += holders->start[slot];
		at[slot] = holders->start[slot];
	}
	for (rank = 0; rank < planner->ranks; rank++)
		if (spread->box_of[rank] >= 0)
			holders->rank[at[SLOT(rank)]++] = (int32_t)rank;
#undef SLOT
}

/* ---- The smallest plan among many ---- */

static int32_t smaller(const struct planner *planner, int32_t a, int32_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return planner->size[planner->member[b]] < planner->size[planner->member[a]] ? b : a;
}

static int64_t leaves_of(int64_t members)
{
	int64_t leaves = 1;

	while (leaves < members)
		leaves *= 2;
	return leaves;
}

static void tree_build(struct planner *planner, int64_t pp)
{
	int64_t rank, leaves, i;

	planner->members = 0;
	for (rank = 0; rank < planner->ranks; rank++)
		if (pp_of_rank(planner, rank) == pp)
			planner->member[planner->members++] = (int32_t)rank;
	leaves = leaves_of(planner->members);
	for (i = 0; i < leaves; i++)
		planner->tree[leaves + i] = i < planner->members ? (int32_t)i : -1;
	for (i = leaves - 1; i > 0; i--)
		planner->tree[i] = smaller(planner, planner->tree[2 * i], planner->tree[2 * i + 1]);
}

/* Takes note that the plan of a rank has grown. */
static void tree_update(struct planner *planner, int64_t rank)
{
	int64_t low = 0, high = planner->members, i;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (planner->member[middle] < rank)
			low = middle + 1;
		else
			high = middle;
	}
	for (i = (leaves_of(planner->members) + low) / 2; i > 0; i /= 2)
		planner->tree[i] = smaller(planner, planner->tree[2 * i], planner->tree[2 * i + 1]);
}

/* ---- Choosing writers ---- */

static int32_t choose(const struct planner *planner, const int32_t *rank, int32_t count)
{
	int32_t best = rank[0], i;

	for (i = 1; !planner->lowest && i < count; i++)
		if (planner->size[rank[i]] < planner->size[best])
			best = rank[i];
	return best;
}

static void plan_entry(struct planner *planner, const struct item *item)
{
	int32_t writer = planner->member[planner->lowest ? 0 : planner->tree[1]];

	planner->saved->entries.items[item->entry].file = writer;
	planner->size[writer] += item->bytes;
	tree_update(planner, writer);
}

/* `leads`: entries of the whole coordinate are planned with this rank, its lowest. */
static void plan_tensor(struct planner *planner, const struct item *item, int64_t rank, bool leads)
{
	const struct saved_tensor *tensor = &planner->saved->tensors.items[item->tensor];
	const struct spread *spread = planner->saved->spreads.items[tensor->spread];
	const struct holders *holders = &planner->holders[tensor->spread];
	int64_t box = spread->box_of[rank], slot;
	struct box extent;
	int32_t writer, count;

	if (box < 0)
		return;
	slot = pp_of_rank(planner, rank) * spread->boxes + box;
	count = holders->start[slot + 1] - holders->start[slot];
	if (holders->rank[holders->start[slot]] != rank)
		return;
	writer = choose(planner, holders->rank + holders->start[slot], count);
	if (planner->file[item->tensor])
		planner->file[item->tensor][box] = writer;
	extent = spread_box(spread, box);
	planner->size[writer] += multiply(box_volume(&extent), tensor->element);
	if (leads)
		tree_update(planner, writer);
}

/* True when the rank is the lowest of several that have one box. */
static bool has_shared(const struct planner *planner, int64_t rank)
{
	size_t i;

	for (i = 0; i < planner->saved->spreads.count; i++) {
		const struct spread *spread = planner->saved->spreads.items[i];
		const struct holders *holders = &planner->holders[i];
		int64_t slot = pp_of_rank(planner, rank) * spread->boxes + spread->box_of[rank];
		if (holders->shared && spread->box_of[rank] >= 0 &&
		    holders->rank[holders->start[slot]] == rank)
			return true;
	}
	return false;
}

/* Only what several ranks have needs a choice; a plan of others' leftovers decides nothing. */
static void plan_ranks(struct planner *planner)
{
	bool *led = arena_array(planner->arena, (size_t)planner->pp, sizeof(*led));
	int64_t rank;
	size_t i;

	for (rank = 0; rank < planner->ranks; rank++) {
		int64_t pp = pp_of_rank(planner, rank);
		bool leads = !led[pp];
		led[pp] = true;
		if (!leads && !has_shared(planner, rank))
			continue;
		if (leads)
			tree_build(planner, pp);
		for (i = 0; i < planner->items[pp].count; i++) {
			const struct item *item = &planner->items[pp].items[i];
			if (item->tensor >= 0)
				plan_tensor(planner, item, rank, leads);
			else if (leads)
				plan_entry(planner, item);
		}
	}
}

/* ---- The state dict ---- */

/* Puts an item on the lists of the coordinates that have it. */
static void put_item(struct planner *planner, int64_t pp, struct item item)
{
	int64_t i;

	for (i = 0; i < planner->pp; i++)
		if (pp < 0 || pp == i)
			vec_push(planner->arena, &planner->items[i], item);
}

static void put_tensor(struct planner *planner, const struct state_dict *dict,
		       const struct sharded *sharded, int spread, const char *state)
{
	const char *fqn = sharded->parameter->fqn;
	struct saved_tensor tensor = { .spread = spread, .element = dict->element };
	struct item item = { .tensor = (int)planner->saved->tensors.count };

	tensor.key = saved_key(planner->arena, fqn, state);
	tensor.fqn = *state ? arena_printf(planner->arena, "%s%s.%s", dict->optimizer, fqn, state)
			    : arena_join(planner->arena, dict->model, fqn, "");
	saved_add(planner->saved, &tensor);
	if (planner->saved->tensors.count == (size_t)item.tensor)
		return;
	put_item(planner, pp_of_parameter(planner->plan, sharded), item);
}

static void put_entry(struct planner *planner, int64_t pp, const char *key, const char *fqn,
		      int64_t bytes)
{
	struct saved_entry entry = { .key = key, .fqn = fqn, .bytes = bytes };
	struct item item = { .tensor = -1, .entry = (int)planner->saved->entries.count };

	item.bytes = bytes ? bytes : 1;
	vec_push(planner->arena, &planner->saved->entries, entry);
	put_item(planner, pp, item);
}

static void put_optimizer(struct planner *planner, const struct state_dict *dict, const int *spread)
{
	const struct plan *plan = planner->plan;
	size_t i;
	int j;

	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *sharded = &plan->parameters.items[i];
		const char *fqn = sharded->parameter->fqn;
		if (sharded->copy)
			continue;
		if (dict->steps)
			put_entry(planner, pp_of_parameter(plan, sharded), fqn,
				  arena_printf(planner->arena, "%s%s.step", dict->optimizer, fqn),
				  4);
		for (j = 0; j < dict->states; j++)
			put_tensor(planner, dict, sharded, spread[i], dict->state[j]);
	}
	for (i = 0; i < plan->parameters.count; i++)
		for (j = 0; j < dict->groups && !plan->parameters.items[i].copy; j++)
			put_entry(planner, pp_of_parameter(plan, &plan->parameters.items[i]),
				  plan->parameters.items[i].parameter->fqn, NULL, 0);
}

static void put_model(struct planner *planner, const struct state_dict *dict, const int *spread)
{
	size_t i;

	for (i = 0; i < planner->plan->parameters.count; i++)
		if (!planner->plan->parameters.items[i].copy)
			put_tensor(planner, dict, &planner->plan->parameters.items[i], spread[i],
				   "");
}

/* Tensors whose boxes have one holder each share one table of files. */
static const int32_t *lone_writers(struct planner *planner, int spread, int64_t pp)
{
	struct holders *holders = &planner->holders[spread];
	int64_t boxes = planner->saved->spreads.items[spread]->boxes, box, from = pp < 0 ? 0 : pp;
	int32_t *file;

	if (holders->alone[from])
		return holders->alone[from];
	file = arena_array(planner->arena, (size_t)boxes, sizeof(*file));
	for (box = 0; box < boxes; box++)
		file[box] = holders->rank[holders->start[from * boxes + box]];
	return holders->alone[from] = file;
}

static void give_files(struct planner *planner)
{
	struct saved *saved = planner->saved;
	int64_t pp;
	size_t i;

	planner->file = arena_array(planner->arena, saved->tensors.count, sizeof(*planner->file));
	for (pp = 0; pp < planner->pp; pp++) {
		for (i = 0; i < planner->items[pp].count; i++) {
			int tensor = planner->items[pp].items[i].tensor, spread;
			if (tensor < 0 || saved->tensors.items[tensor].file)
				continue;
			spread = saved->tensors.items[tensor].spread;
			if (planner->holders[spread].shared)
				planner->file[tensor] = arena_array(
					planner->arena, (size_t)saved->spreads.items[spread]->boxes,
					sizeof(int32_t));
			saved->tensors.items[tensor].file =
				planner->file[tensor] ? planner->file[tensor]
						      : lone_writers(planner, spread, pp);
		}
	}
}

static void prepare(struct planner *planner, const struct state_dict *dict, const int *spread)
{
	struct arena *arena = planner->arena;
	size_t i;

	planner->items = arena_array(arena, (size_t)planner->pp, sizeof(*planner->items));
	planner->size = arena_array(arena, (size_t)planner->ranks, sizeof(*planner->size));
	planner->member = arena_array(arena, (size_t)planner->ranks, sizeof(*planner->member));
	planner->tree =
		arena_array(arena, (size_t)leaves_of(planner->ranks) * 2, sizeof(*planner->tree));
	planner->holders =
		arena_array(arena, planner->saved->spreads.count, sizeof(*planner->holders));
	for (i = 0; i < planner->saved->spreads.count; i++)
		hold(planner, planner->saved->spreads.items[i], &planner->holders[i]);
	if (dict->train_state)
		put_entry(planner, 0, NULL, "train_state.step", 4);
	if (dict->optimizer_first)
		put_optimizer(planner, dict, spread);
	put_model(planner, dict, spread);
	if (!dict->optimizer_first)
		put_optimizer(planner, dict, spread);
	give_files(planner);
}

const char *save_plan(struct saved *saved, const struct job *job, const struct state_dict *dict)
{
	struct arena *arena = saved->arena;
	struct planner planner = { .saved = saved, .arena = arena, .plan = job->applied };
	const char *trouble = spread_trouble(job);
	int64_t rank;
	int *spread;

	if (trouble)
		return trouble;
	planner.ranks = job->world;
	planner.lowest = torch_of_job(job).minor <= 2;
	planner.pp_of = pp_of_ranks(arena, job->applied, &planner.pp);
	spread = arena_array(arena, job->applied->parameters.count, sizeof(*spread));
	spreads_of_plan(arena, job->applied, &saved->spreads.items, &saved->spreads.count, spread);
	for (rank = 0; rank < job->world; rank++)
		saved_file(saved, arena_printf(arena, "__%" PRId64 "_0.distcp", rank));
	prepare(&planner, dict, spread);
	plan_ranks(&planner);
	return NULL;
}
