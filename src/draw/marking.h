#ifndef DRAW_MARKING_H
#define DRAW_MARKING_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "plan/layout.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a figure says of each rank: its group along one axis as a letter and a colour, along a
 * second one as a number; and, when other groups were asked for, whether it ended up elsewhere.
 */
struct marking {
	struct arena *arena;
	int64_t world;
	struct layout letter, number, asked;
	bool has_letter, has_number, has_asked;
	bool hide_number; /* draw what joins its groups, but do not write the number */
	struct layout letter_groups, number_groups,
		asked_groups; /* complements: group g starts there */
	struct map names;     /* group along `letter` -> index into `given` */
	VEC(int64_t) given;   /* letter of each of them, as a number */
	struct map taken;     /* letters in use */
	int64_t fresh;	      /* the next letter that nobody asked for */
};

/* Layouts may be NULL. One that does not tile the world is left out. */
void marking_init(struct marking *marking, struct arena *arena, int64_t world,
		  const struct layout *letter, const struct layout *number,
		  const struct layout *asked);

struct mark {
	int64_t letter;	  /* its group as a number, or -1 */
	int hue;	  /* colour of the letter */
	const char *text; /* "A", "A3", "B→A" */
	bool changed;	  /* in another group than was asked for */
};

/*
 * The mark of a rank. With `asked`, a group is called after the group asked for in which its
 * lowest rank was to be, or by a letter of its own when that one is taken. Ranks must be
 * marked in rising order for the names to be the same in every drawing.
 */
struct mark marking_of(struct marking *marking, int64_t rank);

/* Most characters of a mark's text, over all ranks. */
int marking_width(const struct marking *marking);

/* "A", "Z", "AA": how group `index` is called. */
char *group_letter(struct arena *arena, int64_t index);

#endif
