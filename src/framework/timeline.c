#include "framework/timeline.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
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

int timeline_trait(const struct timeline *timeline, moment_t when, int trait)
{
	int i, j, value = 0;

	for (i = 0; i < timeline->count && timeline->rows[i].when <= when; i++)
		for (j = 0; j < timeline->rows[i].set_count; j++)
			if (timeline->rows[i].set[j].trait == trait)
				value = timeline->rows[i].set[j].value;
	return value;
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

bool timeline_is_commit(const char *text)
{
	const size_t length = strspn(text, "0123456789abcdefABCDEF");

	return length >= 7 && length <= 40 && !text[length];
}

/* The first commit that is not before a prefix. */
static size_t commit_from(const struct timeline *timeline, uint32_t prefix)
{
	size_t low = 0, high = timeline->commit_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (timeline->commits[middle].prefix < prefix)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

moment_t timeline_commit(const struct timeline *timeline, const char *text)
{
	char digits[9] = { 0 };
	const struct commit *found;
	uint32_t low, high;
	size_t at;

	if (!timeline_is_commit(text))
		return 0;
	memcpy(digits, text, text[7] ? 8 : 7);
	low = (uint32_t)strtoul(digits, NULL, 16) << (text[7] ? 0 : 4);
	high = low + (text[7] ? 0 : 15); /* seven digits may stand before any eighth */
	at = commit_from(timeline, low);
	if (at == timeline->commit_count || timeline->commits[at].prefix > high)
		return 0;
	found = &timeline->commits[at];
	return at + 1 < timeline->commit_count && found[1].prefix <= high ? 0 : found->when;
}

/* Of what timeline_within takes. */
static moment_t moment_of(const struct timeline *timeline, const char *text)
{
	const struct timeline_row *row = timeline_find(timeline, text);
	int year, month, day;

	if (row)
		return row->when;
	if (sscanf(text, "%4d-%2d-%2d", &year, &month, &day) == 3)
		return (moment_t)((year * 100 + month) * 100 + day) * 100;
	return timeline_commit(timeline, text);
}

bool timeline_within(const struct timeline *timeline, moment_t when, const char *since,
		     const char *until)
{
	return (!since || when >= moment_of(timeline, since)) &&
	       (!until || when < moment_of(timeline, until));
}

moment_t timeline_newest(const struct timeline *timeline)
{
	moment_t newest = 0;
	size_t i;

	for (i = 0; i < timeline->commit_count; i++)
		if (timeline->commits[i].when > newest)
			newest = timeline->commits[i].when;
	return newest;
}
