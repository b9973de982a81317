#include "base/path.h"
#include "base/text.h"
#include "input/field.h"
#include "input/shell/command.h"

#include <ctype.h>
#include <string.h>

/* What the shell does itself. Programs are in shell_command.c. */

struct call {
	struct shell_state *sh;
	const struct shell_raw *raws; /* as written, the name first */
	size_t count;
	const struct shell_texts *words; /* the same expanded */
};

/* NAME=VALUE that only came about by expansion. */
static void assign_text(struct shell_state *sh, const struct shell_text *text)
{
	struct shell_raw raw = { text, 0, text->length };
	size_t length = text->length ? shell_assigns(raw) : 0;
	struct shell_text value = { 0 };

	if (!length || text->text[length] != '=')
		return;
	shell_append(sh->arena, &value, text, length + 1, text->length);
	shell_set(sh, arena_strndup(sh->arena, text->text, length), shell_scalar(sh, &value));
}

static enum shell_truth do_declare(const struct call *call)
{
	size_t i, k;

	for (i = 1; i < call->count; i++) {
		struct shell_texts words = { 0 };
		if (shell_assigns(call->raws[i])) {
			shell_assign(call->sh, call->raws[i]);
			continue;
		}
		shell_expand(call->sh, call->raws[i], &words);
		for (k = 0; k < words.count; k++)
			assign_text(call->sh, &words.items[k]);
	}
	return SHELL_YES;
}

static void each_name(const struct call *call, bool unset)
{
	size_t i;

	for (i = 1; i < call->words->count; i++) {
		const struct shell_text *word = &call->words->items[i];
		const char *name = shell_string(word);
		if (!isalpha((unsigned char)*name) && *name != '_')
			continue;
		if (unset)
			shell_set(call->sh, name, NULL);
		else
			shell_forget(call->sh, name, word->at[0]);
	}
}

static enum shell_truth do_read(const struct call *call)
{
	each_name(call, false);
	return SHELL_PERHAPS;
}

static enum shell_truth do_unset(const struct call *call)
{
	each_name(call, true);
	return SHELL_YES;
}

static enum shell_truth do_true(const struct call *call)
{
	(void)call;
	return SHELL_YES;
}

static enum shell_truth do_false(const struct call *call)
{
	(void)call;
	return SHELL_NO;
}

static enum shell_truth do_nothing(const struct call *call)
{
	(void)call;
	return SHELL_LIKELY;
}

/* `while getopts ...` with no arguments is over at once. */
static enum shell_truth do_getopts(const struct call *call)
{
	return call->sh->arguments ? SHELL_PERHAPS : SHELL_NO;
}

static enum shell_truth do_test(const struct call *call)
{
	const struct shell_texts *words = call->words;
	bool bracket = !strcmp(shell_string(&words->items[0]), "[");
	struct shell_texts inside = { words->items + 1, words->count - 1, 0 };

	if (bracket && inside.count && !strcmp(shell_string(&inside.items[inside.count - 1]), "]"))
		inside.count--;
	return shell_test(call->sh, &inside);
}

static enum shell_truth do_exit(const struct call *call)
{
	const char *status = call->words->count > 1 ? shell_string(&call->words->items[1]) : "1";

	call->sh->flow = strcmp(status, "0") != 0 ? SHELL_FAILED : SHELL_ENDED;
	return SHELL_LIKELY;
}

static enum shell_truth do_return(const struct call *call)
{
	call->sh->flow = SHELL_RETURNED;
	if (call->words->count < 2 || !strcmp(shell_string(&call->words->items[1]), "0"))
		return SHELL_YES;
	return SHELL_PERHAPS;
}

/* How many arguments `shift` drops: one, or what stands behind it; -1: that is open. */
static int64_t shifts(const struct call *call)
{
	int64_t count;

	if (call->words->count < 2)
		return 1;
	if (!shell_known(&call->words->items[1]) ||
	    !text_to_int(shell_string(&call->words->items[1]), &count) || count < 0)
		return -1;
	return count;
}

/* More than there are is an error, which drops none. */
static enum shell_truth do_shift(const struct call *call)
{
	struct shell_texts *rest;
	const struct shell_texts *now = call->sh->arguments;
	const int64_t count = shifts(call);

	if (count < 0)
		call->sh->arguments = NULL;
	else if (now && count && (uint64_t)count <= now->count) {
		rest = arena_new(call->sh->arena, struct shell_texts);
		rest->items = now->items + count;
		rest->count = rest->capacity = now->count - (size_t)count;
		call->sh->arguments = rest;
	}
	return SHELL_LIKELY;
}

static enum shell_truth do_eval(const struct call *call)
{
	struct shell_text *text = arena_new(call->sh->arena, struct shell_text);
	size_t i;

	for (i = 1; i < call->words->count; i++) {
		const struct shell_text *word = &call->words->items[i];
		if (i > 1)
			shell_put(call->sh->arena, text, ' ', SHELL_NOWHERE);
		shell_append(call->sh->arena, text, word, 0, word->length);
	}
	return shell_run(call->sh, text);
}

/* Another file in the same shell. */
static enum shell_truth do_source(const struct call *call)
{
	struct shell_state *sh = call->sh;
	const struct shell_text *text =
		call->words->count > 1 ? shell_file_text(sh, &call->words->items[1]) : NULL;

	if (!text || sh->depth > 40)
		return SHELL_LIKELY;
	sh->depth += 10;
	shell_run(sh, text);
	sh->depth -= 10;
	if (sh->flow == SHELL_RETURNED)
		sh->flow = SHELL_GOES_ON;
	return SHELL_LIKELY;
}

static enum shell_truth do_let(const struct call *call)
{
	enum shell_truth truth = SHELL_LIKELY;
	size_t i;

	for (i = 1; i < call->words->count; i++) {
		const struct shell_text *word = &call->words->items[i];
		if (word->length)
			truth = shell_arithmetic_truth(
				call->sh, (struct shell_raw) { word, 0, word->length });
	}
	return truth;
}

/* Where it goes, as far as that is known: a folder named from here. */
static enum shell_truth do_cd(const struct call *call)
{
	struct shell_state *sh = call->sh;
	const struct shell_texts *words = call->words;
	size_t at = words->count > 1 && !strcmp(shell_string(&words->items[1]), "--") ? 2 : 1;
	const char *folder;

	if (at >= words->count || !shell_known(&words->items[at]))
		return SHELL_LIKELY;
	folder = shell_string(&words->items[at]);
	if (*folder && *folder != '-' && *folder != '~')
		sh->folder = path_relative(
			sh->arena, ".",
			path_absolute(sh->arena,
				      path_join(sh->arena, sh->folder ? sh->folder : ".", folder)));
	return SHELL_LIKELY;
}

static const struct {
	const char *names; /* "a|b" */
	enum shell_truth (*run)(const struct call *call);
} builtins[] = {
	{ "export|declare|local|readonly|typeset", do_declare },
	{ "[|test", do_test },
	{ ":|true", do_true },
	{ "false", do_false },
	{ "exit", do_exit },
	{ "return", do_return },
	{ "eval", do_eval },
	{ "let", do_let },
	{ "source|.", do_source },
	{ "shift", do_shift },
	{ "unset", do_unset },
	{ "read|mapfile|readarray", do_read },
	{ "getopts", do_getopts },
	{ "cd|pushd", do_cd },
	{ "echo|printf|set|shopt|trap|ulimit|umask|popd|break|continue|wait|"
	  "alias",
	  do_nothing },
};

/* The script's own arguments, handed on, stay what they are: not there, and open. */
static bool hands_on(const struct call *call)
{
	size_t i;

	for (i = 1; i < call->count; i++)
		if (strstr(shell_raw_string(call->sh, call->raws[i]), "$@"))
			return true;
	return false;
}

static enum shell_truth run_function(const struct call *call, const struct shell_function *function)
{
	const struct shell_texts *before = call->sh->arguments;
	struct shell_texts *arguments = arena_new(call->sh->arena, struct shell_texts);
	enum shell_truth truth;

	arguments->items = call->words->items + 1;
	arguments->count = arguments->capacity = call->words->count - 1;
	if (before || !hands_on(call))
		call->sh->arguments = arguments;
	truth = shell_run_body(call->sh, function);
	call->sh->arguments = before;
	if (call->sh->flow == SHELL_RETURNED)
		call->sh->flow = SHELL_GOES_ON;
	return truth;
}

bool shell_builtin(struct shell_state *sh, const struct shell_raw *raws, size_t count,
		   const struct shell_texts *words, enum shell_truth *truth)
{
	struct call call = { sh, raws, count, words };
	const char *name = shell_string(&words->items[0]);
	size_t i;

	for (i = sh->functions.count; i > 0; i--) {
		struct shell_function function = sh->functions.items[i - 1];
		if (strcmp(function.name, name) != 0)
			continue;
		*truth = run_function(&call, &function);
		return true;
	}
	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		if (!words_have(builtins[i].names, name))
			continue;
		*truth = builtins[i].run(&call);
		return true;
	}
	return false;
}
