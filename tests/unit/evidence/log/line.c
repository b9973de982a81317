/* What launchers and loggers put before a line, and what is a part of it. */
#include "evidence/log/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { DAY = 86400, MONTH = 31 * DAY };

static const struct {
	const char *line, *text;
	int64_t rank;
	double time;
} cases[] = {
	{ "", "", -1, -1 },
	{ "a text", "a text", -1, -1 },
	{ "[rank3]: a text", "a text", 3, -1 },
	{ "[rank3]:   File \"a.py\"", "  File \"a.py\"", 3, -1 },
	{ "[Rank 12] a text", "a text", 12, -1 },
	{ "[PG ID 0 PG GUID 0(default_pg) Rank 7] a text", "a text", 7, -1 },
	{ "[default5]:a text", "a text", 5, -1 },
	{ "  11: a text", "a text", 11, -1 },
	{ "4: [rank9]: a text", "a text", 9, -1 },
	{ "[1,3]<stdout>:a text", "a text", 3, -1 },
	{ "[1,12]<stderr>: a text", "a text", 12, -1 },
	{ "[prterun-node1-4711@1,5]<stderr>: [rank5]: a text", "a text", 5, -1 },
	{ "[2] a text", "a text", 2, -1 },
	{ "[1,3] of a text", "[1,3] of a text", -1, -1 },
	{ "[1, 3]<stdout>:a text", "[1, 3]<stdout>:a text", -1, -1 },
	{ "03:04:05 a text", "a text", -1, 3 * 3600 + 4 * 60 + 5 },
	{ "2026-02-03 00:00:01,500 - root - INFO - a text", "a text", -1,
	  2 * MONTH + 3 * DAY + 1.5 },
	{ "[2026-02-03T00:00:01.5] ERROR a text", "a text", -1, 2 * MONTH + 3 * DAY + 1.5 },
	{ "[rank1]:[E0203 00:00:01.500000 ProcessGroupNCCL.cpp:607] [Rank 1] a text", "a text", 1,
	  2 * MONTH + 3 * DAY + 1.5 },
	{ "E0203 00:00:01.500000 4711 torch/run.py:869] a text", "a text", -1,
	  2 * MONTH + 3 * DAY + 1.5 },
	{ "node1:4711:4712 [3] NCCL WARN a text", "a text", -1, -1 },
	{ "(Worker pid=4711, ip=10.0.0.7) a text", "a text", -1, -1 },
	{ "(4, 2) a text", "(4, 2) a text", -1, -1 },
	{ "[128]) a text", "[128]) a text", -1, -1 },
	{ "['dp']) a text", "['dp']) a text", -1, -1 },
	{ "[Errno 28] a text", "[Errno 28] a text", -1, -1 },
	{ "[rank3", "[rank3", -1, -1 },
	{ "INFORMATION of no level", "INFORMATION of no level", -1, -1 },
	{ "ValueError: a text", "ValueError: a text", -1, -1 },
	{ "[rank99999999999999999999]: a text", "a text", -1, -1 },
};

static void prefixes(void **state)
{
	struct log_line line;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		line = log_line_of(cases[i].line, strlen(cases[i].line));
		if (line.length != strlen(cases[i].text) ||
		    memcmp(line.text, cases[i].text, line.length) != 0)
			fail_msg("'%s' leaves '%.*s'", cases[i].line, (int)line.length, line.text);
		if (line.rank != cases[i].rank)
			fail_msg("'%s': rank %lld", cases[i].line, (long long)line.rank);
		if (line.time < cases[i].time - 1e-6 || line.time > cases[i].time + 1e-6)
			fail_msg("'%s': at %g", cases[i].line, line.time);
	}
}

static void colors(void **state)
{
	static const struct {
		const char *line, *text;
	} lines[] = {
		{ "a", "a" },
		{ "\033[31ma\033[0m", "a" },
		{ "\033[38;5;196ma \033[1mb", "a b" },
		{ "\033", "" },
		{ "a\033[", "a" },
		{ "a\033[31", "a" },
		{ "\033Ma", "a" },
	};
	char plain[64];
	size_t i, length;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		length = log_line_uncolor(plain, lines[i].line, strlen(lines[i].line));
		assert_int_equal(length, strlen(lines[i].text));
		assert_memory_equal(plain, lines[i].text, length);
	}
}

static void paths(void **state)
{
	static const struct {
		const char *path;
		int64_t rank;
	} files[] = {
		{ "rank3.log", 3 },
		{ "logs/rank_12.txt", 12 },
		{ "train.log", -1 },
		{ "out/attempt_0/5/stderr.log", 5 },
		{ "7/stdout.log", 7 },
		{ "out/rank_4/stderr.log", 4 },
		{ "out/node/stderr.log", -1 },
		{ "stderr.log", -1 },
	};
	enum log_mark mark;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (log_path_rank(files[i].path, &mark) != files[i].rank)
			fail_msg("%s: rank %lld", files[i].path,
				 (long long)log_path_rank(files[i].path, &mark));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefixes),
		cmocka_unit_test(colors),
		cmocka_unit_test(paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
