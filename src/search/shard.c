#include "search/shard.h"

#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* What two runs must have in common to be parts of one search. */
static const char *fingerprint(const struct search *search, const struct job *own)
{
	const struct space *space = &search->space;
	char digest[SHA256_BASE64];
	struct buf all;
	size_t i;

	buf_init(&all);
	buf_text(&all, own->document.source->text);
	for (i = 0; i < space->layouts.count; i++)
		buf_bytes(&all, (const char *)space->layouts.items[i].at,
			  sizeof(space->layouts.items[i].at));
	for (i = 0; i < space->sites.count; i++)
		buf_printf(&all, "%s %" PRId64, space->sites.items[i]->name,
			   space->sites.items[i]->batch);
	buf_printf(&all, "%" PRIu64 " %zu %.17g %.17g %.17g %.17g %d %d", space_count(space),
		   search->top, search->within, search->aim.risk, search->worst[0], search->fastest,
		   (int)search->aim.objective, search->exhaustive);
	sha256_base64(all.data, all.length, digest);
	buf_release(&all);
	return arena_strdup(search->arena, digest);
}

static void put_run(struct buf *out, const struct outcome *outcome)
{
	buf_printf(out,
		   "{\"run\":[%" PRIu64
		   ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g],\"limited_by\":\"%s\"}\n",
		   outcome->number, outcome->time, outcome->low, outcome->high, outcome->memory,
		   outcome->capacity, outcome->risk, outcome->mfu, outcome->tokens, outcome->limit);
}

void shard_write(const struct search *search, const struct passage *passage, const struct job *own,
		 struct buf *out)
{
	size_t i;

	buf_printf(out,
		   "{\"schema\":\"parplan.search-part/"
		   "1\",\"search\":\"%s\",\"part\":[%zu,%zu,%zu,%" PRIu64 ",%" PRIu64 "]}\n",
		   fingerprint(search, own), passage->shards ? passage->shard : 1,
		   passage->shards ? passage->shards : 1, search->layouts, search->tally.simulated,
		   search->tally.decided);
	for (i = 0; i < search->runs.count; i++)
		put_run(out, &search->runs.items[i]);
	for (i = 0; i < search->tally.cuts.count; i++) {
		const struct cut *cut = &search->tally.cuts.items[i];
		buf_printf(out, "{\"cut\":[%d,%" PRIu64 "],\"rule\":\"%s\"}\n", (int)cut->why,
			   cut->count, cut->rule ? cut->rule->name : "");
	}
}

/* ---- in ---- */

enum { NUMBERS_MOST = 9 };

/* One line: a list of numbers under its key, and one word under another. */
struct line {
	const char *key, *word, *schema;
	double numbers[NUMBERS_MOST];
	int count;
};

static bool line_read(struct arena *arena, const char *text, size_t length, struct line *line)
{
	struct json_reader json;
	enum json_token token;
	const char *key = "";

	memset(line, 0, sizeof(*line));
	json_open(&json, arena, text, length);
	while ((token = json_next(&json)) != JSON_END) {
		if (token == JSON_ERROR)
			return false;
		if (token == JSON_KEY)
			key = json.value;
		else if (token == JSON_ARRAY)
			line->key = key;
		else if (token == JSON_STRING && !strcmp(key, "schema"))
			line->schema = json.value;
		else if (token == JSON_STRING)
			line->word = json.value;
		else if (token == JSON_NUMBER && line->count < NUMBERS_MOST)
			line->count +=
				text_to_double(json.value, &line->numbers[line->count]) ? 1 : 0;
	}
	return line->key && line->word;
}

static bool take_run(struct search *search, const struct line *line)
{
	const double *n = line->numbers;
	struct outcome outcome = { .fate = OUTCOME_RUNS,
				   .number = (uint64_t)n[0],
				   .time = n[1],
				   .low = n[2],
				   .high = n[3],
				   .memory = n[4],
				   .capacity = n[5],
				   .risk = n[6],
				   .mfu = n[7],
				   .tokens = n[8],
				   .limit = arena_strdup(search->arena, line->word) };
	struct candidate candidate;

	if (line->count != NUMBERS_MOST || n[0] < 0 ||
	    outcome.number >= space_count(&search->space))
		return false;
	candidate = space_candidate(&search->space, outcome.number);
	outcome_score(&search->aim, outcome.time,
		      search->space.sites.items[candidate.at[AXIS_SITE]], outcome.score);
	vec_push(search->arena, &search->runs, outcome);
	return true;
}

static bool take_cut(struct search *search, const struct line *line)
{
	struct cut cut = { .count = (uint64_t)line->numbers[1] };
	const struct rule *rule = *line->word ? rule_find(line->word) : NULL;

	if (line->count != 2 || line->numbers[0] < 0 || line->numbers[0] > CUT_UNWRITTEN ||
	    (*line->word && !rule))
		return false;
	cut.why = (int)line->numbers[0];
	cut.rule = rule ? rule->id : NULL;
	tally_cut(&search->tally, search->arena, cut);
	return true;
}

static const char *take_head(struct search *search, struct shards *shards, const struct job *own,
			     const struct line *line)
{
	const double *n = line->numbers;
	int64_t i;

	if (!line->schema || strcmp(line->schema, "parplan.search-part/1") != 0 || line->count != 5)
		return "it is no part of a search";
	if (strcmp(line->word, fingerprint(search, own)) != 0)
		return "it is a part of another search: the config, an option or parplan differs";
	if (n[0] < 1 || n[1] < n[0] || (shards->count && shards->count != (int64_t)n[1]))
		return "it is one of another number of parts";
	shards->count = (int64_t)n[1];
	for (i = (int64_t)shards->seen.count; i < shards->count; i++)
		vec_push(search->arena, &shards->seen, false);
	if (shards->seen.items[(int64_t)n[0] - 1])
		return "its part has been read already";
	shards->seen.items[(int64_t)n[0] - 1] = true;
	search->layouts += (size_t)n[2];
	search->tally.simulated += (uint64_t)n[3];
	search->tally.decided += (uint64_t)n[4];
	return NULL;
}

const char *shard_read(struct search *search, struct shards *shards, const struct job *own,
		       const char *text, size_t length)
{
	const char *at = text, *end = text + length, *trouble;
	struct line line;
	bool head = true;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const size_t size = (size_t)((newline ? newline : end) - at);
		if (!line_read(search->arena, at, size, &line))
			return "a line of it cannot be read";
		trouble = head ? take_head(search, shards, own, &line) : NULL;
		if (trouble)
			return trouble;
		if (!head &&
		    !(!strcmp(line.key, "run") ? take_run(search, &line) : take_cut(search, &line)))
			return "a line of it cannot be read";
		head = false;
		at += size + 1;
	}
	return head ? "it is empty" : NULL;
}

int64_t shards_missing(const struct shards *shards)
{
	int64_t i;

	for (i = 0; i < shards->count; i++)
		if (!shards->seen.items[i])
			return i + 1;
	return shards->count ? 0 : 1;
}
