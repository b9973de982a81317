#include "plan/lost_ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

enum { RANKS = 256, AXES = 4 };

/* A small generator of our own: the same cases on every machine. */
static int64_t pick(uint64_t *state, int64_t least, int64_t most)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return least + (int64_t)((*state >> 33) % (uint64_t)(most - least + 1));
}

/* pp, dp_replicate, dp_shard and tp, from the outside in, and a few parameters laid over them. */
struct desk {
	struct arena arena;
	struct plan *plan;
	struct layout axis[AXES];
	struct parameter parameters[4];
	int64_t ranks[RANKS], count;
	bool lost[RANKS];
};

static const char *const names[] = { "pp", "dp_replicate", "dp_shard", "tp" };

static void add_axes(struct desk *desk, const int64_t *sizes)
{
	struct layout all = layout_row_major(sizes, AXES);
	int i;

	desk->plan->world = layout_size(&all);
	for (i = 0; i < AXES; i++) {
		struct mesh mesh = { .name = names[i], .exists = true };
		desk->axis[i] = mesh.layout = layout_axis(all.size[i], all.stride[i]);
		vec_push(&desk->arena, &desk->plan->meshes, mesh);
	}
	desk->plan->dense.replicate = desk->axis[1];
	desk->plan->dense.shard = desk->axis[2];
	for (i = 0; i < sizes[0]; i++) {
		struct stage stage = { .index = i, .pp_rank = i };
		vec_push(&desk->arena, &desk->plan->stages, stage);
	}
}

/* A parameter on a stage; `tp`: how tensor parallelism places it. */
static void add_parameter(struct desk *desk, int at, int64_t rows, int stage, struct placement tp)
{
	struct sharded sharded = { .parameter = &desk->parameters[at], .stage = stage, .dims = 3 };

	desk->parameters[at] =
		(struct parameter) { .fqn = "p", .dims = 2, .shape = { rows, 6 }, .layer = -1 };
	sharded.dim[0] = (struct mesh_dim) { "dp_replicate", &desk->axis[1], { 0 } };
	sharded.dim[1] =
		(struct mesh_dim) { "dp_shard", &desk->axis[2], { .kind = PLACE_SHARD, .dim = 0 } };
	sharded.dim[2] = (struct mesh_dim) { "tp", &desk->axis[3], tp };
	vec_push(&desk->arena, &desk->plan->parameters, sharded);
}

static void desk_open(struct desk *desk, const int64_t *sizes)
{
	memset(desk, 0, sizeof(*desk));
	arena_init(&desk->arena);
	desk->plan = plan_new(&desk->arena, PLAN_APPLIED);
	add_axes(desk, sizes);
	add_parameter(desk, 0, 64, 0, (struct placement) { .kind = PLACE_SHARD, .dim = 1 });
	add_parameter(desk, 1, 64, (int)sizes[0] - 1, (struct placement) { 0 });
	/* Fewer rows than ranks: some hold nothing. */
	add_parameter(desk, 2, 2, 0, (struct placement) { 0 });
	add_parameter(desk, 3, 2, 0, (struct placement) { .kind = PLACE_SHARD, .dim = 0 });
}

static void lose(struct desk *desk, int64_t rank)
{
	desk->ranks[desk->count++] = rank;
	desk->lost[rank] = true;
}

/* ---- the slow way ---- */

static bool same_box(const struct box *a, const struct box *b)
{
	return !memcmp(a->shape, b->shape, sizeof(a->shape)) &&
	       !memcmp(a->offset, b->offset, sizeof(a->offset));
}

/* Whether a rank that is left holds the same part of a parameter as `rank` does. */
static bool is_held(const struct desk *desk, const struct sharded *sharded, int64_t rank)
{
	struct box box = plan_box(sharded, rank), other;
	int64_t i;

	for (i = 0; i < desk->plan->world; i++) {
		other = plan_box(sharded, i);
		if (!desk->lost[i] && plan_rank_has_stage(desk->plan, i, sharded->stage) &&
		    same_box(&box, &other))
			return true;
	}
	return box_volume(&box) == 0;
}

static bool is_gone(const struct desk *desk, const struct sharded *sharded)
{
	int64_t i;

	for (i = 0; i < desk->plan->world; i++)
		if (plan_rank_has_stage(desk->plan, i, sharded->stage) &&
		    !is_held(desk, sharded, i))
			return true;
	return false;
}

static void hold_groups(const struct desk *desk, const struct loss *loss,
			const struct layout *layout)
{
	struct group_loss lost = loss_groups(loss, layout);
	struct layout starts;
	int64_t g, i, broken = 0, gone = 0;

	assert_true(layout_complement(layout, desk->plan->world, &starts));
	assert_int_equal(lost.groups, layout_size(&starts));
	for (g = 0; g < lost.groups; g++) {
		int64_t dead = 0;
		for (i = 0; i < layout_size(layout); i++)
			dead += desk->lost[layout_offset(&starts, g) + layout_offset(layout, i)];
		if (dead && !broken)
			assert_int_equal(lost.first, layout_offset(&starts, g));
		broken += dead > 0;
		gone += dead == layout_size(layout);
	}
	assert_int_equal(lost.broken, broken);
	assert_int_equal(lost.gone, gone);
}

static void hold_replicas(const struct desk *desk, const struct loss *loss)
{
	struct replica_loss lost = loss_replicas(loss);
	bool broken[RANKS] = { false };
	int64_t i;
	size_t k = 0;

	assert_int_equal(lost.replicas, layout_size(&desk->axis[1]));
	for (i = 0; i < desk->plan->world; i++)
		if (desk->lost[i])
			broken[layout_index(&desk->axis[1], i)] = true;
	for (i = 0; i < lost.replicas; i++)
		if (broken[i])
			assert_int_equal(lost.broken.items[k++], i);
	assert_int_equal(lost.broken.count, k);
}

static void loss_is_what_enumeration_finds(void **state)
{
	uint64_t seed = 3;
	int round, i;

	(void)state;
	for (round = 0; round < 300; round++) {
		int64_t sizes[AXES] = { pick(&seed, 1, 3), pick(&seed, 1, 3), pick(&seed, 1, 5),
					pick(&seed, 1, 4) };
		struct parameter_loss found;
		struct desk desk;
		struct loss loss;
		size_t k = 0;

		desk_open(&desk, sizes);
		for (i = (int)pick(&seed, 0, 12); i > 0; i--)
			lose(&desk, pick(&seed, 0, desk.plan->world - 1));
		loss = loss_of(&desk.arena, desk.plan, desk.ranks, desk.count);
		for (i = 0; i < AXES; i++)
			hold_groups(&desk, &loss, &desk.axis[i]);
		hold_replicas(&desk, &loss);
		found = loss_parameters(&loss);
		for (i = 0; i < (int)desk.plan->parameters.count; i++)
			if (is_gone(&desk, &desk.plan->parameters.items[i]))
				assert_int_equal(found.gone.items[k++], i);
		assert_int_equal(found.gone.count, k);
		arena_release(&desk.arena);
	}
}

/* ---- by hand ---- */

static void a_replica_keeps_everything(void **state)
{
	const int64_t sizes[AXES] = { 1, 2, 4, 1 };
	struct part_loss parts;
	struct desk desk;
	struct loss loss;
	int64_t rank;

	(void)state;
	desk_open(&desk, sizes);
	for (rank = 4; rank < 8; rank++)
		lose(&desk, rank);
	lose(&desk, 5); /* twice */
	loss = loss_of(&desk.arena, desk.plan, desk.ranks, desk.count);
	assert_int_equal(loss.count, 4);
	assert_int_equal(loss_parameters(&loss).gone.count, 0);
	parts = loss_parts(&loss, 0, false);
	assert_int_equal(parts.parts, 4);
	assert_int_equal(parts.gone, 0);
	/* Rank 1 holds what rank 5 held. */
	lose(&desk, 1);
	loss = loss_of(&desk.arena, desk.plan, desk.ranks, desk.count);
	parts = loss_parts(&loss, 0, false);
	assert_int_equal(parts.gone, 1);
	assert_int_equal(loss_replicas(&loss).broken.count, 2);
	arena_release(&desk.arena);
}

static void experts_are_named(void **state)
{
	const int64_t sizes[AXES] = { 1, 1, 8, 1 };
	struct parameter expert = {
		.fqn = "experts.w1", .dims = 3, .shape = { 16, 4, 4 }, .layer = 1, .expert = true
	};
	struct sharded sharded = { .parameter = &expert, .dims = 1 };
	struct parameter_loss found;
	struct desk desk;
	struct loss loss;

	(void)state;
	desk_open(&desk, sizes);
	sharded.dim[0] =
		(struct mesh_dim) { "ep", &desk.axis[2], { .kind = PLACE_SHARD, .dim = 0 } };
	desk.plan->parameters.count = 0;
	vec_push(&desk.arena, &desk.plan->parameters, sharded);
	lose(&desk, 6);
	lose(&desk, 2);
	lose(&desk, 3);
	loss = loss_of(&desk.arena, desk.plan, desk.ranks, desk.count);
	found = loss_parameters(&loss);
	assert_int_equal(found.experts.count, 2);
	assert_int_equal(found.experts.items[0].first, 4);
	assert_int_equal(found.experts.items[0].last, 7);
	assert_int_equal(found.experts.items[1].first, 12);
	assert_int_equal(found.experts.items[1].last, 13);
	arena_release(&desk.arena);
}

static void nothing_lost_is_nothing_gone(void **state)
{
	const int64_t sizes[AXES] = { 2, 2, 2, 2 };
	struct desk desk;
	struct loss loss;

	(void)state;
	desk_open(&desk, sizes);
	loss = loss_of(&desk.arena, desk.plan, desk.ranks, 0);
	assert_int_equal(loss_groups(&loss, &desk.axis[3]).broken, 0);
	assert_int_equal(loss_replicas(&loss).broken.count, 0);
	assert_int_equal(loss_parameters(&loss).gone.count, 0);
	assert_int_equal(loss_parts(&loss, 1, false).gone, 0);
	arena_release(&desk.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loss_is_what_enumeration_finds),
		cmocka_unit_test(a_replica_keeps_everything),
		cmocka_unit_test(experts_are_named),
		cmocka_unit_test(nothing_lost_is_nothing_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
