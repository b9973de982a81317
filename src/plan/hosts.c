#include "plan/hosts.h"

#include "base/bounds.h"
#include "base/map.h"
#include "base/text.h"
#include "input/syntax/reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

const struct rule_id rule_hosts_unreadable = {
	.name = "hosts-unreadable",
	.code = "G101",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "the file of hosts cannot be read",
	.explanation =
		"cluster.hosts (or --hosts) names a file with the hosts of the job, one on a "
		"line, in the order of launch. parplan looks beside the config for a path in a "
		"config. Without the file the host of each rank is not known.",
	.remedy = "Correct the path, or delete the line: block ranks on numbered nodes are assumed "
		  "then.",
	.source = "parplan's own key cluster.hosts",
};

const struct rule_id rule_hosts_syntax = {
	.name = "hosts-syntax",
	.code = "G102",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "the file of hosts is not a list of hosts",
	.explanation =
		"A line holds one host, or a list as Slurm writes it, and may say how many ranks "
		"each runs: \"gpu-a07\", \"gpu-a07 slots=8\", \"gpu-a07:8\", \"gpu[001-016] "
		"slots=8\". '#' starts a comment. DeepSpeed stops at a line of any other form, "
		"too.",
	.remedy = "Write one host on a line: NAME or NAME slots=N.",
	.source = "deepspeedai/DeepSpeed deepspeed/launcher/runner.py _parse_hostfile",
};

const struct rule_id rule_hosts_duplicate = {
	.name = "hosts-duplicate",
	.code = "G103",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "the file of hosts names a host twice",
	.explanation =
		"Launchers disagree about a host that appears twice: DeepSpeed raises ValueError "
		"(\"Hostfile contains multiple entries for ...\"), Open MPI adds its slots up. "
		"Two launches of torchrun on one host would share its GPUs. parplan does not use "
		"the second line.",
	.remedy = "Delete one of the lines, or write slots=N on one line.",
	.source = "deepspeedai/DeepSpeed deepspeed/launcher/runner.py _parse_hostfile",
};

/* ---- reading ---- */

struct reader {
	struct arena *arena;
	struct findings *findings;
	struct hosts *hosts;
	struct cursor cursor;
	struct map names;
	const char *text;
	size_t at, end;	  /* the rest of the line */
	size_t first;	  /* index of the first host of this line */
	size_t repeated;  /* hosts that were there already */
	const char *name; /* the first of them */
	struct span place;
	bool failed;
};

/* The only finding of a text: from there on it is not read. */
static void fail(struct reader *r, size_t start, size_t end, const char *what)
{
	size_t length = 0;
	const char *line;

	if (r->failed)
		return;
	r->failed = true;
	finding_add(r->findings, &rule_hosts_syntax,
		    source_span(r->hosts->source, start, end > start ? end : start + 1), "%s",
		    what);
	line = source_line(r->hosts->source, 1, &length);
	if (length > 2 && !strncmp(line, "#!", 2))
		finding_fix(r->findings, r->findings->list.items[r->findings->list.count - 1],
			    "name the list of hosts, not the script that writes it");
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && (r->text[r->at] == ' ' || r->text[r->at] == '\t'))
		r->at++;
}

static void add_host(struct reader *r, const char *name, struct span span)
{
	struct host host = { name, 0, span };

	if (!map_add(&r->names, name, (uint32_t)r->hosts->list.count)) {
		r->name = r->repeated ? r->name : name;
		r->place = r->repeated ? r->place : span;
		r->repeated++;
		return;
	}
	vec_push(r->arena, &r->hosts->list, host);
}

/*
 * One name with its lists of numbers: "rack[1-2]node[01-16]". `prefix` is what is spelled out so
 * far, [at, end) the rest.
 */
static void expand(struct reader *r, const char *prefix, size_t at, size_t end, struct span span);

/* "001" to "016" at *at: how many digits there are, and both numbers. */
static bool read_range(struct reader *r, size_t *at, int64_t *low, int64_t *high, int *width)
{
	enum { DIGITS = 9 };
	const char *from = r->text + *at;

	*width = (int)strspn(from, "0123456789");
	if (!text_digits(&from, DIGITS, low))
		return false;
	*high = *low;
	if (*from == '-') {
		from++;
		if (!text_digits(&from, DIGITS, high) || *high < *low)
			return false;
	}
	*at = (size_t)(from - r->text);
	return true;
}

/* The numbers of "[001-016,020]", each followed by what comes behind the bracket. */
static void expand_list(struct reader *r, const char *prefix, size_t open, size_t end,
			struct span span)
{
	const char *found = memchr(r->text + open, ']', end - open);
	size_t close = found ? (size_t)(found - r->text) : end, at = open + 1;
	int64_t low, high, number;
	int width;

	if (!found) {
		fail(r, open, end, "this '[' has no ']'");
		return;
	}
	for (;; at++) {
		if (!read_range(r, &at, &low, &high, &width)) {
			fail(r, at, close,
			     "a list in brackets holds numbers and ranges: [001-016,020]");
			return;
		}
		if (high - low >= HOSTS_MAX)
			fail(r, r->at, close, "there are more than 1,048,576 hosts");
		for (number = low; number <= high && !r->failed; number++)
			expand(r, arena_printf(r->arena, "%s%0*" PRId64, prefix, width, number),
			       close + 1, end, span);
		if (r->failed || at >= close)
			return;
		if (r->text[at] != ',') {
			fail(r, at, at + 1,
			     "a list in brackets holds numbers and ranges: "
			     "[001-016,020]");
			return;
		}
	}
}

static void expand(struct reader *r, const char *prefix, size_t at, size_t end, struct span span)
{
	enum { NAME_MOST = 255 }; /* RFC 1035 */
	size_t from = at;

	while (at < end && r->text[at] != '[')
		at++;
	prefix = arena_printf(r->arena, "%s%.*s", prefix, (int)(at - from), r->text + from);
	if (strlen(prefix) > NAME_MOST)
		fail(r, from, at, "no host has a name of more than 255 characters");
	else if (r->hosts->list.count >= HOSTS_MAX || r->repeated >= HOSTS_MAX)
		fail(r, r->at, end, "there are more than 1,048,576 hosts");
	else if (at < end)
		expand_list(r, prefix, at, end, span);
	else
		add_host(r, prefix, span);
}

/* Where a name ends; what is in brackets is looked at later. */
static size_t name_end(const struct reader *r)
{
	size_t at = r->at;
	bool inside = false;

	for (; at < r->end && !strchr(" \t", r->text[at]); at++) {
		char c = r->text[at];
		if (c == '[')
			inside = true;
		else if (c == ']' && inside)
			inside = false;
		else if (!inside && !is_name(c))
			break;
	}
	return at;
}

static void put_slots(struct reader *r, int64_t slots)
{
	size_t i;

	for (i = r->first; i < r->hosts->list.count; i++)
		r->hosts->list.items[i].slots = slots;
}

/* The number behind "slots=" or ':'. */
static void read_slots(struct reader *r)
{
	const char *at = r->text + r->at;
	size_t start = r->at;
	int64_t slots = 0;

	if (text_digits(&at, 9, &slots))
		r->at = (size_t)(at - r->text);
	if (slots < 1 || slots > HOST_SLOTS_MAX || (r->at < r->end && !strchr(" \t", *at)))
		fail(r, start, r->end, "a host runs 1 to 1,024 ranks: slots=8");
	else
		put_slots(r, slots);
}

/* What follows the names: ":8", "slots=8"; Open MPI's max_slots says nothing about ranks. */
static void read_options(struct reader *r)
{
	static const char slots[] = "slots=";
	static const char *const ignored[] = { "max_slots=", "max-slots=" };
	size_t i;

	if (r->at < r->end && r->text[r->at] == ':') {
		r->at++;
		read_slots(r);
	}
	for (skip_blanks(r); r->at < r->end && !r->failed; skip_blanks(r)) {
		const char *word = r->text + r->at;
		size_t length = strcspn(word, " \t\r\n");
		if (text_starts(word, slots)) {
			r->at += strlen(slots);
			read_slots(r);
			continue;
		}
		for (i = 0; i < 2 && !text_starts(word, ignored[i]); i++)
			;
		if (i == 2)
			fail(r, r->at, r->at + length, "expected slots=N behind the host's name");
		r->at += length;
	}
}

static void read_line(struct reader *r)
{
	const char *comment = memchr(r->text + r->at, '#', r->end - r->at);

	if (comment)
		r->end = (size_t)(comment - r->text);
	while (r->end > r->at && isspace((unsigned char)r->text[r->end - 1]))
		r->end--;
	skip_blanks(r);
	r->first = r->hosts->list.count;
	while (r->at < r->end && !r->failed) {
		size_t end = name_end(r);
		if (end == r->at) {
			fail(r, r->at, r->end, "this is not the name of a host");
			return;
		}
		expand(r, "", r->at, end, cursor_over(&r->cursor, r->at, end));
		r->at = end;
		if (r->at >= r->end || r->text[r->at] != ',')
			break;
		r->at++;
	}
	if (!r->failed)
		read_options(r);
}

static void report_repeated(const struct reader *r)
{
	if (!r->repeated)
		return;
	finding_add(r->findings, &rule_hosts_duplicate, r->place, "%s is named twice%s", r->name,
		    r->repeated > 1 ? arena_printf(r->arena, " (and %zu more)", r->repeated - 1)
				    : "");
}

struct hosts *hosts_parse(struct arena *arena, struct source *source, struct findings *findings)
{
	struct reader r = { .arena = arena, .findings = findings, .text = source->text };
	size_t next = source->lines[0];

	r.names.arena = arena;
	r.hosts = arena_new(arena, struct hosts);
	r.hosts->source = source;
	if (!reader_accepts(source, findings))
		return NULL;
	cursor_init(&r.cursor, source);
	while (next < source->length && !r.failed) {
		r.at = next;
		r.end = next + strcspn(source->text + next, "\n");
		next = r.end + 1;
		read_line(&r);
	}
	report_repeated(&r);
	if (!r.failed && !r.hosts->list.count)
		fail(&r, 0, source->length ? 1 : 0, "the file names no host");
	return r.failed ? NULL : r.hosts;
}

struct hosts *hosts_read(struct arena *arena, const char *path, const char *bounds,
			 struct span place, struct findings *findings)
{
	struct io_text text = bounds ? bounds_read(arena, bounds, path, READER_BYTES)
				     : io_read(arena, path, READER_BYTES);

	if (text.text)
		return hosts_parse(arena, source_new(arena, path, text.text, text.length),
				   findings);
	finding_add(findings, &rule_hosts_unreadable, place, "cannot read the hosts in '%s': %s",
		    path, text.error);
	return NULL;
}
