/* NCCL's RAS and its Inspector: communicators of a running job, and counts that grow. */
#include "unit/evidence/feed.h"

#include "unit/evidence/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const struct evidence_source source_ras_json, source_ras_text, source_inspector;

static bool has_limit(const char *code)
{
	size_t i;

	for (i = 0; i < capture.limits.count; i++)
		if (!strcmp(capture.limits.items[i].code, code))
			return true;
	return false;
}

/* Calls of one kind by one rank on groups of one size in one step; 0: none. */
static int64_t calls_of(enum seen_op op, int64_t size, int64_t rank, int64_t step)
{
	int64_t count = 0;
	size_t i;

	for (i = 0; i < capture.calls.count; i++) {
		const struct seen_call *call = &capture.calls.items[i];
		if (call->op == op && call->rank == rank && call->step == step &&
		    capture.groups.items[call->group].size == size)
			count += call->count;
	}
	return count;
}

#define RANK(rank, pid, gather, reduce)                                                            \
	"{\"rank\":" rank ",\"host\":\"h\",\"pid\":" pid ",\"cuda_dev\":0,\"nvml_dev\":0,"         \
	"\"collective_counts\":{\"Broadcast\":0,\"AllGather\":" gather ",\"AllReduce\":" reduce    \
	"}}"
#define QUERY(world, pair)                                                                         \
	"{\"nccl_version\":\"2.29.1\",\"communicators_count\":2,\"communicators\":["               \
	"{\"hash\":\"0xa\",\"size\":3,\"ranks\":[" world "],\"missing_ranks\":[{\"rank\":2,"       \
	"\"host\":\"h\",\"pid\":12,\"cuda_dev\":0}]},"                                             \
	"{\"hash\":\"0xb\",\"size\":2,\"ranks\":[" pair "],\"missing_ranks\":[]}],\"ras\":{}}\n"
#define EARLY                                                                                      \
	QUERY(RANK("0", "10", "5", "1") "," RANK("1", "11", "5", "1"),                             \
	      RANK("0", "10", "0", "7") "," RANK("1", "12", "0", "7"))
#define LATE                                                                                       \
	QUERY(RANK("0", "10", "25", "1") "," RANK("1", "11", "25", "1"),                           \
	      RANK("0", "10", "3", "9") "," RANK("1", "12", "3", "9"))

static void one_query(void **state)
{
	const struct evidence_file *file;

	(void)state;
	file = feed(&capture, &source_ras_json, EARLY);
	assert_int_equal(file->records, 2);
	assert_int_equal(capture.world, 3);
	assert_int_equal(capture.groups.count, 2);
	assert_string_equal(capture.groups.items[0].identity, "0xa");
	assert_int_equal(capture.groups.items[1].size, 2);
	assert_int_equal(capture.groups.items[1].ranks[0], 0);
	assert_int_equal(capture.groups.items[1].ranks[1], 2);
	assert_int_equal(calls_of(SEEN_ALL_GATHER, 3, 1, 0), 5);
	assert_int_equal(calls_of(SEEN_ALL_REDUCE, 2, 2, 0), 7);
	assert_true(has_limit("ONE_SNAPSHOT"));
	assert_true(has_limit("RANKS_MISSING"));
	assert_string_equal(capture.versions.items[0], "nccl 2.29.1");
}

static void expect_growth(void)
{
	assert_false(has_limit("ONE_SNAPSHOT"));
	assert_int_equal(calls_of(SEEN_ALL_GATHER, 3, 0, 0), 5);
	assert_int_equal(calls_of(SEEN_ALL_GATHER, 3, 0, 1), 20);
	assert_int_equal(calls_of(SEEN_ALL_REDUCE, 3, 0, 0), 1);
	assert_int_equal(calls_of(SEEN_ALL_REDUCE, 3, 0, 1), 0);
	assert_int_equal(calls_of(SEEN_ALL_REDUCE, 2, 2, 1), 2);
	assert_int_equal(calls_of(SEEN_ALL_REDUCE, 2, 2, 0), 7);
}

/* In two files in either order, or in one. */
static void two_queries(void **state)
{
	(void)state;
	feed(&capture, &source_ras_json, EARLY);
	feed(&capture, &source_ras_json, LATE);
	expect_growth();
	assert_int_equal(calls_of(SEEN_ALL_GATHER, 2, 0, 1), 3);
	evidence_init(&capture, &arena);
	feed(&capture, &source_ras_json, LATE);
	feed(&capture, &source_ras_json, EARLY);
	expect_growth();
	evidence_init(&capture, &arena);
	assert_int_equal(feed(&capture, &source_ras_json, EARLY LATE)->records, 4);
	expect_growth();
}

static void what_is_wrong_in_a_query(void **state)
{
	const struct evidence_file *file;

	(void)state;
	file = feed(
		&capture, &source_ras_json,
		"{\"nccl_version\":{},\"communicators\":[{\"size\":2},{\"hash\":\"0xa\",\"size\":"
		"2,\"ranks\":[{\"rank\":5,\"host\":\"h\"},7]},{\"hash\":\"0xb\",\"size\":2,");
	assert_int_equal(file->unreadable, 3);
	assert_true(has_limit("FILE_CUT_OFF"));
	assert_int_equal(capture.groups.count, 0);
}

static void tables_of_text(void **state)
{
	const struct evidence_file *file;

	(void)state;
	file = feed(
		&capture, &source_ras_text,
		"NCCL version 2.24.3 compiled with CUDA 12.6\n\nJob summary\n===========\n\n"
		"  Nodes  Processes         GPUs  Processes     GPUs\n"
		"(total)   per node  per process    (total)  (total)\n"
		"      2          8            1         16       16\n\n"
		"Communicators... (0.00s)\n=============\n\n"
		"Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
		"    #  in group  per comm  per node  per comm  in group\n"
		"    0         2         1         8         8        16   RUNNING      OK\n"
		"    1         1         2       7-8     15-16        16   RUNNING  MISMATCH\n");
	assert_int_equal(file->records, 2);
	assert_int_equal(capture.world, 16);
	assert_int_equal(capture.groups.count, 3);
	assert_string_equal(capture.groups.items[1].name, "#0-1");
	assert_int_equal(capture.groups.items[1].size, 8);
	assert_int_equal(capture.groups.items[1].nodes, 1);
	assert_int_equal(capture.groups.items[2].size, 0);
	assert_null(capture.groups.items[0].ranks);
	assert_int_equal(capture.limits.count, 1);
	assert_string_equal(capture.limits.items[0].code, "RAS_ERRORS");
	assert_string_equal(capture.versions.items[0], "nccl 2.24.3");
}

#define CALL(id, rank, ranks, pid, perf)                                                           \
	"{\"header\":{\"id\":\"" id "\",\"rank\":" rank ",\"n_ranks\":" ranks ",\"nnodes\":1},"    \
	"\"metadata\":{\"hostname\":\"h\",\"pid\":" pid "}," perf "}\n"
#define COLL(op, number, bytes, time)                                                              \
	"\"coll_perf\":{\"coll\":\"" op "\",\"coll_sn\":" number ",\"coll_msg_size_bytes\":" bytes \
	",\"coll_exec_time_us\":" time "}"

/* One file for each process, joined by the communicators that they share. */
static void inspected(void **state)
{
	const struct evidence_file *file;

	(void)state;
	capture.world = 2; /* as another file tells */
	file = feed(&capture, &source_inspector,
		    CALL("0xa", "0", "2", "10", COLL("AllGather", "4", "1000", "9.5"))
			    CALL("0xa", "0", "2", "10", COLL("AllGather", "5", "1000", "8.5")) CALL(
				    "0xa", "0", "2", "10",
				    "\"p2p_perf\":{\"p2p\":\"Send\",\"p2p_sn\":1,\"p2p_peer\":1,"
				    "\"p2p_msg_size_bytes\":64,\"p2p_exec_time_us\":2}")
				    CALL("0xa", "9", "2", "10",
					 COLL("AllGather", "6", "1000", "9.5")) "{\"header\":"
										"{\"n_"
										"ranks\":"
										"1\n");
	assert_int_equal(file->records, 5);
	assert_int_equal(file->unreadable, 2);
	assert_int_equal(file->rank, 0);
	assert_int_equal(capture.calls.count, 2);
	assert_int_equal(capture.calls.items[0].bytes, 2000);
	assert_int_equal(capture.calls.items[0].count, 2);
	assert_true(capture.calls.items[0].shortest == 8.5);
	assert_int_equal(capture.calls.items[1].op, SEEN_SEND);
	assert_int_equal(capture.calls.items[1].peer, 1);
	assert_true(has_limit("RANKS_ASSUMED"));
	assert_false(has_limit("RING_BUFFER_WRAPPED"));
	feed(&capture, &source_inspector,
	     CALL("0xa", "1", "2", "11", COLL("AllReduce", "4", "1000", "9.5"))
		     CALL("0xa", "1", "2", "11", COLL("AllReduce", "7", "1000", "9.5")));
	assert_false(has_limit("RANKS_ASSUMED"));
	assert_true(has_limit("RING_BUFFER_WRAPPED"));
	assert_int_equal(capture.world, 2);
	assert_int_equal(capture.calls.items[2].bytes, 1000);
	assert_int_equal(capture.calls.items[2].rank, 1);
}

/* Small calls are left out: the largest communicator that is told of need not be the world. */
static void largest_is_no_world(void **state)
{
	(void)state;
	feed(&capture, &source_inspector,
	     CALL("0xa", "0", "2", "10", COLL("AllGather", "4", "100000", "9.5"))
		     CALL("0xa", "1", "2", "11", COLL("AllGather", "4", "100000", "9.5")));
	assert_int_equal(capture.world, 0);
	assert_null(capture.groups.items[0].ranks);
	assert_int_equal(capture.groups.items[0].size, 2);
	assert_int_equal(capture.calls.items[0].rank, -1);
}

/* Two communicators of one size that share nobody are not the world. */
static void strangers_have_no_ranks(void **state)
{
	(void)state;
	feed(&capture, &source_inspector,
	     CALL("0xa", "0", "2", "10", COLL("AllReduce", "4", "1000", "9.5"))
		     CALL("0xb", "1", "2", "11", COLL("AllReduce", "4", "1000", "9.5")));
	assert_int_equal(capture.groups.count, 2);
	assert_int_equal(capture.groups.items[0].observer, -1);
	assert_null(capture.groups.items[1].ranks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_query, begin_capture, end),
		cmocka_unit_test_setup_teardown(two_queries, begin_capture, end),
		cmocka_unit_test_setup_teardown(what_is_wrong_in_a_query, begin_capture, end),
		cmocka_unit_test_setup_teardown(tables_of_text, begin_capture, end),
		cmocka_unit_test_setup_teardown(inspected, begin_capture, end),
		cmocka_unit_test_setup_teardown(largest_is_no_world, begin_capture, end),
		cmocka_unit_test_setup_teardown(strangers_have_no_ranks, begin_capture, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
