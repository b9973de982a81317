#include "plan/exception.h"
#include "rules/level.h"
#include "rules/raised.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void severities_respect_the_evidence(void **state)
{
	const struct rule *rule = NULL;

	(void)state;
	while ((rule = rule_next(rule)))
		if (rule->id->severity > evidence_cap(rule->id->evidence))
			fail_msg("%s: %s on evidence '%s'", rule->id->name,
				 severity_name(rule->id->severity),
				 evidence_name(rule->id->evidence));
}

static bool is_kebab(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) &&
		    (name[i] != '-' || !i || name[i - 1] == '-' || !name[i + 1]))
			return false;
	return i > 0;
}

static bool is_code(const char *code)
{
	return strlen(code) == 4 && isupper((unsigned char)code[0]) &&
	       strspn(code + 1, "0123456789") == 3;
}

static void rows_are_complete(void **state)
{
	const struct rule *rule = NULL;

	(void)state;
	while ((rule = rule_next(rule))) {
		const struct rule_id *id = rule->id;

		if (!is_kebab(id->name) || !is_code(id->code))
			fail_msg("%s (%s): bad name or code", id->name, id->code);
		if (!*id->summary || strlen(id->summary) > 80)
			fail_msg("%s: summary of %zu columns", id->name, strlen(id->summary));
		if (!*id->explanation || !*id->remedy || !*id->source)
			fail_msg("%s: explanation, remedy or source is empty", id->name);
	}
}

static void names_and_codes_are_unique(void **state)
{
	const struct rule *rule = NULL, *other;

	(void)state;
	while ((rule = rule_next(rule))) {
		assert_ptr_equal(rule_find(rule->id->name), rule);
		assert_non_null(rule_topic(rule));
		for (other = rule_next(rule); other; other = rule_next(other))
			if (!strcmp(rule->id->code, other->id->code))
				fail_msg("%s and %s: both %s", rule->id->name, other->id->name,
					 rule->id->code);
	}
	assert_null(rule_find("no-such-rule"));
}

static void every_exception_has_its_rule(void **state)
{
	const struct exceptions *const *table;
	const struct exception *row;
	size_t i;

	(void)state;
	for (table = exception_tables; *table; table++)
		for (i = 0; i < (*table)->count; i++) {
			row = &(*table)->rows[i];
			if (!rule_find(row->rule) || (row->also && !rule_find(row->also)))
				fail_msg("'%s' names a rule that there is not", row->says.text);
		}
}

static void levels_take_lists_and_know_names(void **state)
{
	struct levels levels = { 0 };
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_null(levels_add(&levels, &arena, "hsdp-collapsed,degrees-product", LEVEL_IGNORE));
	assert_int_equal(levels.list.count, 2);
	assert_string_equal(levels_add(&levels, &arena, "hsdp-colapsed", LEVEL_WARN),
			    "unknown rule 'hsdp-colapsed'; did you mean 'hsdp-collapsed'?");
	assert_string_equal(levels_add(&levels, &arena, "q", LEVEL_WARN),
			    "unknown rule 'q' (parplan rules lists them)");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(severities_respect_the_evidence),
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(names_and_codes_are_unique),
		cmocka_unit_test(every_exception_has_its_rule),
		cmocka_unit_test(levels_take_lists_and_know_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
