#include "cost/measurement.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct rule_id rule_measurement = {
	.name = "measurement",
	.code = "C121",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "a file of measurements has no table that can be used",
	.explanation = "Calibration reads what nccl-tests prints, its JSON (-J), tables of "
		       "measurements as JSON, logs of NCCL, what NCCL Inspector dumps, traces of "
		       "PyTorch's profiler and what parplan-cudabench writes. A table needs a "
		       "collective, the number of ranks, the device, and times by size.",
	.remedy = "Give the whole output of one program, and --gpu where it has no name of the "
		  "device.",
	.source = "https://github.com/NVIDIA/nccl-tests",
};

static const char *const timings[] = { "cuda_event", "host_queued", "host_isolated", "log" };

const char *timing_name(enum timing timing)
{
	return timings[timing];
}

const char *nccl_tests_version(struct arena *arena, int64_t code)
{
	if (code < 10000)
		return arena_printf(arena, "%d.%d.%d", (int)(code / 1000), (int)(code / 100 % 10),
				    (int)(code % 100));
	return arena_printf(arena, "%d.%d.%d", (int)(code / 10000), (int)(code / 100 % 100),
			    (int)(code % 100));
}

void measurement_put(struct arena *arena, struct measurement *table, double bytes, double time)
{
	size_t i;

	if (!(bytes > 0 && bytes < 1e18 && time > 0 && time < 1e12))
		return;
	for (i = 0; i < table->times.count; i++)
		if (table->times.items[i].bytes == bytes) {
			if (time < table->times.items[i].time)
				table->times.items[i].time = time;
			return;
		}
	vec_push(arena, &table->times, ((struct measured_time) { bytes, time }));
}

static int by_bytes(const void *a, const void *b)
{
	const struct measured_time *left = a, *right = b;

	return (left->bytes > right->bytes) - (left->bytes < right->bytes);
}

void measurement_finish(struct arena *arena, struct measurement *table, struct measurements *into)
{
	if (!table->times.count)
		return;
	qsort(table->times.items, table->times.count, sizeof(*table->times.items), by_bytes);
	vec_push(arena, &into->list, table);
}

/* A number at which a word, or what is behind an x, begins. */
static bool number_starts(const char *text, const char *at)
{
	return isdigit((unsigned char)*at) &&
	       (at == text || at[-1] == 'x' || !isalnum((unsigned char)at[-1]));
}

/* RATE Gb/s before the next comma. */
static bool rate_in(const char *text, double *rate)
{
	const char *at;
	char *end;

	for (at = text; *at && *at != ',' && *at != ';'; at++) {
		if (!number_starts(text, at) || (at > text && at[-1] == '-'))
			continue;
		*rate = strtod(at, &end);
		while (*end == ' ')
			end++;
		if (*rate > 0 && text_starts(end, "Gb"))
			return true;
	}
	return false;
}

/* COUNTxRATE Gb/s somewhere in the words: "16x100Gb/s RoCE", "8x NDR IB 400Gb/s". */
static bool adapters_at(const char *at, double *count, double *rate)
{
	char *end;

	*count = strtod(at, &end);
	return end != at && (*end == 'x' || *end == 'X') && *count >= 1 && *count <= 64 &&
	       rate_in(end + 1, rate);
}

void measurement_network(struct measurement *table, const char *words)
{
	static const char *const names[][2] = {
		{ "tcpxo", "tcpxo" },	      { "tcpx", "tcpx" },   { "efa", "efa" },
		{ "slingshot", "slingshot" }, { "mnnvl", "nvl72" }, { "nvl72", "nvl72" },
		{ "roce", "roce" },	      { "ib", "ib" },	    { "infiniband", "ib" },
	};
	char low[256];
	const char *at;
	double count, rate;
	size_t i;

	for (i = 0; i < sizeof(low) - 1 && words[i]; i++)
		low[i] = (char)tolower((unsigned char)words[i]);
	low[i] = '\0';
	table->pcie = text_starts(low, "pcie");
	for (i = 0; i < sizeof(names) / sizeof(*names) && table->nodes > 1; i++)
		if (strstr(low, names[i][0])) {
			table->fabric = names[i][1];
			break;
		}
	for (at = words; *at; at++)
		if (isdigit((unsigned char)*at) &&
		    (at == words || !isalnum((unsigned char)at[-1])) &&
		    adapters_at(at, &count, &rate)) {
			table->nic_count = count;
			table->nic_bandwidth = rate / 8;
			return;
		}
}
