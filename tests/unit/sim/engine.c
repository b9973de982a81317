#include "sim/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int32_t put(struct program *program, int32_t rank, enum stream stream, enum crossed crossing,
		   int64_t work)
{
	const int32_t index = program_add(program);
	struct task *task = &program->tasks.items[index];

	task->rank = rank;
	task->stream = stream;
	task->crossing = crossing;
	task->work = work;
	return index;
}

static struct program program_of(struct arena *arena, int32_t ranks, int64_t slowdown)
{
	arena_init(arena);
	return (struct program) { .arena = arena, .ranks = ranks, .slowdown = slowdown };
}

static int64_t end_of(const struct program *program, int32_t task)
{
	return program->tasks.items[task].end;
}

static void test_order(void **state)
{
	struct arena arena;
	struct program program = program_of(&arena, 2, 0);
	int32_t first = put(&program, 0, STREAM_COMPUTE, CROSSING_NONE, 100);
	int32_t second = put(&program, 0, STREAM_COMPUTE, CROSSING_NONE, 50);
	int32_t send = put(&program, 0, STREAM_SEND, CROSSING_NODE, 30);
	int32_t other = put(&program, 1, STREAM_COMPUTE, CROSSING_NONE, 10);

	(void)state;
	program_wait(&program, send, first);
	program_wait(&program, other, send);
	assert_true(engine_run(&program));
	assert_int_equal(end_of(&program, first), 100);
	assert_int_equal(end_of(&program, second), 150);
	assert_int_equal(end_of(&program, send), 130);
	assert_int_equal(program.tasks.items[other].start, 130);
	assert_int_equal(end_of(&program, other), 140);
	arena_release(&arena);
}

/* Two collectives over the same links take as long as one after the other; on others, nothing. */
static void test_shared_links(void **state)
{
	struct arena arena;
	struct program program = program_of(&arena, 1, 0);
	int32_t gather = put(&program, 0, STREAM_GATHER, CROSSING_NETWORK, 1000);
	int32_t reduce = put(&program, 0, STREAM_REDUCE, CROSSING_NETWORK, 400);
	int32_t inside = put(&program, 0, STREAM_COPIES, CROSSING_NODE, 900);

	(void)state;
	assert_true(engine_run(&program));
	assert_int_equal(end_of(&program, reduce), 800);
	assert_int_equal(end_of(&program, gather), 1400);
	assert_int_equal(end_of(&program, inside), 900);
	arena_release(&arena);
}

/* Beside 250 ps of communication computing does 200 ps of work at a quarter's slowdown. */
static void test_contention(void **state)
{
	struct arena arena;
	struct program program = program_of(&arena, 1, 250);
	int32_t compute = put(&program, 0, STREAM_COMPUTE, CROSSING_NONE, 1000);
	int32_t gather = put(&program, 0, STREAM_GATHER, CROSSING_NODE, 250);

	(void)state;
	assert_true(engine_run(&program));
	assert_int_equal(end_of(&program, gather), 250);
	assert_int_equal(end_of(&program, compute), 1050);
	arena_release(&arena);
}

static void test_circle(void **state)
{
	struct arena arena;
	struct program program = program_of(&arena, 1, 0);
	int32_t compute = put(&program, 0, STREAM_COMPUTE, CROSSING_NONE, 10);
	int32_t gather = put(&program, 0, STREAM_GATHER, CROSSING_NODE, 10);

	(void)state;
	program_wait(&program, compute, gather);
	program_wait(&program, gather, compute);
	assert_false(engine_run(&program));
	arena_release(&arena);
}

/* Tasks that take no time end at once, and what waits for them goes on. */
static void test_nothing(void **state)
{
	struct arena arena;
	struct program program = program_of(&arena, 1, 0);
	int32_t gather = put(&program, 0, STREAM_GATHER, CROSSING_NODE, 0);
	int32_t compute = put(&program, 0, STREAM_COMPUTE, CROSSING_NONE, 0);

	(void)state;
	program_wait(&program, compute, gather);
	program_wait(&program, compute, gather);
	program_wait(&program, compute, NO_TASK);
	assert_true(engine_run(&program));
	assert_int_equal(end_of(&program, compute), 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	   cmocka_unit_test(test_shared_links),
		cmocka_unit_test(test_contention), cmocka_unit_test(test_circle),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
