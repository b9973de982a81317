#include "cost/measurement_reader.h"

#include "base/text.h"
#include "input/syntax/reader.h"

#include <ctype.h>
#include <string.h>

/* In the order in which they are asked; the first that claims a file reads it. */
static const struct measurement_reader *const files[] = {
	&measurement_trace,
	&measurement_bench,
	&measurement_json,
};

/* Files that no other claims are read line by line; the first that takes a line has it. */
static const struct measurement_reader *const lines[] = {
	&measurement_inspector,
	&measurement_nccl_log,
	&measurement_text,
};

enum { FILES = sizeof(files) / sizeof(*files), LINES = sizeof(lines) / sizeof(*lines) };

void intake_unreadable(struct intake *intake)
{
	if (!intake->source->unreadable++)
		intake->source->first = intake->at;
}

void intake_left_out(struct intake *intake, const char *why)
{
	if (!intake->source->left_out++)
		intake->source->why = why;
}

void intake_complain(struct intake *intake, const char *what)
{
	const struct source *source = source_new(intake->arena, intake->path, "", 0);

	finding_add(intake->findings, &rule_measurement, source_span(source, 0, 0), "%s", what);
}

const struct node *intake_tree(struct intake *intake, struct text_stream *stream)
{
	size_t length;
	char *text = stream_rest(stream, READER_BYTES - 1, &length);

	if (!text) {
		intake_complain(intake, "is larger than 16 MiB, too large for a JSON table");
		return NULL;
	}
	return json_read(intake->arena, source_new(intake->arena, intake->path, text, length),
			 intake->findings);
}

void measurement_hint(struct measurement *table, const struct measurement_hints *hints)
{
	if (hints->gpu)
		table->gpu = hints->gpu;
	if (hints->fabric)
		table->fabric = hints->fabric;
	if (hints->nic_count > 0) {
		table->nic_count = hints->nic_count;
		table->nic_bandwidth = hints->nic_bandwidth;
	}
	table->pcie = table->pcie || hints->pcie;
}

/* Keeps what a reader counted, if it found anything of its kind. */
static void keep(struct intake *intake, const struct measured_source *source)
{
	if (source->rows || source->unreadable || source->left_out)
		vec_push(intake->arena, &intake->into->sources, *source);
}

static struct measured_source source_of(const struct intake *intake,
					const struct measurement_reader *reader)
{
	return (struct measured_source) { .path = intake->path, .kind = reader->kind };
}

static void read_lines(struct intake *intake, struct text_stream *stream)
{
	struct measured_source *sources = arena_array(intake->arena, LINES, sizeof(*sources));
	void *states[LINES];
	const char *text;
	size_t length, i;

	for (i = 0; i < LINES; i++) {
		sources[i] = source_of(intake, lines[i]);
		intake->source = &sources[i];
		states[i] = lines[i]->open(intake);
	}
	while (stream_line(stream, &text, &length)) {
		intake->at++;
		for (i = 0; i < LINES; i++) {
			intake->source = &sources[i];
			if (lines[i]->line(intake, states[i], text, length))
				break;
		}
	}
	for (i = 0; i < LINES; i++) {
		intake->source = &sources[i];
		lines[i]->close(intake, states[i]);
		keep(intake, &sources[i]);
	}
}

static void read_kind(struct intake *intake, struct text_stream *stream)
{
	const char *head = stream_head(stream);
	struct measured_source *source = arena_new(intake->arena, struct measured_source);
	size_t i;

	if ((unsigned char)head[0] == 0x1f && (unsigned char)head[1] == 0x8b) {
		intake_complain(intake, "is compressed: gunzip it, or gunzip -c FILE | parplan "
					"calibrate --output PROFILE -");
		return;
	}
	for (i = 0; i < FILES && !files[i]->claims(head); i++)
		;
	if (i == FILES) {
		read_lines(intake, stream);
		return;
	}
	*source = source_of(intake, files[i]);
	intake->source = source;
	files[i]->read(intake, stream);
	keep(intake, source);
}

/* Something to use, or to tell of. */
static size_t found(const struct measurements *into)
{
	size_t rows = into->list.count + into->unhealthy + into->logs.count + into->figures.count +
		      into->sampled.count,
	       i;

	for (i = 0; i < into->sources.count; i++)
		rows += (size_t)into->sources.items[i].rows;
	return rows;
}

static const char *const no_gpu =
	"does not name the device; say it with --gpu (as in --gpu h100-sxm)";

static void check_devices(struct intake *intake, size_t tables)
{
	struct measurements *into = intake->into;
	size_t i;

	for (i = tables; i < into->list.count; i++)
		if (!into->list.items[i]->gpu) {
			intake_complain(intake, no_gpu);
			into->list.count = tables;
			return;
		}
}

/* Why there is nothing of use, where a reader found something that was none. */
static void complain_nothing(struct intake *intake, size_t first)
{
	const struct measurements *into = intake->into;
	size_t i;

	for (i = first; i < into->sources.count; i++)
		if (into->sources.items[i].why) {
			intake_complain(intake, arena_printf(intake->arena,
							     "(%s) has nothing to calibrate by: %s",
							     into->sources.items[i].kind,
							     into->sources.items[i].why));
			return;
		}
	intake_complain(intake,
			"has no table of a collective's times by size: give what an nccl-tests "
			"program "
			"prints from its first line on, or its JSON (-J)");
}

void measurements_read(struct arena *arena, struct text_stream *stream, const char *path,
		       const struct measurement_hints *hints, struct measurements *into,
		       struct findings *findings)
{
	struct intake intake = { .arena = arena,
				 .path = text_on_line(arena, path),
				 .hints = hints,
				 .into = into,
				 .findings = findings };
	const size_t before = found(into), tables = into->list.count;
	const size_t complaints = findings->list.count, sources = into->sources.count;

	read_kind(&intake, stream);
	check_devices(&intake, tables);
	if (found(into) == before && findings->list.count == complaints)
		complain_nothing(&intake, sources);
}
