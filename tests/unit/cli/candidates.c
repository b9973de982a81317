#include "cli/candidates.h"

#include "cli/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Every argument of every option names a row, if only one that says that any text will do. */
static void every_argument_is_known(void **state)
{
	const struct command *const *command;
	const struct opt *option;

	(void)state;
	for (command = commands; *command; command++)
		for (option = (*command)->options; option->kind != OPT_END; option++)
			if (option->argument && !option->words &&
			    !candidates_next(option->argument, NULL))
				fail_msg("%s --%s takes %s: that is no row of candidates.c",
					 (*command)->name, option->name, option->argument);
}

static void every_list_has_words(void **state)
{
	const struct candidates *row;
	struct arena arena;
	struct buf words;

	(void)state;
	arena_init(&arena);
	buf_init(&words);
	for (row = candidates; row->argument; row++) {
		buf_clear(&words);
		if (!row->list)
			continue;
		row->list(&arena, &words);
		if (words.data[0] != ' ' || strpbrk(words.data, "'\"\\$`()|&;<>*?"))
			fail_msg("%s lists nothing, or what a shell would not take as it is",
				 row->argument);
	}
	buf_release(&words);
	arena_release(&arena);
}

static void operands_mention_rows(void **state)
{
	static const struct {
		const char *text, *rows;
	} cases[] = {
		{ "RULE | torchtitan | FILE [KEY...]", "FILE RULE KEY " },
		{ "KEY=VALUE", "KEY=VALUE " },
		{ "AXIS[,AXIS]", "AXIS " },
		{ "RULE,...", "RULE " },
		{ "[OLD] NEW [-- FLAGS...]", "OLD NEW FLAGS " },
		{ "", "" },
	};
	struct buf rows;
	size_t i;

	(void)state;
	buf_init(&rows);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct candidates *row = NULL;
		buf_clear(&rows);
		while ((row = candidates_next(cases[i].text, row)))
			buf_printf(&rows, "%s ", row->argument);
		assert_string_equal(rows.data, cases[i].rows);
	}
	buf_release(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_argument_is_known),
		cmocka_unit_test(every_list_has_words),
		cmocka_unit_test(operands_mention_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
