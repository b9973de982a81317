#include "input/shell/word.h"

#include "base/bounds.h"
#include "base/path.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

/* $(...) and `...`: open, but for the few programs whose output follows from their words. */

struct output {
	struct shell_texts words; /* of the first command */
	const char *rest;	  /* what follows it: "| wc -l" */
};

static bool begins(struct shell_raw word, const char *name)
{
	size_t length = strlen(name);

	return word.end - word.start == length &&
	       !strncmp(word.in->text + word.start, name, length);
}

/* Expands the words of a command whose output can be told. */
static void read_words(struct shell_state *sh, struct shell_raw raw, struct output *output)
{
	struct shell_stream s = { .in = raw.in, .at = raw.start, .end = raw.end };
	struct shell_raw word;

	for (shell_blanks(&s); s.at < s.end; shell_blanks(&s)) {
		word = shell_scan(&s);
		if (word.start == word.end)
			break;
		if (!output->words.count && !begins(word, "echo") && !begins(word, "expr"))
			break;
		shell_expand(sh, word, &output->words);
	}
	while (s.at < s.end && isspace((unsigned char)s.in->text[s.at]))
		s.at++;
	output->rest = shell_raw_string(
		sh, (struct shell_raw) { raw.in, s.at, s.at < s.end ? s.end : s.at });
}

static struct shell_text joined(struct shell_state *sh, const struct shell_texts *words,
				uint32_t at)
{
	struct shell_text text = { 0 };
	size_t i;

	for (i = 1; i < words->count; i++) {
		if (i > 1)
			shell_put(sh->arena, &text, ' ', at);
		shell_append(sh->arena, &text, &words->items[i], 0, words->items[i].length);
	}
	return text;
}

/* tr ',' '\n' | wc -l, or awk -F, '{print NF}': how many there are between commas. */
static bool counts(const char *rest)
{
	return strchr(rest, ',') && ((strstr(rest, "tr ") && strstr(rest, "wc -l")) ||
				     (strstr(rest, "awk ") && strstr(rest, "print NF")));
}

static bool calculates(const char *rest)
{
	return text_starts(rest, "|") && !strncmp(rest + 1 + strspn(rest + 1, " "), "bc", 2);
}

static struct shell_text count(struct shell_state *sh, const struct shell_text *text, uint32_t at)
{
	struct shell_text number = { 0 };
	int64_t parts = 1;
	size_t i;

	for (i = 0; i < text->length; i++)
		parts += text->text[i] == ',';
	shell_say(sh->arena, &number, arena_printf(sh->arena, "%lld", (long long)parts), at);
	return number;
}

/* How often a text holds another. */
static size_t occurrences(const char *text, const char *what)
{
	size_t count = 0;

	for (text = strstr(text, what); text; text = strstr(text + 1, what))
		count++;
	return count;
}

/* `pwd`, and the root of the repository as git tells it. */
static const char *place(struct shell_state *sh, const char *raw)
{
	const char *path = sh->script->source->place, *at;

	if (!strcmp(raw, "pwd"))
		return sh->folder ? sh->folder : ".";
	if (strcmp(raw, "git rev-parse --show-toplevel") != 0 || *path == '<')
		return NULL;
	at = bounds_repository(sh->arena, path_absolute(sh->arena, path_folder(sh->arena, path)));
	return at ? path_relative(sh->arena, ".", at) : NULL;
}

/*
 * The script's own folder, from the working directory: $(dirname "$0"), or with cd and pwd around
 * it, each further dirname and each "/.." one level up. NULL for other commands.
 */
static const char *own_folder(struct shell_state *sh, const char *raw)
{
	const char *path = sh->script->source->place, *folder;
	size_t up = occurrences(raw, "dirname") + occurrences(raw, "/..");

	if (!strstr(raw, "dirname") ||
	    (!strstr(raw, "$0") && !strstr(raw, "BASH_SOURCE") && !strstr(raw, "${0")) ||
	    strchr(raw, '|') || *path == '<' || span_known(sh->script->where))
		return NULL;
	folder = path_folder(sh->arena, path);
	while (up-- > 1)
		folder = path_join(sh->arena, folder, "..");
	return folder;
}

/* Puts what is computed from the words, or leaves the command open. */
static void put_output(struct shell_expansion *ex, struct shell_raw raw,
		       const struct output *output, uint32_t at, bool quoted)
{
	const char *program = output->words.count ? shell_string(&output->words.items[0]) : "";
	const bool echo = !strcmp(program, "echo");
	struct shell_text text = { 0 };

	if (*program)
		text = joined(ex->sh, &output->words, at);
	if (echo && !*output->rest) {
		shell_emit(ex, &text, quoted);
	} else if (text.length && ((!strcmp(program, "expr") && !*output->rest) ||
				   (echo && calculates(output->rest)))) {
		shell_arithmetic(ex, (struct shell_raw) { &text, 0, text.length }, quoted);
	} else if (text.length && shell_known(&text) && echo && counts(output->rest)) {
		text = count(ex->sh, &text, at);
		shell_emit(ex, &text, quoted);
	} else {
		memset(&text, 0, sizeof(text));
		shell_leave_open(
			ex->sh->arena, &text,
			arena_join(ex->sh->arena, "$(", shell_raw_string(ex->sh, raw), ")"), at);
		shell_emit(ex, &text, quoted);
	}
}

void shell_substitute(struct shell_expansion *ex, struct shell_raw raw, uint32_t at, bool quoted)
{
	const char *said = shell_raw_string(ex->sh, raw), *folder = own_folder(ex->sh, said);
	struct output output = { 0 };
	struct shell_text text = { 0 };

	folder = folder ? folder : place(ex->sh, said);
	if (folder) {
		shell_say(ex->sh->arena, &text, folder, at);
		shell_emit(ex, &text, quoted);
		return;
	}
	read_words(ex->sh, raw, &output);
	put_output(ex, raw, &output, at, quoted);
}
