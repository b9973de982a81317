#include "evidence/log/phrase.h"

#include "base/die.h"
#include "base/map.h"
#include "base/text.h"
#include "rules/rule.h"
#include "rules/sayings.h"

#include <ctype.h>
#include <string.h>

/*
 * Bytes a variable part may have: a number's name has one or two letters, all else may be a list of
 * names. Texts lighter than WEIGHT_LEAST would be found by accident without their exception's type.
 */
enum { NUMBER_MOST = 48, WORDS_MOST = 400, WEIGHT_LEAST = 24, TAIL_LEAST = 3 };

/*
 * A literal is looked for by parts of NEEDLE_MOST bytes, one each NEEDLE_STEP: where a line break
 * goes through one, another is whole.
 */
enum { NEEDLE_STEP = 32, PART_LEAST = 12 };

/* Behind "SomeError: " where a text begins so, else where it begins. */
static const char *behind_type(const char *text)
{
	static const char *const kinds[] = { "Error: ", "Exception: ", "Warning: " };
	const char *at = text;
	size_t i;

	while (isalnum((unsigned char)*at) || *at == '.' || *at == '_')
		at++;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t word = strlen(kinds[i]) - 2;
		if ((size_t)(at - text) >= word && !strncmp(at - word, kinds[i], word + 2))
			return at + 2;
	}
	return text;
}

/* The literal bytes that count, up to `end`. */
static size_t weight_of(const char *text, const char *end)
{
	size_t weight = 0;
	bool inside = false;

	for (; text < end; text++) {
		inside = inside || *text == '{';
		if (!inside && !isspace((unsigned char)*text))
			weight++;
		inside = inside && *text != '}';
	}
	return weight;
}

/* The part of a text that is looked for: [*start, *end). */
static void body_of(const char *text, const char **start, const char **end)
{
	const char *body = behind_type(text);

	*end = text + strlen(text);
	while (body < *end && strchr(" \"'", *body))
		body++;
	while (*end > body && strchr(" \"'", (*end)[-1]))
		--*end;
	*start = weight_of(body, *end) < WEIGHT_LEAST ? text : body;
}

/* ---- pieces ---- */

static void put_piece(struct arena *arena, struct phrase *phrase, const char *text, size_t length,
		      const char *name)
{
	struct phrase_piece *piece = &phrase->pieces[phrase->count];
	char *packed = arena_strndup(arena, text, length);
	size_t i;

	if (phrase->count == PHRASE_PIECES)
		bug("'%s' has too many variable parts", text);
	for (i = 0; i < length; i++)
		if (!isspace((unsigned char)text[i]))
			packed[piece->length++] = text[i];
	packed[piece->length] = '\0';
	piece->text = packed;
	piece->name = phrase->count ? name : NULL;
	piece->most = name && strlen(name) > 2 ? WORDS_MOST : NUMBER_MOST;
	phrase->weight += piece->length;
	if (piece->length || phrase->count)
		phrase->count++;
}

/* Cuts [text, end) at its variable parts; what is variable at both ends does not count. */
static void cut(struct arena *arena, struct phrase *phrase, const char *text, const char *end)
{
	const char *name = NULL;

	while (text < end) {
		const char *open = memchr(text, '{', (size_t)(end - text)), *close;
		put_piece(arena, phrase, text, (size_t)((open ? open : end) - text), name);
		if (!open)
			break;
		close = memchr(open, '}', (size_t)(end - open));
		if (!close)
			bug("'%s' does not close its brace", open);
		name = arena_strndup(arena, open + 1, (size_t)(close - open) - 1);
		text = close + 1;
	}
	if (phrase->count && end[-1] == '}')
		phrase->tail = name;
	while (phrase->count > 1 && phrase->pieces[phrase->count - 1].length < TAIL_LEAST)
		phrase->count--;
}

/* ---- needles ---- */

/* The parts of a literal; of one that is short it is the whole, if it has `least` bytes. */
static size_t add_parts(struct phrases *phrases, uint32_t id, const char *text, size_t length,
			size_t least)
{
	size_t count = 0, part;

	while (length && *text == ' ')
		text++, length--;
	while (length && text[length - 1] == ' ')
		length--;
	while (length >= least) {
		part = length < NEEDLE_MOST ? length : NEEDLE_MOST;
		needles_add(&phrases->needles, text, part, id);
		count++;
		if (length < NEEDLE_STEP)
			break;
		text += NEEDLE_STEP;
		length -= NEEDLE_STEP;
		least = PART_LEAST;
	}
	return count;
}

/* All literals of `least` bytes or more in [text, end). */
static size_t add_literals(struct phrases *phrases, uint32_t id, const char *text, const char *end,
			   size_t least)
{
	size_t count = 0;

	while (text < end) {
		const char *open = memchr(text, '{', (size_t)(end - text));
		count += add_parts(phrases, id, text, (size_t)((open ? open : end) - text), least);
		if (!open)
			break;
		text = (const char *)memchr(open, '}', (size_t)(end - open)) + 1;
	}
	return count;
}

static void add_needles(struct phrases *phrases, uint32_t id, const char *text, const char *end)
{
	if (!add_literals(phrases, id, text, end, PART_LEAST) &&
	    !add_literals(phrases, id, text, end, NEEDLE_LEAST))
		bug("'%s' has no literal to look for", text);
}

/* ---- all of them ---- */

static void add_saying(struct phrases *phrases, struct map *index, const struct rule_id *id,
		       const struct saying *saying, const struct known_row *row)
{
	const struct known_row *end = row;
	struct phrase_owner owner = { id, saying, NULL, id->source };
	const uint32_t next = (uint32_t)phrases->list.count;
	const char *start, *stop, *key;
	struct phrase phrase = { 0 };

	/* The end of a text is the next above it. */
	while (end && !end->end.id.name)
		end--;
	if (end) {
		owner.end = &end->end;
		owner.source = row->source;
	}
	body_of(saying->text, &start, &stop);
	key = arena_strndup(phrases->arena, start, (size_t)(stop - start));
	if (!map_add(index, key, next)) {
		struct phrase *same = &phrases->list.items[map_find(index, key)];
		vec_push(phrases->arena, &same->owners, owner);
		return;
	}
	cut(phrases->arena, &phrase, key, key + strlen(key));
	vec_push(phrases->arena, &phrase.owners, owner);
	vec_push(phrases->arena, &phrases->list, phrase);
	add_needles(phrases, next, key, key + strlen(key));
}

static void add_all(struct phrases *phrases, struct map *index, const struct rule_id *id)
{
	struct saying_walk walk = { .id = id };
	const struct saying *saying;

	while ((saying = saying_next(&walk)))
		add_saying(phrases, index, id, saying, NULL);
}

/* What a framework will print of this very config; braces would be variable parts. */
static void add_quote(struct phrases *phrases, struct map *index, const struct finding *finding)
{
	struct saying *saying;

	if (!finding->quote || strpbrk(finding->quote, "{}") ||
	    weight_of(finding->quote, finding->quote + strlen(finding->quote)) < WEIGHT_LEAST)
		return;
	saying = arena_new(phrases->arena, struct saying);
	saying->speaker = "the framework at the config's versions";
	saying->text = finding->quote;
	add_saying(phrases, index, finding->rule, saying, NULL);
}

void phrases_init(struct phrases *phrases, struct arena *arena, const struct findings *expected)
{
	const struct rule *rule = NULL;
	const struct rule_id *id = NULL;
	struct map index = { .arena = arena };
	size_t i;

	memset(phrases, 0, sizeof(*phrases));
	phrases->arena = arena;
	needles_init(&phrases->needles, arena);
	while ((rule = rule_next(rule)))
		add_all(phrases, &index, rule->id);
	for (i = 0; i < known_row_count; i++) {
		if (known_rows[i].end.id.name)
			id = &known_rows[i].end.id;
		else if (id) /* the first row is the end of a text */
			add_saying(phrases, &index, id, &known_rows[i].saying, &known_rows[i]);
	}
	for (i = 0; expected && i < expected->list.count; i++)
		add_quote(phrases, &index, expected->list.items[i]);
}

/* ---- looking ---- */

/* The piece from `from` on, not later than at `last`; NULL: not there. */
static const char *find_piece(const struct phrase_piece *piece, const char *from, const char *last)
{
	while (piece->length && from <= last) {
		from = memchr(from, piece->text[0], (size_t)(last - from) + 1);
		if (!from || !memcmp(from, piece->text, piece->length))
			return from;
		from++;
	}
	return piece->length ? NULL : from;
}

/* The pieces behind the first, which ends at `at`. */
static bool find_rest(const struct phrase *phrase, const char *packed, const char *at,
		      const char *end, struct phrase_match *match)
{
	size_t i;

	for (i = 1; i < phrase->count; i++) {
		const struct phrase_piece *piece = &phrase->pieces[i];
		size_t room = (size_t)(end - at);
		const char *here;

		if (room < piece->length)
			return false;
		room -= piece->length;
		here = find_piece(piece, at, at + (room < piece->most ? room : piece->most));
		if (!here)
			return false;
		match->from[i] = (size_t)(at - packed);
		match->to[i] = (size_t)(here - packed);
		at = here + piece->length;
	}
	match->end = (size_t)(at - packed);
	return true;
}

bool phrase_find(const struct phrase *phrase, const char *packed, size_t length, size_t from,
		 struct phrase_match *match)
{
	const struct phrase_piece *first = &phrase->pieces[0];
	const char *end = packed + length, *at = packed + from;

	for (; length >= first->length && at <= end - first->length; at++) {
		at = find_piece(first, at, end - first->length);
		if (!at)
			return false;
		match->start = (size_t)(at - packed);
		if (find_rest(phrase, packed, at + first->length, end, match))
			return true;
	}
	return false;
}

enum end_kind phrase_kind(const struct phrase *phrase)
{
	const struct known_end *end = phrase->owners.items[0].end;

	return end ? end->kind : END_CAUSE;
}

bool phrase_follows(const struct phrase *phrase)
{
	return phrase_kind(phrase) == END_FOLLOWS;
}
