#include "base/die.h"
#include "base/pattern.h"
#include "base/text.h"
#include "evidence/evidence.h"

#include <string.h>

/*
 * What `ncclras` prints (NCCL 2.24 and later): how many communicators there are of which size over
 * how many nodes, in groups of equal ones. Neither their members nor their calls are told.
 * Behind the table it names ranks that do not answer, and those that have launched fewer operations
 * than others (src/ras/client_support.cc). Ranks are those of the communicator: where it is as
 * large as the job they are the job's.
 */
enum { MOST_COMMUNICATORS = 1 << 14, MOST_GROUPS = 256, MOST_LAGGING = 64 };

/* A rank that has launched fewer operations than others of its communicator. */
struct lagging {
	int64_t rank, count;
};

struct table {
	struct evidence_intake *intake;
	struct pattern *job, *group, *version;
	int64_t communicators;
	struct pattern *head, *missing, *process, *alike, *alone, *member;
	int64_t sizes[MOST_GROUPS]; /* by number in the table; 0: not known */
	int64_t size;		    /* of the communicator that is told of */
	int64_t most, count;	    /* operations: of the most ranks, of those that follow */
	int64_t mismatches;	    /* communicators whose counts differ */
	struct lagging lagging[MOST_LAGGING];
	size_t lagging_count;
	const char *host; /* of the process that does not answer; NULL: there are several */
	int64_t gpu, processes;
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
	if (number(&parts[1]) < MOST_GROUPS)
		table->sizes[number(&parts[1])] = group.size;
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

/* ---- behind the table ---- */

static bool is_job(const struct table *table)
{
	return table->size > 1 && table->size == table->intake->capture->world;
}

static void place(struct table *table, int64_t rank, const struct pattern_part *host, int64_t gpu)
{
	hang_facts_place(&table->intake->capture->hang, rank, host->text, host->length, gpu);
}

/* "#0-0 (27a079b828ff1a75) MISMATCH" */
static void take_head(struct table *table, const struct pattern_part *parts)
{
	const int64_t group = number(&parts[1]);

	table->size = group < MOST_GROUPS ? table->sizes[group] : 0;
	table->most = table->count = -1;
}

/* "The missing ranks: 21,22" */
static void take_missing(struct table *table, const struct pattern_part *parts)
{
	struct hang_facts *hang = &table->intake->capture->hang;
	struct hang_named named = { .fate = HANG_MISSING,
				    .how = "does not answer NCCL's RAS: its process is stopped, "
					   "gone or out of reach",
				    .sequence = -1,
				    .time = -1 };
	const char *at = parts[1].text, *const end = at + parts[1].length;

	while (is_job(table) && at < end && text_digits(&at, 8, &named.rank)) {
		hang_facts_name(hang, named);
		if (table->processes == 1 && table->host)
			hang_facts_place(hang, named.rank, table->host, strlen(table->host),
					 table->gpu);
		at += at < end;
		at += at < end && *at == ' ';
	}
}

/* "Process 3487984 on node 172.16.64.213 managing GPU 5", of those that do not answer; one that is
 * dead may be told of twice. */
static void take_process(struct table *table, const struct pattern_part *parts)
{
	table->host = arena_strndup(table->intake->capture->arena, parts[1].text, parts[1].length);
	table->gpu = number(&parts[2]);
	table->processes++;
}

/* A rank of the job that has launched fewer operations than most. */
static void take_lagging(struct table *table, const struct pattern_part *rank, int64_t count,
			 const struct pattern_part *gpu, const struct pattern_part *host)
{
	const struct lagging row = { number(rank), count };

	if (!is_job(table) || count < 0)
		return;
	place(table, row.rank, host, number(gpu));
	if (count < table->most && table->lagging_count < MOST_LAGGING)
		table->lagging[table->lagging_count++] = row;
}

static bool take_detail(struct table *table, const char *plain, size_t length,
			struct pattern_part *parts)
{
	if (pattern_take(table->head, plain, length, parts, 2)) {
		take_head(table, parts);
	} else if (pattern_take(table->missing, plain, length, parts, 2)) {
		take_missing(table, parts);
	} else if (pattern_take(table->process, plain, length, parts, 3)) {
		take_process(table, parts);
	} else if (pattern_take(table->alike, plain, length, parts, 2)) {
		table->count = number(&parts[1]);
		table->mismatches += table->most < 0;
		table->most = table->most < 0 ? table->count : table->most;
	} else if (pattern_take(table->alone, plain, length, parts, 5)) {
		take_lagging(table, &parts[1], number(&parts[2]), &parts[3], &parts[4]);
	} else if (pattern_take(table->member, plain, length, parts, 4)) {
		take_lagging(table, &parts[1], table->count, &parts[2], &parts[3]);
	} else {
		return false;
	}
	return true;
}

/* Queries see jobs that run between two operations: one less means nothing. Where counts of several
 * communicators differ, some only wait. */
static void name_lagging(struct table *table)
{
	struct hang_facts *hang = &table->intake->capture->hang;
	size_t i;

	for (i = 0; table->mismatches == 1 && i < table->lagging_count; i++) {
		const struct lagging *row = &table->lagging[i];
		const struct hang_named named = {
			.rank = row->rank,
			.fate = HANG_BEHIND,
			.how = arena_printf(table->intake->capture->arena,
					    "is behind: it has launched %lld operations, most "
					    "others %lld, as NCCL's RAS tells",
					    (long long)row->count, (long long)table->most),
			.sequence = row->count + 1,
			.time = -1
		};
		if (table->most - row->count > 1 && 4 * table->lagging_count <= (size_t)table->size)
			hang_facts_name(hang, named);
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
	else if (!take_detail(table, plain, length, parts) &&
		 pattern_take(table->version, plain, length, parts, 2))
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
				      "\\s+([\\d-]+)\\s+([A-Z_]+)\\s+([A-Z_,]+)\\s*$");
	table.job =
		compiled(arena, "^\\s*(\\d+)\\s+([\\d-]+)\\s+([\\d-]+)\\s+(\\d+)\\s+(\\d+)\\s*$");
	table.head = compiled(arena, "^#(\\d+)-\\d+ \\([0-9a-f]+\\) [A-Z]");
	table.missing = compiled(arena, "^\\s*The missing ranks?: (\\d[\\d, ]*)");
	table.process = compiled(arena, "^\\s*Process \\d+ on node (\\S+) managing GPUs? (\\d+)");
	table.alike = compiled(arena, "^\\s*\\d+ ranks have launched up to operation (\\d+)");
	table.alone = compiled(arena, "^\\s*Rank (\\d+) has launched up to operation (\\d+) -- "
				      "GPU (\\d+)\\S* managed by process \\d+ on node (\\S+)");
	table.member = compiled(arena, "^\\s*Rank (\\d+) -- GPU (\\d+)\\S* managed by process "
				       "\\d+ on node (\\S+)");
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
	name_lagging(&table);
	pattern_release(table.head);
	pattern_release(table.missing);
	pattern_release(table.process);
	pattern_release(table.alike);
	pattern_release(table.alone);
	pattern_release(table.member);
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
