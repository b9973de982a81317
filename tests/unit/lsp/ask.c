#include "base/die.h"
#include "lsp/ask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <unistd.h>

static void says(const void *question, struct buf *out)
{
	buf_text(out, question);
}

static void says_much(const void *question, struct buf *out)
{
	(void)question;
	buf_repeat(out, 'x', 3 << 20);
}

static void crashes(const void *question, struct buf *out)
{
	buf_text(out, question);
	raise(SIGKILL);
}

static void dies(const void *question, struct buf *out)
{
	buf_text(out, question);
	close(STDERR_FILENO);
	die("not today");
}

static void hangs(const void *question, struct buf *out)
{
	(void)question;
	(void)out;
	pause();
}

static struct answer asked(struct arena *arena, void (*work)(const void *, struct buf *))
{
	return ask(arena, work == hangs ? 0.2 : 20, work, "half of it");
}

/* Whatever becomes of the copy, this process goes on and knows. */
static void answers(void **state)
{
	static const struct {
		void (*work)(const void *, struct buf *);
		const char *trouble;
	} cases[] = {
		{ says, NULL },
		{ crashes, "it ended by signal 9" },
		{ dies, "it ended with status 2" },
		{ hangs, "it took too long" },
	};
	struct arena arena;
	struct answer got;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		got = asked(&arena, cases[i].work);
		if (cases[i].trouble) {
			assert_string_equal(got.trouble, cases[i].trouble);
			assert_null(got.text);
		} else {
			assert_null(got.trouble);
			assert_string_equal(got.text, "half of it");
		}
	}
	got = asked(&arena, says_much);
	assert_int_equal(strlen(got.text), 3 << 20);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(answers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
