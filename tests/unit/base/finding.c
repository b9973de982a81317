#include "base/finding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct rule_id early = { .name = "a-rule", .severity = SEVERITY_ERROR };
static const struct rule_id late = { .name = "b-rule", .severity = SEVERITY_WARNING };

static int setup(void **state)
{
	struct arena *arena = test_malloc(sizeof(*arena));

	arena_init(arena);
	*state = arena;
	return 0;
}

static int teardown(void **state)
{
	arena_release(*state);
	test_free(*state);
	return 0;
}

static void sorts_and_drops_repetitions(void **state)
{
	static const char text[] = "tp: 8\ndp: 4\n";
	struct source *source = source_new(*state, "x.yaml", text, strlen(text));
	struct span first = source_span(source, 0, 2), second = source_span(source, 6, 8);
	struct findings findings;

	findings_init(&findings, *state);
	finding_add(&findings, &late, second, "third");
	finding_add(&findings, &early, second, "second");
	finding_add(&findings, &late, first, "first %d", 1);
	finding_add(&findings, &late, second, "third");
	findings_sort(&findings);
	assert_int_equal(findings.list.count, 3);
	assert_string_equal(findings.list.items[0]->message, "first 1");
	assert_string_equal(findings.list.items[1]->message, "second");
	assert_string_equal(findings.list.items[2]->message, "third");
	assert_int_equal(findings_count(&findings, SEVERITY_WARNING), 2);
	assert_int_equal(findings_count(&findings, SEVERITY_ERROR), 1);
}

static void caps_only_downwards(void **state)
{
	struct findings findings;
	struct finding *finding;

	findings_init(&findings, *state);
	finding = finding_add(&findings, &late, (struct span) { 0 }, "x");
	finding_cap(finding, SEVERITY_ERROR);
	assert_int_equal(finding->severity, SEVERITY_WARNING);
	finding_cap(finding, SEVERITY_NOTE);
	assert_int_equal(finding->severity, SEVERITY_NOTE);
}

static void spans(void **state)
{
	static const char text[] = "a: \xc3\xb6x\r\nb: 2";
	struct source *source = source_new(*state, "x.yaml", text, strlen(text));
	struct span span = source_span(source, 5, 6);
	size_t length;

	assert_int_equal(source->line_count, 2);
	assert_int_equal(span.line, 1);
	assert_int_equal(span.column, 5);
	assert_int_equal(span.end_column, 6);
	assert_memory_equal(source_line(source, 1, &length), "a: \xc3\xb6x", 6);
	assert_int_equal(length, 6);
	assert_int_equal(source_offset(source, 1, 5), 5);
	assert_int_equal(source_offset(source, 2, 1), 8);
	assert_int_equal(source_offset(source, 9, 1), strlen(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sorts_and_drops_repetitions, setup, teardown),
		cmocka_unit_test_setup_teardown(caps_only_downwards, setup, teardown),
		cmocka_unit_test_setup_teardown(spans, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
