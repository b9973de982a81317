#include "input/vocabulary.h"

#include "base/text.h"

#include <string.h>

void vocabulary_of(struct vocabulary *vocabulary, struct arena *arena,
		   const struct dialect *dialect, moment_t low, moment_t high,
		   const struct document *document)
{
	*vocabulary = (struct vocabulary) {
		.arena = arena, .low = low, .high = high, .document = document
	};
	if (dialect->vocabulary)
		dialect->vocabulary(vocabulary);
}

const struct dialect *vocabulary_speaker(const struct dialect *dialect)
{
	const struct dialect *const *other;

	for (other = dialects; !dialect->vocabulary && dialect->framework && *other; other++)
		if ((*other)->vocabulary && (*other)->framework &&
		    !strcmp((*other)->framework, dialect->framework))
			return *other;
	return dialect;
}

static void put_path(struct vocabulary *vocabulary, const char *path)
{
	vocabulary->exact.arena = vocabulary->arena;
	if (strchr(path, '*'))
		vec_push(vocabulary->arena, &vocabulary->wild, path);
	else
		map_add(&vocabulary->exact, path, 0);
}

/* Whether there is a key at that path, "*" being any name. */
static bool has_path(const struct vocabulary *vocabulary, const char *path)
{
	size_t i;

	for (i = 0; i < vocabulary->wild.count; i++)
		if (text_matches(vocabulary->wild.items[i], path))
			return true;
	return map_find(&vocabulary->exact, path) >= 0;
}

void vocabulary_add(struct vocabulary *vocabulary, const struct vocabulary_key *key)
{
	vec_push(vocabulary->arena, &vocabulary->keys, *key);
	put_path(vocabulary, key->path);
}

void vocabulary_drop(struct vocabulary *vocabulary, enum field_id field)
{
	size_t i, kept = 0;

	vocabulary->exact = (struct map) { 0 };
	vocabulary->wild.count = 0;
	for (i = 0; i < vocabulary->keys.count; i++)
		if (vocabulary->keys.items[i].field != field) {
			put_path(vocabulary, vocabulary->keys.items[i].path);
			vocabulary->keys.items[kept++] = vocabulary->keys.items[i];
		}
	vocabulary->keys.count = kept;
}

static const char *below(struct arena *arena, const char *prefix, const char *path)
{
	return *prefix ? arena_join(arena, prefix, ".", path) : path;
}

void vocabulary_add_field(struct vocabulary *vocabulary, enum field_id id, const char *path)
{
	const struct field *field = field_of(id);
	const struct vocabulary_key key = {
		.path = path,
		.field = id,
		.typed = true,
		.type = field->type,
		.words = field->words,
		.range = field->range,
		.fallback = field->fallback,
		.help = field->help,
	};

	vocabulary_add(vocabulary, &key);
}

/* Adds the first `length` bytes to "a|b" where that has no such word. */
static const char *with_word(struct arena *arena, const char *words, const char *word,
			     size_t length)
{
	const char *added = arena_strndup(arena, word, length);

	if (words_have(words, added))
		return words;
	return *words ? arena_join(arena, words, "|", added) : added;
}

/* "a|b|x" of "a=x|b=y|c=" and of the field's own words, each once. */
static const char *words_of(struct arena *arena, const struct key_row *row)
{
	const char *lists[] = { row->words, field_of(row->field)->words }, *words = "", *at;
	size_t i, length, name;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (at = lists[i]; at && *at; at += length + (at[length] == '|')) {
			length = strcspn(at, "|");
			name = strcspn(at, "=");
			words = with_word(arena, words, at, name < length ? name : length);
		}
	return *words ? words : NULL;
}

static struct vocabulary_key key_of(const struct vocabulary *vocabulary, const char *prefix,
				    const struct key_row *row)
{
	const struct field *field = row->field == FIELD_COUNT ? NULL : field_of(row->field);
	struct vocabulary_key key = { .path = below(vocabulary->arena, prefix, row->path),
				      .field = row->field };

	if (field)
		key.help = row->sense == KEY_NOT ? arena_join(vocabulary->arena,
							      "the opposite of: ", field->help, "")
						 : field->help;
	if (row->sense == KEY_KNOWN || !field)
		return key;
	key.typed = true;
	key.type = field->type;
	key.words = words_of(vocabulary->arena, row);
	key.ours = row->words;
	key.range = row->sense == KEY_POSITIVE ? NULL : field->range;
	key.others = !field->words;
	key.opposite = row->sense == KEY_NOT;
	return key;
}

void vocabulary_rows(struct vocabulary *vocabulary, const char *prefix, const struct key_row *rows,
		     size_t count)
{
	struct vocabulary_key key;
	size_t i;

	for (i = 0; i < count; i++) {
		key = key_of(vocabulary, prefix, &rows[i]);
		vocabulary_add(vocabulary, &key);
	}
}

void vocabulary_guarded(struct vocabulary *vocabulary, const char *prefix,
			const struct key_row *rows, size_t count)
{
	struct vocabulary_key key;
	size_t i;

	for (i = 0; i < count; i++) {
		key = key_of(vocabulary, prefix, &rows[i]);
		key.guarded = keys_guard(&rows[i]);
		vocabulary_add(vocabulary, &key);
	}
}

void vocabulary_choices(struct vocabulary *vocabulary, const char *prefix,
			const struct key_choice *rows, size_t count)
{
	struct vocabulary_key key;
	size_t i;

	for (i = 0; i < count; i++) {
		const char *path = below(vocabulary->arena, prefix, rows[i].path);
		const struct vocabulary_key *known = vocabulary_find(vocabulary, path);
		if (known && known->words)
			continue;
		key = known ? *known
			    : (struct vocabulary_key) { .path = path, .field = FIELD_COUNT };
		key.typed = true;
		key.type = FIELD_TEXT;
		key.words = rows[i].words;
		key.others = true;
		vocabulary_add(vocabulary, &key);
	}
}

static void add_name(struct vocabulary *vocabulary, const char *path, bool guarded)
{
	const struct vocabulary_key key = { .path = path,
					    .field = FIELD_COUNT,
					    .guarded = guarded };

	if (!has_path(vocabulary, path))
		vocabulary_add(vocabulary, &key);
}

void vocabulary_names(struct vocabulary *vocabulary, const char *prefix, const char *const *names,
		      size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		add_name(vocabulary, below(vocabulary->arena, prefix, names[i]), false);
}

void vocabulary_refused(struct vocabulary *vocabulary, const char *prefix, const char *const *names,
			size_t count, const struct refusal *refusal)
{
	const char *word = refusal->tolerated;
	size_t i, length;

	for (i = 0; i < count; i++)
		add_name(vocabulary, below(vocabulary->arena, prefix, names[i]), true);
	for (; word && *word; word += length + (word[length] == '|')) {
		length = strcspn(word, "|");
		add_name(vocabulary,
			 below(vocabulary->arena, prefix,
			       arena_strndup(vocabulary->arena, word, length)),
			 false);
	}
}

/* Marks one of the first `count` keys, slips in whose names are findings; false where it is none.
 */
static bool guard(struct vocabulary *vocabulary, size_t count, const char *path)
{
	bool any = false;
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(vocabulary->keys.items[i].path, path)) {
			vocabulary->keys.items[i].guarded = true;
			any = true;
		}
	return any;
}

void vocabulary_ignored(struct vocabulary *vocabulary, const char *prefix, const char *const *names,
			size_t count, const struct ignoring *ignoring)
{
	const size_t before = vocabulary->keys.count;
	struct vocabulary_key name = { .field = FIELD_COUNT, .guarded = true };
	struct vocabulary_key other = { .field = FIELD_COUNT };
	size_t i;

	for (i = 0; i < count; i++) {
		name.path = below(vocabulary->arena, prefix, names[i]);
		if (!guard(vocabulary, before, name.path))
			vocabulary_add(vocabulary, &name);
	}
	for (i = 0; i < ignoring->count; i++) {
		other.path = below(vocabulary->arena, prefix, ignoring->aliases[i].theirs);
		other.instead = ignoring->aliases[i].ours ? ignoring->aliases[i].ours
							  : ignoring->aliases[i].way;
		vocabulary_add(vocabulary, &other);
	}
}

void vocabulary_close(struct vocabulary *vocabulary, const char *path)
{
	vec_push(vocabulary->arena, &vocabulary->closed, path);
}

bool vocabulary_is_closed(const struct vocabulary *vocabulary, const char *path)
{
	size_t i;

	for (i = 0; i < vocabulary->closed.count; i++)
		if (text_matches(vocabulary->closed.items[i], path))
			return true;
	return false;
}

const struct vocabulary_key *vocabulary_find(const struct vocabulary *vocabulary, const char *path)
{
	size_t i;

	for (i = vocabulary->keys.count; i > 0; i--)
		if (text_matches(vocabulary->keys.items[i - 1].path, path))
			return &vocabulary->keys.items[i - 1];
	return NULL;
}

const struct vocabulary_key *vocabulary_key_of(struct arena *arena, const struct document *document,
					       enum field_id field)
{
	struct vocabulary *all = arena_new(arena, struct vocabulary);
	size_t i;

	vocabulary_of(all, arena, document->dialect,
		      document->inferred ? document->low : document->high,
		      document->high ? document->high : MOMENT_LATEST, document);
	for (i = 0; i < all->keys.count; i++)
		if (all->keys.items[i].field == field)
			return &all->keys.items[i];
	return NULL;
}
