#include "framework/timeline.h"

#include <ctype.h>
#include <string.h>

#define X(name) extern const struct timeline timeline_##name;
#include "timelines.inc"
#undef X

const struct timeline *const timelines[] = {
#define X(name) &timeline_##name,
#include "timelines.inc"
#undef X
	NULL,
};

const struct timeline *timeline_of(const char *framework)
{
	const struct timeline *const *row;

	for (row = timelines; *row; row++)
		if (!strcmp((*row)->framework, framework))
			return *row;
	return NULL;
}

/* True when one is a prefix of the other over seven digits or more. */
static bool same_commit(const char *commit, const char *text, size_t length)
{
	size_t digits = strlen(commit) < length ? strlen(commit) : length, i;

	if (length < 7)
		return false;
	for (i = 0; i < digits; i++)
		if (tolower((unsigned char)text[i]) != commit[i])
			return false;
	return true;
}

static bool is_word(const char *word, const char *text, size_t length)
{
	return strlen(word) == length && !strncmp(word, text, length);
}

static bool named(const struct timeline_row *row, const char *text, size_t length)
{
	static const char *const heads[] = { "head", "main", "latest" };
	size_t i;

	if (same_commit(row->commit, text, length))
		return true;
	if (!row->tag)
		return false;
	if (is_word(row->tag, text, length) || is_word(row->tag + 1, text, length))
		return true;
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strcmp(row->tag, "HEAD") && is_word(heads[i], text, length))
			return true;
	return false;
}

const struct timeline_row *timeline_find(const struct timeline *timeline, const char *text)
{
	size_t length = strcspn(text, "^");
	int i;

	for (i = 0; i < timeline->count; i++) {
		if (!named(&timeline->rows[i], text, length))
			continue;
		if (!text[length])
			return &timeline->rows[i];
		return text[length + 1] || !i ? NULL : &timeline->rows[i - 1];
	}
	return NULL;
}

const struct timeline_row *timeline_at(const struct timeline *timeline, moment_t when)
{
	const struct timeline_row *row = NULL;
	int i;

	for (i = 0; i < timeline->count && timeline->rows[i].when <= when; i++)
		row = &timeline->rows[i];
	return row;
}

const struct timeline_row *timeline_epoch(const struct timeline *timeline, moment_t when)
{
	const struct timeline_row *epoch = NULL;
	int i, j;

	for (i = 0; i < timeline->count && timeline->rows[i].when <= when; i++)
		for (j = 0; j < timeline->rows[i].set_count; j++)
			if (timeline->rows[i].set[j].trait < timeline->mesh_traits)
				epoch = &timeline->rows[i];
	return epoch;
}

void timeline_traits(const struct timeline *timeline, moment_t when, int *traits)
{
	int i, j;

	memset(traits, 0, (size_t)timeline->traits * sizeof(*traits));
	for (i = 0; i < timeline->count && timeline->rows[i].when <= when; i++)
		for (j = 0; j < timeline->rows[i].set_count; j++)
			traits[timeline->rows[i].set[j].trait] = timeline->rows[i].set[j].value;
}

const char *timeline_label(struct arena *arena, const struct timeline_row *row)
{
	return row->tag ? row->tag : arena_strndup(arena, row->commit, 9);
}

const char *timeline_epoch_label(struct arena *arena, const struct timeline *timeline,
				 moment_t when)
{
	const struct timeline_row *epoch = timeline_epoch(timeline, when);

	return epoch ? arena_strndup(arena, epoch->commit, 9) : "";
}
