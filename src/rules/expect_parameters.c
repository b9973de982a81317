#include "rules/expect.h"

#include "base/pattern.h"
#include "base/text.h"
#include "input/node.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* Expectations about parameters: how they are placed, and how much of them a rank holds. */

/* The parameters that one expression finds. */
struct found {
	const struct expected *expected;
	const struct node *key; /* the expression is its key */
	VEC(const struct sharded *) list;
};

/* ---- the expression ---- */

/*
 * The place of one byte of a key, where the key stands in its source letter by letter; the whole
 * key where it was escaped or has no place.
 */
static struct span place_in_key(const struct node *key, size_t offset)
{
	struct span span = key->key_span;
	size_t start, length = strlen(key->key);
	const char *text;

	if (!span_known(span))
		return key->span;
	start = source_offset(span.source, span.line, span.column);
	text = strstr(span.source->text + start, key->key);
	if (!text || text + length > span.source->text + source_offset(span.source, span.end_line,
								       span.end_column))
		return span;
	start = (size_t)(text - span.source->text) + offset;
	return source_span(span.source, start, start + (offset < length));
}

static void find_bad_pattern(struct job *job, const struct node *key,
			     const struct pattern_error *error)
{
	struct finding *finding;

	finding = finding_add(job->findings, rule_find("expect-pattern")->id,
			      place_in_key(key, error->offset), "%s (at character %zu of %s)",
			      error->message, text_width(key->key, error->offset) + 1, key->key);
	finding_fix(job->findings, finding,
		    "correct the expression (PCRE2); a letter that means something else in one is "
		    "written with a backslash");
}

static void find_trouble(struct job *job, const struct node *key, const char *trouble)
{
	struct finding *finding =
		finding_add(job->findings, rule_find("expect-pattern")->id, key->key_span,
			    "%s: parameters could not be found by it", trouble);

	finding_fix(job->findings, finding,
		    "write one without nested repetitions: layers\\.\\d+\\.attention\\.");
}

/* Collects what the expression finds; false after a finding when it cannot. */
static bool collect(struct found *found)
{
	struct job *job = found->expected->job;
	struct pattern_error error = { 0 };
	struct pattern *pattern = pattern_compile(job->arena, found->key->key, &error);
	size_t i;

	if (!pattern) {
		find_bad_pattern(job, found->key, &error);
		return false;
	}
	for (i = 0; i < job->applied->parameters.count && !pattern_trouble(pattern); i++) {
		const struct sharded *sharded = &job->applied->parameters.items[i];
		if (!sharded->copy && pattern_finds(pattern, sharded->parameter->fqn))
			vec_push(job->arena, &found->list, sharded);
	}
	if (pattern_trouble(pattern))
		find_trouble(job, found->key, pattern_trouble(pattern));
	pattern_release(pattern);
	return !pattern_trouble(pattern);
}

static void find_none(const struct found *found)
{
	struct job *job = found->expected->job;
	const struct plan *plan = job->applied;
	struct finding *finding;

	finding = finding_add(job->findings, found->expected->rule->id, found->key->key_span,
			      "no parameter has a name that %s finds", found->key->key);
	finding_actual(job->findings, finding, "%zu parameters, the first %s, the last %s",
		       plan->parameters.count, plan->parameters.items[0].parameter->fqn,
		       plan->parameters.items[plan->parameters.count - 1].parameter->fqn);
	finding_fix(job->findings, finding,
		    "take a name that parplan plan lists; a version may spell it otherwise");
}

/* ---- what is expected of them ---- */

/* Axes of a parameter as words, those of one rank left out where asked. */
struct words {
	const char *items[MESH_AXES];
	int count;
};

enum part { PART_PLACEMENTS, PART_MESH };

static struct words words_of(struct arena *arena, const struct sharded *sharded, enum part part,
			     bool ones)
{
	struct words words = { 0 };
	int i;

	for (i = 0; i < sharded->dims; i++) {
		const struct mesh_dim *dim = &sharded->dim[i];
		if (ones || layout_size(dim->layout) > 1)
			words.items[words.count++] =
				part == PART_MESH ? dim->name
						  : placement_text(arena, dim->placement);
	}
	return words;
}

static bool same_words(const struct words *a, const struct words *b)
{
	int i;

	for (i = 0; i < a->count && a->count == b->count; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return a->count == b->count;
}

/* Axes of one rank may be named or left out. */
static bool agrees(struct arena *arena, const struct sharded *sharded, enum part part,
		   const struct words *want)
{
	struct words all = words_of(arena, sharded, part, true);
	struct words some = words_of(arena, sharded, part, false);

	return same_words(&all, want) || same_words(&some, want);
}

static const char *joined(struct arena *arena, const struct words *words)
{
	char *text = arena_strdup(arena, "");
	int i;

	for (i = 0; i < words->count; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? " " : "", words->items[i]);
	return *text ? text : "whole on every rank";
}

static struct finding *failed(const struct found *found, const struct node *want,
			      const char *message)
{
	struct finding *finding = expect_failed(found->expected, want, "%s", message);

	expect_relate_degrees(found->expected, finding);
	return finding;
}

static void judge_words(const struct found *found, const struct node *want, enum part part,
			const struct words *words)
{
	struct job *job = found->expected->job;
	const struct sharded *first = NULL;
	size_t wrong = 0, i;
	struct finding *finding;
	struct words got;

	for (i = 0; i < found->list.count; i++) {
		if (agrees(job->arena, found->list.items[i], part, words))
			continue;
		wrong++;
		first = first ? first : found->list.items[i];
	}
	if (!first)
		return;
	got = words_of(job->arena, first, part, true);
	finding = failed(found, want,
			 arena_printf(job->arena, "expected %s, but %s is %s%s",
				      joined(job->arena, words), first->parameter->fqn,
				      part == PART_MESH ? "on the mesh " : "",
				      joined(job->arena, &got)));
	finding_requested(job->findings, finding, "%s", joined(job->arena, words));
	finding_actual(job->findings, finding, "%s, on %zu of the %zu parameters that are meant",
		       joined(job->arena, &got), wrong, found->list.count);
	if (part == PART_PLACEMENTS) {
		got = words_of(job->arena, first, PART_MESH, true);
		finding_consequence(job->findings, finding, "its mesh axes are %s",
				    joined(job->arena, &got));
	}
}

/* Cuts "SS(0,2) S(0)" at blanks and commas outside of brackets. */
static bool split_placements(struct arena *arena, const char *text, struct words *words)
{
	struct placement placement;

	while (*(text += strspn(text, " ,"))) {
		size_t length = strcspn(text, " ,(");
		char *word;

		if (text[length] == '(')
			length += strcspn(text + length, ")") + 1;
		word = arena_strndup(arena, text, length);
		if (!placement_parse(word, &placement) || words->count == MESH_AXES)
			return false;
		words->items[words->count++] = placement_text(arena, placement);
		text += strlen(word);
	}
	return words->count > 0;
}

/* The elements of a list; a value by itself is the only one. */
static const struct node *first_of(const struct node *want)
{
	return want->kind == NODE_LIST ? want->first : want;
}

static const struct node *next_of(const struct node *want, const struct node *item)
{
	return want->kind == NODE_LIST ? item->next : NULL;
}

static void judge_placements(const struct found *found, const struct node *want)
{
	struct job *job = found->expected->job;
	struct words words = { 0 };
	const struct node *item;

	for (item = first_of(want); item; item = next_of(want, item))
		if (item->kind != NODE_SCALAR ||
		    !split_placements(job->arena, item->text, &words)) {
			expect_misshapen(job, item,
					 "placements: R, S(0), SS(0,2) or P for every mesh axis");
			return;
		}
	judge_words(found, want, PART_PLACEMENTS, &words);
}

static void judge_mesh(const struct found *found, const struct node *want)
{
	struct words words = { 0 };
	const struct node *item;

	if (!expect_shape(found->expected->job, want, SHAPE_NAMES, NULL))
		return;
	for (item = first_of(want); item; item = next_of(want, item)) {
		if (words.count == MESH_AXES) {
			expect_misshapen(found->expected->job, want, "at most 8 axes");
			return;
		}
		words.items[words.count++] = item->text;
	}
	judge_words(found, want, PART_MESH, &words);
}

/* Elements on the rank that has most of them: chunks are the largest at index 0 of every axis. */
static int64_t most_local(const struct sharded *sharded)
{
	struct box box = plan_box(sharded, 0);

	return box_volume(&box);
}

static void judge_elements(const struct found *found, const struct node *want)
{
	struct job *job = found->expected->job;
	const struct sharded *largest = NULL;
	struct finding *finding;
	int64_t most = 0;
	size_t i;

	if (!expect_shape(job, want, SHAPE_COUNT, NULL))
		return;
	for (i = 0; i < found->list.count; i++)
		if (most_local(found->list.items[i]) > most) {
			largest = found->list.items[i];
			most = most_local(largest);
		}
	if (!largest || most <= want->integer)
		return;
	finding =
		failed(found, want,
		       arena_printf(job->arena,
				    "expected at most %s elements on a rank, but of %s it holds %s",
				    text_count(job->arena, want->integer), largest->parameter->fqn,
				    text_count(job->arena, most)));
	finding_fix(job->findings, finding, "cut it %" PRId64 " times finer: raise dp_shard or tp",
		    most / want->integer + (most % want->integer != 0));
}

static const struct {
	const char *name;
	void (*judge)(const struct found *found, const struct node *want);
} members[] = {
	{ "placements", judge_placements },
	{ "mesh", judge_mesh },
	{ "max_local_elements", judge_elements },
};

enum { MEMBERS = sizeof(members) / sizeof(*members) };

static void judge_found(const struct found *found)
{
	const char *names[MEMBERS];
	const struct node *want;
	int i;

	for (i = 0; i < MEMBERS; i++)
		names[i] = members[i].name;
	for (want = found->key->first; want; want = want->next) {
		for (i = 0; i < MEMBERS; i++)
			if (!strcmp(members[i].name, want->key))
				break;
		if (i < MEMBERS)
			members[i].judge(found, want);
		else
			expect_unknown(found->expected->job, want, names, MEMBERS);
	}
}

void expect_parameters(const struct expected *expected)
{
	struct job *job = expected->job;
	const struct node *key;

	if (!plan_places(job->applied)) {
		expect_unjudged(job, expected->want, "a plan that places parameters");
		return;
	}
	for (key = expected->want->first; key; key = key->next) {
		struct found found = { .expected = expected, .key = key };
		if (!expect_shape(job, key, SHAPE_MAP, NULL) || !collect(&found))
			continue;
		if (!found.list.count)
			find_none(&found);
		else
			judge_found(&found);
	}
}

/* ---- all that a rank holds ---- */

/* The rank of one pipeline coordinate that holds most: the first in every other direction. */
static int64_t held_by(const struct plan *plan, int64_t rank)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *sharded = &plan->parameters.items[i];
		struct box box;
		if (!plan_rank_has_stage(plan, rank, sharded->stage))
			continue;
		box = plan_box(sharded, rank);
		sum += box_volume(&box);
	}
	return sum;
}

void expect_local_parameters(const struct expected *expected)
{
	struct job *job = expected->job;
	const struct plan *plan = job->applied;
	const struct mesh *pp = plan_mesh(plan, "pp");
	int64_t stages = pp ? layout_size(&pp->layout) : 1, i, rank = 0, most = 0;
	struct finding *finding;

	if (!plan_places(plan)) {
		expect_unjudged(job, expected->want, "a plan that places parameters");
		return;
	}
	for (i = 0; i < stages; i++) {
		int64_t at = pp ? layout_offset(&pp->layout, i) : 0, held = held_by(plan, at);
		if (held <= most)
			continue;
		most = held;
		rank = at;
	}
	if (most <= expected->want->integer)
		return;
	finding = expect_failed(expected, expected->want,
				"expected at most %s elements of parameters on a rank, but rank "
				"%" PRId64 " holds %s",
				text_count(job->arena, expected->want->integer), rank,
				text_count(job->arena, most));
	finding_requested(job->findings, finding, "%s",
			  text_count(job->arena, expected->want->integer));
	finding_actual(job->findings, finding, "%s of %s", text_count(job->arena, most),
		       text_count(job->arena, job->model->total));
	expect_relate_degrees(expected, finding);
	finding_fix(job->findings, finding,
		    "cut the model over more ranks (dp_shard, tp, pp): %" PRId64
		    " times as many hold a copy then",
		    most / expected->want->integer + (most % expected->want->integer != 0));
}
