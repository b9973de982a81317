#include "framework/version.h"

#include "base/text.h"
#include "framework/torch/release.h"
#include "framework/torchtitan/timeline.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const struct rule_id rule_unknown_version = {
	.name = "unknown-version",
	.code = "V001",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "a framework version that is not known",
	.explanation = "What a config does depends on the framework's version. A version that is "
		       "neither a known tag nor a known commit nor a date cannot be judged, so "
		       "the pin is set aside and the version inferred.",
	.remedy = "Give a tag, a commit of the timeline, or a date such as 2025-02.",
	.source = "parplan's own tables",
};

const struct version *versions_find(const struct versions *versions, const char *framework)
{
	size_t i;

	for (i = 0; i < versions->list.count; i++)
		if (!strcmp(versions->list.items[i].framework, framework))
			return &versions->list.items[i];
	return NULL;
}

/* "2025", "2025-02", "2025-02-14", "20250214": the last moment of that period; 0 when it is no
 * date. */
static moment_t date_moment(const char *text)
{
	int year = 0, month = 12, day = 31, used = 0;

	if (strlen(text) == 8 && strspn(text, "0123456789") == 8)
		sscanf(text, "%4d%2d%2d%n", &year, &month, &day, &used);
	else if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &used) != 3 &&
		 sscanf(text, "%4d-%2d%n", &year, &month, &used) != 2)
		sscanf(text, "%4d%n", &year, &used);
	if (text[used] || year < 2015 || year > 2099 || month < 1 || month > 12 || day < 1 ||
	    day > 31)
		return 0;
	return ((moment_t)year * 10000 + month * 100 + day) * 100 + 99;
}

static void describe_row(const struct timeline_row *row, struct arena *arena,
			 struct version *version)
{
	const struct timeline_row *epoch = timeline_epoch(row->when);

	version->label = row->tag ? row->tag : row->commit;
	version->when = row->when;
	version->epoch = epoch ? arena_strndup(arena, epoch->commit, 9) : "";
}

static bool parse_torchtitan(struct arena *arena, const char *text, struct version *version)
{
	const struct timeline_row *row = timeline_find(text);
	moment_t when = date_moment(text);

	if (!row && when)
		row = timeline_at(when);
	if (!row)
		return false;
	describe_row(row, arena, version);
	if (when) {
		version->label = arena_strdup(arena, text);
		version->when = when;
	} else if (!row->tag) {
		version->label = arena_strdup(arena, text);
	}
	return true;
}

static bool parse_torch(struct arena *arena, const char *text, struct version *version)
{
	moment_t when = date_moment(text);
	struct torch_release torch;

	if (when)
		torch = torch_of_date(arena, (int)(when / 100));
	else if (!torch_parse(arena, text, &torch))
		return false;
	version->label = torch.label;
	version->epoch = "";
	version->when = torch.nightly ? (moment_t)torch.nightly * 100 + 99 : 0;
	return true;
}

bool version_parse(struct arena *arena, const char *framework, const char *text,
		   struct version *version)
{
	const char *dated = strrchr(text, '@');

	memset(version, 0, sizeof(*version));
	version->framework = framework;
	if (dated && date_moment(dated + 1))
		text = dated + 1;
	if (!strcmp(framework, "torchtitan"))
		return parse_torchtitan(arena, text, version);
	if (!strcmp(framework, "torch"))
		return parse_torch(arena, text, version);
	version->label = arena_strdup(arena, text);
	version->epoch = "";
	version->when = date_moment(text);
	return *text != '\0';
}

static void put(struct versions *versions, struct arena *arena, struct version version)
{
	size_t i;

	for (i = 0; i < versions->list.count; i++)
		if (!strcmp(versions->list.items[i].framework, version.framework)) {
			versions->list.items[i] = version;
			return;
		}
	vec_push(arena, &versions->list, version);
}

static void report_unknown(const struct pin *pin, struct findings *findings)
{
	struct finding *finding =
		finding_add(findings, &rule_unknown_version, pin->span,
			    "%s '%s' is not a version known here", pin->framework, pin->version);
	const char *known = "2.2 to 2.14, or a nightly such as 2.11.0.dev20251221";

	if (!strcmp(pin->framework, "torchtitan"))
		known = "v0.1.0, v0.2.0, v0.2.1, v0.2.2, HEAD, or a commit of 'parplan explain "
			"torchtitan'";
	finding_fix(findings, finding, "known are %s; a date such as 2025-02 always works", known);
}

static void take_pins(struct versions *versions, struct document *document,
		      struct findings *findings)
{
	size_t i;

	for (i = 0; i < document->pins.count; i++) {
		const struct pin *pin = &document->pins.items[i];
		struct version version;
		if (!version_parse(document->arena, pin->framework, pin->version, &version)) {
			report_unknown(pin, findings);
			continue;
		}
		version.origin = VERSION_PINNED;
		version.span = pin->span;
		version.oldest = version.newest = version.label;
		version.low = version.high = version.when;
		put(versions, document->arena, version);
	}
}

/* ---- inference: the newest version that knows every key ---- */

/* Releases newest first, then the commits of the time before releases. */
static int candidates(const struct timeline_row **rows, int room)
{
	int count = 0, i;

	for (i = timeline_count - 1; i >= 0 && count < room; i--)
		if (timeline[i].tag)
			rows[count++] = &timeline[i];
	for (i = timeline_count - 1; i >= 0 && count < room; i--)
		if (timeline[i].when < rows[count ? count - 1 : 0]->when && !timeline[i].tag)
			rows[count++] = &timeline[i];
	return count;
}

static void infer(struct versions *versions, struct document *document)
{
	enum { ROOM = 96 };
	const struct timeline_row *rows[ROOM];
	int count = candidates(rows, ROOM), fewest = INT_MAX, newest = 0, oldest, i;
	struct version version = { .framework = "torchtitan", .origin = VERSION_INFERRED };

	for (i = 0; i < count && fewest > 0; i++) {
		int unknown = document->dialect->unknown_keys(document, rows[i]->when);
		if (unknown < fewest) {
			fewest = unknown;
			newest = i;
		}
	}
	for (oldest = newest; oldest + 1 < count; oldest++)
		if (document->dialect->unknown_keys(document, rows[oldest + 1]->when) > fewest)
			break;
	describe_row(rows[newest], document->arena, &version);
	version.newest = version.label;
	version.high = version.when;
	version.oldest = rows[oldest]->tag ? rows[oldest]->tag : rows[oldest]->commit;
	version.low = rows[oldest]->when;
	put(versions, document->arena, version);
}

/* ---- companions: the release or nightly of the main framework's day ---- */

static void add_companion(struct versions *versions, struct arena *arena, const char *framework,
			  const struct version *main)
{
	struct version version;
	char day[64];

	if (versions_find(versions, framework))
		return;
	snprintf(day, sizeof(day), "%04" PRId64 "-%02" PRId64 "-%02" PRId64, main->when / 1000000,
		 main->when / 10000 % 100, main->when / 100 % 100);
	if (!version_parse(arena, framework, day, &version))
		return;
	version.origin = VERSION_COMPANION;
	version.oldest = version.newest = version.label;
	version.low = version.high = version.when;
	put(versions, arena, version);
}

void versions_resolve(struct versions *versions, struct document *document,
		      struct findings *findings)
{
	static const char *const companions[] = { "torch", "torchao", "torchft" };
	const struct dialect *dialect = document->dialect;
	const struct version *found;
	struct version main;
	size_t i;

	take_pins(versions, document, findings);
	if (dialect->framework && !strcmp(dialect->framework, "torchtitan") &&
	    !versions_find(versions, "torchtitan") && dialect->unknown_keys)
		infer(versions, document);
	found = versions_find(versions, "torchtitan");
	if (!found)
		return;
	main = *found; /* adding companions moves the list */
	document->low = main.low;
	document->high = main.high;
	for (i = 0; i < sizeof(companions) / sizeof(companions[0]); i++)
		add_companion(versions, document->arena, companions[i], &main);
}
