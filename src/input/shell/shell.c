#include "input/shell/shell.h"

#include "base/text.h"
#include "input/shell/command.h"
#include "input/shell/word.h"

#include <ctype.h>
#include <string.h>

/* The statements of a script: lists, pipelines, if, for, while, case, functions. */

enum { BUDGET = 8 * 1024 * 1024, DEPTH = 60 };

static enum shell_truth run_list(struct shell_state *sh, struct shell_stream *s);
static enum shell_truth run_command(struct shell_state *sh, struct shell_stream *s);

static char here(const struct shell_stream *s, size_t ahead)
{
	return s->at + ahead < s->end ? s->in->text[s->at + ahead] : '\0';
}

static void line_break(struct shell_stream *s)
{
	if (s->skip_to && s->at >= s->skip_from) {
		s->at = s->skip_to;
		s->skip_from = s->skip_to = 0;
	} else {
		s->at++;
	}
}

/* ";;" or ";&" */
static bool ends_case(const struct shell_stream *s)
{
	return here(s, 0) == ';' && (here(s, 1) == ';' || here(s, 1) == '&');
}

/* Blanks, line breaks, and with `semicolons` what ends commands, too. */
static void gaps(struct shell_stream *s, bool semicolons)
{
	for (;;) {
		shell_blanks(s);
		if (here(s, 0) == '\n')
			line_break(s);
		else if (semicolons && ((here(s, 0) == ';' && !ends_case(s)) ||
					(here(s, 0) == '&' && here(s, 1) != '&')))
			s->at++;
		else
			return;
	}
}

/* True when the next word is this one, unquoted. */
static bool next_is(const struct shell_stream *s, const char *word)
{
	size_t length = strlen(word);
	char after = here(s, length);

	return s->at + length <= s->end && !strncmp(s->in->text + s->at, word, length) &&
	       (!after || strchr(" \t\r\n;&|<>()", after));
}

static bool takes(struct shell_stream *s, const char *word)
{
	if (!next_is(s, word))
		return false;
	s->at += strlen(word);
	return true;
}

/* A word that ends a list of commands. */
static bool ends_list(const struct shell_stream *s)
{
	static const char *const words[] = {
		"then", "elif", "else", "fi", "do", "done", "esac", "}"
	};
	size_t i;

	if (s->at >= s->end || here(s, 0) == ')' || ends_case(s))
		return true;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (next_is(s, words[i]))
			return true;
	return false;
}

/* Takes the word that has to follow what `opener` begins at `start`. */
static void expects(struct shell_state *sh, struct shell_stream *s, const char *word, size_t start,
		    const char *opener)
{
	if (takes(s, word) || s->trouble)
		return;
	shell_breaks(s, s->at < s->end ? s->at : start,
		     arena_printf(sh->arena,
				  s->at < s->end ? "'%s' has to stand here, for '%s'"
						 : "no '%s' is there for this '%s'",
				  word, opener));
}

/* A list up to `word`, which is taken as well. */
static enum shell_truth list_before(struct shell_state *sh, struct shell_stream *s,
				    const char *word, size_t start, const char *opener)
{
	enum shell_truth truth = run_list(sh, s);

	expects(sh, s, word, start, opener);
	return truth;
}

static enum shell_truth run_if(struct shell_state *sh, struct shell_stream *s, size_t start)
{
	struct shell_choice choice;
	enum shell_truth truth;
	bool more;

	shell_choice_begin(sh, &choice, false);
	do {
		truth = list_before(sh, s, "then", start, "if");
		shell_choice_enter(sh, &choice, truth == SHELL_LIKELY ? SHELL_PERHAPS : truth);
		run_list(sh, s);
		shell_choice_leave(sh, &choice);
		more = takes(s, "elif");
	} while (more);
	if (takes(s, "else")) {
		shell_choice_enter(sh, &choice, SHELL_YES);
		run_list(sh, s);
		shell_choice_leave(sh, &choice);
	}
	expects(sh, s, "fi", start, "if");
	shell_choice_end(sh, &choice);
	return SHELL_LIKELY;
}

static enum shell_truth run_while(struct shell_state *sh, struct shell_stream *s, size_t start,
				  bool until)
{
	const char *opener = until ? "until" : "while";
	struct shell_choice choice;
	enum shell_truth truth;

	shell_choice_begin(sh, &choice, false);
	choice.loops = true;
	truth = list_before(sh, s, "do", start, opener);
	if (truth == (until ? SHELL_YES : SHELL_NO))
		truth = SHELL_NO;
	else
		truth = SHELL_PERHAPS;
	shell_choice_enter(sh, &choice, truth);
	run_list(sh, s);
	shell_choice_leave(sh, &choice);
	expects(sh, s, "done", start, opener);
	shell_choice_end(sh, &choice);
	return SHELL_LIKELY;
}

/* What `for NAME in ...` runs over: its words. */
static void read_items(struct shell_state *sh, struct shell_stream *s, struct shell_texts *items)
{
	for (;;) {
		struct shell_raw raw;
		shell_blanks(s);
		raw = shell_scan(s);
		if (raw.start == raw.end)
			return;
		if (shell_runs(sh))
			shell_expand(sh, raw, items);
	}
}

/* "{2..3}", "{a,b}" and "*.yaml" are several words, or those that a folder makes of them. */
static bool is_several(const char *word)
{
	const char *open = strchr(word, '{'), *close = open ? strchr(open, '}') : NULL;
	const char *comma = open ? strchr(open, ',') : NULL,
		   *dots = open ? strstr(open, "..") : NULL;

	return strpbrk(word, "*?") ||
	       (close && ((comma && comma < close) || (dots && dots < close)));
}

static bool all_known(const struct shell_texts *items)
{
	size_t i;

	for (i = 0; i < items->count; i++)
		if (!shell_known(&items->items[i]) || is_several(shell_string(&items->items[i])))
			return false;
	return true;
}

/* "do", a list, "done"; or, as no manual says, "{", a list, "}". */
static void loop_body(struct shell_state *sh, struct shell_stream *s, size_t start)
{
	const bool body = takes(s, "do");

	if (body)
		run_list(sh, s);
	if (body || here(s, 0) != '{')
		expects(sh, s, body ? "done" : "do", start, "for");
}

static void loop(struct shell_state *sh, struct shell_stream *s, size_t start, const char *name,
		 const struct shell_texts *items, bool counted)
{
	struct shell_choice choice;
	bool known = counted && all_known(items);
	bool runs = shell_runs(sh);

	shell_choice_begin(sh, &choice, known);
	choice.loops = true;
	shell_choice_enter(sh, &choice,
			   known && items->count == 0	? SHELL_NO
			   : known && items->count == 1 ? SHELL_YES
							: SHELL_PERHAPS);
	if (runs && name && known && items->count == 1)
		shell_set(sh, name, shell_scalar(sh, &items->items[0]));
	else if (runs && name && choice.mode != SHELL_SKIPPED)
		shell_forget(sh, name, s->at < s->end ? s->in->at[s->at] : SHELL_NOWHERE);
	gaps(s, true);
	loop_body(sh, s, start);
	shell_choice_leave(sh, &choice);
	shell_choice_end(sh, &choice);
}

static enum shell_truth run_for(struct shell_state *sh, struct shell_stream *s, size_t start)
{
	struct shell_texts items = { 0 };
	struct shell_raw raw;
	bool counted = true;

	shell_blanks(s);
	if (here(s, 0) == '(') {
		s->at = shell_closing(s->in, s->at, s->end);
		loop(sh, s, start, NULL, &items, false);
		return SHELL_LIKELY;
	}
	raw = shell_scan(s);
	gaps(s, true);
	if (takes(s, "in"))
		read_items(sh, s, &items);
	else
		counted = false;
	loop(sh, s, start, shell_raw_string(sh, raw), &items, counted);
	return SHELL_LIKELY;
}

/* The patterns of a case up to ')': whether one of them matches. */
static enum shell_truth read_patterns(struct shell_state *sh, struct shell_stream *s,
				      const struct shell_text *subject)
{
	enum shell_truth any = SHELL_NO, here_truth;

	while (s->at < s->end && here(s, 0) != ')') {
		struct shell_text pattern;
		struct shell_raw raw;
		gaps(s, false);
		raw = shell_scan(s);
		if (raw.start == raw.end) {
			if (here(s, 0) == ')')
				break;
			s->at++;
			continue;
		}
		if (!shell_runs(sh) || any == SHELL_YES)
			continue;
		pattern = shell_expand_whole(sh, raw);
		here_truth = shell_matches(&pattern, subject);
		if (here_truth != SHELL_NO)
			any = here_truth;
	}
	s->at += here(s, 0) == ')';
	return any;
}

static enum shell_truth run_case(struct shell_state *sh, struct shell_stream *s, size_t start)
{
	struct shell_text subject = { 0 };
	struct shell_choice choice;
	struct shell_raw raw;

	shell_blanks(s);
	raw = shell_scan(s);
	if (shell_runs(sh))
		subject = shell_expand_whole(sh, raw);
	gaps(s, true);
	takes(s, "in");
	shell_choice_begin(sh, &choice, false);
	for (;;) {
		gaps(s, true);
		if (s->at >= s->end || next_is(s, "esac"))
			break;
		if (here(s, 0) == '(')
			s->at++;
		shell_choice_enter(sh, &choice, read_patterns(sh, s, &subject));
		run_list(sh, s);
		shell_choice_leave(sh, &choice);
		while (here(s, 0) == ';' || here(s, 0) == '&')
			s->at++;
		if (s->at < s->end && ends_list(s) && !next_is(s, "esac"))
			s->at++;
	}
	expects(sh, s, "esac", start, "case");
	shell_choice_end(sh, &choice);
	return SHELL_LIKELY;
}

/* ( ... ): what it assigns is gone behind it. */
static enum shell_truth run_subshell(struct shell_state *sh, struct shell_stream *s)
{
	struct shell_values before = { 0 };
	enum shell_flow flow = sh->flow;
	const char *folder = sh->folder;
	bool runs = shell_runs(sh);
	const size_t start = s->at;
	enum shell_truth truth;

	if (runs)
		before = shell_values_copy(sh);
	s->at++;
	truth = list_before(sh, s, ")", start, "(");
	if (runs) {
		shell_values_restore(sh, &before);
		sh->flow = flow;
		sh->folder = folder;
	}
	return truth;
}

/* The body of a function is only noted. */
static enum shell_truth define(struct shell_state *sh, struct shell_stream *s,
			       struct shell_raw name)
{
	struct shell_function function = { shell_raw_string(sh, name), s->in, 0, 0 };

	gaps(s, false);
	function.start = s->at;
	sh->skip++;
	run_command(sh, s);
	sh->skip--;
	function.end = s->at;
	if (shell_runs(sh) && shell_spend(sh, 1))
		vec_push(sh->arena, &sh->functions, function);
	return SHELL_LIKELY;
}

static bool defines(struct shell_stream *s, struct shell_raw *name)
{
	struct shell_stream ahead = *s;
	bool keyword = takes(&ahead, "function");

	if (keyword)
		shell_blanks(&ahead);
	*name = shell_scan(&ahead);
	if (name->start == name->end ||
	    memchr(s->in->text + name->start, '$', name->end - name->start))
		return false;
	shell_blanks(&ahead);
	if (here(&ahead, 0) == '(') {
		ahead.at++;
		shell_blanks(&ahead);
		if (here(&ahead, 0) != ')')
			return false;
		ahead.at++;
	} else if (!keyword) {
		return false;
	}
	*s = ahead;
	return true;
}

static enum shell_truth run_arithmetic(struct shell_state *sh, struct shell_stream *s)
{
	size_t start = s->at;

	s->at = shell_closing(s->in, s->at, s->end);
	if (!shell_runs(sh) || s->at < start + 4)
		return SHELL_PERHAPS;
	return shell_arithmetic_truth(sh, (struct shell_raw) { s->in, start + 2, s->at - 2 });
}

/* Redirections behind a compound command; others are words of commands. */
static void redirections(struct shell_stream *s)
{
	for (;;) {
		shell_blanks(s);
		if (isdigit((unsigned char)here(s, 0)) && (here(s, 1) == '>' || here(s, 1) == '<'))
			s->at++;
		if (here(s, 0) != '>' && here(s, 0) != '<')
			return;
		while (here(s, 0) == '>' || here(s, 0) == '<' || here(s, 0) == '&')
			s->at++;
		shell_blanks(s);
		shell_scan(s);
	}
}

static bool run_compound(struct shell_state *sh, struct shell_stream *s, enum shell_truth *truth)
{
	const size_t start = s->at;
	struct shell_raw name;

	if (here(s, 0) == '(')
		*truth = here(s, 1) == '(' ? run_arithmetic(sh, s) : run_subshell(sh, s);
	else if (takes(s, "if"))
		*truth = run_if(sh, s, start);
	else if (takes(s, "for") || takes(s, "select"))
		*truth = run_for(sh, s, start);
	else if (next_is(s, "while") || next_is(s, "until"))
		*truth = run_while(sh, s, start, !takes(s, "while") && takes(s, "until"));
	else if (takes(s, "case"))
		*truth = run_case(sh, s, start);
	else if (takes(s, "{"))
		*truth = list_before(sh, s, "}", start, "{");
	else if (takes(s, "[["))
		*truth = shell_condition(sh, s);
	else if (defines(s, &name))
		*truth = define(sh, s, name);
	else
		return false;
	redirections(s);
	return true;
}

static enum shell_truth run_command(struct shell_state *sh, struct shell_stream *s)
{
	enum shell_truth truth = SHELL_LIKELY;

	if (++sh->depth > DEPTH) {
		sh->deep = true;
		s->at = s->end;
	} else if (!run_compound(sh, s, &truth)) {
		truth = shell_command_run(sh, s);
	}
	sh->depth--;
	return truth;
}

static enum shell_truth run_pipeline(struct shell_state *sh, struct shell_stream *s)
{
	enum shell_truth truth;
	bool not = takes(s, "!");

	takes(s, "time");
	shell_blanks(s);
	truth = run_command(sh, s);
	shell_blanks(s);
	while (here(s, 0) == '|' && here(s, 1) != '|') {
		s->at += here(s, 1) == '&' ? 2 : 1;
		gaps(s, false);
		run_command(sh, s);
		shell_blanks(s);
	}
	if (not &&truth <= SHELL_YES)
		return truth == SHELL_YES ? SHELL_NO : SHELL_YES;
	return not ? SHELL_PERHAPS : truth;
}

/* What is behind && or ||, run when `truth` says so. */
static enum shell_truth run_next(struct shell_state *sh, struct shell_stream *s,
				 enum shell_truth truth, bool both)
{
	struct shell_choice choice;
	enum shell_truth next, taken;

	if (truth == SHELL_LIKELY)
		truth = SHELL_YES;
	taken = truth == SHELL_PERHAPS || both ? truth : truth == SHELL_YES ? SHELL_NO : SHELL_YES;
	shell_choice_begin(sh, &choice, false);
	shell_choice_enter(sh, &choice, taken);
	next = run_pipeline(sh, s);
	shell_choice_leave(sh, &choice);
	shell_choice_end(sh, &choice);
	if (taken == SHELL_NO)
		return truth;
	if (taken == SHELL_YES)
		return next;
	return SHELL_PERHAPS;
}

static enum shell_truth run_chain(struct shell_state *sh, struct shell_stream *s)
{
	enum shell_truth truth = run_pipeline(sh, s);

	for (;;) {
		bool both = here(s, 0) == '&' && here(s, 1) == '&';
		if (!both && !(here(s, 0) == '|' && here(s, 1) == '|'))
			return truth;
		s->at += 2;
		gaps(s, false);
		truth = run_next(sh, s, truth, both);
	}
}

static enum shell_truth run_list(struct shell_state *sh, struct shell_stream *s)
{
	enum shell_truth truth = SHELL_LIKELY;

	for (;;) {
		size_t before;
		gaps(s, true);
		if (ends_list(s))
			return truth;
		before = s->at;
		truth = run_chain(sh, s);
		if (s->at == before)
			s->at++;
	}
}

/* Over a bracket or a word that ends nothing. */
static void stray(struct shell_stream *s)
{
	const size_t start = s->at;

	if (s->at >= s->end)
		return;
	shell_scan(s);
	if (s->at == start)
		s->at++;
	shell_breaks(s, start, "it ends nothing that is open");
}

static enum shell_truth run_text(struct shell_state *sh, struct shell_stream *s)
{
	enum shell_truth truth = SHELL_LIKELY;

	if (!s->end || !shell_spend(sh, s->end))
		return truth;
	while (s->at < s->end) {
		truth = run_list(sh, s);
		stray(s);
	}
	return truth;
}

enum shell_truth shell_run(struct shell_state *sh, const struct shell_text *text)
{
	struct shell_stream s = { .in = text, .end = text->length };

	return run_text(sh, &s);
}

enum shell_truth shell_run_body(struct shell_state *sh, const struct shell_function *function)
{
	struct shell_stream s = { .in = function->in, .at = function->start, .end = function->end };

	if (!shell_spend(sh, 100 + function->end - function->start))
		return SHELL_LIKELY;
	return run_command(sh, &s);
}

static struct shell_script *read_all(struct shell_state *sh, const struct source *source,
				     const struct span *where, const char *text, size_t length)
{
	struct arena *arena = sh->arena;
	struct shell_script *script = arena_new(arena, struct shell_script);
	struct shell_text all = { 0 };
	struct shell_stream s = { .in = &all };
	size_t i;

	sh->script = script;
	script->arena = arena;
	script->source = source;
	if (where)
		script->where = *where;
	sh->names.arena = arena;
	sh->budget = BUDGET;
	for (i = where ? 0 : source->lines[0]; i < length; i++)
		if (text[i] < 0 || text[i] > SHELL_SURELY)
			shell_put(arena, &all, text[i], where ? 0 : (uint32_t)i);
	shell_note_sbatch(sh, &all);
	s.end = all.length;
	run_text(sh, &s);
	shell_note_break(sh, &s);
	shell_note_variables(sh);
	shell_join_alternatives(script);
	return script;
}

struct shell_script *shell_read(struct arena *arena, const struct source *source,
				const struct span *where, const char *text, size_t length,
				shell_outside *outside, const void *context)
{
	struct shell_state sh = { .arena = arena, .outside = outside, .context = context };

	return read_all(&sh, source, where, text, length);
}

struct shell_script *shell_read_file(struct arena *arena, const struct source *source,
				     shell_outside *outside, shell_loader *load, void *context)
{
	struct shell_state sh = { .arena = arena,
				  .outside = outside,
				  .load = load,
				  .context = context,
				  .files = context };

	return read_all(&sh, source, NULL, source->text, source->length);
}
