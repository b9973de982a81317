/* Texts of rules found in logs, whatever launchers, loggers and terminals did to them. */
#include "evidence/log/joblog.h"

#include "base/buf.h"
#include "rules/rule.h"
#include "rules/sayings.h"
#include "unit/file_arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void read_text(struct joblog *log, const char *path, const char *text)
{
	struct text_stream stream;

	stream_of(&stream, &arena, text, strlen(text));
	joblog_read(log, &stream, path);
}

static struct joblog *log_of(const char *text)
{
	struct joblog *log = arena_new(&arena, struct joblog);

	joblog_init(log, &arena, NULL);
	read_text(log, "job.log", text);
	joblog_close(log);
	return log;
}

static const struct log_hit *hit_of(const struct joblog *log, const char *name)
{
	size_t i, j;

	for (i = 0; i < log->hits.count; i++)
		for (j = 0; j < log->hits.items[i]->phrase->owners.count; j++)
			if (!strcmp(log->hits.items[i]->phrase->owners.items[j].id->name, name))
				return log->hits.items[i];
	return NULL;
}

/* ---- every known text ---- */

/* What the launcher or logger puts before every line, and what behind. */
static const struct {
	const char *before, *behind;
	int64_t rank;
} manners[] = {
	{ "", "", -1 },
	{ "[rank3]: ", "", 3 },
	{ "[default12]:", "", 12 },
	{ "  7: ", "", 7 },
	{ "[rank3]:[titan] 2026-01-02 03:04:05,678 - root - ERROR - ", "", 3 },
	{ "[2026-01-02 03:04:05] ERROR ", "", -1 },
	{ "2026-01-02T03:04:05.678Z ", "", -1 },
	{ "[rank511]:[E1206 18:44:12.715298746 ProcessGroupNCCL.cpp:607] [Rank 511] ", "", 511 },
	{ "E1206 18:44:12.715000 4711 torch/distributed/run.py:869] ", "", -1 },
	{ "node1:4711:4712 [3] NCCL WARN ", "", -1 },
	{ "(TrainWorker pid=4711, ip=10.0.0.7) ", "", -1 },
	{ "\033[31m", "\033[0m", -1 },
	{ "\033[1;36m[rank3]:\033[0m \033[31mERROR\033[0m ", "\033[0m", 3 },
};

/* The text with sample values for what varies. */
static const char *sample_of(const char *text)
{
	struct buf out;
	const char *sample;

	buf_init(&out);
	for (; *text; text++) {
		const char *close = *text == '{' ? strchr(text, '}') : NULL;
		if (!close) {
			buf_char(&out, *text);
			continue;
		}
		buf_text(&out,
			 close - text > 3 ? "('dp', \"cp\"): torch.Size([4096, 1_0])" : "128");
		text = close;
	}
	sample = arena_strdup(&arena, out.data);
	buf_release(&out);
	return sample;
}

/* The text in lines of at most `width` bytes, each in that manner, among others. */
static const char *printed(const char *text, size_t manner, size_t width)
{
	struct buf out;
	const char *all;
	size_t length = strlen(text), part;

	buf_init(&out);
	buf_text(&out, "step 1 loss 2.5\n");
	for (; length; text += part, length -= part) {
		part = length < width ? length : width;
		buf_printf(&out, "%s%.*s%s\n", manners[manner].before, (int)part, text,
			   manners[manner].behind);
	}
	buf_text(&out, "step 2 loss 2.4\n");
	all = arena_strdup(&arena, out.data);
	buf_release(&out);
	return all;
}

/* The hit that was last seen in the file that was read last, or NULL. */
static const struct log_hit *last_hit_of(const struct joblog *log, const char *name)
{
	const struct log_hit *hit;
	size_t i, j;

	for (i = 0; i < log->hits.count; i++) {
		hit = log->hits.items[i];
		for (j = 0; j < hit->phrase->owners.count; j++)
			if (!strcmp(hit->phrase->owners.items[j].id->name, name) &&
			    hit->last_file == log->files.count - 1)
				return hit;
	}
	return NULL;
}

static void finds(struct joblog *log, const struct rule_id *id, const struct saying *saying,
		  size_t manner, size_t width)
{
	const char *text = printed(sample_of(saying->text), manner, width);
	const struct log_hit *hit;

	read_text(log, "job.log", text);
	hit = last_hit_of(log, id->name);
	if (!hit)
		fail_msg("%s is not found in:\n%s", id->name, text);
	if (hit->last_line != 2)
		fail_msg("%s: line %zu of:\n%s", id->name, hit->last_line, text);
	if (hit->last_rank != manners[manner].rank)
		fail_msg("%s: rank %lld of:\n%s", id->name, (long long)hit->last_rank, text);
}

/* A saying in every manner, each a file of one job's logs: a log knows all texts, which takes long
 * to prepare. */
static void finds_in_all_manners(const struct rule_id *id, const struct saying *saying)
{
	struct joblog *log = arena_new(&arena, struct joblog);
	size_t i;

	joblog_init(log, &arena, NULL);
	for (i = 0; i < sizeof(manners) / sizeof(*manners); i++) {
		finds(log, id, saying, i, 10000);
		finds(log, id, saying, i, 61 + 7 * i);
	}
	assert_int_equal(log->files.items[0].lines, 3);
	arena_release(&arena);
	arena_init(&arena);
}

static void in_all_manners(const struct rule_id *id)
{
	struct saying_walk walk = { .id = id };
	const struct saying *saying;

	while ((saying = saying_next(&walk)))
		finds_in_all_manners(id, saying);
}

static void every_text_of_a_rule_is_found(void **state)
{
	const struct rule *rule = NULL;

	(void)state;
	while ((rule = rule_next(rule)))
		in_all_manners(rule->id);
}

static void every_known_end_is_found(void **state)
{
	const struct rule_id *id = NULL;
	size_t i;

	(void)state;
	assert_non_null(known_rows[0].end.id.name);
	for (i = 0; i < known_row_count; i++)
		if (known_rows[i].end.id.name)
			id = &known_rows[i].end.id;
		else
			finds_in_all_manners(id, &known_rows[i].saying);
}

/* ---- what is counted ---- */

static void nothing_is_found_in_progress(void **state)
{
	struct joblog *log;

	(void)state;
	log = log_of("step: 1 loss: 2.5 memory: 61.0GiB(77%)\n"
		     "INFO Applied HSDP to the model\nworld size 512, must be divisible by 8: yes\n"
		     "\n\r\n[rank0]: Error\nValueError: \n");
	assert_int_equal(log->hits.count, 0);
	assert_null(log->tracebacks.last.text);
	assert_int_equal(log->files.items[0].lines, 7);
}

static void ranks_are_counted_once(void **state)
{
	const char *text = "";
	const struct log_hit *hit;
	struct joblog *log;
	int i;

	(void)state;
	for (i = 0; i < 40; i++)
		text = arena_printf(&arena, "%s[rank%d]: %s\n", text, i % 20 == 9 ? 100 : i % 20,
				    "RuntimeError: Mesh should not be bigger than default world "
				    "size 8, but found 16 ranks!");
	log = log_of(text);
	hit = hit_of(log, "mesh-larger-than-world");
	assert_non_null(hit);
	assert_int_equal(log->hits.count, 1);
	assert_int_equal(hit->count, 40);
	assert_int_equal(hit->ranks.count, 20);
	assert_string_equal(rank_set_text(&arena, &hit->ranks), "0-8, 10-19, 100");
}

/* Lines of two ranks that print at once, each a part of its own text. */
static void ranks_that_print_at_once(void **state)
{
	const struct log_hit *hit;
	struct joblog *log;

	(void)state;
	log = log_of("[rank0]: RuntimeError: Mesh should not be\n"
		     "[rank1]: RuntimeError: Mesh should not be\n"
		     "[rank0]: bigger than default world\n"
		     "[rank1]: bigger than default world\n"
		     "[rank1]: size 8, but found 16 ranks!\n"
		     "[rank0]: size 8, but found 16 ranks!\n");
	hit = hit_of(log, "mesh-larger-than-world");
	assert_non_null(hit);
	assert_int_equal(hit->count, 2);
	assert_int_equal(hit->ranks.count, 2);
	assert_string_equal(hit->printed,
			    "RuntimeError: Mesh should not be bigger than default world "
			    "size 8, but found 16 ranks!");
}

static void the_text_that_tells_more_wins(void **state)
{
	struct joblog *log;

	(void)state;
	log = log_of("RuntimeError: Missing key in checkpoint state_dict: dataloader.dp_rank_5.\n");
	assert_non_null(hit_of(log, "dataloader-resume"));
	assert_int_equal(log->hits.count, 1);
	log = log_of("RuntimeError: Missing key in checkpoint state_dict: head.weight.\n");
	assert_non_null(hit_of(log, "resume-missing-key"));
	assert_int_equal(log->hits.count, 1);
}

static void values_are_told(void **state)
{
	const struct log_hit *hit;
	struct joblog *log;

	(void)state;
	log = log_of(
		"[rank5]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 "
		"GiB. GPU 5 has a total capacity of 79.11 GiB of which 1.12 GiB is free. This "
		"process has 77.98 GiB memory in use. Of the allocated memory 61.40 GiB is "
		"allocated by PyTorch, and 14.02 GiB is reserved by PyTorch but unallocated.\n");
	hit = hit_of(log, "cuda-out-of-memory");
	assert_non_null(hit);
	assert_int_equal(log->hits.count, 1);
	assert_int_equal(hit->values.count, 7);
	assert_string_equal(hit->values.items[0].name, "tried");
	assert_string_equal(hit->values.items[0].text, "1.96 GiB");
	assert_string_equal(hit->values.items[6].name, "reserved");
	assert_string_equal(hit->values.items[6].text, "14.02 GiB");
}

/* ---- order ---- */

static const char timeout[] =
	"Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, "
	"OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for "
	"600013 milliseconds before timing out.";
static const char shape[] = "ValueError: tensor_parallel_degree (3) must divide n_heads (32).";

static void causes_come_first(void **state)
{
	struct joblog *log;

	(void)state;
	log = log_of(arena_printf(&arena,
				  "[Rank 0] %s\n[rank1]: %s\nOSError: [Errno 28] No space "
				  "left on device\n",
				  timeout, shape));
	assert_int_equal(log->hits.count, 3);
	assert_ptr_equal(log->hits.items[0], hit_of(log, "heads-divisibility"));
	assert_ptr_equal(log->hits.items[1], hit_of(log, "disk-full"));
	assert_ptr_equal(log->hits.items[2], hit_of(log, "nccl-timeout"));
	assert_true(phrase_follows(log->hits.items[2]->phrase));
}

static void files_are_put_in_order_by_time(void **state)
{
	struct joblog *log = arena_new(&arena, struct joblog);

	(void)state;
	joblog_init(log, &arena, NULL);
	read_text(log, "out/rank0.log",
		  "2026-01-02 03:04:09 OSError: [Errno 28] No space left on device\n");
	read_text(log, "out/rank1.log",
		  arena_printf(&arena,
			       "2026-01-02 03:04:05 going\n%s\n"
			       "2026-01-02 03:04:06 No space left on device\n",
			       shape));
	joblog_close(log);
	assert_int_equal(log->hits.count, 2);
	assert_ptr_equal(log->hits.items[0], hit_of(log, "heads-divisibility"));
	assert_string_equal(log->hits.items[0]->path, "out/rank1.log");
	assert_int_equal(log->hits.items[0]->line, 2);
	assert_string_equal(rank_set_text(&arena, &log->hits.items[0]->ranks), "1");
}

/* ---- exceptions nobody knows ---- */

static void the_last_exception_is_kept(void **state)
{
	const struct log_exception *last;
	struct joblog *log;

	(void)state;
	log = log_of("[rank1]: Traceback (most recent call last):\n"
		     "[rank0]: Traceback (most recent call last):\n"
		     "[rank1]:   File \"a.py\", line 7, in go\n"
		     "[rank1]:     raise Odd(7)\n"
		     "launcher: Note: this is of nobody\n"
		     "[rank1]: lib.Odd: sample 7 is odd\n"
		     "[rank0]: lib.Odd: sample 9 is odd\n"
		     "Traceback (most recent call last):\n"
		     "  File \"run.py\", line 1, in main\n"
		     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n");
	last = &log->tracebacks.last;
	assert_non_null(last->text);
	assert_string_equal(last->text, "lib.Odd: sample 7 is odd");
	assert_int_equal(last->line, 6);
	assert_int_equal(last->count, 2);
	assert_int_equal(last->ranks.count, 2);
	assert_int_equal(log->hits.count, 1);
}

/* ---- long lines ---- */

static void long_lines_are_read_in_parts(void **state)
{
	struct joblog *log;
	struct buf text;
	int i;

	(void)state;
	buf_init(&text);
	for (i = 0; i < 20000; i++)
		buf_printf(&text, "\repoch 1: %d/20000", i);
	buf_printf(&text, "\r%s\n", shape);
	for (i = 0; i < 20000; i++)
		buf_text(&text, "all in one line ");
	buf_text(&text, "OSError: [Errno 28] No space left on device\n");
	log = log_of(text.data);
	buf_release(&text);
	assert_int_equal(log->hits.count, 2);
	assert_int_equal(log->hits.items[0]->line, 1);
	assert_string_equal(log->hits.items[0]->printed, shape);
	assert_int_equal(log->hits.items[1]->line, 2);
	assert_int_equal(log->files.items[0].lines, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_text_of_a_rule_is_found, begin, end),
		cmocka_unit_test_setup_teardown(every_known_end_is_found, begin, end),
		cmocka_unit_test_setup_teardown(nothing_is_found_in_progress, begin, end),
		cmocka_unit_test_setup_teardown(ranks_are_counted_once, begin, end),
		cmocka_unit_test_setup_teardown(ranks_that_print_at_once, begin, end),
		cmocka_unit_test_setup_teardown(the_text_that_tells_more_wins, begin, end),
		cmocka_unit_test_setup_teardown(values_are_told, begin, end),
		cmocka_unit_test_setup_teardown(causes_come_first, begin, end),
		cmocka_unit_test_setup_teardown(files_are_put_in_order_by_time, begin, end),
		cmocka_unit_test_setup_teardown(the_last_exception_is_kept, begin, end),
		cmocka_unit_test_setup_teardown(long_lines_are_read_in_parts, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
