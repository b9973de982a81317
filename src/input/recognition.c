#include "input/recognition.h"

#include "base/buf.h"
#include "base/text.h"
#include "input/shell/shell.h"

#include <string.h>

const struct rule_id rule_unknown_dialect = {
	.name = "unknown-dialect",
	.code = "S005",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "the file is not recognised as a config of any known framework",
	.explanation =
		"parplan tells by its keys which framework a config is for. A file that fits "
		"none cannot be judged, and guessing would only produce false alarms.",
	.remedy = "Check that this is the file you meant; a config in parplan's own format starts "
		  "with "
		  "'parplan: 1'.",
	.source = "parplan's own dialects",
};

#define X(name) extern const struct dialect dialect_##name;
#include "dialects.inc"
#undef X

const struct dialect *const dialects[] = {
#define X(name) &dialect_##name,
#include "dialects.inc"
#undef X
	NULL
};

const struct rule_id rule_several_dialects = {
	.name = "several-dialects",
	.code = "S008",
	.severity = SEVERITY_NOTE,
	.evidence = EVIDENCE_RUN,
	.summary = "the file has keys that identify two different frameworks",
	.explanation = "parplan tells by its keys which framework a config is for. If a file has "
		       "keys of two frameworks, parplan takes the surer one and says so, because "
		       "everything else depends on this choice.",
	.remedy = "Name the right one: --dialect NAME.",
	.source = "parplan's own dialects",
};

/* A rival this much less sure of the file is none. */
enum { DOUBT = 10 };

/* "'model', 'training' and 3 more": the keys that were looked at. */
static const char *list_keys(struct arena *arena, const struct node *root)
{
	enum { SHOWN = 6 };
	const struct node *child;
	const char *text = "";
	int count = 0;

	for (child = root->first; child; child = child->next, count++)
		if (count < SHOWN)
			text = arena_printf(arena, "%s%s'%.40s'", text, count ? ", " : "",
					    child->key);
	return count > SHOWN ? arena_printf(arena, "%s and %d more", text, count - SHOWN) : text;
}

static const char *describe_root(struct arena *arena, const struct node *root)
{
	if (root->kind == NODE_MAP && root->first)
		return arena_printf(arena, "its top-level keys are %s", list_keys(arena, root));
	if (root->kind == NODE_MAP || (root->kind == NODE_SCALAR && root->type == SCALAR_NULL))
		return "it is empty";
	return arena_printf(arena, "it holds %s, not a map", node_describe(arena, root));
}

const char *recognition_programs(struct arena *arena, const struct shell_script *script)
{
	enum { SHOWN = 6 };
	const char *text = "";
	size_t i;

	if (!script->commands.count)
		return "it starts no program";
	for (i = 0; i < script->commands.count && i < SHOWN; i++)
		text = arena_printf(arena, "%s%s'%.40s'", text, i ? ", " : "",
				    script->commands.items[i].words.items[0].text);
	if (i < script->commands.count)
		text = arena_printf(arena, "%s and %zu more", text, script->commands.count - i);
	return arena_join(arena, "the programs it starts are ", text, "");
}

/* "'model'" in "'model' or 'dist.size'": the next quoted path at *at, which moves behind it. */
static const char *next_sign(struct arena *arena, const char **at)
{
	const char *open = strchr(*at, '\''), *close = open ? strchr(open + 1, '\'') : NULL;

	if (!close)
		return NULL;
	*at = close + 1;
	return arena_strndup(arena, open + 1, strcspn(open + 1, "':"));
}

/* "'trainer'": those of a dialect's signs that the tree has; "" when it has none. */
static const char *signs_in(struct arena *arena, const struct node *root,
			    const struct dialect *dialect)
{
	const char *at = dialect->signs, *text = "", *sign;

	while ((sign = next_sign(arena, &at)))
		if (node_find(root, sign))
			text = arena_printf(arena, "%s%s'%s'", text, *text ? ", " : "", sign);
	return text;
}

/* The dialects of which the tree has a sign, though not enough of them. */
static void list_near(const struct document *document, struct buf *out)
{
	const struct dialect *const *row;
	const char *has;

	for (row = dialects; *row; row++) {
		has = signs_in(document->arena, document->root, *row);
		if (*has)
			buf_printf(out, "%s  %-14s %s: only %s is there", out->length ? "\n" : "",
				   (*row)->name, (*row)->signs, has);
	}
}

static void report_unknown(const struct document *document, struct findings *findings)
{
	struct finding *finding;
	struct buf near;

	finding = finding_add(findings, &rule_unknown_dialect, source_span(document->source, 0, 0),
			      "no known framework's config: %s",
			      describe_root(document->arena, document->root));
	buf_init(&near);
	list_near(document, &near);
	if (near.length)
		finding_consequence(findings, finding, "What it was compared with, and lacks:\n%s",
				    near.data);
	else
		finding_consequence(findings, finding,
				    "it has none of the keys that tell frameworks apart");
	finding_fix(findings, finding,
		    "parplan explain --dialects lists what is known and by what; if it is one of "
		    "them: --dialect NAME");
	buf_release(&near);
}

/* Another dialect is nearly as sure. */
static void report_doubt(const struct document *document, const struct dialect *rival,
			 struct findings *findings)
{
	const struct dialect *taken = document->dialect;
	struct finding *finding;

	finding = finding_add(findings, &rule_several_dialects, source_span(document->source, 0, 0),
			      "taken for a config of %s, by %s; it could be one of %s, by %s",
			      taken->name, taken->signs, rival->name, rival->signs);
	finding_fix(findings, finding, "say which: --dialect %s or --dialect %s", taken->name,
		    rival->name);
}

const struct dialect *dialect_find(const char *name)
{
	const struct dialect *const *dialect;

	for (dialect = dialects; *dialect; dialect++)
		if (!strcmp((*dialect)->name, name))
			break;
	return *dialect;
}

const struct dialect *recognise_surest(const struct document *document,
				       const struct dialect **rival)
{
	const struct dialect *const *row, *best = NULL, *second = NULL;
	int most = 0, next = 0, sure;

	for (row = dialects; *row; row++) {
		sure = (*row)->detect(document);
		if (sure > most) {
			next = most;
			second = best;
			most = sure;
			best = *row;
		} else if (sure > next) {
			next = sure;
			second = *row;
		}
	}
	if (rival)
		*rival = next && next + DOUBT > most ? second : NULL;
	return best;
}

void recognise(struct document *document, struct findings *findings)
{
	const struct dialect *rival;

	if (document->overrides->dialect) {
		document->dialect = dialect_find(document->overrides->dialect);
		return;
	}
	document->dialect = recognise_surest(document, &rival);
	if (!document->dialect)
		report_unknown(document, findings);
	else if (rival)
		report_doubt(document, rival, findings);
}
