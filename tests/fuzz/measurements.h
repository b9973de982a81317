#ifndef FUZZ_MEASUREMENTS_H
#define FUZZ_MEASUREMENTS_H

#include "tree.h"

#include "cost/choices.h"
#include "cost/measurement.h"
#include "cost/nccl_log.h"

#include <math.h>
#include <string.h>

/*
 * What holds for every file of measurements, whatever is in it: reading never crashes, hangs or
 * leaks; a table has sizes in ascending order and times above nothing, ranks that fill its nodes;
 * what a log printed is finite; and all of it survives being written as a profile.
 */

static inline void check_table(const struct measurement *table)
{
	size_t i;

	if (!table->op || table->ranks < 2 || table->nodes < 1 || table->ranks % table->nodes)
		bug("a table of %lld ranks on %lld nodes", (long long)table->ranks,
		    (long long)table->nodes);
	if (!table->times.count)
		bug("a table without sizes");
	for (i = 0; i < table->times.count; i++) {
		const struct measured_time *time = &table->times.items[i];
		if (!isfinite(time->time) || time->time <= 0 || time->bytes <= 0)
			bug("%g bytes in %g us", time->bytes, time->time);
		if (i && time->bytes <= time[-1].bytes)
			bug("sizes are not in order");
	}
}

static inline void check_log(struct arena *arena, const struct nccl_log *log)
{
	const struct nccl_way *way = &log->printed.ways[0][0][0];
	struct calibration calibration;
	struct choices choices;
	size_t i;

	for (i = 0; i < sizeof(log->printed.ways) / sizeof(*way); i++)
		if (!isfinite(way[i].latency) || way[i].latency < 0 || !isfinite(way[i].bandwidth))
			bug("%g us at %g GB/s", way[i].latency, way[i].bandwidth);
	if (log->at.ranks < 2 || log->at.nodes < 1 || log->at.ranks % log->at.nodes)
		bug("a communicator of %lld ranks on %lld nodes", (long long)log->at.ranks,
		    (long long)log->at.nodes);
	calibration_init(&calibration, arena);
	calibration_add_log(&calibration, (struct nccl_log *)(uintptr_t)log);
	choices_init(&choices, &calibration);
	if (choices.list.count != log->choices.count)
		bug("%zu choices of %zu", choices.list.count, log->choices.count);
}

static inline void check_figures(const struct measurements *tables)
{
	size_t i;

	for (i = 0; i < tables->figures.count; i++)
		if (!(tables->figures.items[i].value > 0) || !tables->figures.items[i].source)
			bug("%s is %g", figure_of(tables->figures.items[i].id)->key,
			    tables->figures.items[i].value);
}

static inline void check_written(struct arena *arena, const struct measurements *tables,
				 struct findings *findings)
{
	struct measurements again = { 0 };
	struct buf out;
	char *text;

	buf_init(&out);
	measurements_write(tables, &out);
	text = arena_strdup(arena, out.data);
	buf_release(&out);
	measurements_of_profile(
		arena, yaml_read(arena, source_new(arena, "p", text, strlen(text)), findings),
		&again, findings);
	if (!findings->list.count && again.list.count != tables->list.count)
		bug("%zu tables of %zu came back", again.list.count, tables->list.count);
}

/* One file of any kind. */
static inline int check_measurements(const uint8_t *data, size_t size)
{
	const struct measurement_hints hints = { .gpu = "h100-sxm", .ranks = 8 };
	struct measurements tables = { 0 };
	struct findings findings;
	struct text_stream stream;
	struct arena arena;
	size_t i;

	arena_init(&arena);
	findings_init(&findings, &arena);
	stream_of(&stream, &arena, (const char *)data, size);
	measurements_read(&arena, &stream, "<fuzz>", &hints, &tables, &findings);
	measurements_close(&arena, &tables);
	for (i = 0; i < tables.list.count; i++)
		check_table(tables.list.items[i]);
	for (i = 0; i < tables.logs.count; i++)
		check_log(&arena, tables.logs.items[i]);
	check_figures(&tables);
	if (tables.list.count || tables.logs.count)
		check_written(&arena, &tables, &findings);
	arena_release(&arena);
	return 0;
}

#endif
