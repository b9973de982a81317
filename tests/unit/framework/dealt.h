#ifndef TESTS_UNIT_FRAMEWORK_DEALT_H
#define TESTS_UNIT_FRAMEWORK_DEALT_H

#include "plan/plan.h"

#include <string.h>

/*
 * Groups of a rank grid by their definition, without sizes times strides: ranks are dealt out one
 * by one, the innermost axis turning fastest; who differs in nothing but the axes of a group is in
 * it. Include it after cmocka.h.
 */
enum { DEALT_RANKS_MOST = 256, DEALT_AXES = 6 };

struct dealt {
	int axes;
	const char *axis[DEALT_AXES]; /* innermost first */
	int size[DEALT_AXES];
	int of[DEALT_RANKS_MOST][DEALT_AXES];
	int ranks;
};

static inline void dealt_take(struct dealt *dealt, int axis, const char *name, int size)
{
	dealt->axis[axis] = name;
	dealt->size[axis] = size;
}

/* The coordinates of every rank. */
static inline void dealt_ranks(struct dealt *dealt)
{
	int count[DEALT_AXES] = { 0 }, axis;

	dealt->ranks = 1;
	for (axis = 0; axis < dealt->axes; axis++)
		dealt->ranks *= dealt->size[axis];
	for (int rank = 0; rank < dealt->ranks; rank++) {
		memcpy(dealt->of[rank], count, sizeof(count));
		for (axis = 0; axis < dealt->axes && ++count[axis] == dealt->size[axis]; axis++)
			count[axis] = 0;
	}
}

static inline bool dealt_token_has(const char *token, const char *axis)
{
	size_t length = strlen(axis);

	for (;;) {
		if (!strncmp(token, axis, length) && (!token[length] || token[length] == '-'))
			return true;
		token = strchr(token, '-');
		if (!token++)
			return false;
	}
}

static inline bool dealt_together(const struct dealt *dealt, const char *token, int a, int b)
{
	for (int axis = 0; axis < dealt->axes; axis++)
		if (!dealt_token_has(token, dealt->axis[axis]) &&
		    dealt->of[a][axis] != dealt->of[b][axis])
			return false;
	return true;
}

/*
 * Every rank finds the group that the mesh's layout says, at the place it has among those who
 * differ in the axes of the token alone: "dp-cp".
 */
static inline void dealt_compare(const struct plan *plan, const char *mesh_name,
				 const struct dealt *dealt, const char *token)
{
	const struct mesh *mesh = plan_mesh(plan, mesh_name);

	assert_non_null(mesh);
	for (int rank = 0; rank < dealt->ranks; rank++) {
		int first = -1, place = 0, members = 0;
		for (int other = 0; other < dealt->ranks; other++) {
			if (!dealt_together(dealt, token, rank, other))
				continue;
			if (first < 0)
				first = other;
			place += other < rank;
			members++;
		}
		assert_int_equal(layout_size(&mesh->layout), members);
		assert_int_equal(layout_base(&mesh->layout, rank), first);
		assert_int_equal(layout_index(&mesh->layout, rank), place);
	}
}

#endif
