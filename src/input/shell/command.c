#include "input/shell/command.h"

#include "base/text.h"
#include "input/field.h"

#include <ctype.h>
#include <string.h>

/* One command as it is written: words, assignments in front, and what is fed to it. */
struct simple {
	VEC(struct shell_raw) raws;
	VEC(struct shell_raw) assignments;
	struct shell_raw body; /* of the last heredoc */
	bool quoted_body;
	struct shell_texts words;
	VEC(size_t) from; /* the raw word each word came from */
};

static char here(const struct shell_stream *s, size_t ahead)
{
	return s->at + ahead < s->end ? s->in->text[s->at + ahead] : '\0';
}

/* Where the line ends that the stream is in. */
static size_t line_end(const struct shell_stream *s)
{
	struct shell_stream ahead = *s;

	while (ahead.at < ahead.end && here(&ahead, 0) != '\n') {
		size_t before = ahead.at;
		shell_blanks(&ahead);
		if (here(&ahead, 0) != '\n')
			shell_scan(&ahead);
		if (ahead.at == before)
			ahead.at++;
	}
	return ahead.at;
}

/* The delimiter as it must stand alone on a line. */
static char *delimiter(struct shell_state *sh, struct shell_raw raw, bool *quoted)
{
	char *text = shell_raw_string(sh, raw), *to = text;
	const char *from;

	*quoted = false;
	for (from = text; *from; from++) {
		if (strchr("'\"\\", *from))
			*quoted = true;
		else
			*to++ = *from;
	}
	*to = '\0';
	return text;
}

static bool is_delimiter(const struct shell_text *in, size_t start, size_t end, const char *word,
			 bool tabs)
{
	while (tabs && start < end && in->text[start] == '\t')
		start++;
	if (end > start && in->text[end - 1] == '\r')
		end--;
	return end - start == strlen(word) && !strncmp(in->text + start, word, end - start);
}

/* Behind "<<": the delimiter, and the body behind the line. */
static void read_heredoc(struct shell_state *sh, struct shell_stream *s, struct simple *command)
{
	bool tabs = here(s, 0) == '-', quoted;
	struct shell_raw raw;
	size_t at, end;
	char *word;

	s->at += tabs;
	shell_blanks(s);
	raw = shell_scan(s);
	word = delimiter(sh, raw, &quoted);
	if (!s->skip_to) {
		s->skip_from = line_end(s);
		s->skip_to = s->skip_from < s->end ? s->skip_from + 1 : s->end;
	}
	at = s->skip_to;
	command->body = (struct shell_raw) { s->in, at, at };
	command->quoted_body = quoted;
	while (at < s->end) {
		for (end = at; end < s->end && s->in->text[end] != '\n'; end++)
			;
		if (is_delimiter(s->in, at, end, word, tabs)) {
			s->skip_to = end < s->end ? end + 1 : s->end;
			return;
		}
		at = end < s->end ? end + 1 : s->end;
		command->body.end = at;
	}
	s->skip_to = s->end;
}

static bool begins_redirection(const struct shell_stream *s)
{
	size_t digits = 0;

	while (isdigit((unsigned char)here(s, digits)))
		digits++;
	if (here(s, digits) == '<' || here(s, digits) == '>')
		return true;
	return here(s, 0) == '&' && here(s, 1) == '>';
}

static void read_redirection(struct shell_state *sh, struct shell_stream *s, struct simple *command)
{
	while (isdigit((unsigned char)here(s, 0)) || here(s, 0) == '&')
		s->at++;
	if (here(s, 0) == '<' && here(s, 1) == '<' && here(s, 2) != '<') {
		s->at += 2;
		read_heredoc(sh, s, command);
		return;
	}
	while (here(s, 0) && strchr("<>&|", here(s, 0)))
		s->at++;
	if (here(s, 0) == '(') { /* <( ... ) */
		s->at = shell_closing(s->in, s->at, s->end);
		return;
	}
	shell_blanks(s);
	if (here(s, 0) == '-' && here(s, 1) == '-') /* a flag behind <PLACE TO FILL IN>, no file */
		return;
	shell_scan(s);
}

static void read_simple(struct shell_state *sh, struct shell_stream *s, struct simple *command)
{
	for (;;) {
		struct shell_raw raw;
		shell_blanks(s);
		if (begins_redirection(s)) {
			read_redirection(sh, s, command);
			continue;
		}
		raw = shell_scan(s);
		if (raw.start == raw.end)
			return;
		if (!command->raws.count && shell_assigns(raw))
			vec_push(sh->arena, &command->assignments, raw);
		else
			vec_push(sh->arena, &command->raws, raw);
	}
}

static void expand_words(struct shell_state *sh, struct simple *command)
{
	size_t i;

	for (i = 0; i < command->raws.count; i++) {
		shell_expand(sh, command->raws.items[i], &command->words);
		while (command->from.count < command->words.count)
			vec_push(sh->arena, &command->from, i);
	}
}

static struct shell_raw raw_of(const struct simple *command, size_t word)
{
	return command->raws.items[command->from.items[word]];
}

static void note_environment(struct shell_state *sh, const struct simple *command,
			     struct shell_command *noted)
{
	size_t i;

	for (i = 0; i < command->assignments.count; i++) {
		struct shell_raw raw = command->assignments.items[i];
		size_t length = shell_assigns(raw);
		struct shell_assignment assignment;
		struct shell_text value;

		if (raw.in->text[raw.start + length] != '=')
			continue;
		value = shell_expand_whole(
			sh, (struct shell_raw) { raw.in, raw.start + length + 1, raw.end });
		assignment.name = arena_strndup(sh->arena, raw.in->text + raw.start, length);
		assignment.value = shell_word_of(sh, &value, raw);
		vec_push(sh->arena, &noted->environment, assignment);
	}
}

static void note_command(struct shell_state *sh, const struct simple *command)
{
	struct shell_command noted = { .undecided = sh->undecided > 0,
				       .folder = sh->folder,
				       .choice = sh->choice,
				       .branch = sh->branch };
	size_t i;

	for (i = 0; i < sh->outer.count; i++) {
		struct shell_word word = shell_word_of(sh, &sh->outer.items[i], raw_of(command, 0));
		vec_push(sh->arena, &noted.words, word);
	}
	for (i = 0; i < command->words.count; i++) {
		struct shell_word word =
			shell_word_of(sh, &command->words.items[i], raw_of(command, i));
		vec_push(sh->arena, &noted.words, word);
	}
	note_environment(sh, command, &noted);
	vec_push(sh->arena, &sh->script->commands, noted);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_shell(const char *word)
{
	return words_have("bash|sh|zsh|dash|ksh", base_of(word));
}

/* "-c", "-lc", "-xec". */
static bool is_command_option(const char *word)
{
	return word[0] == '-' && word[1] != '-' && strchr(word, 'c');
}

/* The word that is itself a script: of bash -c, sbatch --wrap, ssh; its bytes from *skip on. */
static const struct shell_text *nested_script(const struct simple *command, size_t *outer,
					      size_t *skip)
{
	size_t i, k;

	*skip = 0;
	for (i = 0; i < command->words.count; i++) {
		const char *word = shell_string(&command->words.items[i]);
		*outer = i;
		for (k = i + 1; is_shell(word) && k + 1 < command->words.count; k++) {
			const char *option = shell_string(&command->words.items[k]);
			if (*option != '-' && *option != '+')
				break;
			if (is_command_option(option))
				return &command->words.items[k + 1];
		}
		if (text_starts(word, "--wrap=")) {
			*skip = strlen("--wrap=");
			return &command->words.items[i];
		}
	}
	*outer = 1;
	if (i > 2 && !strcmp(shell_string(&command->words.items[0]), "ssh") &&
	    strchr(shell_string(&command->words.items[i - 1]), ' '))
		return &command->words.items[i - 1];
	return NULL;
}

/* The script that a shell, srun or sbatch is told to run, or that is started by its name. */
static const struct shell_text *script_file(struct shell_state *sh, const struct simple *command,
					    size_t *outer)
{
	size_t i;

	for (i = 0; i < command->words.count; i++) {
		const struct shell_text *word = &command->words.items[i];
		const char *text = shell_shown(sh->arena, word, 0);
		bool named = text_ends(text, ".sh") || text_ends(text, ".slurm") ||
			     text_ends(text, ".sbatch");
		if (!named || *text == '-')
			continue;
		*outer = i && is_shell(shell_string(&command->words.items[i - 1])) ? i - 1 : i;
		return shell_file_text(sh, word);
	}
	return NULL;
}

/* Its arguments are the words behind it. */
static const struct shell_texts *arguments_behind(struct shell_state *sh,
						  const struct simple *command, size_t outer)
{
	struct shell_texts *arguments = arena_new(sh->arena, struct shell_texts);
	size_t first = outer + 1;

	if (is_shell(shell_string(&command->words.items[outer])))
		first++;
	arguments->items = command->words.items + first;
	arguments->count = arguments->capacity =
		first < command->words.count ? command->words.count - first : 0;
	return arguments;
}

/* Runs a text in a shell that the command starts, whose words in front it keeps. */
static void run_nested(struct shell_state *sh, const struct simple *command, size_t outer,
		       const struct shell_text *text)
{
	struct shell_texts before = sh->outer;
	struct shell_values values = shell_values_copy(sh);
	enum shell_flow flow = sh->flow;
	const char *folder = sh->folder;
	size_t i;

	if (sh->depth > 40)
		return;
	sh->outer.items = NULL;
	sh->outer.count = sh->outer.capacity = 0;
	for (i = 0; i < before.count; i++)
		vec_push(sh->arena, &sh->outer, before.items[i]);
	for (i = 0; i < outer; i++)
		vec_push(sh->arena, &sh->outer, command->words.items[i]);
	for (i = 0; i < command->assignments.count; i++)
		shell_assign(sh, command->assignments.items[i]);
	sh->depth += 10;
	shell_note_sbatch(sh, text);
	shell_run(sh, text);
	sh->depth -= 10;
	sh->outer = before;
	sh->flow = flow;
	sh->folder = folder;
	shell_values_restore(sh, &values);
}

/* True when the heredoc is the script of another shell, or is written to a file as one. */
static bool feeds_script(const struct simple *command)
{
	const struct shell_raw *body = &command->body;
	const char *text = body->end > body->start ? body->in->text + body->start : "";
	size_t i, length = strcspn(text, "\n");

	for (i = 0; i < command->words.count; i++) {
		const char *word = shell_string(&command->words.items[i]);
		if (is_shell(word) || words_have("sbatch|srun|ssh", base_of(word)))
			return true;
	}
	return text_starts(text, "#!") && length > 2 && !strncmp(text + length - 2, "sh", 2);
}

static void run_heredoc(struct shell_state *sh, const struct simple *command)
{
	struct shell_text *text = arena_new(sh->arena, struct shell_text);

	if (command->body.end <= command->body.start || !feeds_script(command))
		return;
	if (command->quoted_body)
		shell_append(sh->arena, text, command->body.in, command->body.start,
			     command->body.end);
	else
		*text = shell_expand_text(sh, command->body);
	run_nested(sh, command, 0, text);
}

/* A script beside this one: its commands take the place of the one that starts it. */
static bool run_file(struct shell_state *sh, const struct simple *command)
{
	const struct shell_texts *before = sh->arguments;
	size_t outer = 0;
	const struct shell_text *text = sh->load ? script_file(sh, command, &outer) : NULL;

	if (!text)
		return false;
	sh->arguments = arguments_behind(sh, command, outer);
	run_nested(sh, command, outer, text);
	sh->arguments = before;
	return true;
}

static void run_program(struct shell_state *sh, const struct simple *command)
{
	size_t outer = 0, skip = 0;
	const struct shell_text *script = nested_script(command, &outer, &skip);
	struct shell_text *inside = arena_new(sh->arena, struct shell_text);

	if (script) {
		shell_append(sh->arena, inside, script, skip, script->length);
		run_nested(sh, command, outer, inside);
	} else if (!run_file(sh, command)) {
		note_command(sh, command);
	}
	run_heredoc(sh, command);
}

/* read -r -d '' NAME <<EOF: the body is the value. */
static void read_body(struct shell_state *sh, const struct simple *command)
{
	const struct shell_raw body = command->body;
	const char *name = shell_string(&command->words.items[command->words.count - 1]);
	struct shell_text text = { 0 };

	if (strcmp(shell_string(&command->words.items[0]), "read") != 0 || body.end <= body.start ||
	    !(isalpha((unsigned char)*name) || *name == '_'))
		return;
	if (command->quoted_body)
		shell_append(sh->arena, &text, body.in, body.start, body.end);
	else
		text = shell_expand_text(sh, body);
	shell_set(sh, name, shell_scalar(sh, &text));
}

static enum shell_truth run_simple(struct shell_state *sh, struct simple *command)
{
	enum shell_truth truth = SHELL_LIKELY;
	size_t i;

	if (!command->raws.count) {
		for (i = 0; i < command->assignments.count; i++)
			shell_assign(sh, command->assignments.items[i]);
		return SHELL_YES;
	}
	expand_words(sh, command);
	if (!command->words.count || !shell_spend(sh, 8 + command->words.count))
		return truth;
	if (!shell_builtin(sh, command->raws.items, command->raws.count, &command->words, &truth))
		run_program(sh, command);
	read_body(sh, command);
	return truth;
}

enum shell_truth shell_command_run(struct shell_state *sh, struct shell_stream *s)
{
	struct simple command = { 0 };

	read_simple(sh, s, &command);
	if (!shell_runs(sh))
		return SHELL_LIKELY;
	return run_simple(sh, &command);
}
