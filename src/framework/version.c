#include "framework/version.h"

#include "base/text.h"
#include "framework/requirements.h"
#include "wings/megatron/release.h"
#include "framework/torch/release.h"
#include "wings/torchtitan/timeline.h"
#include "input/project.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

const struct rule_id rule_unknown_version = {
	.name = "unknown-version",
	.code = "V001",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "a framework or version that is not known",
	.explanation =
		"What a config does depends on the version of the framework that reads it. The "
		"version named is not one whose behaviour is recorded, so the config is judged "
		"by what its keys fit. A commit that is in no table is a warning only.",
	.remedy = "Name a release, a recorded commit, or a date: NAME@2025-10-17.",
	.source = "parplan's own tables of versions",
};

/* What a config may name beside the frameworks whose files a dialect reads. */
static const char *const others_known[] = {
	"torch", "torchao", "torchft", "nccl", "composer", "olmo-core", "transformers",
};

enum { OTHERS_KNOWN = sizeof(others_known) / sizeof(others_known[0]) };

bool version_is_library(const char *name)
{
	static const char *const names[] = { "torch", "torchao", "torchft", "nccl", "cuda" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

const struct version *versions_find(const struct versions *versions, const char *framework)
{
	size_t i;

	for (i = 0; i < versions->list.count; i++)
		if (!strcmp(versions->list.items[i].framework, framework))
			return &versions->list.items[i];
	return NULL;
}

bool version_reaches(const struct version *version, int major, int minor)
{
	const char *at = version ? version->label : "";
	int64_t first, second;

	at += *at == 'v';
	if (!text_digits(&at, 4, &first) || *at++ != '.' || !text_digits(&at, 4, &second) ||
	    (*at && *at != '.'))
		return true;
	return first != major ? first > major : second >= minor;
}

/* Reads `count` digits; advances *at. */
static bool digits(const char **at, int count, int *value)
{
	*value = 0;
	for (; count > 0; count--, ++*at) {
		if (!isdigit((unsigned char)**at))
			return false;
		*value = *value * 10 + (**at - '0');
	}
	return true;
}

static int month_days(int year, int month)
{
	if (month == 2)
		return year % 4 || (year % 100 == 0 && year % 400) ? 28 : 29;
	return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/*
 * "2025", "2025-02", "2025-02-28", "20250228": the end of that year, month or day; NAME@DATE: its
 * date.
 */
static bool date_parse(const char *text, moment_t *when)
{
	const char *name = strrchr(text, '@'), *at = name ? name + 1 : text;
	int year, month = 12, day = 0, last;

	if (!digits(&at, 4, &year))
		return false;
	at += *at == '-';
	if (*at && !digits(&at, 2, &month))
		return false;
	at += *at == '-';
	if (*at && !digits(&at, 2, &day))
		return false;
	if (*at || year < 2016 || year > 2100 || month < 1 || month > 12)
		return false;
	last = month_days(year, month);
	*when = ((moment_t)year * 10000 + month * 100 + (day ? day : last)) * 100 + 99;
	return day <= last;
}

static const char *row_label(struct arena *arena, const struct timeline_row *row)
{
	return row->tag ? row->tag : arena_strndup(arena, row->commit, 9);
}

static const char *epoch_label(struct arena *arena, moment_t when)
{
	const struct timeline_row *epoch = timeline_epoch(when);

	return epoch ? arena_strndup(arena, epoch->commit, 9) : "";
}

static bool parse_titan(struct arena *arena, const char *text, struct version *version)
{
	const struct timeline_row *row = timeline_find(text);
	moment_t when;

	if (row) {
		version->label = row_label(arena, row);
		version->when = row->when;
	} else if (date_parse(text, &when) && timeline_at(when)) {
		version->label = text;
		version->when = when;
	} else {
		return false;
	}
	version->epoch = epoch_label(arena, version->when);
	return true;
}

static bool parse_torch(struct arena *arena, const char *text, struct version *version)
{
	struct torch_release torch;
	moment_t when;

	if (date_parse(text, &when))
		torch = torch_of_date(arena, (int)(when / 100));
	else if (!torch_parse(arena, text, &torch))
		return false;
	version->label = torch.label;
	version->when = torch.nightly ? (moment_t)torch.nightly * 100 : 0;
	return true;
}

/* Whether it is the commit at which a dialect of the framework was read, or begins so. */
static bool is_modelled(const char *framework, const char *commit)
{
	const struct dialect *const *row;

	for (row = dialects; *row; row++)
		if ((*row)->framework && (*row)->as_of && !strcmp((*row)->framework, framework) &&
		    text_starts(commit, (*row)->as_of))
			return true;
	return false;
}

bool version_parse(struct arena *arena, const char *framework, const char *text,
		   struct version *version)
{
	moment_t when;

	memset(version, 0, sizeof(*version));
	version->framework = framework;
	version->label = text;
	version->epoch = "";
	if (!*text)
		return false;
	if (!strcmp(framework, "torchtitan"))
		return parse_titan(arena, text, version);
	if (!strcmp(framework, "torch"))
		return parse_torch(arena, text, version);
	if (!strcmp(text, "latest") || !strcmp(text, "main"))
		version->when = MOMENT_LATEST;
	else if (date_parse(text, &when))
		version->when = when;
	else if (is_modelled(framework, text))
		version->when = MOMENT_LATEST;
	else if (!strcmp(framework, "megatron"))
		version->when = megatron_release(text);
	return true;
}

/* The releases of TorchTitan, oldest first, and where its recorded commits begin. */
static char *titan_known(struct arena *arena)
{
	char *list = arena_strdup(arena, "");
	int i;

	for (i = 0; i < timeline_count; i++)
		if (timeline[i].tag)
			list = arena_printf(arena, "%s%s%s", list, *list ? ", " : "",
					    timeline[i].tag);
	return arena_printf(arena,
			    "known are %s, the commits of its timeline, and dates from "
			    "2024-04-30 on",
			    list);
}

static const char *nearest_tag(const char *text)
{
	const char *tags[16];
	size_t count = 0;
	int i;

	for (i = 0; i < timeline_count && count < 16; i++)
		if (timeline[i].tag)
			tags[count++] = timeline[i].tag;
	for (i = (int)count - 1; i >= 0; i--) /* "v0.2" or "0.2": its newest */
		if (text_starts(tags[i] + (*text != 'v'), text) && strlen(text) > 1)
			return tags[i];
	return text_nearest(text, tags, count);
}

/* True for what can be the hash of a commit: it may well be one that is in no table. */
static bool is_commit(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");

	return length >= 7 && length <= 40 && !text[length];
}

/* True when an edit can correct it. */
static bool in_a_file(const struct pin *pin)
{
	return pin->origin == ORIGIN_GIVEN || pin->origin == ORIGIN_PROJECT;
}

static void report_version(struct findings *findings, const struct pin *pin)
{
	bool titan = !strcmp(pin->framework, "torchtitan");
	const char *near = titan ? nearest_tag(pin->version) : NULL;
	struct finding *finding;

	finding = finding_add(findings, &rule_unknown_version, pin->span,
			      "no version '%.40s' of %s is known", pin->version, pin->framework);
	if (is_commit(pin->version)) {
		finding_cap(finding, SEVERITY_WARNING);
		finding_fix(findings, finding, "give the day of that commit instead: %s@2025-02-28",
			    pin->framework);
	}
	if (titan)
		finding_actual(findings, finding, "%s", titan_known(findings->arena));
	else
		finding_actual(findings, finding, "known are %s", torch_known());
	if (!near)
		return;
	finding_fix(findings, finding, "did you mean %s?", near);
	if (in_a_file(pin))
		finding_edit(findings, finding, pin->span, "%s%s%s",
			     span_known(pin->key_span) ? "" : pin->framework,
			     span_known(pin->key_span) ? "" : "@", near);
}

/* The known name that is nearest to a misspelt one, or NULL. */
static const char *nearest_framework(struct arena *arena, const char *name)
{
	const struct dialect *const *dialect;
	VEC(const char *) names = { 0 };
	size_t i;

	for (dialect = dialects; *dialect; dialect++)
		if ((*dialect)->framework)
			vec_push(arena, &names, (*dialect)->framework);
	for (i = 0; i < OTHERS_KNOWN; i++)
		vec_push(arena, &names, others_known[i]);
	return text_nearest(name, names.items, names.count);
}

static void report_framework(struct findings *findings, const struct pin *pin)
{
	const char *near = nearest_framework(findings->arena, pin->framework);
	bool named = span_known(pin->key_span) && in_a_file(pin);
	struct finding *finding =
		finding_add(findings, &rule_unknown_version, named ? pin->key_span : pin->span,
			    "no framework '%.40s' is known", pin->framework);

	if (!near)
		return;
	finding_fix(findings, finding, "did you mean %s?", near);
	if (named)
		finding_edit(findings, finding, pin->key_span, "%s", near);
}

static bool is_framework(const char *name)
{
	const struct dialect *const *dialect;
	size_t i;

	for (dialect = dialects; *dialect; dialect++)
		if ((*dialect)->framework && !strcmp((*dialect)->framework, name))
			return true;
	for (i = 0; i < OTHERS_KNOWN; i++)
		if (!strcmp(others_known[i], name))
			return true;
	return false;
}

/* Later pins of one framework win. */
static void put_version(struct versions *versions, struct arena *arena,
			const struct version *version)
{
	size_t i;

	for (i = 0; i < versions->list.count; i++)
		if (!strcmp(versions->list.items[i].framework, version->framework)) {
			versions->list.items[i] = *version;
			return;
		}
	vec_push(arena, &versions->list, *version);
}

/* The version that a pin names; false after a finding. */
static bool parse_pin(struct arena *arena, const struct pin *pin, struct version *version,
		      struct findings *findings)
{
	if (!is_framework(pin->framework)) {
		report_framework(findings, pin);
		return false;
	}
	if (version_parse(arena, pin->framework, pin->version, version))
		return true;
	report_version(findings, pin);
	return false;
}

void version_check_pin(const struct pin *pin, struct findings *findings)
{
	struct version version;

	parse_pin(findings->arena, pin, &version, findings);
}

static void resolve_pin(struct versions *versions, struct document *document, const struct pin *pin,
			struct findings *findings)
{
	/* Beside the config: no fault of the config's, and a project's settings are judged once. */
	bool beside = pin->origin == ORIGIN_DERIVED || pin->origin == ORIGIN_PROJECT;
	struct findings elsewhere;
	struct version version;

	findings_init(&elsewhere, document->arena);
	if (!parse_pin(document->arena, pin, &version, beside ? &elsewhere : findings))
		return;
	version.origin = VERSION_PINNED;
	version.project = pin->origin == ORIGIN_PROJECT;
	version.span = pin->span;
	version.low = version.high = version.when;
	put_version(versions, document->arena, &version);
}

/* A project's default is no default for configs of another framework. */
static bool concerns(const struct document *document, const struct pin *pin)
{
	size_t i;

	if (version_is_library(pin->framework))
		return true;
	if (document->dialect->framework)
		return !strcmp(document->dialect->framework, pin->framework);
	for (i = 0; i < document->pins.count; i++)
		if (!version_is_library(document->pins.items[i].framework))
			return !strcmp(document->pins.items[i].framework, pin->framework);
	return true;
}

static void resolve_project(struct versions *versions, struct document *document,
			    struct findings *findings)
{
	const struct project *project = document->overrides->project;
	size_t i;

	for (i = 0; project && i < project->pins.count; i++)
		if (concerns(document, &project->pins.items[i]))
			resolve_pin(versions, document, &project->pins.items[i], findings);
}

static void resolve_pins(struct versions *versions, struct document *document,
			 struct findings *findings)
{
	struct pins beside = { 0 };
	size_t i;

	requirements_pins(&beside, document);
	for (i = 0; i < beside.list.count; i++) {
		/* torch's version beside a native config says nothing about what the config is for
		 */
		if (document->dialect->framework)
			resolve_pin(versions, document, &beside.list.items[i], findings);
	}
	resolve_project(versions, document, findings);
	for (i = 0; i < document->pins.count; i++)
		resolve_pin(versions, document, &document->pins.items[i], findings);
}

/*
 * The moment from a row of the timeline to before the day of the next that knows most of the keys,
 * the row's own where none knows more; how many it does not know into *count. A release is its
 * moment alone.
 */
static moment_t best_moment(const struct document *document, int row, int *count)
{
	const struct dialect *dialect = document->dialect;
	moment_t when = timeline[row].when, best = when;
	moment_t end = row + 1 < timeline_count ? timeline[row + 1].when / 100 * 100 : when;

	*count = dialect->unknown_keys(document, when);
	while (*count && !timeline[row].tag && (when = dialect->next_change(when)) < end) {
		int unknown = dialect->unknown_keys(document, when);
		if (unknown < *count) {
			*count = unknown;
			best = when;
		}
	}
	return best;
}

/* How many keys each row of the timeline would not know, into counts[]; the fewest of all. */
static int count_unknown(const struct document *document, int counts[])
{
	int i, fewest = INT32_MAX;

	for (i = 0; i < timeline_count; i++) {
		best_moment(document, i, &counts[i]);
		if (counts[i] < fewest)
			fewest = counts[i];
	}
	return fewest;
}

/* The newest release among the rows that fit best, else the newest such row. */
static int newest_fit(const int counts[], int fewest)
{
	int i, row = -1;

	for (i = timeline_count - 1; i >= 0; i--) {
		if (counts[i] != fewest)
			continue;
		if (timeline[i].tag)
			return i;
		if (row < 0)
			row = i;
	}
	return row;
}

static void infer_titan(struct versions *versions, struct document *document)
{
	struct arena *arena = document->arena;
	int *counts = arena_array(arena, (size_t)timeline_count, sizeof(int));
	int fewest = count_unknown(document, counts);
	int best = newest_fit(counts, fewest), low = best, high = best;
	struct version version = { .framework = "torchtitan", .origin = VERSION_INFERRED };

	while (low > 0 && counts[low - 1] == fewest)
		low--;
	while (high + 1 < timeline_count && counts[high + 1] == fewest)
		high++;
	version.label = row_label(arena, &timeline[best]);
	version.when = best_moment(document, best, &fewest);
	version.epoch = epoch_label(arena, version.when);
	version.oldest = row_label(arena, &timeline[low]);
	version.newest = row_label(arena, &timeline[high]);
	version.low = timeline[low].when;
	version.high = timeline[high].when;
	if (version.high < version.when)
		version.high = version.when;
	put_version(versions, arena, &version);
}

/* The nightly of a day, for torch, and the day itself for what has no numbers of its own here. */
static void add_companion(struct versions *versions, struct document *document,
			  const char *framework, moment_t when)
{
	struct arena *arena = document->arena;
	int day = (int)(when / 100);
	struct version version;

	if (versions_find(versions, framework) || !when || when == MOMENT_LATEST)
		return;
	if (!version_parse(
		    arena, framework,
		    arena_printf(arena, "%04d-%02d-%02d", day / 10000, day / 100 % 100, day % 100),
		    &version))
		return;
	version.origin = VERSION_COMPANION;
	version.low = version.high = version.when;
	put_version(versions, arena, &version);
}

/* torchao and torchft named without a date are of the main framework's. */
static void date_companions(struct versions *versions, moment_t when)
{
	size_t i;

	for (i = 0; i < versions->list.count; i++) {
		struct version *version = &versions->list.items[i];
		if (!version->when && (!strcmp(version->framework, "torchao") ||
				       !strcmp(version->framework, "torchft")))
			version->when = version->low = version->high = when;
	}
}

/* Where nobody names a version and none can be told: the commit whose behaviour is modelled. */
static void add_modelled(struct versions *versions, const struct document *document)
{
	struct version version = { .framework = document->dialect->framework,
				   .label = document->dialect->as_of,
				   .epoch = "",
				   .when = MOMENT_LATEST,
				   .origin = VERSION_MODELLED };

	if (!version.framework || !version.label || versions_find(versions, version.framework))
		return;
	version.low = version.high = version.when;
	put_version(versions, document->arena, &version);
}

void versions_resolve(struct versions *versions, struct document *document,
		      struct findings *findings)
{
	static const char *const companions[] = { "torch", "torchao", "torchft" };
	const char *name = document->dialect->framework;
	const struct version *found;
	size_t i;

	resolve_pins(versions, document, findings);
	if (name && !versions_find(versions, name) && document->dialect->unknown_keys &&
	    !strcmp(name, "torchtitan"))
		infer_titan(versions, document);
	add_modelled(versions, document);
	found = versions_find(versions, name ? name : "torchtitan");
	if (!found)
		return;
	document->low = found->low;
	document->high = found->high;
	document->inferred = found->origin == VERSION_INFERRED;
	if (strcmp(found->framework, "torchtitan") != 0)
		return;
	date_companions(versions, found->when);
	for (i = 0; i < sizeof(companions) / sizeof(companions[0]); i++)
		add_companion(versions, document, companions[i],
			      versions_find(versions, "torchtitan")->when);
}
