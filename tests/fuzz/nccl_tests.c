/*
 * Output of nccl-tests: reading never crashes, hangs or leaks; a table has sizes in ascending
 * order and times above nothing, ranks that fill its nodes, and survives being written as a
 * profile.
 */
#include "tree.h"

#include "cost/measurement.h"

#include <math.h>
#include <string.h>

static void check_table(const struct measurement *table)
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

static void check_written(struct arena *arena, const struct measurements *tables,
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct measurement_hints hints = { .gpu = "h100-sxm" };
	struct measurements tables = { 0 };
	struct findings findings;
	struct arena arena;
	char *text;
	size_t i;

	arena_init(&arena);
	findings_init(&findings, &arena);
	text = arena_alloc(&arena, size + 1);
	memcpy(text, data, size);
	measurements_read(&arena, source_new(&arena, "<fuzz>", text, size), &hints, &tables,
			  &findings);
	for (i = 0; i < tables.list.count; i++)
		check_table(tables.list.items[i]);
	if (tables.list.count)
		check_written(&arena, &tables, &findings);
	arena_release(&arena);
	return 0;
}
