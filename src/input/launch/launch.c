#include "input/launch/launch.h"

#include "base/buf.h"
#include "base/text.h"
#include "input/document.h"
#include "input/field.h"
#include "input/launch/form.h"
#include "input/launch/launchers.h"

#include <ctype.h>
#include <string.h>

/* Shell quoting: '...', "..." with backslashes, and backslash. Returns the end of the word. */
static size_t shell_word(const char *text, size_t at, struct buf *out)
{
	char quote = 0;

	for (; text[at] && (quote || !isspace((unsigned char)text[at])); at++) {
		char c = text[at];
		if (quote && c == quote)
			quote = 0;
		else if (!quote && (c == '\'' || c == '"'))
			quote = c;
		else if (c == '\\' && quote != '\'' && text[at + 1])
			buf_char(out, text[++at]);
		else
			buf_char(out, c);
	}
	return at;
}

/* One word of ours that holds several of the framework's: '--a.b 2 --c.d'. */
static void split_word(struct launch_parser *p, const char *text, size_t base)
{
	size_t at = 0;
	struct buf word;

	buf_init(&word);
	for (;;) {
		struct word found = { 0 };
		while (isspace((unsigned char)text[at]))
			at++;
		if (!text[at])
			break;
		buf_clear(&word);
		found.start = base + at;
		at = shell_word(text, at, &word);
		found.end = base + at;
		found.text = arena_strndup(p->arena, word.data, word.length);
		if (strcmp(found.text, "\\") != 0) /* a line continuation */
			vec_push(p->arena, &p->words, found);
	}
	buf_release(&word);
}

static bool holds_several(const char *text, size_t count)
{
	const char *space = text + strcspn(text, " \t\n");
	const char *equals = strchr(text, '=');

	if (!*space)
		return false;
	if (text[0] != '-')
		return count == 1;
	return !equals || equals > space || strstr(space, " --");
}

static void join_words(struct launch_parser *p, const struct overrides *overrides)
{
	struct buf line;
	size_t i;

	buf_init(&line);
	for (i = 0; i < overrides->words.count; i++) {
		const char *text = overrides->words.items[i];
		size_t base = line.length + (i > 0);
		struct word word = { .text = text, .start = base, .end = base + strlen(text) };
		if (i)
			buf_char(&line, ' ');
		buf_text(&line, text);
		if (holds_several(text, overrides->words.count))
			split_word(p, text, base);
		else
			vec_push(p->arena, &p->words, word);
	}
	p->launch->source =
		source_new(p->arena, "<command line>",
			   arena_strndup(p->arena, line.data, line.length), line.length);
	buf_release(&line);
}

/* The first word that is no assignment. */
static const char *first_word(const struct launch_parser *p)
{
	size_t i = p->at;

	while (i < p->words.count && launch_assigns(p->words.items[i].text))
		i++;
	return i < p->words.count ? launch_basename(p->words.items[i].text) : "";
}

/* In a script other programs may stand in front: nohup, uv run, docker run IMAGE. A word behind a
 * flag of any other program is that flag's value. */
static void skip_to_python(struct launch_parser *p)
{
	static const char wrappers[] =
		"uv|uvx|poetry|pdm|pixi|conda|mamba|micromamba|docker|podman|singularity|apptainer|"
		"enroot|nohup|time|nice|numactl|taskset|stdbuf|nsys|ncu|env|sudo|exec|timeout|"
		"hatch|"
		"rye|pipenv|command|kubectl|ray|srun|mpirun|mpiexec|horovodrun";
	const bool wrapped = words_have(wrappers, first_word(p)) || p->at;
	size_t i;

	for (i = p->at; i < p->words.count; i++) {
		const char *name = launch_basename(p->words.items[i].text);
		if (!text_starts(name, "python") && !text_ends(name, ".py"))
			continue;
		if (!wrapped && i && text_starts(p->words.items[i - 1].text, "--"))
			continue;
		p->at = i;
		return;
	}
}

/* The program of a framework itself: axolotl train x.yml. */
static bool take_command(struct launch_parser *p)
{
	size_t i;

	for (i = p->at; i < p->words.count; i++) {
		const struct word *word = &p->words.items[i];
		if (text_ends(word->text, ".py") || text_starts(word->text, "--"))
			return false;
		if (!launch_is_command(word->text))
			continue;
		p->launch->program = launch_basename(word->text);
		p->launch->program_span = launch_span(p, word, 0);
		p->at = i + 1;
		return true;
	}
	return false;
}

/* Options of Python itself, as -u. */
static bool is_python_option(const char *text)
{
	return text[0] == '-' && text[1] && strchr("uBOEIsSvq", text[1]);
}

/* True of words that stand in front of a program's own: VAR=value, env, Python, its script. */
static bool names_program(const char *name)
{
	return launch_assigns(name) || text_starts(name, "python") || text_ends(name, ".py") ||
	       !strcmp(name, "env");
}

static void name_program(struct launch_parser *p, const struct word *word)
{
	p->launch->program = word->text;
	p->launch->program_span = launch_span(p, word, 0);
}

/* `python train.py`, `python -m torchtitan.train`: words in front of the first flag. */
static void skip_script(struct launch_parser *p)
{
	const struct word *word;
	bool named = p->launch->program != NULL, python = false;

	for (word = launch_peek(p); word; word = launch_peek(p)) {
		bool module = !strcmp(word->text, "-m");
		const char *name = launch_basename(word->text);
		bool option = python && !p->launch->program && is_python_option(word->text);
		if (!module && !option && !names_program(name))
			return;
		python = python || text_starts(name, "python");
		if (!named && text_ends(name, ".py"))
			name_program(p, word);
		p->at += module ? 2 : 1;
		if (!named && module && p->at <= p->words.count)
			name_program(p, &p->words.items[p->at - 1]);
	}
}

/* A flag's value may be a negative number but no other word with a dash. */
static bool is_flag(const char *text)
{
	return text[0] == '-' && text[1] && !isdigit((unsigned char)text[1]) && text[1] != '.';
}

static char folded(char c)
{
	return c == '-' ? '_' : c;
}

bool launch_same_flag(const char *a, const char *b)
{
	while (*a && folded(*a) == folded(*b))
		a++, b++;
	return !*a && !*b;
}

static void read_flag(struct launch_parser *p, const struct word *word)
{
	size_t dashes = strspn(word->text, "-");
	size_t length = strcspn(word->text + dashes, "=");
	struct launch_flag flag = { 0 };
	const struct word *next;

	flag.name = arena_strndup(p->arena, word->text + dashes, length);
	flag.span = flag.name_span = launch_span(p, word, 0);
	flag.unresolved = word->unresolved;
	p->at++;
	next = launch_peek(p);
	if (word->text[dashes + length]) {
		flag.attached = true;
		flag.value = launch_unquoted(p->arena, word->text + dashes + length + 1);
		if (word->end - word->start > dashes + length)
			flag.span = launch_span(p, word, dashes + length + 1);
	} else if (next && !is_flag(next->text)) {
		flag.value = launch_unquoted(p->arena, next->text);
		flag.span = launch_span(p, next, 0);
		flag.unresolved = flag.unresolved ? flag.unresolved : next->unresolved;
		p->at++;
	}
	vec_push(p->arena, &p->launch->flags, flag);
	if (flag.value && launch_same_flag(flag.name, "job.config_file"))
		launch_config(p, flag.value, flag.span);
}

/* All words, and those from here on as arguments, as they are. */
static void note_words(struct launch_parser *p)
{
	size_t i;

	for (i = 0; i < p->words.count; i++) {
		const struct word *word = &p->words.items[i];
		struct launch_word noted = { word->text, launch_span(p, word, 0),
					     word->unresolved };
		vec_push(p->arena, &p->launch->words, noted);
		if (i >= p->at)
			vec_push(p->arena, &p->launch->arguments, noted);
	}
}

/*
 * debugpy-run -m torch.distributed.run -p 5678 -- --nproc_per_node 2 train.py: what stands behind
 * "--" is the module's, the debugger's own options in front of it are not.
 */
static void drop_debugger(struct launch_parser *p)
{
	size_t i, first = p->at, module = 0, end = 0, kept;

	if (strcmp(first_word(p), "debugpy-run") != 0)
		return;
	for (i = first; i < p->words.count && !end; i++) {
		if (!strcmp(p->words.items[i].text, "-m") && !module)
			module = i;
		if (!strcmp(p->words.items[i].text, "--"))
			end = i;
	}
	if (!module || module + 1 >= end)
		return;
	while (strcmp(launch_basename(p->words.items[first].text), "debugpy-run") != 0)
		first++;
	p->words.items[first].text = "python";
	p->words.items[first + 1] = p->words.items[module];
	p->words.items[first + 2] = p->words.items[module + 1];
	kept = first + 3;
	for (i = end + 1; i < p->words.count; i++)
		p->words.items[kept++] = p->words.items[i];
	p->words.count = kept;
}

void launch_read_words(struct launch_parser *p)
{
	const struct word *word;

	drop_debugger(p);
	launch_read_launcher(p);
	if (p->script && !p->launch->program && !take_command(p))
		skip_to_python(p);
	skip_script(p);
	note_words(p);
	for (word = launch_peek(p); word; word = launch_peek(p)) {
		struct launch_word stray = { word->text, launch_span(p, word, 0),
					     word->unresolved };
		if (is_flag(word->text)) {
			read_flag(p, word);
			continue;
		}
		vec_push(p->arena, &p->launch->strays, stray);
		p->at++;
	}
}

struct launch *launch_parse(struct arena *arena, const struct overrides *overrides)
{
	struct launch_parser p = { .arena = arena };

	if (!overrides || !overrides->words.count)
		return NULL;
	p.launch = arena_new(arena, struct launch);
	join_words(&p, overrides);
	launch_read_words(&p);
	return p.launch;
}

struct launch *launch_of_words(struct arena *arena, const struct source *source,
			       const struct launch_word *words, size_t count)
{
	struct launch_parser p = { .arena = arena };
	size_t i;

	if (!count)
		return NULL;
	p.launch = arena_new(arena, struct launch);
	p.launch->source = source;
	for (i = 0; i < count; i++) {
		struct word word = { .text = words[i].text,
				     .end = strlen(words[i].text),
				     .span = words[i].span,
				     .unresolved = words[i].unresolved };
		vec_push(arena, &p.words, word);
	}
	launch_read_words(&p);
	return p.launch;
}

void launch_append(struct arena *arena, struct launch *launch, const struct launch *words)
{
	size_t i;

	for (i = 0; i < words->facts.count; i++)
		vec_push(arena, &launch->facts, words->facts.items[i]);
	for (i = 0; i < words->flags.count; i++)
		vec_push(arena, &launch->flags, words->flags.items[i]);
	for (i = 0; i < words->environment.count; i++)
		vec_push(arena, &launch->environment, words->environment.items[i]);
	for (i = 0; i < words->strays.count; i++)
		vec_push(arena, &launch->strays, words->strays.items[i]);
	for (i = 0; i < words->arguments.count; i++)
		vec_push(arena, &launch->arguments, words->arguments.items[i]);
	if (words->world) {
		launch->world = words->world;
		launch->world_span = words->world_span;
	}
}

const struct launch_flag *launch_find(const struct launch *launch, const char *name)
{
	size_t i;

	for (i = launch ? launch->flags.count : 0; i > 0; i--)
		if (launch_same_flag(launch->flags.items[i - 1].name, name))
			return &launch->flags.items[i - 1];
	return NULL;
}

const struct launch_flag *launch_option(const struct launch *launch, const char *name)
{
	size_t i;

	for (i = launch->options.count; i > 0; i--)
		if (!strcmp(launch->options.items[i - 1].name, name))
			return &launch->options.items[i - 1];
	return NULL;
}

bool launch_says(const struct launch *launch, const char *first, const char *second)
{
	size_t i;

	for (i = 0; i + 1 < launch->words.count; i++)
		if (!strcmp(launch_basename(launch->words.items[i].text), first) &&
		    !strcmp(launch->words.items[i + 1].text, second))
			return true;
	return false;
}

void launch_forget(struct launch *launch)
{
	launch->facts.count = 0;
	launch->launched = false;
	launch->launcher = NULL;
	launch->world = launch->nodes = launch->per_node = 0;
}
