#include "framework/version.h"

#include "base/text.h"
#include "framework/requirements.h"
#include "framework/timeline.h"
#include "framework/version_infer.h"
#include "framework/wing.h"
#include "framework/torch/release.h"
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
	.explanation = "What a config does depends on the version of the framework that reads it. "
		       "parplan has no record of this version's behaviour, so it checks the config "
		       "against no version: another version may behave differently.",
	.remedy = "Name a release, a commit of main, or a date: NAME@2025-10-17. For another "
		  "commit, as of a fork, give its day: NAME@COMMIT=2025-10-17.",
	.source = "parplan's own tables of versions",
};

/* What frameworks stand on. */
static const char *const libraries[] = { "torch", "torchao", "torchft", "nccl" };

enum { LIBRARIES = sizeof(libraries) / sizeof(libraries[0]) };

bool version_is_library(const char *name)
{
	size_t i;

	for (i = 0; i < LIBRARIES; i++)
		if (!strcmp(name, libraries[i]))
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

/* What a commit, or a day since a history began, does. */
static bool parse_moment(struct arena *arena, const struct timeline *timeline, const char *text,
			 struct version *version)
{
	const char *day = strchr(text, '=');

	if (day && timeline_is_commit(arena_strndup(arena, text, (size_t)(day - text)))) {
		version->given_date = date_parse(day + 1, &version->when);
		version->label = text;
	} else if ((version->when = timeline_commit(timeline, text)) != 0) {
		version->label = arena_strndup(arena, text, 9);
	} else if (!date_parse(text, &version->when)) {
		return false;
	}
	if (timeline->rows && !timeline_at(timeline, version->when))
		return false;
	version->beyond = version->when / 100 > timeline_newest(timeline) / 100;
	return version->when > 0;
}

/* By a framework's history: one of its rows, else as above. */
static bool parse_row(struct arena *arena, const struct timeline *timeline, const char *text,
		      struct version *version)
{
	const struct timeline_row *row = timeline_find(timeline, text);

	if (row) {
		version->label = timeline_label(arena, row);
		version->when = row->when;
	} else if (!parse_moment(arena, timeline, text, version)) {
		return false;
	}
	version->epoch = timeline_epoch_label(arena, timeline, version->when);
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
		    (text_starts(commit, (*row)->as_of) ||
		     (timeline_is_commit(commit) && text_starts((*row)->as_of, commit))))
			return true;
	return false;
}

/* A release by its number: "1.12", "v0.4.0rc1", "2.21.5+cuda12.4". */
static bool is_number(const char *text)
{
	int64_t number;

	text += *text == 'v';
	return text_digits(&text, 9, &number) && *text == '.' && text[1] >= '0' && text[1] <= '9' &&
	       !text[strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz.+-_")];
}

/* A name of the framework's own that says which sort of it runs, and no version. */
static bool is_kind(const char *framework, const char *text)
{
	const struct wing *wing = wing_find(framework);
	const char *const *kind = wing ? wing->kinds : NULL;

	while (kind && *kind && strcmp(*kind, text) != 0)
		kind++;
	return kind && *kind;
}

/* Of a framework whose commits have no traits, or of a library. */
static bool parse_plain(struct arena *arena, const struct timeline *timeline, const char *text,
			struct version *version)
{
	if (!strcmp(text, "latest") || !strcmp(text, "main") || !strcmp(text, "HEAD") ||
	    is_modelled(version->framework, text)) {
		version->when = MOMENT_LATEST;
		return true;
	}
	if (!timeline)
		return date_parse(text, &version->when) || is_number(text);
	if (parse_moment(arena, timeline, text, version))
		return true;
	version->when = timeline->release(text);
	return version->when != 0;
}

bool version_parse(struct arena *arena, const char *framework, const char *text,
		   struct version *version)
{
	const struct timeline *timeline = timeline_of(framework);

	*version = (struct version) { .framework = framework, .label = text, .epoch = "" };
	if (!*text)
		return false;
	if (is_kind(framework, text))
		return true;
	if (timeline && timeline->rows)
		return parse_row(arena, timeline, text, version);
	if (!strcmp(framework, "torch"))
		return parse_torch(arena, text, version);
	return parse_plain(arena, timeline, text, version);
}

/* The releases of a history, oldest first, and where its recorded commits begin. */
static char *rows_known(struct arena *arena, const struct timeline *timeline)
{
	const int first = (int)(timeline->rows[0].when / 100);
	char *list = arena_strdup(arena, "");
	int i;

	for (i = 0; i < timeline->count; i++)
		if (timeline->rows[i].tag)
			list = arena_printf(arena, "%s%s%s", list, *list ? ", " : "",
					    timeline->rows[i].tag);
	return arena_printf(arena,
			    "known are %s, the commits of its timeline, and dates from "
			    "%04d-%02d-%02d on",
			    list, first / 10000, first / 100 % 100, first % 100);
}

static const char *nearest_tag(const struct timeline *timeline, const char *text)
{
	const char *tags[16];
	size_t count = 0;
	int i;

	for (i = 0; i < timeline->count && count < 16; i++)
		if (timeline->rows[i].tag)
			tags[count++] = timeline->rows[i].tag;
	if (timeline_is_commit(text) || !count)
		return NULL;
	for (i = (int)count - 1; i >= 0; i--) /* "v0.2" or "0.2": its newest */
		if (text_starts(tags[i] + (*text != 'v'), text) && strlen(text) > 1)
			return tags[i];
	return text_nearest(text, tags, count);
}

/* True when an edit can correct it. */
static bool in_a_file(const struct pin *pin)
{
	return pin->origin == ORIGIN_GIVEN || pin->origin == ORIGIN_PROJECT;
}

/* What versions of it are known, in words. */
static const char *versions_known(struct arena *arena, const char *framework)
{
	const struct timeline *timeline = timeline_of(framework);

	if (timeline && timeline->rows)
		return rows_known(arena, timeline);
	if (timeline)
		return "known are its releases, the commits of main, and dates";
	return !strcmp(framework, "torch") ? arena_printf(arena, "known are %s", torch_known())
					   : "known are releases by their number, and dates";
}

static void report_version(struct findings *findings, const struct pin *pin)
{
	const struct timeline *timeline = timeline_of(pin->framework);
	const char *near = timeline ? nearest_tag(timeline, pin->version) : NULL;
	struct finding *finding;

	finding = finding_add(findings, &rule_unknown_version, pin->span,
			      "no version '%.40s' of %s is known", pin->version, pin->framework);
	finding_actual(findings, finding, "%s", versions_known(findings->arena, pin->framework));
	if (timeline_is_commit(pin->version))
		finding_fix(findings, finding, "give the day of that commit: %s@%.40s=2025-02-28",
			    pin->framework, pin->version);
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
	const struct wing *const *wing;
	VEC(const char *) names = { 0 };
	size_t i;

	for (dialect = dialects; *dialect; dialect++)
		if ((*dialect)->framework)
			vec_push(arena, &names, (*dialect)->framework);
	for (wing = wings; *wing; wing++)
		vec_push(arena, &names, (*wing)->name);
	for (i = 0; i < LIBRARIES; i++)
		vec_push(arena, &names, libraries[i]);
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

	for (dialect = dialects; *dialect; dialect++)
		if ((*dialect)->framework && !strcmp((*dialect)->framework, name))
			return true;
	return version_is_library(name) || wing_find(name);
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
	const bool beside = pin->origin == ORIGIN_DERIVED || pin->origin == ORIGIN_PROJECT;
	struct findings elsewhere;
	struct version version;

	findings_init(&elsewhere, document->arena);
	if (!parse_pin(document->arena, pin, &version, beside ? &elsewhere : findings)) {
		if (pin->origin != ORIGIN_DERIVED && !version_is_library(pin->framework))
			versions->refused = pin->framework;
		return;
	}
	if (versions->refused && !strcmp(versions->refused, pin->framework))
		versions->refused = NULL;
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

/* A library without numbers of its own here, named without a date, is of the framework's. */
static void date_companion(struct versions *versions, const char *library, moment_t when)
{
	size_t i;

	for (i = 0; i < versions->list.count; i++) {
		struct version *version = &versions->list.items[i];
		if (!version->when && strcmp(library, "torch") != 0 &&
		    !strcmp(version->framework, library))
			version->when = version->low = version->high = when;
	}
}

static void add_companions(struct versions *versions, struct document *document,
			   const struct timeline *timeline, moment_t when)
{
	const char *const *library = timeline ? timeline->companions : NULL;

	for (; library && *library; library++) {
		date_companion(versions, *library, when);
		add_companion(versions, document, *library, when);
	}
}

/* The first pinned framework whose history is known commit by commit, or NULL. */
static const struct version *first_dated(const struct versions *versions)
{
	const struct timeline *timeline;
	size_t i;

	for (i = 0; i < versions->list.count; i++) {
		timeline = timeline_of(versions->list.items[i].framework);
		if (timeline && timeline->rows)
			return &versions->list.items[i];
	}
	return NULL;
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

static void resolve(struct versions *versions, struct document *document, struct findings *findings)
{
	const char *name = document->dialect->framework;
	const struct timeline *timeline = name ? timeline_of(name) : NULL;
	struct version inferred;
	const struct version *found;

	resolve_pins(versions, document, findings);
	if (versions->refused)
		return;
	if (name && !versions_find(versions, name) && version_infer(document, timeline, &inferred))
		put_version(versions, document->arena, &inferred);
	add_modelled(versions, document);
	found = name ? versions_find(versions, name) : first_dated(versions);
	if (!found)
		return;
	document->low = found->low;
	document->high = found->high;
	document->inferred = found->origin == VERSION_INFERRED;
	add_companions(versions, document, timeline_of(found->framework), found->when);
}

void versions_resolve(struct versions *versions, struct document *document,
		      struct findings *findings)
{
	size_t i;

	resolve(versions, document, findings);
	for (i = 0; i < versions->list.count; i++) {
		struct version *version = &versions->list.items[i];
		wing_add_habits(&version->does, wing_find(version->framework), version);
		wing_add_habits(&version->does, wing_joined(version->label), NULL);
	}
}
