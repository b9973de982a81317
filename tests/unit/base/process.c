#include "base/process.h"

#include "base/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LIMIT = 1 << 20, SECONDS = 60, MEMORY = 1 << 30 };

static struct process run(struct arena *arena, const char *script, size_t limit)
{
	const char *const argv[] = { "sh", "-c", script, NULL };

	const struct program program = { argv, NULL, -1, SECONDS, MEMORY };

	return process_run(arena, &program, limit);
}

static void tells_what_was_said(void **state)
{
	static const struct {
		const char *script, *text, *errors;
		int status;
	} cases[] = {
		{ "echo hello", "hello\n", "", 0 },
		{ "echo no >&2; exit 3", "", "no\n", 3 },
		{ "printf one; printf two >&2; printf three", "onethree", "two", 0 },
		{ "cat", "", "", 0 }, /* no stdin */
		{ "kill -9 $$", "", "", 128 + 9 },
		{ "printf %s \"$LC_ALL\"", "C", "", 0 },
	};
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct process process = run(&arena, cases[i].script, LIMIT);
		assert_null(process.trouble);
		assert_string_equal(process.text, cases[i].text);
		assert_int_equal(process.length, strlen(cases[i].text));
		assert_string_equal(process.errors, cases[i].errors);
		assert_int_equal(process.status, cases[i].status);
	}
	arena_release(&arena);
}

/* More than a pipe holds on both streams at once: neither end waits for the other for ever. */
static void reads_both_streams(void **state)
{
	struct process process;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	process = run(&arena,
		      "head -c 300000 /dev/zero >&2; head -c 400000 /dev/zero; "
		      "head -c 100000 /dev/zero >&2",
		      LIMIT);
	assert_null(process.trouble);
	assert_int_equal(process.length, 400000);
	arena_release(&arena);
}

static void says_what_went_wrong(void **state)
{
	const char *const nowhere[] = { "no-such-program-of-parplan", NULL };
	struct process process;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	process = process_run(&arena, &(struct program) { nowhere, NULL, -1, SECONDS, MEMORY },
			      LIMIT);
	assert_string_equal(process.trouble, "No such file or directory");
	assert_true(process.missing);
	process = run(&arena, "head -c 5000 /dev/zero", 1000);
	assert_non_null(strstr(process.trouble, "more than 1000 B"));
	arena_release(&arena);
}

/* What it reads and says while it runs; its end is waited for, also when nobody listens. */
static void is_listened_to(void **state)
{
	const char *const copies[] = { "sh", "-c", "cat; echo not seen >&2; exit 5", NULL };
	const char *const endless[] = { "yes", NULL };
	const char *const nowhere[] = { "no-such-program-of-parplan", NULL };
	const struct program programs[] = {
		{ copies, NULL, open("LICENSE", O_RDONLY), SECONDS, MEMORY },
		{ endless, NULL, -1, SECONDS, MEMORY },
		{ nowhere, NULL, -1, SECONDS, MEMORY },
	};
	struct process_pipe pipe;
	struct text_stream stream;
	struct arena arena;
	const char *line;
	size_t length;

	(void)state;
	arena_init(&arena);
	pipe = process_open(&arena, &programs[0]);
	assert_null(pipe.trouble);
	stream_from(&stream, &arena, pipe.fd);
	assert_true(stream_line(&stream, &line, &length) && stream_line(&stream, &line, &length));
	assert_string_equal(arena_strndup(&arena, line, length) + strspn(line, " "),
			    "Apache License");
	while (stream_line(&stream, &line, &length))
		;
	stream_close(&stream);
	assert_int_equal(process_close(&pipe), 5);
	close(programs[0].input);
	pipe = process_open(&arena, &programs[1]);
	assert_int_not_equal(process_close(&pipe), 0);
	pipe = process_open(&arena, &programs[2]);
	assert_string_equal(pipe.trouble, "No such file or directory");
	assert_int_equal(process_close(&pipe), -1);
	arena_release(&arena);
}

/* Neither the environment nor the current folder has a say, and time and memory end. */
static void is_closed_in(void **state)
{
	static const char *const variables[] = { "ONE=1", NULL };
	const char *const all[] = { "env", NULL };
	const char *const hungry[] = { "sh", "-c", "a=1234567890; while :; do a=$a$a; done", NULL };
	const char *const slow[] = { "sleep", "100", NULL };
	const char *const busy[] = { "sh", "-c", "while :; do :; done", NULL };
	const char *const here[] = { "LICENSE-of-nobody", NULL };
	const char *path = getenv("PATH");
	struct process process;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_int_equal(setenv("PATH", arena_join(&arena, ":.:build:", path, ":"), 1), 0);
	assert_int_equal(setenv("GIT_DIR", "evil", 1), 0);
	process = process_run(&arena, &(struct program) { all, variables, -1, SECONDS, MEMORY },
			      LIMIT);
	assert_null(process.trouble);
	assert_null(strstr(process.text, "GIT_DIR"));
	assert_null(strstr(process.text, ":.:"));
	assert_null(strstr(process.text, "build:"));
	assert_non_null(strstr(process.text, "ONE=1\n"));
	process = process_run(&arena, &(struct program) { here, NULL, -1, SECONDS, MEMORY }, LIMIT);
	assert_true(process.missing);
	process = process_run(&arena, &(struct program) { slow, NULL, -1, 1, MEMORY }, LIMIT);
	assert_true(process.slow);
	assert_string_equal(process.trouble, "it takes more than 1 s");
	process = process_run(&arena, &(struct program) { busy, NULL, -1, 1, MEMORY }, LIMIT);
	assert_int_equal(process.status, 128 + 9);
	process = process_run(&arena, &(struct program) { hungry, NULL, -1, SECONDS, 32 << 20 },
			      LIMIT);
	assert_null(process.trouble);
	assert_int_not_equal(process.status, 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_what_was_said),	cmocka_unit_test(reads_both_streams),
		cmocka_unit_test(says_what_went_wrong), cmocka_unit_test(is_listened_to),
		cmocka_unit_test(is_closed_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
