#ifndef TESTS_UNIT_PLAN_COMPARED_H
#define TESTS_UNIT_PLAN_COMPARED_H

#include "plan/compare.h"

#include "unit/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Small plans of 16 ranks, made by hand, and what is said of two of them. */

static const struct layout nobody;

static inline void put_mesh(struct plan *plan, const char *name, int64_t size, int64_t stride)
{
	struct mesh mesh = { .name = name, .backend = "nccl", .exists = size > 1 };

	mesh.layout = layout_axis(size, stride);
	vec_push(plan->arena, &plan->meshes, mesh);
}

/* A plan of 16 ranks that shares and repeats parameters over two layouts. */
static inline struct plan *sharing(struct arena *arena, enum strategy strategy, struct layout shard,
				   struct layout replicate)
{
	struct plan *plan = plan_new(arena, PLAN_APPLIED);

	plan->world = 16;
	plan->dense.strategy = strategy;
	plan->dense.shard = shard;
	plan->dense.replicate = replicate;
	return plan;
}

static inline void assert_equal_plans(struct arena *arena, const struct plan *a,
				      const struct plan *b)
{
	struct differences there = plan_compare(arena, a, b), back = plan_compare(arena, b, a);

	if (there.list.count)
		fail_msg("%s of %s: %s, %s", difference_kind_name(there.list.items[0].kind),
			 there.list.items[0].subject, there.list.items[0].left,
			 there.list.items[0].right);
	assert_int_equal(back.list.count, 0);
}

static inline void assert_difference(const struct differences *found, size_t at,
				     enum difference_kind kind, const char *subject,
				     const char *left, const char *right)
{
	const struct difference *d;

	assert_true(at < found->list.count);
	d = &found->list.items[at];
	assert_int_equal(d->kind, kind);
	assert_string_equal(d->subject, subject);
	assert_string_equal(d->left, left);
	assert_string_equal(d->right, right);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)

#endif
