#include "cli/candidates.h"

#include "cli/topic.h"
#include "cost/collective.h"
#include "cost/nccl/nccl.h"
#include "cost/profile.h"
#include "framework/torch/release.h"
#include "framework/timeline.h"
#include "input/project.h"
#include "input/setting.h"
#include "plan/compare.h"
#include "plan/model.h"
#include "report/known_words.h"
#include "report/report.h"
#include "rules/expect.h"
#include "rules/rule.h"

#include <string.h>

/* Each of a list that NULL ends, with what stands before it. */
static void put_all(struct buf *out, const char *before, const char *const *names)
{
	for (; *names; names++)
		buf_printf(out, " %s%s", before, *names);
}

/*
 * Each word of "a|b|c", with what stands before it. Left out: "N", which stands for a number, and
 * words that a shell would want quoted, "hsdp(shard=1)".
 */
static void put_words(struct buf *out, const char *before, const char *words)
{
	while (*words) {
		size_t length = strcspn(words, "|");
		if (strcspn(words, "(") >= length && strncmp(words, "N", length) != 0)
			buf_printf(out, " %s%.*s", before, (int)length, words);
		words += length + (words[length] == '|');
	}
}

static void rules(struct arena *arena, struct buf *out)
{
	const struct rule *rule = NULL;

	(void)arena;
	while ((rule = rule_next(rule)))
		buf_printf(out, " %s", rule->id->name);
}

static void keys(struct arena *arena, struct buf *out)
{
	int id;

	(void)arena;
	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		buf_printf(out, " %s", field_of((enum field_id)id)->key);
}

static void models(struct arena *arena, struct buf *out)
{
	put_all(out, "", model_presets(arena));
}

static void gpus(struct arena *arena, struct buf *out)
{
	put_all(out, "", profile_gpus(arena));
}

static void fabrics(struct arena *arena, struct buf *out)
{
	put_all(out, "", profile_fabrics(arena));
}

static void presets_of_any_kind(struct arena *arena, struct buf *out)
{
	models(arena, out);
	gpus(arena, out);
}

static void names_of_schedules(struct arena *arena, struct buf *out)
{
	put_words(out, "", known_words(arena, FIELD_PP_SCHEDULE));
}

static void put_values(struct arena *arena, enum field_id id, const char *before, struct buf *out)
{
	const struct field *field = field_of(id);
	const char *known = known_words(arena, id);

	if (field->words)
		put_words(out, before, field->words);
	else if (field->type == FIELD_BOOL)
		put_words(out, before, "true|false");
	else if (known)
		put_words(out, before, known);
}

static void assignments(struct arena *arena, struct buf *out)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const struct field *field = field_of((enum field_id)id);

		buf_printf(out, " %s=", field->key);
		put_values(arena, (enum field_id)id, arena_printf(arena, "%s=", field->key), out);
	}
}

static void expected(struct arena *arena, struct buf *out)
{
	const struct expectation *row;

	for (row = expectations; row->name; row++) {
		buf_printf(out, " %s=", row->name);
		if (row->words)
			put_words(out, arena_printf(arena, "%s=", row->name), row->words);
	}
}

/* The releases of PyTorch, by asking which there are. */
static void put_torch(struct arena *arena, const char *before, struct buf *out)
{
	struct torch_release release;
	const char *name;
	int minor, last = torch_latest().minor;

	for (minor = 0; minor <= last; minor++) {
		name = arena_printf(arena, "2.%d", minor);
		if (torch_parse(arena, name, &release))
			buf_printf(out, " %s%s", before, name);
	}
}

static void torch_releases(struct arena *arena, struct buf *out)
{
	put_torch(arena, "", out);
}

static void pinned_frameworks(struct arena *arena, struct buf *out)
{
	const struct timeline *const *row;
	int i;

	for (row = timelines; *row; row++) {
		buf_printf(out, " %s@", (*row)->framework);
		for (i = 0; i < (*row)->count; i++)
			if ((*row)->rows[i].tag)
				buf_printf(out, " %s@%s", (*row)->framework, (*row)->rows[i].tag);
	}
	buf_text(out, " torch@");
	put_torch(arena, "torch@", out);
	buf_text(out, " torchao@ torchft@");
}

/* Kinds of files that there is a schema of. */
static void dialects_of_files(struct arena *arena, struct buf *out)
{
	const struct dialect *const *row;

	(void)arena;
	buf_text(out, " " PROJECT_FILE);
	for (row = dialects; *row; row++)
		if ((*row)->vocabulary)
			buf_printf(out, " %s", (*row)->name);
}

static void nccl_versions(struct arena *arena, struct buf *out)
{
	const char *name;
	int minor;

	for (minor = 0; minor < 100; minor++) {
		name = arena_printf(arena, "2.%d", minor);
		if (nccl_version(name))
			buf_printf(out, " %s", name);
	}
}

static void formats_of_check(struct arena *arena, struct buf *out)
{
	const struct format *const *format;

	(void)arena;
	for (format = formats; *format; format++)
		buf_printf(out, " %s", (*format)->name);
}

static void operations(struct arena *arena, struct buf *out)
{
	const struct collective *const *collective;

	(void)arena;
	for (collective = collectives; *collective; collective++)
		buf_printf(out, " %s", (*collective)->name);
}

static void axes_of_meshes(struct arena *arena, struct buf *out)
{
	int role;

	(void)arena;
	for (role = 0; role < ROLES; role++)
		buf_printf(out, " %s", role_name((enum role)role));
}

/* What `parplan help` tells about, but for the commands, which the scripts have by themselves. */
static void subjects(struct arena *arena, struct buf *out)
{
	const struct topic *topic;

	for (topic = topics; topic->name; topic++)
		buf_printf(out, " %s", topic->name);
	rules(arena, out);
}

const struct candidates candidates[] = {
	{ "FILE", true, NULL },
	{ "A", true, NULL },
	{ "B", true, NULL },
	{ "OLD", true, NULL },
	{ "NEW", true, NULL },
	{ "PROFILE", true, NULL },
	{ "LOG", true, NULL },
	{ "CONFIG", true, NULL },
	{ "RULE", false, rules },
	{ "KEY", false, keys },
	{ "KEY=VALUE", false, assignments },
	{ "NAME=VALUE", false, NULL },
	{ "WHAT=VALUE", false, expected },
	{ "NAME@VERSION", false, pinned_frameworks },
	{ "RELEASE", false, torch_releases },
	{ "NCCL", false, nccl_versions },
	{ "PART", false, presets_of_any_kind },
	{ "GPU", false, gpus },
	{ "FABRIC", false, fabrics },
	{ "SCHEDULE", false, names_of_schedules },
	{ "OP", false, operations },
	{ "AXIS", false, axes_of_meshes },
	{ "MESH", false, axes_of_meshes },
	{ "FIGURE", false, candidates_of_figures },
	{ "FORMAT", false, formats_of_check },
	{ "SHELL", false, candidates_of_shells },
	{ "SECTION", false, candidates_of_manual },
	{ "DIALECT", false, dialects_of_files },
	{ "TOPIC", false, subjects },
	/* Text of any kind. */
	{ "N", false, NULL },
	{ "P", false, NULL },
	{ "K", false, NULL },
	{ "SHARE", false, NULL },
	{ "SECONDS", false, NULL },
	{ "DIR", false, NULL },
	{ "FOLDER", false, NULL },
	{ "I/N", false, NULL },
	{ "PRICE", false, NULL },
	{ "TIME", false, NULL },
	{ "REF", false, NULL },
	{ "LIST", false, NULL },
	{ "NAME", false, NULL },
	{ "NAME=VALUE", false, NULL },
	{ "NODE", false, NULL },
	{ "REF", false, NULL },
	{ "REGEX", false, NULL },
	{ "WORDS", false, NULL },
	{ "GB/S", false, NULL },
	{ "COUNTxRATE", false, NULL },
	{ "RANK:FACTOR", false, NULL },
	{ "FACTOR", false, NULL },
	{ "ADAPTER", false, NULL },
	{ "EXPRESSION", false, NULL },
	{ "FLAGS", false, NULL },
	{ NULL, false, NULL },
};

/* True when `argument` stands in `text` as a word of its own: "RULE" in "RULE|FILE KEY". */
static bool mentions(const char *text, const char *argument)
{
	size_t length = strlen(argument);
	const char *at;

	for (at = strstr(text, argument); at; at = strstr(at + 1, argument)) {
		bool begins = at == text || strchr(" |[,", at[-1]);
		if (begins && (!at[length] || strchr(" |],.[", at[length])))
			return true;
	}
	return false;
}

const struct candidates *candidates_next(const char *text, const struct candidates *after)
{
	const struct candidates *row = after ? after + 1 : candidates;

	while (row->argument && !mentions(text, row->argument))
		row++;
	return row->argument ? row : NULL;
}

bool candidates_are_listed(const char *argument)
{
	return strchr(argument, ',') != NULL;
}
