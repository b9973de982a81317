/* Logs, dumps, traces and benchmarks: what each reader takes, counts as unreadable, and leaves out.
 */
#include "cost/measurement.h"

#include "cost/choices.h"
#include "cost/nccl_log.h"
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

static void read_into(struct measurements *tables, const char *path, const char *text,
		      struct measurement_hints hints)
{
	struct text_stream stream;

	stream_of(&stream, &arena, text, strlen(text));
	measurements_read(&arena, &stream, path, &hints, tables, &findings);
}

static const struct measurement_hints h100 = { .gpu = "h100-sxm" };

#define CALL(comm, rank, coll, sn, bytes, us, rate)                                                \
	"{\"header\":{\"id\":\"" comm "\",\"rank\":" rank ",\"n_ranks\":8,\"nnodes\":1},"          \
	"\"coll_perf\":{\"coll\":\"" coll "\",\"coll_sn\":" sn ",\"coll_msg_size_bytes\":" bytes   \
	",\"coll_exec_time_us\":" us ",\"coll_algobw_gbs\":" rate "}}\n"

/* The rank that waited least, per call; then one of the least calls. */
static void inspector(void **state)
{
	struct measurements tables = { 0 };

	(void)state;
	read_into(&tables, "rank0",
		  CALL("0x1", "0", "AllReduce", "1", "1000000", "90", "11.11")
			  CALL("0x1", "0", "AllReduce", "2", "1000000", "40", "25.0")
				  CALL("0x1", "0", "AllGather", "3", "1000000", "50", "160.0"),
		  h100);
	read_into(&tables, "rank1",
		  CALL("0x1", "1", "AllReduce", "1", "1000000", "41", "24.39")
			  CALL("0x1", "1", "AllReduce", "2", "1000000", "70", "14.29")
		  /* at odds with itself, cut, of no model, of one rank's own */
		  CALL("0x1", "1", "AllReduce", "4", "1000000", "70", "99.0") CALL(
			  "0x1", "1", "Mystery", "5", "1000000", "70",
			  "14.29") "{\"header\":{\"id\":\"0x1\",\"rank\":0,\n"
				   "{\"header\":{\"n_ranks\":8},\"p2p_perf\":{\"p2p\":\"Send\"}}\n",
		  h100);
	measurements_close(&arena, &tables);
	assert_int_equal(findings.list.count, 0);
	assert_int_equal(tables.list.count, 2);
	assert_int_equal(tables.list.items[0]->times.count, 1);
	assert_true(tables.list.items[0]->times.items[0].time == 40);
	assert_int_equal(tables.list.items[0]->timed, TIMED_LOG);
	assert_true(tables.list.items[1]->times.items[0].bytes == 8e6);
	assert_int_equal(tables.sources.count, 2);
	assert_int_equal(tables.sources.items[1].rows, 2);
	assert_int_equal(tables.sources.items[1].unreadable, 2);
	assert_int_equal(tables.sources.items[1].first, 3);
	assert_int_equal(tables.sources.items[1].left_out, 2);
}

static void without_device(void **state)
{
	const struct measurement_hints none = { 0 };
	struct measurements tables = { 0 };

	(void)state;
	read_into(&tables, "rank0", CALL("0x1", "0", "AllReduce", "1", "1000", "9", "0.111"), none);
	assert_int_equal(findings.list.count, 1);
	assert_non_null(strstr(findings.list.items[0]->message, "--gpu"));
}

#define LOG "w-0: host-a:7:9 [0] NCCL INFO "

/* The forms of 2.7, 2.18 and 2.24. */
static void tables_of_a_log(void **state)
{
	static const struct {
		const char *text;
		enum nccl_algorithm algorithm;
		enum nccl_protocol protocol;
		double latency, bandwidth;
		int channels;
	} cases[] = {
		{ LOG " Pattern 4, crossNic 0, nChannels 6, speed 20.000000/12.000000, type "
		      "NVL/PIX\n" LOG
		      "Latency/AlgBw |    Tree/    LL |    Tree/ LL128 |    Ring/Simple |\n" LOG
		      "    AllReduce |     8.0/  19.0 |    16.5/  57.0 |    15.2/ 160.0 |\n" LOG
		      "comm 0x1 rank 0 nranks 2 cudaDev 0 busId 1 - Init COMPLETE\n",
		  NCCL_RING, NCCL_SIMPLE, 15.2, 160, 6 },
		{ LOG "  Algorithm   |                           Tree                   |\n" LOG
		      "  Protocol    |             LL |          LL128 |         Simple |\n" LOG
		      " Max NThreads |            512 |            640 |            512 |\n" LOG
		      "    AllReduce |     8.0/  19.0 |    16.5/  57.0 |    16.4/  74.0 |\n" LOG
		      "comm 0x1 rank 0 nRanks 2 nNodes 1 localRanks 2 localRank 0 MNNVL 0\n" LOG
		      "ncclCommInitRank comm 0x1 rank 0 nranks 2 cudaDev 0 commId 0x2 - Init "
		      "COMPLETE\n",
		  NCCL_TREE, NCCL_LL128, 16.5, 57, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct measurements tables = { 0 };
		const struct nccl_log *log;
		const struct nccl_way *way;
		read_into(&tables, "log", cases[i].text, h100);
		assert_int_equal(tables.logs.count, 1);
		log = tables.logs.items[0];
		assert_int_equal(log->at.ranks, 2);
		assert_int_equal(log->at.nodes, 1);
		assert_true(log->printed.known[NCCL_ALL_REDUCE]);
		assert_false(log->printed.known[NCCL_ALL_GATHER]);
		way = &log->printed.ways[NCCL_ALL_REDUCE][cases[i].algorithm][cases[i].protocol];
		assert_true(way->latency == cases[i].latency);
		assert_true(way->bandwidth == cases[i].bandwidth);
		assert_int_equal(log->printed.graphs.ring.channels, cases[i].channels);
	}
}

/* A choice belongs to the communicator that the call names, or to the only one. */
static void choices_of_a_log(void **state)
{
	struct measurements tables = { 0 };
	const struct nccl_log *log;

	(void)state;
	read_into(&tables, "log",
		  LOG
		  "comm 0x1 rank 0 nranks 2 cudaDev 0 busId 1 - Init COMPLETE\n" LOG
		  "AllReduce: 4096 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..1}\n" LOG
		  "AllReduce: 4096 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..1}\n" LOG
		  "comm 0x2 rank 0 nranks 4 cudaDev 0 busId 1 - Init COMPLETE\n" LOG
		  "AllReduce: 8192 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..1}\n" LOG
		  "AllGather: opCount 1f sendbuff 0x1 recvbuff 0x2 count 8 datatype 7 op 0 root 0 "
		  "comm 0x2 [nranks=4] stream 0x3\n" LOG
		  "16384 Bytes -> Algo 1 proto 2 time 12.5\n" LOG
		  "16384 Bytes -> Algo 9 proto 2 time 12.5\n",
		  h100);
	assert_int_equal(tables.logs.count, 2);
	log = tables.logs.items[0];
	assert_int_equal(log->choices.count, 1);
	assert_int_equal(log->choices.items[0].algorithm, NCCL_TREE);
	log = tables.logs.items[1];
	assert_int_equal(log->at.ranks, 4);
	assert_int_equal(log->choices.count, 1);
	assert_string_equal(log->choices.items[0].op->name, "all_gather");
	assert_int_equal(log->choices.items[0].protocol, NCCL_SIMPLE);
	assert_true(log->choices.items[0].bytes == 16384);
	assert_int_equal(tables.sources.items[0].left_out, 1);
	assert_int_equal(tables.sources.items[0].unreadable, 1);
	assert_int_equal(tables.sources.items[0].first, 8);
}

/* What was printed decides for its communicator, and for no other. */
static void printed_tables_decide(void **state)
{
	struct measurements tables = { 0 };
	struct calibration calibration;
	struct communicator_place place;
	struct profile profile;
	struct route route;

	(void)state;
	read_into(&tables, "log",
		  LOG "  Algorithm   |                           Tree                   |\n" LOG
		      "    AllReduce |     1.0/ 900.0 |     0.0/   0.0 |     0.0/   0.0 |\n" LOG
		      "comm 0x1 rank 0 nranks 8 cudaDev 0 busId 1 - Init COMPLETE\n",
		  h100);
	profile_init(&profile, &arena);
	assert_true(profile_gpu(&profile, "h100-sxm"));
	calibration_init(&calibration, &arena);
	assert_true(calibration_add_log(&calibration, tables.logs.items[0]));
	communicator_place_init(&place, &profile, 8, 1);
	route = route_of(&place);
	assert_int_equal(
		nccl_choose(&route.system, &route.graphs, NCCL_ALL_REDUCE, 1 << 28).algorithm,
		NCCL_NVLS);
	place.calibration = &calibration;
	route = route_of(&place);
	assert_int_equal(
		nccl_choose(&route.system, &route.graphs, NCCL_ALL_REDUCE, 1 << 28).algorithm,
		NCCL_TREE);
	assert_int_equal(
		nccl_choose(&route.system, &route.graphs, NCCL_ALL_GATHER, 1 << 28).algorithm,
		NCCL_RING);
	place.ranks = 4;
	route = route_of(&place);
	assert_int_equal(
		nccl_choose(&route.system, &route.graphs, NCCL_ALL_REDUCE, 1 << 28).algorithm,
		NCCL_RING);
}

#define HEAD                                                                                       \
	"{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA "                  \
	"A100-SXM4-80GB\"},"                                                                       \
	"{\"id\":1,\"name\":\"NVIDIA A100-SXM4-80GB\"}],\"traceEvents\":["
#define TAIL "],\"distributedInfo\":{\"world_size\":4,\"nccl_version\":\"2.21.5\"}}"
#define KERNEL(coll, in, out, type, size, ranks, dur)                                              \
	"{\"cat\":\"kernel\",\"name\":\"ncclDevKernel_X\",\"ts\":1,\"dur\":" dur                   \
	",\"args\":{\"Collective name\":\"" coll "\",\"In msg nelems\":" in                        \
	",\"Out msg nelems\":" out ",\"Group size\":" size ",\"dtype\":\"" type                    \
	"\",\"In split size\":\"[]\",\"Process Group Name\":\"1\",\"Process Group "                \
	"Ranks\":\"" ranks "\"}}"

static void traces(void **state)
{
	static const struct {
		const char *event, *op;
		double bytes, time;
		int64_t ranks, nodes;
		bool left_out;
	} cases[] = {
		{ KERNEL("_allgather_base", "1024", "2048", "BFloat16", "2", "[0, 1]", "12.5"),
		  "all_gather", 4096, 12.5, 2, 1, false },
		{ KERNEL("_reduce_scatter_base", "4096", "1024", "Float", "4", "[0, 1, 2, 3]",
			 "20"),
		  "reduce_scatter", 16384, 20, 4, 2, false },
		{ KERNEL("allreduce", "8", "8", "Float", "2", "[1, 3]", "9"), "all_reduce", 32, 9,
		  2, 2, false },
		/* the whole job: its list may be shortened */
		{ KERNEL("broadcast", "8", "8", "Byte", "4", "[0, 1, ..., 3]", "9"), "broadcast", 8,
		  9, 4, 2, false },
		{ KERNEL("allreduce", "8", "8", "Float", "1", "[1]", "9"), NULL, 0, 0, 0, 0, true },
		{ KERNEL("allreduce", "8", "8", "Mystery", "2", "[0, 1]", "9"), NULL, 0, 0, 0, 0,
		  true },
		{ KERNEL("send", "8", "8", "Float", "2", "[0, 1]", "9"), NULL, 0, 0, 0, 0, true },
		{ KERNEL("allreduce", "8", "8", "Float", "3", "[0, ..., 9]", "9"), NULL, 0, 0, 0, 0,
		  true },
		{ "{\"cat\":\"kernel\",\"name\":\"ncclDevKernel_SendRecv\",\"dur\":3}", NULL, 0, 0,
		  0, 0, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct measurement_hints none = { 0 };
		struct measurements tables = { 0 };
		const struct measurement *table;
		read_into(&tables, "trace", arena_join(&arena, HEAD, cases[i].event, TAIL), none);
		measurements_close(&arena, &tables);
		assert_int_equal(tables.sources.items[0].left_out, cases[i].left_out);
		assert_int_equal(tables.list.count, !cases[i].left_out);
		if (cases[i].left_out)
			continue;
		table = tables.list.items[0];
		assert_string_equal(table->op->name, cases[i].op);
		assert_string_equal(table->gpu, "NVIDIA A100-SXM4-80GB");
		assert_string_equal(table->nccl, "2.21.5");
		assert_true(table->times.items[0].bytes == cases[i].bytes);
		assert_true(table->times.items[0].time == cases[i].time);
		assert_int_equal(table->ranks, cases[i].ranks);
		assert_int_equal(table->nodes, cases[i].nodes);
	}
}

/* Two ranks' traces: of each call the shorter one. */
static void traces_of_ranks(void **state)
{
	const struct measurement_hints none = { 0 };
	struct measurements tables = { 0 };

	(void)state;
	read_into(&tables, "rank0",
		  HEAD KERNEL("allreduce", "8", "8", "Float", "2", "[0, 1]", "50") "," KERNEL(
			  "allreduce", "8", "8", "Float", "2", "[0, 1]", "12") TAIL,
		  none);
	read_into(&tables, "rank1",
		  HEAD KERNEL("allreduce", "8", "8", "Float", "2", "[0, 1]", "13") "," KERNEL(
			  "allreduce", "8", "8", "Float", "2", "[0, 1]", "70") TAIL,
		  none);
	assert_int_equal(tables.sampled.items[0].calls.count, 4);
	measurements_close(&arena, &tables);
	assert_int_equal(tables.list.count, 1);
	assert_true(tables.list.items[0]->times.items[0].time == 12);
}

static void benchmark(void **state)
{
	struct measurements tables = { 0 };
	const struct measurement_hints none = { 0 };

	(void)state;
	read_into(
		&tables, "bench.json",
		"{\"schema\":\"parplan.cudabench/1\",\"device\":\"NVIDIA A100-SXM4-80GB\","
		"\"date\":\"2026-01-02\",\"measurements\":["
		"{\"name\":\"launch\",\"rows\":[{\"what\":\"queued\",\"time_us\":2.5},"
		"{\"what\":\"queued\",\"time_us\":2.25}]},"
		/* the smaller one is the cache's */
		"{\"name\":\"memory\",\"rows\":[{\"what\":\"copy\",\"bytes\":1048576,\"gbs\":4000},"
		"{\"what\":\"copy\",\"bytes\":1073741824,\"gbs\":1650}]},"
		"{\"name\":\"gemm\",\"rows\":[{\"format\":\"bf16\",\"k\":1,\"tflops\":-1},"
		"{\"format\":\"fp8\",\"k\":1,\"tflops\":500}]}]}",
		none);
	assert_int_equal(findings.list.count, 0);
	assert_int_equal(tables.figures.count, 2);
	assert_int_equal(tables.figures.items[0].id, FIGURE_KERNEL_LATENCY);
	assert_true(tables.figures.items[0].value == 2.25);
	assert_int_equal(tables.figures.items[1].id, FIGURE_HBM_SHARE);
	assert_true(tables.figures.items[1].value > .7 && tables.figures.items[1].value < 1);
	assert_non_null(strstr(tables.figures.items[1].source, "2026-01-02"));
	assert_string_equal(tables.figures.items[1].gpu, "a100-80g");
	assert_int_equal(tables.sources.items[0].unreadable, 1);
	assert_int_equal(tables.sources.items[0].left_out, 1); /* it has no fp8 */
}

/* The collectives' text, as parplan-cudabench prints it. */
static void benchmark_text(void **state)
{
	static const struct measurement_hints none = { 0 };
	struct measurements tables = { 0 };
	const struct measurement *table;

	(void)state;
	read_into(&tables, "bench.txt",
		  "# nThread 1 nGpus 2\n# Collective test starting: all_reduce_perf\n"
		  "# timed=cuda_event nccl-headers=22809 nccl-library=22809\n"
		  "#  Rank  0 Group  0 Pid     12 on     node-a device  0 [0x1b] NVIDIA B200\n"
		  "#  Rank  1 Group  0 Pid     12 on     node-a device  1 [0x43] NVIDIA B200\n"
		  "        4096          1024     float     sum      -1    13.90    0.29    0.29   "
		  " N/A"
		  "    13.80    0.30    0.30    N/A  # NCCL foretells 15.00 us\n",
		  none);
	assert_int_equal(tables.list.count, 1);
	table = tables.list.items[0];
	assert_int_equal(table->timed, TIMED_CUDA_EVENT);
	assert_string_equal(table->nccl, "2.28.9");
	assert_int_equal(table->ranks, 2);
	assert_true(table->times.items[0].time == 13.9);
}

static void compressed(void **state)
{
	struct measurements tables = { 0 };

	(void)state;
	read_into(&tables, "trace.json.gz", "\x1f\x8b\x08", h100);
	assert_int_equal(findings.list.count, 1);
	assert_non_null(strstr(findings.list.items[0]->message, "gunzip"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(inspector, begin_findings, end),
		cmocka_unit_test_setup_teardown(without_device, begin_findings, end),
		cmocka_unit_test_setup_teardown(tables_of_a_log, begin_findings, end),
		cmocka_unit_test_setup_teardown(choices_of_a_log, begin_findings, end),
		cmocka_unit_test_setup_teardown(printed_tables_decide, begin_findings, end),
		cmocka_unit_test_setup_teardown(traces, begin_findings, end),
		cmocka_unit_test_setup_teardown(traces_of_ranks, begin_findings, end),
		cmocka_unit_test_setup_teardown(benchmark, begin_findings, end),
		cmocka_unit_test_setup_teardown(benchmark_text, begin_findings, end),
		cmocka_unit_test_setup_teardown(compressed, begin_findings, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
