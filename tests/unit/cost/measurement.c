/* What is read from the output of nccl-tests, however it comes. */
#include "cost/measurement.h"

#include "input/syntax/reader.h"
#include "unit/file_arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static struct findings findings;

static int begin_findings(void **state)
{
	begin(state);
	findings_init(&findings, &arena);
	return 0;
}

static struct measurements read_as(const char *path, const char *text)
{
	const struct measurement_hints hints = { 0 };
	struct measurements tables = { 0 };
	struct text_stream stream;

	stream_of(&stream, &arena, text, strlen(text));
	measurements_read(&arena, &stream, path, &hints, &tables, &findings);
	measurements_close(&arena, &tables);
	return tables;
}

#define DEVICES                                                                                    \
	"#  Rank  0 Group  0 Pid 11 on node-a device  0 [0x07] NVIDIA H100 80GB HBM3\n"            \
	"#  Rank  1 Group  0 Pid 12 on node-a device  1 [0x0b] NVIDIA H100 80GB HBM3\n"            \
	"#  Rank  2 Group  0 Pid 13 on node-b device  0 [0x07] NVIDIA H100 80GB HBM3\n"            \
	"#  Rank  3 Group  0 Pid 14 on node-b device  1 [0x0b] NVIDIA H100 80GB HBM3\n"

static void a_whole_output(void **state)
{
	struct measurements tables = read_as(
		"log.txt",
		"# Collective test starting: all_gather_perf\n"
		"# nccl-tests version 2.17.6 nccl-headers=22803 nccl-library=22803\n" DEVICES
		"     1048576         65536     float    none      -1    90.00   11.65    8.74     "
		" 0\n"
		"        4096           256     float    none      -1    40.00    0.10    0.08     "
		" 0\n");
	const struct measurement *table;

	(void)state;
	assert_int_equal(tables.list.count, 1);
	table = tables.list.items[0];
	assert_string_equal(table->op->name, "all_gather");
	assert_string_equal(table->gpu, "NVIDIA H100 80GB HBM3");
	assert_string_equal(table->nccl, "2.28.3");
	assert_int_equal(table->ranks, 4);
	assert_int_equal(table->nodes, 2);
	assert_int_equal(table->timed, TIMED_HOST_QUEUED);
	assert_int_equal(table->times.count, 2);
	assert_true(table->times.items[0].bytes == 4096 && table->times.items[0].time == 40);
}

/* The first versions have no root column and a column of errors; launchers put words in front. */
static void old_and_prefixed(void **state)
{
	struct measurements tables = read_as(
		"sweep/all_reduce_perf.log",
		"[1,0]<stdout>:#   Rank  0 Pid  1 on h device  0 [0x00] Tesla V100-SXM2-16GB\n"
		"w-0: #   Rank  1 Pid  1 on h device  1 [0x00] Tesla V100-SXM2-16GB\n"
		"2024-01-01T00:00:00Z worker-0     65536  16384  float  sum  50.0  1.31  1.31  "
		"0e+00 "
		"49.0 1.34 1.34 0e+00\n");

	(void)state;
	assert_int_equal(tables.list.count, 1);
	assert_int_equal(tables.list.items[0]->ranks, 2);
	assert_string_equal(tables.list.items[0]->op->name, "all_reduce");
	assert_string_equal(tables.list.items[0]->gpu, "Tesla V100-SXM2-16GB");
	assert_true(tables.list.items[0]->times.items[0].time == 50);
}

/* Rows cut or mixed with others are none: their bandwidth is not their size over their time. */
static void garbled_rows(void **state)
{
	struct measurements tables =
		read_as("all_gather.txt",
			DEVICES "  1048576  65536  float  none  -1  90.00  11.65  8.74  0\n"
				"  2097152  131072  float  none  -1  90.00  11.65  8.74  0\n"
				"  4194304  262144  float  none  -1  36\n"
				"  8388608  524288  flo NCCL INFO 300.00  27.96  20.97  0\n");

	(void)state;
	assert_int_equal(tables.list.count, 1);
	assert_int_equal(tables.list.items[0]->times.count, 1);
}

static void programs_one_after_the_other(void **state)
{
	struct measurements tables = read_as(
		"log.txt",
		"# Collective test starting: all_gather_perf\n# nThread 1 nGpus 1\n" DEVICES
		"  1048576  65536  float  none  -1  90.00  11.65  8.74  0\n"
		"# Collective test starting: reduce_scatter_perf\n# nThread 1 nGpus 1\n" DEVICES
		"  1048576  65536  float  sum  -1  91.00  11.52  8.64  0\n");

	(void)state;
	assert_int_equal(tables.list.count, 2);
	assert_string_equal(tables.list.items[1]->op->name, "reduce_scatter");
	assert_int_equal(tables.list.items[1]->ranks, 4);
}

static void json_of_nccl_tests(void **state)
{
	struct measurements tables = read_as(
		"r.json",
		"{\"version\":2,\"args\":[\".\\/build\\/reduce_scatter_perf\",\"-z\",\"1\"],"
		"\"nccl_version\":22902,\"config\":{},\"devices\":["
		"{\"rank\":0,\"hostname\":\"a\",\"device_info\":\"NVIDIA B200\"},"
		"{\"rank\":1,\"hostname\":\"a\",\"device_info\":\"NVIDIA B200\"}],\"results\":["
		"{\"size\":1024,\"out_of_place\":{\"time\":9.5,\"alg_bw\":0.1}},"
		"{\"size\":2048,\"out_of_place\":null}]}");
	const struct measurement *table;

	(void)state;
	assert_int_equal(tables.list.count, 1);
	table = tables.list.items[0];
	assert_string_equal(table->op->name, "reduce_scatter");
	assert_string_equal(table->gpu, "NVIDIA B200");
	assert_string_equal(table->nccl, "2.29.2");
	assert_int_equal(table->timed, TIMED_HOST_ISOLATED);
	assert_int_equal(table->times.count, 1);
	assert_int_equal(table->nodes, 1);
}

static void tables_as_json(void **state)
{
	struct measurements tables =
		read_as("t.json",
			"{\"collective\":\"alltoall\",\"n_ranks\":16,\"n_nodes\":2,\"gpu\":\"H100-"
			"SXM5-80GB\","
			"\"nic\":\"8x NDR IB 400Gb/s\",\"healthy\":\"yes\",\"rows\":["
			"{\"bytes\":8,\"time_us_out\":null},{\"bytes\":1024,\"time_us_out\":30}]}");

	(void)state;
	assert_int_equal(tables.list.count, 1);
	assert_string_equal(tables.list.items[0]->op->name, "all_to_all");
	assert_string_equal(tables.list.items[0]->fabric, "ib");
	assert_true(tables.list.items[0]->nic_count == 8 &&
		    tables.list.items[0]->nic_bandwidth == 50);
	tables = read_as("t.json", "{\"collective\":\"alltoall\",\"n_ranks\":2,\"n_nodes\":1,"
				   "\"gpu\":\"H100\",\"healthy\":\"unknown\",\"rows\":[]}");
	assert_int_equal(tables.list.count, 0);
	assert_int_equal(tables.unhealthy, 1);
	assert_int_equal(findings.list.count, 0);
}

static void networks_as_people_write_them(void **state)
{
	static const struct {
		const char *words, *fabric;
		double count, rate;
	} cases[] = {
		{ "8x400Gb/s NDR IB", "ib", 8, 50 },
		{ "EFAv2 32x100Gb/s (3200 Gb/s)", "efa", 32, 12.5 },
		{ "GCP A3 Mega 8x200Gb/s GPUDirect-TCPXO", "tcpxo", 8, 25 },
		{ "OCI BM.GPU.B4.8, 16x100Gb/s RoCE (1600 Gb/s)", "roce", 16, 12.5 },
		{ "8x NDR IB 400Gb/s", "ib", 8, 50 },
		{ "NVL72 one rack (MNNVL)", "nvl72", 0, 0 },
	};
	struct measurement table;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		table = (struct measurement) { .nodes = 2 };
		measurement_network(&table, cases[i].words);
		assert_string_equal(table.fabric, cases[i].fabric);
		assert_true(table.nic_count == cases[i].count);
		assert_true(table.nic_bandwidth == cases[i].rate);
	}
}

static void what_is_missing_is_said(void **state)
{
	(void)state;
	assert_int_equal(read_as("a.txt", "nothing here\n").list.count, 0);
	assert_int_equal(findings.list.count, 1);
	read_as("all_gather.txt",
		"#  Rank 0 Pid 1 on h device 0 [0x00]\n#  Rank 1 Pid 1 on h device 1 "
		"[0x00]\n  1048576  65536  float  none  -1  90.00  11.65  5.83  0\n");
	assert_int_equal(findings.list.count, 2);
	assert_non_null(strstr(findings.list.items[1]->message, "--gpu"));
}

/* A profile says what was read. */
static void written_and_read_again(void **state)
{
	struct measurements before =
		read_as("a \"quoted\" all_gather.txt",
			DEVICES "  1048576  65536  float  none  -1  90.00  11.65  8.74  0\n");
	struct measurements after = { 0 };
	struct buf out;
	char *text;

	(void)state;
	buf_init(&out);
	measurements_write(&before, &out);
	text = arena_strdup(&arena, out.data);
	buf_release(&out);
	measurements_of_profile(
		&arena, yaml_read(&arena, source_new(&arena, "p", text, strlen(text)), &findings),
		&after, &findings);
	assert_int_equal(findings.list.count, 0);
	assert_int_equal(after.list.count, 1);
	assert_ptr_equal(after.list.items[0]->op, before.list.items[0]->op);
	assert_string_equal(after.list.items[0]->gpu, before.list.items[0]->gpu);
	assert_string_equal(after.list.items[0]->source, before.list.items[0]->source);
	assert_int_equal(after.list.items[0]->nodes, 2);
	assert_true(after.list.items[0]->times.items[0].time == 90);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_whole_output, begin_findings, end),
		cmocka_unit_test_setup_teardown(old_and_prefixed, begin_findings, end),
		cmocka_unit_test_setup_teardown(garbled_rows, begin_findings, end),
		cmocka_unit_test_setup_teardown(programs_one_after_the_other, begin_findings, end),
		cmocka_unit_test_setup_teardown(json_of_nccl_tests, begin_findings, end),
		cmocka_unit_test_setup_teardown(tables_as_json, begin_findings, end),
		cmocka_unit_test_setup_teardown(networks_as_people_write_them, begin_findings, end),
		cmocka_unit_test_setup_teardown(what_is_missing_is_said, begin_findings, end),
		cmocka_unit_test_setup_teardown(written_and_read_again, begin_findings, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
