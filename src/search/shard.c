#include "search/shard.h"

#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"
#include "input/field.h"

#include <inttypes.h>
#include <string.h>

#define SCHEMA_SEARCH "parplan.search-part/1"
#define SCHEMA_SWEEP  "parplan.sweep-part/1"

/* What the first line of each search begins with. */
static const char head[] = "{\"schema\":\"" SCHEMA_SEARCH "\"";

static void put_settings(struct buf *out, const struct settings *settings)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (setting_known(&settings->items[id]))
			buf_printf(out, "%s=%s\n", field_of(id)->key,
				   settings->items[id].text ? settings->items[id].text : "");
}

/* What two runs must have in common to be parts of one search. */
static const char *fingerprint(const struct search *search, const struct job *own)
{
	const struct space *space = &search->space;
	char digest[SHA256_BASE64];
	struct buf all;
	size_t i;

	buf_init(&all);
	buf_text(&all, own->document.source->text);
	put_settings(&all, &own->settings);
	for (i = 0; i < space->layouts.count; i++)
		buf_bytes(&all, (const char *)space->layouts.items[i].at,
			  sizeof(space->layouts.items[i].at));
	for (i = 0; i < space->sites.count; i++)
		buf_printf(&all, "%s %" PRId64 " %.17g", space->sites.items[i]->name,
			   space->sites.items[i]->batch, space->sites.items[i]->price);
	buf_printf(&all, "%" PRIu64 " %zu %.17g %.17g %.17g %.17g %.17g %d %d", space_count(space),
		   search->top, search->within, search->aim.risk, search->aim.min_tokens,
		   search->worst[0], search->fastest, (int)search->aim.objective,
		   search->exhaustive);
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

	buf_text(out, head);
	buf_printf(out,
		   ",\"parplan\":\"%s\",\"search\":\"%s\",\"part\":[%zu,%zu,%zu,%" PRIu64
		   ",%" PRIu64 ",%zu]}\n",
		   search->parplan, fingerprint(search, own), passage->shards ? passage->shard : 1,
		   passage->shards ? passage->shards : 1, search->layouts, search->tally.simulated,
		   search->tally.decided, search->runs.count + search->tally.cuts.count);
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

/* What any double holds. */
#define WHOLE_MOST 9007199254740992.0

/* One line: a list of numbers under its key, and one word under another. */
struct line {
	const char *key, *word, *schema, *parplan;
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
		else if (token == JSON_STRING && !strcmp(key, "parplan"))
			line->parplan = json.value;
		else if (token == JSON_STRING)
			line->word = json.value;
		else if (token == JSON_NUMBER && line->count < NUMBERS_MOST)
			line->count +=
				text_to_double(json.value, &line->numbers[line->count]) ? 1 : 0;
	}
	return line->key && line->word;
}

/* A number of things; what is none is more than there can be. */
static uint64_t whole(double number)
{
	return number >= 0 && number <= WHOLE_MOST ? (uint64_t)number : (uint64_t)WHOLE_MOST;
}

static bool take_run(struct search *search, const struct line *line)
{
	const double *n = line->numbers;
	struct outcome outcome = { .fate = OUTCOME_RUNS,
				   .number = whole(n[0]),
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

	if (line->count != NUMBERS_MOST || outcome.number >= space_count(&search->space))
		return false;
	candidate = space_candidate(&search->space, outcome.number);
	outcome_score(&search->aim, outcome.time,
		      search->space.sites.items[candidate.at[AXIS_SITE]], outcome.score);
	vec_push(search->arena, &search->runs, outcome);
	return true;
}

static bool take_cut(struct search *search, const struct line *line)
{
	struct cut cut = { .count = whole(line->numbers[1]) };
	const struct rule *rule = *line->word ? rule_find(line->word) : NULL;

	if (line->count != 2 || line->numbers[0] < 0 || line->numbers[0] > CUT_UNWRITTEN ||
	    (*line->word && !rule))
		return false;
	cut.why = (int)line->numbers[0];
	cut.rule = rule ? rule->id : NULL;
	tally_cut(&search->tally, search->arena, cut);
	return true;
}

/* Why it is no part of that search, whichever part it is. */
static const char *refuse(const struct search *search, const struct job *own,
			  const struct line *line)
{
	if (!line->schema || strcmp(line->schema, SCHEMA_SEARCH) != 0 || line->count != 6)
		return "it is no part of a search";
	if (!line->parplan || strcmp(line->parplan, search->parplan) != 0)
		return arena_printf(search->arena, "parplan %s has written it, and this is %s",
				    line->parplan ? line->parplan : "of another version",
				    search->parplan);
	if (strcmp(line->word, fingerprint(search, own)) != 0)
		return "it is a part of another search: the config or an option differs";
	return NULL;
}

static const char *take_head(struct search *search, struct shards *shards, const struct job *own,
			     const struct line *line)
{
	const char *trouble = refuse(search, own, line);
	const double *n = line->numbers;
	int64_t i;

	if (trouble)
		return trouble;
	if (!(n[0] >= 1) || !(n[1] >= n[0]) || n[1] > SHARDS_MOST ||
	    (shards->count && shards->count != (int64_t)n[1]))
		return "it is one of another number of parts";
	shards->count = (int64_t)n[1];
	for (i = (int64_t)shards->seen.count; i < shards->count; i++)
		vec_push(search->arena, &shards->seen, false);
	if (shards->seen.items[(int64_t)n[0] - 1])
		return "its part has been read already";
	shards->seen.items[(int64_t)n[0] - 1] = true;
	search->layouts += whole(n[2]);
	search->tally.simulated += whole(n[3]);
	search->tally.decided += whole(n[4]);
	return NULL;
}

static size_t line_length(const char *text, size_t length)
{
	const char *newline = memchr(text, '\n', length);

	return newline ? (size_t)(newline - text) : length;
}

const char *shard_read(struct search *search, struct shards *shards, const struct job *own,
		       const char *text, size_t length)
{
	const size_t first = line_length(text, length);
	const char *at = text + first, *end = text + length, *trouble;
	struct line line;
	double left;

	if (!length)
		return "it is empty";
	if (!line_read(search->arena, text, first, &line))
		return "a line of it cannot be read";
	trouble = take_head(search, shards, own, &line);
	if (trouble)
		return trouble;
	for (left = line.numbers[5]; at + 1 < end && left > 0; left--) {
		const size_t size = line_length(at + 1, (size_t)(end - at) - 1);
		if (!line_read(search->arena, at + 1, size, &line) ||
		    !(!strcmp(line.key, "run") ? take_run(search, &line) : take_cut(search, &line)))
			return "a line of it cannot be read";
		at += size + 1;
	}
	return left > 0 ? "it is cut short" : at + 1 < end ? "it has lines too many" : NULL;
}

int64_t shards_missing(const struct shards *shards)
{
	int64_t i;

	for (i = 0; i < shards->count; i++)
		if (!shards->seen.items[i])
			return i + 1;
	return shards->count ? 0 : 1;
}

/* ---- of several searches ---- */

void shard_sweep_write(const struct shard_sweep *sweep, struct buf *out)
{
	buf_printf(out,
		   "{\"schema\":\"" SCHEMA_SWEEP
		   "\",\"parplan\":\"%s\",\"sweep\":\"%s\",\"part\":[%" PRId64 ",%" PRId64
		   ",%" PRId64 ",%" PRId64 "]}\n",
		   sweep->parplan, sweep->combined, sweep->shard, sweep->shards, sweep->files,
		   sweep->searches);
}

size_t shard_sweep_read(struct arena *arena, const char *text, size_t length,
			struct shard_sweep *sweep)
{
	const size_t first = line_length(text, length);
	struct line line;

	if (!line_read(arena, text, first, &line) || !line.schema ||
	    strcmp(line.schema, SCHEMA_SWEEP) != 0 || !line.parplan || line.count != 4)
		return 0;
	*sweep = (struct shard_sweep) { line.parplan,
					line.word,
					(int64_t)whole(line.numbers[0]),
					(int64_t)whole(line.numbers[1]),
					(int64_t)whole(line.numbers[2]),
					(int64_t)whole(line.numbers[3]) };
	return first < length ? first + 1 : length;
}

bool shard_is(const char *text, size_t length)
{
	return length >= sizeof(head) - 1 && !memcmp(text, head, sizeof(head) - 1);
}

size_t shard_until_next(const char *text, size_t length)
{
	const char *at = text, *end = text + length;

	while (at < end) {
		at += line_length(at, (size_t)(end - at)) + 1;
		if (at < end && shard_is(at, (size_t)(end - at)))
			return (size_t)(at - text);
	}
	return length;
}
