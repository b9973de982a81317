#include "base/map.h"
#include "base/text.h"
#include "input/keys.h"
#include "input/vocabulary.h"
#include "wings/verl/keys.h"

#include <string.h>

/* What hydra composes of verl's configs: the keys of each map, and the releases that have them. */
static const struct known {
	const char *maps; /* "a.b|c.b" */
	unsigned releases;
	const char *keys;
} table[] = {
#define KEYS(maps, releases, keys) { maps, releases, keys },
#include "wings/verl/keys.def"
#undef KEYS
};

static const char *const releases[] = { "v0.3.0.post1", "v0.4.0", "v0.4.1", "v0.5.0",
					"v0.6.0",	"v0.6.1", "v0.7.0", "v0.7.1",
					"v0.8.0",	"v0.9.0", NULL };

enum {
	ROWS = sizeof(table) / sizeof(table[0]),
	RELEASES = sizeof(releases) / sizeof(releases[0]) - 1,
	FIRST_OF_ENGINES = 8, /* v0.8.0 */
	FIRST_THAT_WAITS = 9, /* v0.9.0 */
	MOST = 512	      /* keys of one map, of all versions */
};

/* Overrides without '+', kept until it is known which version they are for. */
struct kept_override {
	const char *path;
	struct span span;
};

struct kept {
	bool own; /* of a program of verl's, with a config of verl's */
	VEC(struct kept_override) list;
};

/* An override that hydra looks up: the map that it has come to, and the part that it lacks. */
struct look {
	struct document *document;
	bool own; /* of a program that has no config but verl's */
	struct findings *findings;
	unsigned release; /* the bit of the one that is pinned; 0: any */
	const char *version;
	const char *path; /* as it is written, all of it */
	const char *map, *part, *rest;
	struct span span;
};

/* The names that a map has, in a release (0: in any); how many. */
static size_t keys_of(struct arena *arena, const char *map, unsigned release, const char **names,
		      bool *known)
{
	size_t i, count = 0;

	*known = false;
	for (i = 0; i < ROWS; i++) {
		if (!words_have(table[i].maps, map))
			continue;
		*known = true;
		if (!release || (table[i].releases & release))
			count += words_split(arena, table[i].keys, names + count, MOST - count);
	}
	return count;
}

/* A map below the one that lacks a key, which has it, or NULL. */
static const char *deeper(const struct look *look)
{
	struct arena *arena = look->document->arena;
	const char *found = NULL, *at;
	unsigned longest = 0; /* it has been there */
	size_t i, length;

	for (i = 0; i < ROWS; i++) {
		if (!words_have(table[i].keys, look->part) ||
		    (look->release && !(table[i].releases & look->release)))
			continue;
		for (at = table[i].maps; *at; at += length + (at[length] == '|')) {
			length = strcspn(at, "|");
			if (!text_starts(at, look->map) || at[strlen(look->map)] != '.')
				continue;
			if (found && (longest > table[i].releases ||
				      (longest == table[i].releases && strlen(found) <= length)))
				continue;
			found = arena_strndup(arena, at, length);
			longest = table[i].releases;
		}
	}
	return found;
}

/* A release that has the key, the last before the pinned one or the first behind it; or NULL.
 * `known`: it is a key of some version, released or not, so that no slip made it. */
static const char *other_release(const struct look *look, bool *known)
{
	unsigned having = 0, bit;
	size_t i;

	*known = false;
	for (i = 0; i < ROWS; i++)
		if (words_have(table[i].maps, look->map) && words_have(table[i].keys, look->part)) {
			having |= table[i].releases;
			*known = true;
		}
	for (bit = look->release; bit && !(having & bit); bit >>= 1)
		;
	for (i = 0; i < RELEASES; i++)
		if (having >> i & 1 && (bit ? 1U << i == bit : 1U << i > look->release))
			return releases[i];
	return NULL;
}

/* What was meant, the whole path, or NULL. */
static const char *meant(const struct look *look, const char *const *names, size_t count,
			 bool *sure)
{
	struct arena *arena = look->document->arena;
	const char *near = text_nearest(look->part, names, count);
	const char *dot = *look->map ? "." : "", *map;

	*sure = near != NULL;
	if (near)
		return arena_printf(arena, "%s%s%s%s", look->map, dot, near, look->rest);
	map = *look->map && strlen(look->part) > 5 ? deeper(look) : NULL;
	return map ? arena_printf(arena, "%s.%s%s", map, look->part, look->rest) : NULL;
}

/* Where the word stands there as it is, unquoted or not. */
static void edit(const struct look *look, struct finding *finding, const char *path)
{
	const struct source *source = look->span.source;
	size_t start;

	if (!span_known(look->span))
		return;
	start = source_offset(source, look->span.line, look->span.column);
	start += strspn(source->text + start, "\"'");
	if (!strncmp(source->text + start, look->path, strlen(look->path)))
		finding_edit(look->findings, finding,
			     source_span(source, start, start + strlen(look->path)), "%s", path);
}

static void report(const struct look *look, const char *const *names, size_t count)
{
	bool sure = false, known;
	const char *other = other_release(look, &known);
	const char *near = known ? NULL : meant(look, names, count, &sure);
	struct finding *finding;

	if (!near && !look->own) /* its config may well have it */
		return;
	finding = finding_add(
		look->findings, &rule_unknown_key, look->span, "%s has no key '%.80s%s%.40s'",
		look->version ? arena_join(look->document->arena, "verl ", look->version, "")
			      : "verl",
		look->map, *look->map ? "." : "", look->part);
	if (!sure && !look->release)
		finding_cap(finding, near ? SEVERITY_WARNING : SEVERITY_NOTE);
	if (near || look->release) {
		finding_quote(look->findings, finding, "Could not override '%s'", look->path);
		finding->speaker = "verl";
	}
	if (near) {
		finding_fix(look->findings, finding, "did you mean %s?", near);
		edit(look, finding, near);
	} else if (other) {
		finding_fix(look->findings, finding, "%s has it; or write +%s to add it", other,
			    look->path);
	} else {
		finding_fix(look->findings, finding, "write +%s to add it", look->path);
	}
}

/* Keys behind one that is a value, or that nothing is known of, are left alone. */
static void look_up(struct look *look)
{
	struct arena *arena = look->document->arena;
	const char **names = arena_array(arena, MOST, sizeof(*names));
	const char *at = look->path;
	bool known = true;
	size_t count;

	for (look->map = ""; *at; at += *at == '.') {
		count = keys_of(arena, look->map, look->release, names, &known);
		look->part = arena_strndup(arena, at, strcspn(at, "."));
		at += strlen(look->part);
		look->rest = at;
		if (!known)
			return;
		if (!text_among(look->part, names, count)) {
			report(look, names, count);
			return;
		}
		look->map = *look->map ? arena_join(arena, look->map, ".", look->part) : look->part;
	}
}

void verl_keep_override(struct document *document, const char *path, struct span span, bool own)
{
	const struct kept_override override = { path, span };
	struct kept *kept = document->facts;

	if (!strchr(path, '.') || text_starts(path, "hydra."))
		return;
	if (!kept)
		kept = arena_new(document->arena, struct kept);
	kept->own = own;
	vec_push(document->arena, &kept->list, override);
	document->facts = kept;
}

void verl_judge_overrides(struct document *document, struct findings *findings)
{
	const struct kept *kept = document->facts;
	struct look look = { .document = document, .findings = findings };
	size_t i;

	if (!kept || !findings || document->no_job)
		return;
	look.own = kept->own;
	if (look.own)
		look.release = document_release(document, "verl", releases, &look.version);
	for (i = 0; i < kept->list.count; i++) {
		look.path = kept->list.items[i].path;
		look.span = kept->list.items[i].span;
		look_up(&look);
	}
}

bool verl_by_engines(const struct document *document)
{
	static const char legacy[] = "trainer.use_legacy_worker_impl";
	const char *version = NULL;
	const unsigned release = document_release(document, "verl", releases, &version);

	if (node_find(document->root, legacy) || (release && release < 1U << FIRST_OF_ENGINES))
		return !strcmp(keys_text(document->root, legacy, ""), "disable");
	return true;
}

bool verl_reduces_last(const struct document *document)
{
	const char *version = NULL;
	const unsigned release = document_release(document, "verl", releases, &version);

	return verl_by_engines(document) && (!release || release >= 1U << FIRST_THAT_WAITS);
}

bool verl_is_whole(const struct document *document)
{
	const struct kept *kept = document->facts;

	return document->shell && kept && kept->own && !document->no_job;
}

void verl_near(struct decoder *decoder, const struct node *root)
{
	struct map seen = { .arena = decoder->arena };
	const char **names, *at, *map;
	size_t i, length, count;
	bool known;

	if (!decoder->findings)
		return;
	names = arena_array(decoder->arena, MOST, sizeof(*names));
	for (i = 0; i < ROWS; i++)
		for (at = table[i].maps; *at; at += length + (at[length] == '|')) {
			length = strcspn(at, "|");
			map = arena_strndup(decoder->arena, at, length);
			if (!map_add(&seen, map, 0) || !node_find(root, map))
				continue;
			count = keys_of(decoder->arena, map, 0, names, &known);
			keys_near(decoder, node_find(root, map), names, count, "verl",
				  "has no key of that name");
		}
}

void verl_offer(struct vocabulary *vocabulary)
{
	static const struct refusal refusal = { 0 };
	const char **names = arena_array(vocabulary->arena, MOST, sizeof(*names)), *at, *map;
	size_t i, length, count;

	for (i = 0; i < ROWS; i++) {
		count = words_split(vocabulary->arena, table[i].keys, names, MOST);
		for (at = table[i].maps; *at; at += length + (at[length] == '|')) {
			length = strcspn(at, "|");
			map = arena_strndup(vocabulary->arena, at, length);
			if (table[i].releases >> RELEASES & 1)
				vocabulary_refused(vocabulary, map, names, count, &refusal);
			else
				vocabulary_names(vocabulary, map, names, count); /* no slips */
		}
	}
}
