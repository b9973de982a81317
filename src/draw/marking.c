#include "draw/marking.h"

#include "draw/palette.h"

#include "base/text.h"

#include <string.h>

char *group_letter(struct arena *arena, int64_t index)
{
	char text[16];
	size_t at = sizeof(text) - 1;

	text[at] = '\0';
	for (index++; index > 0; index = (index - 1) / 26)
		text[--at] = (char)('A' + (index - 1) % 26);
	return arena_strdup(arena, text + at);
}

static bool take(struct layout *layout, struct layout *groups, const struct layout *from,
		 int64_t world)
{
	if (!from || !layout_complement(from, world, groups))
		return false;
	*layout = *from;
	return true;
}

static int64_t group_count(const struct layout *groups)
{
	return layout_size(groups);
}

void marking_init(struct marking *marking, struct arena *arena, int64_t world,
		  const struct layout *letter, const struct layout *number,
		  const struct layout *asked)
{
	memset(marking, 0, sizeof(*marking));
	marking->arena = marking->names.arena = marking->taken.arena = arena;
	marking->world = world;
	marking->has_letter = take(&marking->letter, &marking->letter_groups, letter, world);
	marking->has_number = take(&marking->number, &marking->number_groups, number, world);
	marking->has_asked =
		marking->has_letter && take(&marking->asked, &marking->asked_groups, asked, world);
	if (marking->has_asked)
		marking->fresh = group_count(&marking->asked_groups);
}

static char *key(struct arena *arena, int64_t number)
{
	return arena_printf(arena, "%lld", (long long)number);
}

/* The letter of a group, as a number, in a world where other groups were asked for. */
static int64_t renamed(struct marking *marking, int64_t group)
{
	char *name = key(marking->arena, group);
	int64_t known = map_find(&marking->names, name), letter;

	if (known >= 0)
		return marking->given.items[known];
	letter =
		layout_index(&marking->asked_groups, layout_offset(&marking->letter_groups, group));
	if (!map_add(&marking->taken, key(marking->arena, letter), 0))
		letter = marking->fresh++;
	map_add(&marking->names, name, (uint32_t)marking->given.count);
	vec_push(marking->arena, &marking->given, letter);
	return letter;
}

struct mark marking_of(struct marking *marking, int64_t rank)
{
	struct mark mark = { .letter = -1, .hue = -1, .text = "" };
	int64_t letter = -1, asked = -1;

	if (marking->has_letter) {
		letter = layout_index(&marking->letter_groups, rank);
		if (marking->has_asked) {
			letter = renamed(marking, letter);
			asked = layout_index(&marking->asked_groups, rank);
		}
		mark.letter = letter;
		mark.hue = (int)(letter % MARKS);
		mark.text = group_letter(marking->arena, letter);
	}
	mark.changed = marking->has_asked && letter != asked;
	if (mark.changed)
		mark.text = arena_printf(marking->arena, "%s→%s",
					 group_letter(marking->arena, asked), mark.text);
	if (marking->has_number && !marking->hide_number)
		mark.text = arena_printf(marking->arena, "%s%lld", mark.text,
					 (long long)layout_index(&marking->number_groups, rank));
	return mark;
}

static int letters(struct arena *arena, int64_t groups)
{
	return (int)strlen(group_letter(arena, groups - 1));
}

int marking_width(const struct marking *marking)
{
	struct arena *arena = marking->arena;
	int64_t groups = marking->has_letter ? group_count(&marking->letter_groups) : 0, asked;
	int width = groups ? letters(arena, groups) : 0;

	if (marking->has_asked && !layout_same_groups(&marking->letter, &marking->asked)) {
		asked = group_count(&marking->asked_groups);
		width = letters(arena, asked) + 1 + letters(arena, asked + groups);
	}
	if (marking->has_number && !marking->hide_number)
		width += (int)strlen(key(arena, group_count(&marking->number_groups) - 1));
	return width;
}
