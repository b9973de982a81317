/* Logs of NCCL of several versions: who is in which communicator, and what was called on it. */
#include "unit/evidence/feed.h"

#include "evidence/observed/color.h"

#include "unit/evidence/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const struct evidence_source source_nccl_log;

static struct evidence_file *read_log(const char *text)
{
	return feed(&capture, &source_nccl_log, text);
}

/* The group of that size which the `number`-th row tells of. */
static const struct seen_group *group_of(int64_t size, size_t number)
{
	size_t i;

	for (i = 0; i < capture.groups.count; i++)
		if (capture.groups.items[i].size == size && !number--)
			return &capture.groups.items[i];
	return NULL;
}

static void expect_ranks(const struct seen_group *group, const char *ranks)
{
	const char *text = "";
	int64_t i;

	assert_non_null(group);
	for (i = 0; group->ranks && i < group->size; i++)
		text = arena_printf(&arena, "%s%s%lld", text, i ? " " : "",
				    (long long)group->ranks[i]);
	assert_string_equal(text, ranks);
}

static bool has_limit(const char *code)
{
	size_t i;

	for (i = 0; i < capture.limits.count; i++)
		if (!strcmp(capture.limits.items[i].code, code))
			return true;
	return false;
}

#define A "alpha:10:20 [0] NCCL INFO "
#define B "beta:10:20 [0] NCCL INFO "

/* Lines of two processes, one on each of two hosts, as versions print them. */
static void every_version_makes_one_group(void **state)
{
	static const struct {
		const char *first, *second, *identity;
	} cases[] = {
		{ A "comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1b000 - Init COMPLETE\n",
		  B "comm 0x5 rank 1 nranks 2 cudaDev 0 busId 1b000 - Init COMPLETE\n", NULL },
		{ A "comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1b000 commId 0xabc - Init COMPLETE\n",
		  B "comm 0x5 rank 1 nranks 2 cudaDev 0 busId 1b000 commId 0xabc - Init COMPLETE\n",
		  "0xabc" },
		{ A "comm 0x5 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1b000 commId 0xabc - Init "
		    "START\n" A "comm 0x5 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL "
		    "0\n" A "ncclCommInitRank comm 0x5 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId "
		    "1b000 commId 0xabc - Init COMPLETE\n",
		  B "comm 0x5 rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId 1b000 commId 0xabc - Init "
		    "START\n" B
		    "ncclCommInitRank comm 0x5 rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId "
		    "1b000 commId 0xabc - Init COMPLETE\n",
		  "0xabc" },
		{ A "[Rank 0] ncclCommInitRankConfig comm 0x5 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
		    "busId 1b000 commId 0xabc - Init START\n" A
		    "ncclCommInitRankConfig comm 0x5 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId "
		    "1b000 commId 0xabc - Init COMPLETE\n" A "comm 0x5 rank 0 nranks 2 cudaDev 0 "
		    "busId 1b000 - Destroy COMPLETE\n",
		  B "ncclCommInitRankConfig comm 0x6 rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId "
		    "1b000 commId 0xabc - Init COMPLETE\n",
		  "0xabc" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct evidence_file *file;
		evidence_init(&capture, &arena);
		file = read_log(arena_join(&arena, "NCCL version 2.99.1+cuda12.9\n", cases[i].first,
					   cases[i].second));
		assert_int_equal(file->unreadable, 0);
		assert_int_equal(capture.groups.count, 1);
		assert_int_equal(capture.limits.count, 0);
		assert_int_equal(capture.world, 2);
		assert_string_equal(capture.versions.items[0], "nccl 2.99.1");
		expect_ranks(group_of(2, 0), "0 1");
		if (cases[i].identity)
			assert_string_equal(group_of(2, 0)->identity, cases[i].identity);
		else
			assert_null(group_of(2, 0)->identity);
		assert_int_equal(group_of(2, 0)->nodes, i == 2 ? 2 : 0);
		assert_int_equal(group_of(2, 0)->witness.record, 2);
	}
}

#define COLL(op, count, type, root, comm, ranks)                                                   \
	op ": opCount 1f sendbuff 0x7f recvbuff 0x8f count " count " datatype " type               \
	   " op 0 root " root " comm " comm " [nranks=" ranks "] stream 0x9\n"
#define INIT(comm, rank, ranks, bus, id)                                                           \
	"ncclCommInitRankConfig comm " comm " rank " rank " nranks " ranks                         \
	" cudaDev 0 nvmlDev 0 busId " bus " commId " id " - Init COMPLETE\n"

/* One pointer stands for two communicators in two processes. */
static void calls_belong_to_their_process(void **state)
{
	const struct seen_call *calls;

	(void)state;
	/* clang-format off */
	read_log(A INIT("0x5", "0", "2", "1b000", "0xa")
		 B INIT("0x6", "1", "2", "1b000", "0xa")
		 A INIT("0x7", "0", "2", "1b000", "0xb")
		 B INIT("0x5", "1", "2", "1b000", "0xb")
		 A COLL("AllGather", "100", "9", "0", "0x5", "2")
		 A COLL("AllGather", "100", "9", "0", "0x5", "2")
		 B COLL("ReduceScatter", "30", "7", "0", "0x5", "2")
		 B COLL("Send", "8", "9", "0", "0x5", "2")
		 A COLL("AllReduce", "1", "7", "0", "0x99", "2"));
	/* clang-format on */
	assert_int_equal(capture.groups.count, 2 + 1);
	assert_int_equal(capture.calls.count, 4);
	calls = capture.calls.items;
	assert_int_equal(calls[0].op, SEEN_ALL_GATHER);
	assert_int_equal(calls[0].rank, 0);
	assert_int_equal(calls[0].in, 100);
	assert_int_equal(calls[0].out, 200);
	assert_int_equal(calls[0].bytes, 400);
	assert_int_equal(calls[0].count, 2);
	assert_int_equal(calls[0].witness.record, 5);
	assert_string_equal(calls[0].dtype, "bfloat16");
	assert_string_equal(capture.groups.items[calls[0].group].identity, "0xa");
	assert_int_equal(calls[1].op, SEEN_REDUCE_SCATTER);
	assert_int_equal(calls[1].rank, 1);
	assert_int_equal(calls[1].in, 60);
	assert_int_equal(calls[1].out, 30);
	assert_int_equal(calls[1].bytes, 240);
	assert_string_equal(capture.groups.items[calls[1].group].identity, "0xb");
	assert_int_equal(calls[2].op, SEEN_SEND);
	assert_int_equal(calls[2].peer, 0);
	/* of a communicator whose beginning is not in the log */
	assert_int_equal(calls[3].op, SEEN_ALL_REDUCE);
	assert_null(capture.groups.items[calls[3].group].identity);
}

static void colors_are_hashes_of_ranks(void **state)
{
	/* Of logs of eager splits, and as CPython 3.12 computes them. */
	static const struct {
		int64_t color, size, ranks[4];
	} cases[] = {
		{ 2003953581, 4, { 0, 1, 2, 3 } }, { 923304772, 2, { 0, 4 } },
		{ 1449462471, 2, { 1, 5 } },	   { 120142604, 2, { 2, 6 } },
		{ 1211335945, 2, { 3, 7 } },
	};
	struct split_decoder decoder = { .arena = &arena, .world = 16 };
	const int64_t far[] = { 1, 3, 9, 11 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const int64_t *found;
		assert_int_equal(split_color(cases[i].ranks, cases[i].size), cases[i].color);
		found = split_members(&decoder, cases[i].color, cases[i].size, -1, 0);
		assert_non_null(found);
		assert_memory_equal(found, cases[i].ranks, (size_t)cases[i].size * sizeof(*found));
	}
	/* a group of two dimensions, seen by a member */
	assert_memory_equal(split_members(&decoder, split_color(far, 4), 4, 9, 2), far,
			    sizeof(far));
	assert_null(split_members(&decoder, 12345, 4, 9, 2));
	assert_null(split_members(&decoder, 2003953581, 64, 0, 0));
}

/* One process of eight tells who is in the groups that were split off. */
static void splits_of_one_process(void **state)
{
	struct evidence_file *file;

	(void)state;
	file = read_log(
		A INIT("0x5", "5", "8", "1b000", "0xa")
		/* 2.21, with a commId that is not the group's own; 2.23; 2.29 */
		A "ncclCommSplit comm 0x6 rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId 1b000 parent "
		  "0x5 color 1449462471 key 1 commId 0x1 - Init START\n" A
		  "ncclCommSplit comm 0x6 rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId 1b000 parent "
		  "0x5 color 1449462471 key 1- Init COMPLETE\n" A
		  "ncclCommSplit comm 0x8 rank 1 nranks 4 cudaDev 0 nvmlDev 0 busId 1b000 parent "
		  "0x5 childCount 3 color 77 key 5 - Init COMPLETE\n");
	assert_int_equal(file->unreadable, 0);
	assert_int_equal(file->rank, 5);
	assert_true(has_limit("RANKS_ASSUMED"));
	assert_int_equal(capture.world, 0);
	assert_int_equal(capture.groups.count, 3);
	expect_ranks(group_of(8, 0), "0 1 2 3 4 5 6 7");
	expect_ranks(group_of(2, 0), "1 5");
	assert_int_equal(group_of(2, 0)->observer, 5);
	expect_ranks(group_of(4, 0), "");
	assert_string_equal(group_of(4, 0)->identity, "0xa split 3 color 77");
}

/* Files of one process each: what they tell is joined by commId. */
static void files_are_joined(void **state)
{
	(void)state;
	read_log(A INIT("0x5", "0", "3", "1b000", "0xa") A INIT("0x6", "0", "2", "1b000", "0xb"));
	read_log(B INIT("0x5", "1", "3", "1b000", "0xa"));
	assert_true(has_limit("RANKS_ASSUMED"));
	expect_ranks(group_of(2, 0), "");
	read_log("gamma:1:1 [0] NCCL INFO " INIT(
		"0x5", "2", "3", "1b000", "0xa") "gamma:1:1 [0] NCCL INFO " INIT("0x9", "1", "2",
										 "1b000", "0xb"));
	assert_false(has_limit("RANKS_ASSUMED"));
	assert_int_equal(capture.world, 3);
	expect_ranks(group_of(2, 0), "0 2");
	expect_ranks(group_of(2, 1), "0 2");
	assert_int_equal(group_of(2, 1)->observer, 2);
}

/* Two groups of one size without a world: places are not ranks, launchers say those. */
static void places_in_groups_are_not_ranks(void **state)
{
	(void)state;
	read_log("[rank0]:" A INIT("0x5", "0", "2", "1b000",
				   "0xa") "[rank2]:" B INIT("0x5", "0", "2", "1b000", "0xb"));
	assert_true(has_limit("RANKS_ASSUMED"));
	assert_int_equal(group_of(2, 0)->observer, 0);
	assert_int_equal(group_of(2, 1)->observer, 2);
	evidence_init(&capture, &arena);
	/* both say the rank on their node */
	read_log("[rank0]:" A INIT("0x5", "0", "2", "1b000",
				   "0xa") "[rank0]:" B INIT("0x5", "0", "2", "1b000", "0xb"));
	assert_int_equal(group_of(2, 0)->observer, -1);
	assert_string_equal(group_of(2, 1)->name, "beta:10 0x5");
}

static void launchers_and_colours(void **state)
{
	struct evidence_file *file;

	(void)state;
	file = read_log("0: \033[31m[default0]:alpha:10:20 [0] NCCL INFO " INIT(
		"0x5", "0", "3", "1b000",
		"0xa") "2026-01-02T03:04:05.678Z stdout F beta:10:20 [0] NCCL "
		       "INFO " INIT("0x5", "1", "3", "1b000",
				    "0xa") "[2026-01-02 03:04:05] gamma:7:8 [1] "
					   "init.cc:12 NCCL WARN \xff odd\n"
					   "[pod/train-0] gamma:7:8 [0] NCCL "
					   "INFO " INIT("0x5", "2", "3", "1b000", "0xa"));
	assert_int_equal(file->records, 4);
	assert_int_equal(file->unreadable, 0);
	assert_int_equal(capture.groups.count, 1);
	expect_ranks(group_of(3, 0), "0 1 2");
}

static void garbled_lines_are_counted(void **state)
{
	struct evidence_file *file;

	(void)state;
	file = read_log(A INIT("0x5", "0", "2", "1b000", "0xa") A
			"comm 0x5 rank 0 nraalpha:11:2 [1] NCCL INFO Channel 00\n" A
			"comm 0x7 rank 0 nra - Init COMPLETE\n"
			"NCCL INFO comm 0x7\n"
			"NCCL version 2.27.5+cuda12.4NCCL version\n"
			"nothing of it\n");
	assert_int_equal(file->records, 5);
	assert_int_equal(file->unreadable, 3);
	assert_true(has_limit("LOG_GARBLED"));
	assert_string_equal(capture.versions.items[0], "nccl 2.27.5");
}

/* The same GPUs under new processes, and a process that begins anew. */
static void the_last_start_counts(void **state)
{
	(void)state;
	read_log("a:1:1 [0] NCCL INFO " INIT(
		"0x5", "0", "2", "1b000",
		"0xa") "a:2:2 [1] NCCL INFO " INIT("0x5", "1", "2", "2b000",
						   "0xa") "a:3:3 [0] NCCL INFO " INIT("0x5", "1",
										      "2", "1b000",
										      "0xb") "a:4:"
											     "4 "
											     "[1] "
											     "NCCL "
											     "INFO"
											     " " INIT(
												     "0x5",
												     "0",
												     "2",
												     "2b000",
												     "0xb"));
	assert_true(has_limit("RESTARTED"));
	assert_int_equal(capture.groups.count, 1);
	assert_string_equal(group_of(2, 0)->identity, "0xb");
	expect_ranks(group_of(2, 0), "0 1");
	evidence_init(&capture, &arena);
	read_log(A INIT("0x5", "0", "4", "1b000", "0xa") A
		 "comm 0x5 rank 0 nranks 4 cudaDev 0 busId 1b000 - Abort COMPLETE\n" A INIT(
			 "0x5", "0", "2", "1b000", "0xb") A
		 "comm 0x8 rank 0 nranks 2 cudaDev 0 nvmlDev "
		 "0 busId 1b000 commId 0xc - Init START\n");
	assert_true(has_limit("RESTARTED"));
	assert_true(has_limit("INIT_INCOMPLETE"));
	assert_null(group_of(4, 0));
	assert_non_null(group_of(2, 0));
}

/* Choices tell of calls only where one communicator can be meant. */
static void choices_without_calls(void **state)
{
	struct evidence_file *file;

	(void)state;
	file = read_log(
		A INIT("0x5", "0", "2", "1b000", "0xa") A
		"AllGather: 4096 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..7}\n" A
		"4096 Bytes -> Algo 1 proto 2 time 9\n" A INIT("0x6", "0", "2", "1b000", "0xb") A
		"AllGather: 4096 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..7}\n");
	assert_int_equal(capture.calls.count, 1);
	assert_int_equal(capture.calls.items[0].op, SEEN_ALL_GATHER);
	assert_int_equal(capture.calls.items[0].bytes, 4096);
	assert_int_equal(capture.calls.items[0].in, -1);
	assert_int_equal(file->left_out, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_version_makes_one_group, begin_capture, end),
		cmocka_unit_test_setup_teardown(calls_belong_to_their_process, begin_capture, end),
		cmocka_unit_test_setup_teardown(colors_are_hashes_of_ranks, begin_capture, end),
		cmocka_unit_test_setup_teardown(splits_of_one_process, begin_capture, end),
		cmocka_unit_test_setup_teardown(files_are_joined, begin_capture, end),
		cmocka_unit_test_setup_teardown(places_in_groups_are_not_ranks, begin_capture, end),
		cmocka_unit_test_setup_teardown(launchers_and_colours, begin_capture, end),
		cmocka_unit_test_setup_teardown(garbled_lines_are_counted, begin_capture, end),
		cmocka_unit_test_setup_teardown(the_last_start_counts, begin_capture, end),
		cmocka_unit_test_setup_teardown(choices_without_calls, begin_capture, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
