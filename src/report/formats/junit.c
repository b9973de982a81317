#include "report/findings/headline.h"

#include <string.h>

/*
 * JUnit's XML as Jenkins, GitLab and others read it: a test suite for each file, in it a test case
 * for each topic, whose name stays when findings come and go, one for how much was judged, and one
 * for each rule that is undecided. A case has at most one failure, for that is all that some
 * readers show.
 */
struct junit {
	struct buf suites;
	size_t tests, failures, errors, skipped;
};

/* One suite under construction. */
struct suite {
	struct report *report;
	const struct checked *file;
	const char *path;
	const struct ruleset **topics; /* of the findings, in their order */
	struct buf *out;
	bool body; /* the open case has elements */
	size_t tests, failures, skipped;
};

static void put_attribute(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, " %s=\"", name);
	plain_xml(out, value, true);
	buf_char(out, '"');
}

static void open_case(struct suite *suite, const char *name)
{
	suite->tests++;
	buf_text(suite->out, "    <testcase");
	put_attribute(suite->out, "name", name);
	put_attribute(suite->out, "classname", suite->path);
	if (suite->path[0] != '<')
		put_attribute(suite->out, "file", suite->path);
	buf_text(suite->out, " time=\"0\"");
	suite->body = false;
}

/* Before each element of a case. */
static void open_body(struct suite *suite)
{
	if (!suite->body)
		buf_text(suite->out, ">\n");
	suite->body = true;
}

static void close_case(struct suite *suite)
{
	buf_text(suite->out, suite->body ? "    </testcase>\n" : "/>\n");
}

static void find_topics(struct suite *suite)
{
	const struct findings *findings = suite->file->findings;
	size_t i;

	suite->topics =
		arena_array(suite->file->job->arena, findings->list.count, sizeof(*suite->topics));
	for (i = 0; i < findings->list.count; i++)
		suite->topics[i] = rule_topic(rule_find(findings->list.items[i]->rule->name));
}

/* Writes the findings that fail, or the others, as text; returns how many. */
static size_t put_findings(struct suite *suite, const struct ruleset *topic, bool failing,
			   struct buf *out)
{
	const struct findings *findings = suite->file->findings;
	size_t i, count = 0;

	for (i = 0; i < findings->list.count; i++) {
		const struct finding *finding = findings->list.items[i];
		if ((finding->severity >= suite->report->failing) != failing ||
		    suite->topics[i] != topic)
			continue;
		headline_details(suite->file, finding, out);
		count++;
	}
	return count;
}

/* The element of a failure: the first headline as its message, everything as its text. */
static void put_failure(struct suite *suite, const char *text, size_t count, enum severity severity)
{
	struct arena *arena = suite->file->job->arena;
	const char *first = arena_strndup(arena, text, strcspn(text, "\n"));

	suite->failures++;
	open_body(suite);
	if (count > 1)
		first = arena_printf(arena, "%s, and %zu more", first, count - 1);
	buf_text(suite->out, "      <failure");
	put_attribute(suite->out, "message", first);
	put_attribute(suite->out, "type", severity_name(severity));
	buf_char(suite->out, '>');
	plain_xml(suite->out, text, false);
	buf_text(suite->out, "</failure>\n");
}

static void put_skipped(struct suite *suite, const char *why)
{
	suite->skipped++;
	open_body(suite);
	buf_text(suite->out, "      <skipped");
	put_attribute(suite->out, "message", why);
	buf_text(suite->out, "/>\n");
}

/* Findings that do not fail. */
static void put_remarks(struct suite *suite, const char *text)
{
	open_body(suite);
	buf_text(suite->out, "      <system-out>");
	plain_xml(suite->out, text, false);
	buf_text(suite->out, "</system-out>\n");
}

static void put_topic(struct suite *suite, const struct ruleset *topic)
{
	struct buf failing, other;
	size_t count, others;

	buf_init(&failing);
	buf_init(&other);
	count = put_findings(suite, topic, true, &failing);
	others = put_findings(suite, topic, false, &other);
	open_case(suite, topic->topic);
	if (count)
		put_failure(suite, failing.data, count, suite->report->failing);
	else if (!suite->file->job->readable && !others)
		put_skipped(suite, "there is no job to judge");
	if (others)
		put_remarks(suite, other.data);
	close_case(suite);
	buf_release(&failing);
	buf_release(&other);
}

/* The case that all of the file was judged: skipped where that is not so, or failed. */
static void put_judged(struct suite *suite, const struct judged *judged)
{
	const char *text = judged_text(suite->file->job->arena, judged);

	open_case(suite, "judged");
	if (*text && suite->report->strict)
		put_failure(suite, text, 1, SEVERITY_ERROR);
	else if (*text)
		put_skipped(suite, text);
	close_case(suite);
}

static void put_cases(struct suite *suite)
{
	const struct judged judged = judged_of(suite->file->job);
	const struct ruleset *const *topic;
	size_t i;

	put_judged(suite, &judged);

	for (topic = rulesets; *topic; topic++)
		put_topic(suite, *topic);
	for (i = 0; i < judged.open.count; i++) {
		if (judged.open.items[i].optional)
			continue;
		open_case(suite, judged.open.items[i].rule->id->name);
		put_skipped(suite, arena_printf(suite->file->job->arena, "needs %s",
						judged.open.items[i].needs));
		close_case(suite);
	}
}

static void open_suite(struct buf *out, const char *path, size_t tests, size_t failures,
		       size_t errors, size_t skipped)
{
	buf_text(out, "  <testsuite");
	put_attribute(out, "name", path);
	buf_printf(out,
		   " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"0\">\n",
		   tests, failures, errors, skipped);
}

static void begin(struct report *report, struct buf *out)
{
	struct junit *junit = arena_new(report->arena, struct junit);

	(void)out;
	report->state = junit;
	buf_init(&junit->suites);
}

static void put_file(struct report *report, const struct checked *file, struct buf *out)
{
	const struct spot place = spot_of(file, (struct span) { 0 });
	struct junit *junit = report->state;
	struct suite suite = { .report = report, .file = file, .path = place.path };
	struct buf cases;

	(void)out;
	buf_init(&cases);
	suite.out = &cases;
	find_topics(&suite);
	put_cases(&suite);
	open_suite(&junit->suites, place.path, suite.tests, suite.failures, 0, suite.skipped);
	buf_bytes(&junit->suites, cases.data, cases.length);
	buf_text(&junit->suites, "  </testsuite>\n");
	buf_release(&cases);
	junit->tests += suite.tests;
	junit->failures += suite.failures;
	junit->skipped += suite.skipped;
}

/* A file that could not be opened: a suite with one test in error. */
static void put_unread(struct junit *junit, const struct unread *unread)
{
	struct buf *out = &junit->suites;

	open_suite(out, unread->path, 1, 0, 1, 0);
	buf_text(out, "    <testcase name=\"read\"");
	put_attribute(out, "classname", unread->path);
	buf_text(out, " time=\"0\">\n      <error");
	put_attribute(out, "message", unread->error);
	buf_text(out, " type=\"unreadable\"/>\n    </testcase>\n  </testsuite>\n");
	junit->tests++;
	junit->errors++;
}

static void end(struct report *report, struct buf *out)
{
	struct junit *junit = report->state;
	size_t i;

	for (i = 0; i < report->unread.count; i++)
		put_unread(junit, &report->unread.items[i]);
	buf_printf(out,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"parplan\" "
		   "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"0\">\n",
		   junit->tests, junit->failures, junit->errors, junit->skipped);
	buf_bytes(out, junit->suites.data, junit->suites.length);
	buf_text(out, "</testsuites>\n");
	buf_release(&junit->suites);
}

const struct format format_junit = {
	.name = "junit",
	.summary = "JUnit's XML, for test reports",
	.begin = begin,
	.file = put_file,
	.end = end,
};
