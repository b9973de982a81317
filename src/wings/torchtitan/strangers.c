#include "base/text.h"
#include "input/node.h"
#include "wings/torchtitan/reader.h"

#include <string.h>

/*
 * What becomes of a key that the version does not know: ignored until eadca4835 (2025-08-28), a
 * ValueError from then on, an extension's affair where a module extends the config.
 */

bool titan_is_degree(enum field_id field)
{
	return field >= FIELD_DP && field <= FIELD_ETP;
}

static bool raises(const struct titan_reader *reader)
{
	const struct document *document = reader->document;

	if (reader->reading != TITAN_STRICT)
		return false;
	return !document->inferred || (titan_reading(document->low) == TITAN_STRICT &&
				       titan_reading(document->high) == TITAN_STRICT);
}

/* True when the value is the default that takes effect without the key. */
static bool is_default(const struct node *node, const struct titan_key *like)
{
	if (!like || node->kind != NODE_SCALAR)
		return false;
	if (node->type == SCALAR_BOOL)
		return like->fallback && !strcmp(like->fallback, node->boolean ? "true" : "false");
	return like->fallback ? !strcmp(like->fallback, node->text) : node->type == SCALAR_NULL;
}

static enum severity severity_of(const struct titan_reader *reader,
				 const struct titan_stranger *stranger,
				 const struct titan_key *like)
{
	const struct titan_key *meant = like ? like : titan_key_ever(stranger->path);
	bool harmless = is_default(stranger->node, meant);
	bool degree = meant && titan_is_degree(meant->field);

	if (reader->extension)
		return degree && !harmless ? SEVERITY_WARNING : SEVERITY_NOTE;
	if (reader->experiment)
		return SEVERITY_WARNING;
	if (raises(reader))
		return degree || !reader->document->inferred ? SEVERITY_ERROR : SEVERITY_WARNING;
	if (!meant || meant->field == FIELD_COUNT || harmless)
		return SEVERITY_WARNING;
	return degree || !reader->document->inferred ? SEVERITY_ERROR : SEVERITY_WARNING;
}

/* Dataclasses of torchtitan/config/job_config.py, by section. */
static const char *const classes[][2] = {
	{ "", "JobConfig" },
	{ "activation_checkpoint", "ActivationCheckpoint" },
	{ "checkpoint", "Checkpoint" },
	{ "comm", "Comm" },
	{ "compile", "Compile" },
	{ "debug", "Debug" },
	{ "experimental", "Experimental" },
	{ "fault_tolerance", "FaultTolerance" },
	{ "job", "Job" },
	{ "lr_scheduler", "LRScheduler" },
	{ "memory_estimation", "MemoryEstimation" },
	{ "metrics", "Metrics" },
	{ "model", "Model" },
	{ "optimizer", "Optimizer" },
	{ "parallelism", "Parallelism" },
	{ "profiling", "Profiling" },
	{ "training", "Training" },
	{ "validation", "Validation" },
};

static const char *leaf_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static size_t section_length(const char *path)
{
	const char *leaf = leaf_of(path);

	return leaf == path ? 0 : (size_t)(leaf - path) - 1;
}

/* The part of a path that one dataclass refuses: its section, or the section's own name. */
static const char *refused_in(const struct titan_reader *reader, const char *path)
{
	const char *first = arena_strndup(reader->decoder.arena, path, strcspn(path, "."));

	return titan_section(first, reader->when) ? path : first;
}

static bool same_class(const char *left, const char *right)
{
	size_t length = section_length(left);

	return length == section_length(right) && !strncmp(left, right, length);
}

/* The names that one dataclass refuses together, quoted; NULL when `path` is not the first. */
static const char *refused_names(const struct titan_reader *reader, const char *path)
{
	struct arena *arena = reader->decoder.arena;
	enum { ENOUGH = 32 };
	const char *names = NULL, *name, *other;
	size_t i, count = 0;

	for (i = 0; i < reader->strangers->list.count; i++) {
		other = refused_in(reader, reader->strangers->list.items[i].path);
		if (!same_class(path, other))
			continue;
		if (!names && strcmp(path, other) != 0)
			return NULL;
		name = arena_printf(arena, "'%s'", leaf_of(other));
		if (names && strstr(names, name))
			continue;
		if (++count > ENOUGH)
			return arena_printf(arena, "%s, ...", names);
		names = names ? arena_printf(arena, "%s, %s", names, name) : name;
	}
	return names;
}

/* The exception stands at the first of the keys that it names. */
static void quote_error(struct titan_reader *reader, struct finding *finding, const char *path)
{
	const char *names;
	size_t i, length;

	path = refused_in(reader, path);
	names = refused_names(reader, path);
	length = section_length(path);
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i][0]) == length && !strncmp(classes[i][0], path, length))
			break;
	if (i == sizeof(classes) / sizeof(classes[0]) || !names)
		return;
	finding->speaker = arena_printf(reader->decoder.arena, "torchtitan %s", reader->label);
	finding_quote(
		reader->decoder.findings, finding,
		"ValueError: Invalid field names in <class 'torchtitan.config.job_config.%s'> "
		"data: {%s}.\nPlease modify your .toml config file or override these fields "
		"from the command line.\nRun `NGPU=1 ./run_train.sh --help` to read all valid "
		"fields.",
		classes[i][1], names);
}

/* The bytes of the line on which `node` is written, when it holds "key = value" and no more. */
static bool whole_line(const struct node *node, size_t *start, size_t *end)
{
	const struct source *source = node->span.source;
	uint32_t line = node->key_span.line, last = node->span.end_line;
	size_t length, blanks;
	const char *text;

	if (!source || !span_known(node->key_span) || node->key_span.source != source ||
	    node->origin != NODE_FROM_FILE)
		return false;
	text = source_line(source, line, &length);
	blanks = strspn(text, " \t");
	if (strncmp(text + blanks, node->key, strlen(node->key)) != 0 ||
	    !strchr(" \t=", text[blanks + strlen(node->key)]))
		return false;
	*start = source->lines[line - 1];
	*end = last < source->line_count ? source->lines[last] : source->length;
	return true;
}

static const char *value_text(struct arena *arena, const struct node *node)
{
	const struct source *source = node->span.source;
	size_t start = source_offset(source, node->span.line, node->span.column);
	size_t end = source_offset(source, node->span.end_line, node->span.end_column);

	return arena_strndup(arena, source->text + start, end - start);
}

/* Where the first key or section header stands: behind the comments that open the file. */
static size_t first_line(const struct source *source, const struct node *root)
{
	const struct node *node;
	uint32_t first = source->line_count;

	for (node = root->first; node; node = node->next)
		if (node->key_span.source == source && node->key_span.line < first)
			first = node->key_span.line;
	return source->lines[first - 1];
}

/* Moves a TOML line into another section: below its header, or in front of all sections. */
static void edit_move(struct titan_reader *reader, struct finding *finding, const struct node *node,
		      const char *name)
{
	struct arena *arena = reader->decoder.arena;
	struct findings *findings = reader->decoder.findings;
	const struct source *source = node->span.source;
	const struct node *section =
		node_find(reader->document->root, arena_strndup(arena, name, section_length(name)));
	size_t start, end, at, unused;

	if (!whole_line(node, &start, &end) || source->text[0] == '{')
		return;
	finding_edit(findings, finding, source_span(source, start, end), "%s", "");
	if (section && section->first && whole_line(section->first, &at, &unused)) {
		name = leaf_of(name);
	} else {
		at = first_line(source, reader->document->root);
	}
	finding_edit(findings, finding, source_span(source, at, at), "%s = %s\n", name,
		     value_text(arena, node));
}

static void edit_name(struct titan_reader *reader, struct finding *finding,
		      const struct titan_stranger *stranger, const struct titan_key *like)
{
	size_t length = section_length(stranger->path);

	if (stranger->node->origin != NODE_FROM_FILE || stranger->node->kind != NODE_SCALAR)
		return;
	if (section_length(like->name) == length && !strncmp(like->name, stranger->path, length))
		finding_edit(reader->decoder.findings, finding, stranger->node->key_span, "%s",
			     leaf_of(like->name));
	else
		edit_move(reader, finding, stranger->node, like->name);
}

/* "2025-07-08" of 20250708. */
static const char *day(struct arena *arena, int date)
{
	return arena_printf(arena, "%04d-%02d-%02d", date / 10000, date / 100 % 100, date % 100);
}

/* When a key that this version lacks came, or went. */
static const char *other_time(struct arena *arena, const struct titan_key *ever, moment_t when)
{
	int gone = titan_key_gone(ever, when);

	if (!gone)
		return arena_printf(arena, "it came on %s", day(arena, titan_key_came(ever, when)));
	return arena_printf(arena, "it went on %s", day(arena, gone));
}

static void say_ignored(struct titan_reader *reader, struct finding *finding,
			const struct titan_stranger *stranger, const struct titan_key *like)
{
	const struct titan_key *ever = titan_key_ever(stranger->path);
	struct findings *findings = reader->decoder.findings;
	const struct node *node = stranger->node;

	if (!like || like->field == FIELD_COUNT || node->kind != NODE_SCALAR) {
		if (like || !ever)
			finding_actual(findings, finding, "it is ignored");
		else
			finding_actual(findings, finding,
				       "it is ignored: this version has nothing of the kind, %s",
				       other_time(reader->decoder.arena, ever, reader->when));
		return;
	}
	finding_requested(findings, finding, "%s = %.60s", leaf_of(stranger->path), node->text);
	finding_actual(findings, finding, "it is ignored, and %s keeps its default %s", like->name,
		       like->fallback ? like->fallback : "None");
	if (like->field == FIELD_DP_REPLICATE && field_fits(FIELD_INT, node) && node->integer > 1)
		finding_consequence(
			findings, finding,
			"HSDP with %s replicas becomes flat FSDP over all ranks, without "
			"any message",
			node->text);
}

static void report_one(struct titan_reader *reader, const struct titan_stranger *stranger)
{
	struct findings *findings = reader->decoder.findings;
	const struct titan_key *like = titan_key_like(stranger->path, reader->when);
	bool ever = titan_key_ever(stranger->path) != NULL;
	struct span span = span_known(stranger->node->key_span) ? stranger->node->key_span
								: stranger->node->span;
	struct finding *finding;

	finding = finding_add(findings, ever ? &rule_renamed_key : &rule_unknown_key, span,
			      "TorchTitan %s has no %s %s%s%s", reader->label,
			      stranger->node->kind == NODE_MAP ? "section" : "key", stranger->path,
			      like && ever ? ": there it is " : "", like && ever ? like->name : "");
	finding_cap(finding, severity_of(reader, stranger, like));
	if (raises(reader)) {
		finding_actual(findings, finding, "TorchTitan stops while it reads the config");
		quote_error(reader, finding, stranger->path);
	} else {
		say_ignored(reader, finding, stranger, like);
	}
	if (like && like->field != FIELD_COUNT && finding->severity == SEVERITY_ERROR)
		settings_of(reader->decoder.settings, like->field)->doubtful = true;
	if (like) {
		finding_fix(findings, finding, ever ? "write it as %s" : "did you mean %s?",
			    like->name);
		edit_name(reader, finding, stranger, like);
	}
}

/* The section that a misspelt one was meant to be: near in name, and with a key that it holds. */
static const char *section_like(const struct titan_reader *reader,
				const struct titan_stranger *stranger)
{
	const struct node *child;
	struct arena arena; /* of what is there for each stranger anew */
	const char *near;
	VEC(const char *) names = { 0 };
	size_t i;

	if (stranger->node->kind != NODE_MAP || strchr(stranger->path, '.'))
		return NULL;
	arena_init(&arena);
	for (i = 0; i < titan_key_count; i++)
		if (section_length(titan_keys[i].name) &&
		    titan_key_known(&titan_keys[i], reader->when))
			vec_push(&arena, &names,
				 arena_strndup(&arena, titan_keys[i].name,
					       section_length(titan_keys[i].name)));
	near = text_nearest(stranger->path, names.items, names.count);
	child = near ? stranger->node->first : NULL;
	while (child &&
	       !titan_key_at(arena_printf(&arena, "%s.%s", near, child->key), reader->when))
		child = child->next;
	near = child ? arena_strdup(reader->decoder.arena, near) : NULL;
	arena_release(&arena);
	return near;
}

/* Marks the degrees of a misspelt section; true when one of them is not its default. */
static bool lose_degrees(struct titan_reader *reader, const struct node *section, const char *meant)
{
	const struct node *child;
	bool lost = false;

	for (child = section->first; child; child = child->next) {
		const char *name = arena_printf(reader->decoder.arena, "%s.%s", meant, child->key);
		const struct titan_key *key = titan_key_at(name, reader->when);
		if (!key || !titan_is_degree(key->field) || is_default(child, key))
			continue;
		settings_of(reader->decoder.settings, key->field)->doubtful = true;
		lost = true;
	}
	return lost;
}

static void report_section(struct titan_reader *reader, const struct titan_stranger *stranger,
			   const char *meant)
{
	struct findings *findings = reader->decoder.findings;
	const struct node *node = stranger->node;
	bool degrees = lose_degrees(reader, node, meant);
	struct finding *finding;

	finding = finding_add(findings, &rule_unknown_key, node->key_span,
			      "TorchTitan %s has no section %s", reader->label, stranger->path);
	if (raises(reader)) {
		finding_actual(findings, finding, "TorchTitan stops while it reads the config");
		quote_error(reader, finding, stranger->path);
	} else {
		finding_actual(findings, finding, "all that it holds is ignored");
		if (!degrees)
			finding_cap(finding, SEVERITY_WARNING);
	}
	finding_fix(findings, finding, "did you mean %s?", meant);
	if (node->origin == NODE_FROM_FILE && !node_member(reader->document->root, meant))
		finding_edit(findings, finding, node->key_span, "%s", meant);
}

static const char *groups_owner(const struct titan_reader *reader)
{
	if (reader->extension)
		return arena_printf(reader->decoder.arena, "not TorchTitan's own, left to %s",
				    reader->extension);
	return "not known to any TorchTitan that knows the rest";
}

/* Extension keys, or those of a fork: one finding for all of them. */
static void report_group(struct titan_reader *reader, const struct titan_strangers *group)
{
	enum { SHOWN = 3 };
	struct arena *arena = reader->decoder.arena;
	struct findings *findings = reader->decoder.findings;
	const char *names = "";
	struct finding *finding;
	size_t i;

	if (!group->list.count)
		return;
	for (i = 0; i < group->list.count && i < SHOWN; i++)
		names = arena_printf(arena, "%s%s%s", names, i ? ", " : "",
				     group->list.items[i].path);
	if (group->list.count > SHOWN)
		names = arena_printf(arena, "%s and %zu more", names, group->list.count - SHOWN);
	finding = finding_add(findings, &rule_unknown_key, group->list.items[0].node->key_span,
			      "%s: %s", groups_owner(reader), names);
	if (reader->extension) {
		finding_cap(finding, SEVERITY_NOTE);
		finding_actual(findings, finding, "nothing is derived from them");
		finding_fix(findings, finding, "nothing, unless one of them is misspelt");
	} else {
		finding_cap(finding, SEVERITY_WARNING);
		finding_actual(findings, finding,
			       "they belong to a fork, or job.custom_config_module "
			       "is not named: nothing is derived from them");
	}
	for (i = 1; i < group->list.count; i++)
		finding_relate(findings, finding, group->list.items[i].node->key_span, "%s, too",
			       group->list.items[i].path);
}

void titan_report_strangers(struct titan_reader *reader, const struct titan_strangers *strangers)
{
	struct arena *arena = reader->decoder.arena;
	bool lenient = reader->extension || reader->experiment || reader->document->inferred;
	struct titan_strangers group = { 0 };
	size_t i;

	reader->strangers = strangers;
	for (i = 0; i < strangers->list.count; i++) {
		const struct titan_stranger *stranger = &strangers->list.items[i];
		const struct titan_key *like = titan_key_like(stranger->path, reader->when);
		const char *section = section_like(reader, stranger);
		bool degree = like && titan_is_degree(like->field);
		bool ours = titan_key_ever(stranger->path) ||
			    (reader->extension ? degree : like != NULL);
		if (section)
			report_section(reader, stranger, section);
		else if (lenient && !ours)
			vec_push(arena, &group.list, *stranger);
		else
			report_one(reader, stranger);
	}
	report_group(reader, &group);
}
