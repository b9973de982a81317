#include "rules/baseline.h"

#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "input/syntax/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct rule_id rule_stale_baseline = {
	.name = "stale-baseline",
	.code = "X102",
	.severity = SEVERITY_NOTE,
	.evidence = EVIDENCE_RUN,
	.summary = "the baseline holds a finding that is no longer there",
	.explanation = "A baseline lists known findings, which do not block. An entry whose "
		       "finding or file is gone would silently let the same mistake in again. "
		       "parplan does not report entries whose rule it could not check because a "
		       "fact is missing, nor entries of files that it did not read.",
	.remedy = "Write a new baseline: parplan check --write-baseline FILE CONFIGS.",
	.source = "parplan's own",
};

/* ---- reading ---- */

static const char *wrong_at(struct arena *arena, struct span span, const char *what)
{
	return arena_printf(
		arena, "%s:%u:%u: %s (parplan check --write-baseline FILE writes a baseline)",
		span.source->path, (unsigned int)span.line, (unsigned int)span.column, what);
}

/* The text of a member, or NULL. */
static const char *member_text(const struct node *map, const char *key)
{
	const struct node *member = node_member(map, key);

	return member && member->kind == NODE_SCALAR && member->type == SCALAR_STRING ? member->text
										      : NULL;
}

static bool read_count(const struct node *map, int64_t *count)
{
	const struct node *member = node_member(map, "count");

	*count = member ? member->integer : 1;
	return !member ||
	       (member->kind == NODE_SCALAR && member->type == SCALAR_INT && member->integer > 0);
}

static void add_entry(struct baseline *baseline, const struct baseline_entry *entry)
{
	int64_t known = map_find(&baseline->index, entry->fingerprint);

	if (known >= 0) {
		baseline->entries.items[known].count += entry->count;
		return;
	}
	map_add(&baseline->index, entry->fingerprint, (uint32_t)baseline->entries.count);
	vec_push(baseline->arena, &baseline->entries, *entry);
}

static const char *read_entry(struct baseline *baseline, const struct node *node)
{
	struct baseline_entry entry = { .fingerprint = member_text(node, "fingerprint"),
					.rule = member_text(node, "rule"),
					.path = member_text(node, "path"),
					.message = member_text(node, "message"),
					.span = node->span };
	const struct node *shown = node_member(node, "fingerprint");

	if (!shown || !entry.fingerprint || !entry.rule || !entry.path || !entry.message)
		return "an entry needs the texts fingerprint, rule, path and message";
	entry.span = shown->span;
	if (!read_count(node, &entry.count) || entry.count > INT32_MAX)
		return "count is a number from 1 on";
	add_entry(baseline, &entry);
	return NULL;
}

const char *baseline_read(struct baseline *baseline, struct arena *arena, const char *path,
			  const char *text, size_t length)
{
	const struct node *root, *list, *child;
	const char *schema, *wrong = NULL;
	struct findings findings;

	memset(baseline, 0, sizeof(*baseline));
	baseline->arena = baseline->index.arena = arena;
	baseline->source = source_new(arena, path, text, length);
	baseline->folder = path_folder(arena, path);
	findings_init(&findings, arena);
	root = json_read(arena, baseline->source, &findings);
	if (!root)
		return wrong_at(arena, findings.list.items[0]->span,
				findings.list.items[0]->message);
	schema = member_text(root, "schema");
	list = node_member(root, "findings");
	if (!schema || strcmp(schema, BASELINE_SCHEMA) != 0)
		return wrong_at(arena, root->span,
				"this is no baseline: its \"schema\" is not "
				"\"" BASELINE_SCHEMA "\"");
	if (!list || list->kind != NODE_LIST)
		return wrong_at(arena, root->span, "a baseline has a list \"findings\"");
	for (child = list->first; child && !wrong; child = child->next) {
		wrong = read_entry(baseline, child);
		if (wrong)
			return wrong_at(arena, child->span, wrong);
	}
	return NULL;
}

/* ---- applying ---- */

/* True when the baseline has one more such finding. */
static bool covers(struct baseline *baseline, const struct fingerprint *print)
{
	int64_t at = map_find(&baseline->index, fingerprint_text(baseline->arena, print));

	if (at < 0 || !baseline->entries.items[at].left)
		return false;
	baseline->entries.items[at].left--;
	return true;
}

static bool skipped(const struct skips *skips, const char *rule)
{
	size_t i;

	for (i = 0; i < skips->list.count; i++)
		if (!strcmp(skips->list.items[i].rule->id->name, rule))
			return true;
	return false;
}

/* All entries of a file are to be met, or what is left of them is stale. */
static void open_file(struct baseline *baseline, const char *path)
{
	size_t i;

	for (i = 0; i < baseline->entries.count; i++)
		if (!strcmp(baseline->entries.items[i].path, path))
			baseline->entries.items[i].left = baseline->entries.items[i].count;
}

static void close_file(struct baseline *baseline, const char *path, const struct skips *skips)
{
	size_t i;

	for (i = 0; i < baseline->entries.count; i++) {
		struct baseline_entry *entry = &baseline->entries.items[i];
		if (!strcmp(entry->path, path))
			entry->stale = entry->left && !skipped(skips, entry->rule);
	}
}

size_t baseline_filter(struct baseline *baseline, struct job *job, const char *path,
		       const struct skips *skips)
{
	const char *relative = path_relative(baseline->arena, baseline->folder, path);
	struct findings *findings = job->findings;
	size_t i, kept = 0, before = findings->list.count;

	open_file(baseline, relative);
	for (i = 0; i < before; i++) {
		struct fingerprint print =
			fingerprint_of(baseline->arena, job, findings->list.items[i], relative);
		if (!covers(baseline, &print))
			findings->list.items[kept++] = findings->list.items[i];
	}
	findings->list.count = kept;
	close_file(baseline, relative, skips);
	return before - kept;
}

static bool is_gone(const struct baseline *baseline, const char *path)
{
	return !strchr(path, '<') && !io_exists(path_join(baseline->arena, baseline->folder, path));
}

void baseline_stale(struct baseline *baseline, struct findings *findings)
{
	size_t i;

	for (i = 0; i < baseline->entries.count; i++) {
		const struct baseline_entry *entry = &baseline->entries.items[i];
		bool gone = is_gone(baseline, entry->path);
		if (entry->stale || gone)
			finding_add(findings, &rule_stale_baseline, entry->span, "%s: %s: %s [%s]",
				    gone ? "the file is gone" : "no longer found", entry->path,
				    entry->message, entry->rule);
	}
}

/* ---- writing ---- */

void baseline_draft_add(struct baseline_draft *draft, const struct job *job, const char *path)
{
	const char *relative = path_relative(draft->arena, draft->folder, path);
	size_t i;

	for (i = 0; i < job->findings->list.count; i++)
		vec_push(draft->arena, &draft->list,
			 fingerprint_of(draft->arena, job, job->findings->list.items[i], relative));
}

static int compare(const void *left, const void *right)
{
	const struct fingerprint *a = left, *b = right;
	int order = strcmp(a->path, b->path);

	if (!order)
		order = strcmp(a->rule, b->rule);
	if (!order)
		order = strcmp(a->key, b->key);
	if (!order)
		order = a->hash < b->hash ? -1 : a->hash > b->hash;
	return order ? order : strcmp(a->message, b->message);
}

static void write_entry(const struct baseline_draft *draft, const struct fingerprint *print,
			int64_t count, struct buf *out)
{
	struct json_writer json;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "fingerprint", fingerprint_text(draft->arena, print));
	json_string(&json, "rule", print->rule);
	json_string(&json, "path", print->path);
	json_string(&json, "key", print->key);
	json_string(&json, "message", print->message);
	json_int(&json, "count", count);
	json_object_end(&json);
}

void baseline_write(struct baseline_draft *draft, struct buf *out)
{
	struct fingerprint *items = draft->list.items;
	size_t i, next;

	if (draft->list.count)
		qsort(items, draft->list.count, sizeof(*items), compare);
	buf_text(out, "{\"schema\":\"" BASELINE_SCHEMA "\",\"findings\":[");
	for (i = 0; i < draft->list.count; i = next) {
		for (next = i + 1; next < draft->list.count; next++)
			if (items[next].hash != items[i].hash)
				break;
		buf_text(out, i ? ",\n" : "\n");
		write_entry(draft, &items[i], (int64_t)(next - i), out);
	}
	buf_text(out, "\n]}\n");
}
