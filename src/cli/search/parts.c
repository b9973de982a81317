#include "cli/search/parts.h"

#include "base/die.h"
#include "base/io.h"

#include <inttypes.h>
#include <string.h>

/* What a part may have: some millions of candidates that run. */
#define PART_BYTES ((size_t)1 << 30)

/* ---- which operands they are ---- */

/* How many configs stand before the parts. */
static size_t count_files(const struct invocation *invocation, const struct io_text *texts)
{
	const struct operands *operands = &invocation->operands;
	struct shard_sweep sweep;
	size_t i;

	for (i = 0; i < operands->count; i++)
		if (texts[i].text &&
		    shard_sweep_read(invocation->arena, texts[i].text, texts[i].length, &sweep))
			return (size_t)sweep.files;
	return texts[0].text && shard_is(texts[0].text, texts[0].length) ? 0 : 1;
}

/* The config may be what stdin has, which is read once. */
static void read_all(const struct invocation *invocation, struct io_text *texts)
{
	const struct operands *operands = &invocation->operands;
	size_t i;

	for (i = 0; i < operands->count; i++)
		if (i || strcmp(operands->items[i], "-") != 0)
			texts[i] = io_read(invocation->arena, operands->items[i], PART_BYTES);
}

struct parts *parts_take(struct invocation *invocation)
{
	struct arena *arena = invocation->arena;
	struct operands *operands = &invocation->operands;
	struct parts *parts = arena_new(arena, struct parts);
	struct io_text *texts = arena_array(arena, operands->count + 1, sizeof(*texts));
	size_t i, files;

	read_all(invocation, texts);
	files = operands->count ? count_files(invocation, texts) : 0;
	if (operands->count <= files)
		die("search: --merge takes all parts that --shard has written, behind the FILE");
	for (i = files; i < operands->count; i++) {
		struct part part = { operands->items[i], texts[i].text, texts[i].length, 0 };
		if (!part.text)
			die("search: cannot read '%s': %s", part.path,
			    texts[i].error ? texts[i].error : "stdin is no part");
		if (i && shard_is(texts[0].text, texts[0].length) &&
		    !shard_is(part.text, part.length))
			die("search: --merge takes the FILE first, then the parts: '%s' is no part",
			    part.path);
		vec_push(arena, &parts->list, part);
	}
	operands->count = files;
	return parts;
}

/* ---- what they say ---- */

static const char *why_not(const struct shard_sweep *part, const struct shard_sweep *sweep,
			   struct arena *arena)
{
	if (strcmp(part->parplan, sweep->parplan) != 0)
		return arena_printf(arena, "parplan %s has written it, and this is %s",
				    part->parplan, sweep->parplan);
	if (part->files != sweep->files || part->searches != sweep->searches ||
	    strcmp(part->combined, sweep->combined) != 0)
		return "it is a part of another sweep: the values or the FILEs differ";
	return NULL;
}

static const char *require(struct part *part, struct arena *arena, const struct shard_sweep *sweep)
{
	struct shard_sweep other;
	const size_t head = shard_sweep_read(arena, part->text, part->length, &other);

	part->at = head;
	if (!sweep)
		return head ? "it is a part of several searches: give --sweep FILE, or all FILEs, "
			      "as it was given"
			    : NULL;
	if (head)
		return why_not(&other, sweep, arena);
	return shard_is(part->text, part->length)
		       ? "it is a part of one search, and these are several"
		       : "it is no part of several searches";
}

void parts_require(struct parts *parts, struct arena *arena, const struct shard_sweep *sweep)
{
	const char *trouble;
	size_t i;

	parts->many = sweep != NULL;
	for (i = 0; i < parts->list.count; i++) {
		trouble = require(&parts->list.items[i], arena, sweep);
		if (trouble)
			die("search: --merge %s: %s", parts->list.items[i].path, trouble);
	}
}

static const char *add(struct part *part, struct search *search, struct shards *shards,
		       const struct job *own)
{
	const char *text = part->text + part->at;
	const size_t length = shard_until_next(text, part->length - part->at);

	part->at += length;
	return length || !part->length ? shard_read(search, shards, own, text, length)
				       : "it is cut short";
}

void parts_add(struct parts *parts, struct search *search, const struct job *own)
{
	struct shards shards = { 0 };
	const char *trouble, *which;
	size_t i;

	parts->searched++;
	which = parts->many ? arena_printf(search->arena, "search %zu: ", parts->searched) : "";
	for (i = 0; i < parts->list.count; i++) {
		struct part *part = &parts->list.items[i];
		do /* several parts of one search may stand in a file, as cat makes it */
			trouble = add(part, search, &shards, own);
		while (!trouble && !parts->many && part->at < part->length);
		if (trouble)
			die("search: --merge %s: %s%s", part->path, which, trouble);
	}
	if (shards_missing(&shards))
		die("search: --merge: part %" PRId64 " of %" PRId64 " is missing",
		    shards_missing(&shards), shards.count);
}

void parts_end(const struct parts *parts)
{
	size_t i;

	for (i = 0; i < parts->list.count; i++)
		if (parts->list.items[i].at < parts->list.items[i].length)
			die("search: --merge %s: it has more searches than were asked for",
			    parts->list.items[i].path);
}
