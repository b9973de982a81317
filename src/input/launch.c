#include "input/launch.h"

#include "base/buf.h"
#include "base/text.h"
#include "input/document.h"
#include "input/field.h"
#include "input/setting.h"

#include <ctype.h>
#include <string.h>

/* A word of the launch line and where it stands in the source. */
struct word {
	const char *text;
	size_t start, end; /* bytes of the source */
};

struct parser {
	struct arena *arena;
	struct launch *launch;
	VEC(struct word) words;
	size_t at;
	bool module; /* torchrun's -m: the script is a module */
	bool shell;  /* run_train.sh, which has defaults of its own */
	bool nodes_said, per_node_said;
};

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
static void split_word(struct parser *p, const char *text, size_t base)
{
	size_t at = 0;
	struct buf word;

	buf_init(&word);
	for (;;) {
		struct word found;
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

static void join_words(struct parser *p, const struct overrides *overrides)
{
	struct buf line;
	size_t i;

	buf_init(&line);
	for (i = 0; i < overrides->words.count; i++) {
		const char *text = overrides->words.items[i];
		size_t base = line.length + (i > 0);
		struct word word = { text, base, base + strlen(text) };
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

static struct span word_span(const struct parser *p, const struct word *word, size_t skip)
{
	return source_span(p->launch->source, word->start + skip, word->end);
}

static const struct word *peek(const struct parser *p)
{
	return p->at < p->words.count ? &p->words.items[p->at] : NULL;
}

static const char *basename_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Quotes that a shell, or a table of test cases, left around a value. */
static const char *without_quotes(struct arena *arena, const char *text)
{
	size_t length;

	while (*text == '\'' || *text == '"')
		text++;
	length = strlen(text);
	while (length && (text[length - 1] == '\'' || text[length - 1] == '"'))
		length--;
	return arena_strndup(arena, text, length);
}

static void set_count(struct parser *p, int64_t *count, const char *text, struct span span)
{
	int64_t number;

	*count = text_to_int(text, &number) && number > 0 ? number : 0;
	*(count == &p->launch->nodes ? &p->nodes_said : &p->per_node_said) = true;
	p->launch->world_span = span;
}

static void set_config(struct parser *p, const char *path, struct span span)
{
	p->launch->config_file = path;
	p->launch->config_span = span;
}

static void add_flag(struct parser *p, const char *name, const char *value, struct span span)
{
	struct launch_flag flag = { name, value, false, span, span };

	vec_push(p->arena, &p->launch->flags, flag);
}

static bool is_assignment(const char *text)
{
	size_t i = 0;

	while (isupper((unsigned char)text[i]) || isdigit((unsigned char)text[i]) || text[i] == '_')
		i++;
	return i > 0 && text[i] == '=' && !isdigit((unsigned char)text[0]);
}

/* NGPU=8 CONFIG_FILE=x.toml ./run_train.sh: the variables that run_train.sh reads. */
static void read_assignment(struct parser *p, const struct word *word)
{
	size_t length = strcspn(word->text, "=");
	const char *value = without_quotes(p->arena, word->text + length + 1);
	struct span span = word_span(p, word, 0);
	char *name = arena_strndup(p->arena, word->text, length);

	if (!strcmp(name, "NGPU"))
		set_count(p, &p->launch->per_node, value, span);
	else if (!strcmp(name, "NNODES"))
		set_count(p, &p->launch->nodes, value, span);
	else if (!strcmp(name, "CONFIG_FILE"))
		set_config(p, value, span);
	else if (!strcmp(name, "MODULE"))
		add_flag(p, "module", value, span);
	else if (!strcmp(name, "CONFIG"))
		add_flag(p, "config", value, span);
}

/* Index just after the launcher's own word, or 0 when there is none. */
static size_t find_launcher(struct parser *p)
{
	size_t i;

	for (i = 0; i < p->words.count; i++) {
		const char *name = basename_of(p->words.items[i].text);
		const char *before = i ? p->words.items[i - 1].text : "";
		if (!strcmp(name, "run_train.sh") || !strcmp(name, "run_llama_train.sh")) {
			p->shell = true;
			return i + 1;
		}
		if (!strcmp(name, "torchrun"))
			return i + 1;
		if (!strcmp(before, "-m") && (!strcmp(name, "torch.distributed.run") ||
					      !strcmp(name, "torch.distributed.launch")))
			return i + 1;
		if (text_starts(name, "--") && strchr(name, '.'))
			break;
	}
	return 0;
}

/* One option of torchrun (torch/distributed/run.py get_args_parser); false at the script. */
static bool read_launcher_option(struct parser *p)
{
	static const char bare[] = "standalone|no_python|run_path|use_env|use_agent_store";
	const struct word *word = peek(p);
	size_t length;
	char *name, *c;
	const char *value;

	if (!word || word->text[0] != '-')
		return false;
	p->at++;
	if (!strcmp(word->text, "-m") || !strcmp(word->text, "--module")) {
		p->module = true;
		return true;
	}
	length = strcspn(word->text, "=");
	name = arena_strndup(p->arena, word->text + strspn(word->text, "-"),
			     length - strspn(word->text, "-"));
	for (c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	if (words_have(bare, name))
		return true;
	value = word->text[length] ? word->text + length + 1 : NULL;
	if (!value && peek(p)) {
		word = peek(p);
		value = word->text;
		p->at++;
	}
	if (value && !strcmp(name, "nnodes"))
		set_count(p, &p->launch->nodes, value, word_span(p, word, 0));
	else if (value && !strcmp(name, "nproc_per_node"))
		set_count(p, &p->launch->per_node, value, word_span(p, word, 0));
	return true;
}

static void read_launch_options(struct parser *p, const struct word *launcher)
{
	p->launch->launched = true;
	if (!p->shell) {
		while (read_launcher_option(p))
			;
		if (peek(p)) /* the script or module */
			p->launch->script = p->words.items[p->at++].text;
	} else {
		p->launch->script = launcher->text;
	}
	if (!p->per_node_said) { /* torchrun's default; run_train.sh: NGPU=${NGPU:-"8"} */
		p->launch->per_node = p->shell ? 8 : 1;
		p->launch->world_span = word_span(p, launcher, 0);
	}
	if (!p->nodes_said)
		p->launch->nodes = 1;
}

/* Everything before the training script's own arguments. */
static void read_launcher(struct parser *p)
{
	size_t launcher = find_launcher(p), i;

	for (i = 0; i < p->words.count && (i < launcher || !launcher); i++) {
		if (p->words.items[i].text[0] == '-')
			break;
		if (is_assignment(p->words.items[i].text))
			read_assignment(p, &p->words.items[i]);
	}
	p->at = launcher;
	if (launcher)
		read_launch_options(p, &p->words.items[launcher - 1]);
}

/* `python train.py`, `python -m torchtitan.train`: words in front of the first flag. */
static void skip_script(struct parser *p)
{
	const struct word *word;

	for (word = peek(p); word; word = peek(p)) {
		bool module = !strcmp(word->text, "-m");
		const char *name = basename_of(word->text);
		if (!module && !is_assignment(name) && !text_starts(name, "python") &&
		    !text_ends(name, ".py") && strcmp(name, "env") != 0)
			return;
		p->at += module ? 2 : 1;
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

/* True when two flag names differ at most in '-' against '_'. */
static bool flag_same(const char *a, const char *b)
{
	while (*a && folded(*a) == folded(*b))
		a++, b++;
	return !*a && !*b;
}

static void read_flag(struct parser *p, const struct word *word)
{
	size_t dashes = strspn(word->text, "-");
	size_t length = strcspn(word->text + dashes, "=");
	struct launch_flag flag = { 0 };
	const struct word *next;

	flag.name = arena_strndup(p->arena, word->text + dashes, length);
	flag.span = flag.name_span = word_span(p, word, 0);
	p->at++;
	next = peek(p);
	if (word->text[dashes + length]) {
		flag.attached = true;
		flag.value = without_quotes(p->arena, word->text + dashes + length + 1);
		if (word->end - word->start > dashes + length)
			flag.span = word_span(p, word, dashes + length + 1);
	} else if (next && !is_flag(next->text)) {
		flag.value = without_quotes(p->arena, next->text);
		flag.span = word_span(p, next, 0);
		p->at++;
	}
	vec_push(p->arena, &p->launch->flags, flag);
	if (flag.value && flag_same(flag.name, "job.config_file"))
		set_config(p, flag.value, flag.span);
}

struct launch *launch_parse(struct arena *arena, const struct overrides *overrides)
{
	struct parser p = { .arena = arena };
	const struct word *word;

	if (!overrides || !overrides->words.count)
		return NULL;
	p.launch = arena_new(arena, struct launch);
	join_words(&p, overrides);
	read_launcher(&p);
	skip_script(&p);
	for (word = peek(&p); word; word = peek(&p)) {
		struct launch_word stray = { word->text, word_span(&p, word, 0) };
		if (is_flag(word->text)) {
			read_flag(&p, word);
			continue;
		}
		vec_push(arena, &p.launch->strays, stray);
		p.at++;
	}
	if (p.launch->nodes && p.launch->per_node && p.launch->nodes < INT32_MAX &&
	    p.launch->per_node < INT32_MAX)
		p.launch->world = p.launch->nodes * p.launch->per_node;
	return p.launch;
}

const struct launch_flag *launch_find(const struct launch *launch, const char *name)
{
	size_t i;

	for (i = launch ? launch->flags.count : 0; i > 0; i--)
		if (flag_same(launch->flags.items[i - 1].name, name))
			return &launch->flags.items[i - 1];
	return NULL;
}

void launch_settle(const struct launch *launch, struct arena *arena, struct settings *settings)
{
	struct setting *world;

	if (!launch || !launch->world)
		return;
	world = settings_put_int(settings, arena, FIELD_WORLD, launch->world, ORIGIN_LAUNCH);
	world->span = launch->world_span;
	world->note = arena_printf(arena, "%lld nodes x %lld processes", (long long)launch->nodes,
				   (long long)launch->per_node);
}
