#include "base/die.h"
#include "base/pattern.h"
#include "base/text.h"
#include "evidence/evidence.h"

#include <string.h>

/*
 * What `ncclras` prints (NCCL 2.24 and later): how many communicators there are of which size over
 * how many nodes, in groups of equal ones. Neither their members nor their calls are told.
 */
enum { MOST_COMMUNICATORS = 1 << 14 };

struct table {
	struct evidence_intake *intake;
	struct pattern *job, *group, *version;
	int64_t communicators;
};

static int claims_ras(const char *head, size_t length)
{
	return text_mentions(head, length, "Communicators... (") &&
			       text_mentions(head, length, "in group")
		       ? 90
		       : 0;
}

static struct pattern *compiled(struct arena *arena, const char *expression)
{
	const char *error = "";
	struct pattern *pattern = pattern_new(arena, expression, &error);

	if (!pattern)
		bug("%s", error);
	return pattern;
}

/* "8"; of a range ("7-8"), which tells no one number, 0. */
static int64_t number(const struct pattern_part *part)
{
	const char *at = part->text;
	int64_t value;

	return text_digits(&at, 9, &value) && at == part->text + part->length ? value : 0;
}

static void take_status(struct table *table, const struct pattern_part *parts)
{
	struct arena *arena = table->intake->capture->arena;
	const char *status = arena_strndup(arena, parts[7].text, parts[7].length);
	const char *errors = arena_strndup(arena, parts[8].text, parts[8].length);

	if (strcmp(errors, "OK") != 0 || strcmp(status, "RUNNING") != 0)
		evidence_limit(table->intake, "RAS_ERRORS",
			       arena_printf(arena, "communicators #%lld are %s, %s",
					    (long long)number(&parts[1]), status, errors));
}

static void take_group(struct table *table, const struct pattern_part *parts)
{
	struct evidence_intake *intake = table->intake;
	const int64_t count = number(&parts[2]);
	struct seen_group group = { .desc = "", .backend = "nccl", .observer = -1 };
	int64_t i;

	evidence_file(intake)->records++;
	take_status(table, parts);
	group.nodes = (int32_t)number(&parts[3]);
	group.size = number(&parts[5]);
	if (table->communicators + count > MOST_COMMUNICATORS) {
		evidence_file(intake)->left_out++;
		return;
	}
	table->communicators += count;
	for (i = 0; i < count; i++) {
		group.name = arena_printf(intake->capture->arena, "#%lld-%lld",
					  (long long)number(&parts[1]), (long long)i);
		evidence_group(intake, group);
	}
}

static void take_line(struct table *table, const char *plain, size_t length)
{
	struct pattern_part parts[9];
	struct arena *arena = table->intake->capture->arena;

	if (pattern_take(table->group, plain, length, parts, 9))
		take_group(table, parts);
	else if (pattern_take(table->job, plain, length, parts, 6))
		evidence_world(table->intake, number(&parts[5]));
	else if (pattern_take(table->version, plain, length, parts, 2))
		evidence_version(table->intake, "nccl",
				 arena_strndup(arena, parts[1].text, parts[1].length));
}

static void read_ras(struct evidence_intake *intake, struct text_stream *stream)
{
	struct arena *arena = intake->capture->arena;
	struct table table = { .intake = intake };
	const char *line;
	size_t length;

	table.group = compiled(arena, "^\\s*(\\d+)\\s+(\\d+)\\s+([\\d-]+)\\s+([\\d-]+)\\s+([\\d-]+)"
				      "\\s+([\\d-]+)\\s+([A-Z_]+)\\s+([A-Z_]+)\\s*$");
	table.job =
		compiled(arena, "^\\s*(\\d+)\\s+([\\d-]+)\\s+([\\d-]+)\\s+(\\d+)\\s+(\\d+)\\s*$");
	table.version = compiled(arena, "NCCL version (2\\.\\d+(?:\\.\\d+)?)");
	while (stream_line(stream, &line, &length)) {
		struct arena scratch;
		char *plain;
		arena_init(&scratch);
		plain = arena_alloc(&scratch, length + 1);
		intake->record++;
		take_line(&table, plain, text_plain(line, length, plain));
		arena_release(&scratch);
	}
	pattern_release(table.group);
	pattern_release(table.job);
	pattern_release(table.version);
}

const struct evidence_source source_ras_text = {
	.name = "NCCL RAS (text)",
	.record = "group of communicators",
	.claims = claims_ras,
	.read = read_ras,
};
