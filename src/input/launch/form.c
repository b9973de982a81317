#include "input/launch/form.h"

#include "base/text.h"
#include "input/command.h"
#include "input/field.h"
#include "input/launch/launchers.h"
#include "input/syntax/scalar.h"

#include <ctype.h>
#include <string.h>

#define X(name) extern const struct launch_form launch_form_##name;
#include "launch_forms.inc"
#undef X

static const struct launch_form *const launch_forms[] = {
#define X(name) &launch_form_##name,
#include "launch_forms.inc"
#undef X
	NULL
};

static int claim_of(const struct launch_form *form, const struct launch *launch)
{
	enum { BY_PACKAGE = 48 };

	if (form->claims)
		return form->claims(launch);
	return form->packages && launch_runs_below(launch, form->packages) ? BY_PACKAGE : 0;
}

static const struct launch_form *surest(const struct launch *launch, int *most)
{
	const struct launch_form *const *row, *best = NULL;
	int sure;

	*most = 0;
	for (row = launch_forms; launch && *row; row++) {
		sure = claim_of(*row, launch);
		if (sure <= *most)
			continue;
		*most = sure;
		best = *row;
	}
	return best;
}

const struct launch_form *launch_form_of(const struct launch *launch)
{
	int sure;

	return surest(launch, &sure);
}

bool launch_is_sure(const struct launch *launch)
{
	enum { BY_PROGRAM = 35 };
	int sure;

	surest(launch, &sure);
	return sure >= BY_PROGRAM;
}

const char *launch_known(const struct launch *launch)
{
	const struct launch_form *form = launch_form_of(launch);

	return form && !form->dialect ? form->name : NULL;
}

bool launch_is_command(const char *word)
{
	const struct launch_form *const *row;
	const char *name = launch_basename(word);

	for (row = launch_forms; *row && *name; row++)
		if ((*row)->commands && words_have((*row)->commands, name))
			return true;
	return false;
}

/* ---- what rows ask of a launch ---- */

/* The last part of a program: of "a/b.py" and "a.b" that is "b". */
static const char *last_part(const char *program, size_t *length)
{
	const char *name = launch_basename(program), *dot;

	*length = strlen(name);
	if (text_ends(name, ".py")) {
		*length -= 3;
		return name;
	}
	dot = strrchr(name, '.');
	if (dot && dot == strchr(name, '.') && launch_basename(program) != program)
		dot = NULL; /* a file that is no module */
	*length = strlen(dot ? dot + 1 : name);
	return dot ? dot + 1 : name;
}

bool launch_runs(const struct launch *launch, const char *names)
{
	size_t length, each;
	const char *name;

	if (!launch->program)
		return false;
	name = last_part(launch->program, &length);
	for (; *names; names += each + (names[each] == '|')) {
		each = strcspn(names, "|");
		if (each == length && !strncmp(names, name, length))
			return true;
	}
	return false;
}

/* True when `program` has the dotted `package` as some of its parts, slashes or dots between. */
static bool lies_below(const char *program, const char *package, size_t length)
{
	size_t i;

	for (; *program; program++) {
		for (i = 0; i < length; i++)
			if (program[i] != package[i] && !(package[i] == '.' && program[i] == '/'))
				break;
		if (i == length && (!program[i] || strchr("./", program[i])))
			return true;
		program += strcspn(program, "./");
		if (!*program)
			return false;
	}
	return false;
}

bool launch_runs_below(const struct launch *launch, const char *packages)
{
	size_t each;

	for (; launch->program && *packages; packages += each + (packages[each] == '|')) {
		each = strcspn(packages, "|");
		if (lies_below(launch->program, packages, each))
			return true;
	}
	return false;
}

const struct launch_word *launch_positional(const struct launch *launch, size_t n)
{
	return n < launch->strays.count ? &launch->strays.items[n] : NULL;
}

struct launch_flag launch_flag_of(const struct launch_word *word, const char *name)
{
	struct launch_flag flag = { 0 };

	flag.name = name;
	if (!word)
		return flag;
	flag.value = word->text;
	flag.span = flag.name_span = word->span;
	flag.unresolved = word->unresolved;
	return flag;
}

struct node *launch_scalar(struct arena *arena, const struct launch_flag *flag)
{
	struct node *node =
		node_scalar(arena, SCALAR_STRING, flag->value ? flag->value : "true", flag->span);

	node->origin = NODE_FROM_FLAG;
	node->key_span = flag->name_span;
	node->unresolved = flag->unresolved;
	if (!flag->unresolved)
		scalar_resolve(arena, node);
	return node;
}

bool launch_put(struct arena *arena, struct node *root, const struct launch *launch,
		const char *name, const char *path)
{
	const struct launch_flag *flag = launch_find(launch, name);

	if (!flag)
		return false;
	node_put(arena, root, path, launch_scalar(arena, flag));
	return true;
}

/* The length of KEY in KEY=VALUE, dots between its parts; 0 for other words. */
static size_t key_length(const char *text)
{
	size_t i = 0;

	while (isalnum((unsigned char)text[i]) || (text[i] && strchr("_-.", text[i])))
		i++;
	return text[i] == '=' && *text != '-' && *text != '.' && text[i - 1] != '.' &&
			       !strstr(text, "..")
		       ? i
		       : 0;
}

void launch_put_words(struct arena *arena, struct node *root, const struct launch *launch,
		      const char *prefix)
{
	size_t i, length;

	for (i = 0; i < launch->strays.count; i++) {
		const struct launch_word *word = &launch->strays.items[i];
		const char *text = word->text + strspn(word->text, "+");
		struct launch_flag flag = launch_flag_of(word, text);
		if (!text_starts(text, prefix))
			continue;
		text += strlen(prefix);
		length = key_length(text);
		if (!length)
			continue;
		flag.value = text + length + 1;
		node_put(arena, root, arena_strndup(arena, text, length),
			 launch_scalar(arena, &flag));
	}
}

/* ---- what is no training ---- */

const struct rule_id rule_not_a_job = {
	.name = "not-a-job",
	.code = "U103",
	.severity = SEVERITY_NOTE,
	.evidence = EVIDENCE_DERIVED,
	.summary = "the file starts no training",
	.explanation =
		"Scripts that build, convert, serve or evaluate, and manifests that grant rights "
		"or hold text, have no strategy and no groups to judge.",
	.remedy = "Name the file that starts the training.",
	.source = "parplan's own launch forms",
};

/* Programs that are started as trainings are, and do something else. */
static const struct {
	const char *names; /* the last part of the program */
	const char *what;
} others[] = {
	{ "lm_eval|lm_evaluation_harness|lighteval|opencompass|lmms_eval|bigcode_eval|helm|mteb",
	  "evaluates" },
	{ "launch_server|api_server|tritonserver|run_text_generation_server", "serves" },
	{ "run_text_generation|generate_samples_gpt|gpt_static_inference|gpt_dynamic_inference",
	  "generates" },
};

/* What a program that does several things is told to do, by its first word. */
static const char evaluations[] = "evaluate|eval|infer";

static bool told_to_evaluate(const struct launch *launch)
{
	const struct launch_word *task = launch_positional(launch, 0);

	return task && !text_ends(launch->program, ".py") && words_have(evaluations, task->text);
}

/* argparse, which transformers' HfArgumentParser is, and hydra print it and exit. */
static bool asks_for_help(const struct launch *launch)
{
	size_t i;

	for (i = 0; i < launch->arguments.count; i++)
		if (words_have("--help|-h", launch->arguments.items[i].text))
			return true;
	return false;
}

const char *launch_other_task(const struct launch *launch)
{
	size_t i;

	if (launch && launch->program && asks_for_help(launch))
		return "says how it is used";

	for (i = 0; launch && i < sizeof(others) / sizeof(others[0]); i++)
		if (launch_runs(launch, others[i].names))
			return others[i].what;
	if (launch && launch->program &&
	    (launch_runs_below(launch, "lm_eval|lmms_eval|lighteval|eval_harness") ||
	     launch_runs(launch, "eval|evaluate|evaluation") || told_to_evaluate(launch)))
		return "evaluates";
	return NULL;
}

const char *launch_no_job(struct arena *arena, const struct launch *launch)
{
	const char *task = launch_other_task(launch);

	return task ? arena_printf(arena, "%.60s %s, and trains nothing", launch->program, task)
		    : NULL;
}

/* ---- handing over ---- */

void launch_take(struct document *document, struct launch *launch)
{
	const struct launch *words = document->launch;

	if (!launch || words == launch || (words && (words->launched || document->launched_by)))
		return;
	if (words)
		launch_append(document->arena, launch, words);
	document->launch = launch;
}

void launch_hand_over(struct document *document, struct node *root, const struct dialect *dialect,
		      struct findings *findings)
{
	if (root)
		node_merge(document->arena, document->root, root);
	document->documents = document->root;
	document->dialect = dialect;
	command_apply(document);
	if (dialect->compose)
		dialect->compose(document, findings);
}

void launch_starter_read(struct document *document, struct launch *launch)
{
	const struct launch_form *const *row;
	struct findings unsaid;
	struct settings *settings;
	struct document other = *document;
	const struct dialect *dialect;

	if (!launch || launch->starter)
		return;
	findings_init(&unsaid, document->arena);
	for (row = launch_forms; *row; row++)
		if ((*row)->dialect && launch->launcher && (*row)->compose &&
		    !strcmp((*row)->dialect, launch->launcher))
			break;
	dialect = *row ? dialect_find((*row)->dialect) : NULL;
	if (!dialect)
		return;
	settings = arena_new(document->arena, struct settings);
	settings_init(settings);
	other.launch = launch;
	other.dialect = dialect;
	other.root = (*row)->compose(&other, launch, &unsaid);
	dialect->settle(&other, MOMENT_LATEST, settings, &unsaid);
	launch_open_axes(&other, settings);
	launch->sharing_open = other.sharing_open;
	launch->starter = settings;
	launch->starter_dialect = dialect->name;
}

bool launch_form_take(struct document *document, struct launch *launch, struct findings *findings)
{
	const struct launch_form *form = launch_form_of(launch);
	const struct dialect *dialect = form && form->dialect ? dialect_find(form->dialect) : NULL;
	struct node *root;

	if (!dialect)
		return false;
	launch_take(document, launch);
	if (!launch->launcher || strcmp(launch->launcher, form->dialect) != 0)
		launch_starter_read(document, launch);
	root = form->compose ? form->compose(document, launch, findings) : NULL;
	launch_hand_over(document, root, dialect, findings);
	return true;
}
