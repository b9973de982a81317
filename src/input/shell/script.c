#include "base/text.h"
#include "input/node.h"
#include "input/syntax/scalar.h"
#include "input/shell/command.h"

#include <ctype.h>
#include <string.h>

/* What the reader hands out: words with places, #SBATCH options, variables. */

/* True when the bytes come from one stretch of the source. */
static bool is_stretch(const struct shell_text *text, size_t skip, uint32_t *start, uint32_t *end)
{
	size_t i, seen = 0;

	*start = SHELL_NOWHERE;
	for (i = 0; i < text->length; i++) {
		uint32_t at = text->at[i];
		if (text->text[i] <= SHELL_SURELY && text->text[i] >= SHELL_OPEN)
			continue;
		if (seen++ < skip)
			continue;
		if (at == SHELL_NOWHERE || (*start != SHELL_NOWHERE && at + 1 < *end))
			return false;
		if (*start == SHELL_NOWHERE)
			*start = at;
		*end = at + 1;
	}
	return *start != SHELL_NOWHERE && *end - *start < 2 * text->length + 64;
}

/* The source that a place is in; *base is where its places begin. */
static const struct source *source_of(const struct shell_script *script, size_t at, size_t *base)
{
	size_t i;

	*base = 0;
	for (i = script->files.count; i > 0; i--) {
		if (at < script->files.items[i - 1].base)
			continue;
		*base = script->files.items[i - 1].base;
		return script->files.items[i - 1].source;
	}
	return script->source;
}

static struct span span_of(const struct shell_script *script, size_t start, size_t end)
{
	const struct source *source;
	size_t base;

	if (span_known(script->where))
		return script->where;
	source = source_of(script, start, &base);
	return source_span(source, start - base, end - base);
}

/* A column costs the way to it. */
static void spend_span(struct shell_state *sh, size_t at)
{
	size_t base, start;
	const char *text = source_of(sh->script, at, &base)->text;

	if (span_known(sh->script->where))
		return;
	at -= base;
	start = at;
	while (start && text[start - 1] != '\n')
		start--;
	shell_spend(sh, (at - start) / 16);
}

static void raw_range(struct shell_raw raw, uint32_t *start, uint32_t *end)
{
	*start = raw.start < raw.in->length ? raw.in->at[raw.start] : 0;
	*end = raw.end > raw.start ? raw.in->at[raw.end - 1] : SHELL_NOWHERE;
	if (*start == SHELL_NOWHERE)
		*start = 0;
	*end = *end == SHELL_NOWHERE || *end < *start ? *start + 1 : *end + 1;
}

struct shell_word shell_word_of(struct shell_state *sh, const struct shell_text *text,
				struct shell_raw raw)
{
	struct shell_word word = { 0 };
	uint32_t start, end;

	raw_range(raw, &start, &end);
	spend_span(sh, start);
	word.marked = *text;
	word.text = shell_shown(sh->arena, text, 0);
	word.unresolved = shell_open_part(sh->arena, text, 0);
	word.used = word.span = span_of(sh->script, start, end);
	if (is_stretch(text, 0, &start, &end))
		word.span = span_of(sh->script, start, end);
	return word;
}

struct node *shell_node(const struct shell_script *script, const struct shell_word *word,
			size_t skip)
{
	struct node *node;
	struct span span = word->used;
	uint32_t start, end;

	if (is_stretch(&word->marked, skip, &start, &end))
		span = span_of(script, start, end);
	node = node_scalar(script->arena, SCALAR_STRING,
			   shell_shown(script->arena, &word->marked, skip), span);
	node->unresolved = shell_open_part(script->arena, &word->marked, skip);
	if (!node->unresolved)
		scalar_resolve(script->arena, node);
	return node;
}

/* Where the part ends; a blank in an open part, "2 or 8", is none between parts. */
static size_t part_end(struct shell_parts *parts)
{
	const struct shell_text *text = &parts->word->marked;
	size_t at = parts->at;
	bool open = false;

	for (; at < text->length; at++) {
		const char c = text->text[at];
		if (c == SHELL_OPEN || c == SHELL_CLOSE)
			open = c == SHELL_OPEN;
		else if (c == SHELL_MAYBE || c == SHELL_SURELY)
			parts->maybe = c == SHELL_MAYBE;
		else if (!open && isspace((unsigned char)c))
			break;
	}
	return at;
}

bool shell_next_part(const struct shell_script *script, struct shell_parts *parts,
		     struct shell_word *part)
{
	enum { PLACED = 1000 }; /* parts that get a place of their own, which costs the way to it */
	const struct shell_text *all = &parts->word->marked;
	struct shell_text text = { 0 };
	uint32_t start, end;
	size_t from;

	while (parts->at < all->length && isspace((unsigned char)all->text[parts->at]))
		parts->at++;
	from = parts->at;
	if (parts->maybe && from < all->length)
		shell_put(script->arena, &text, SHELL_MAYBE, all->at[from]);
	parts->at = part_end(parts);
	if (from == parts->at)
		return false;
	shell_append(script->arena, &text, all, from, parts->at);
	*part = *parts->word;
	part->marked = text;
	part->text = shell_shown(script->arena, &text, 0);
	part->unresolved = shell_open_part(script->arena, &text, 0);
	if (parts->count++ < PLACED && is_stretch(&text, 0, &start, &end))
		part->span = span_of(script, start, end);
	return true;
}

const struct shell_word *shell_environment(const struct shell_script *script,
					   const struct shell_command *command, const char *name)
{
	size_t i;

	for (i = command ? command->environment.count : 0; i > 0; i--)
		if (!strcmp(command->environment.items[i - 1].name, name))
			return &command->environment.items[i - 1].value;
	for (i = 0; i < script->variables.count; i++)
		if (!strcmp(script->variables.items[i].name, name) &&
		    script->variables.items[i].words.count)
			return &script->variables.items[i].words.items[0];
	return NULL;
}

const struct shell_word *shell_sbatch(const struct shell_script *script, const char *name)
{
	size_t i;

	for (i = script->sbatch.count; i > 0; i--)
		if (!strcmp(script->sbatch.items[i - 1].name, name))
			return &script->sbatch.items[i - 1].value;
	return NULL;
}

static const char *long_name(struct arena *arena, const char *option, size_t length)
{
	static const struct {
		char letter;
		const char *name;
	} letters[] = { { 'N', "nodes" },	  { 'n', "ntasks" },   { 'G', "gpus" },
			{ 'c', "cpus-per-task" }, { 'J', "job-name" }, { 'p', "partition" },
			{ 't', "time" },	  { 'A', "account" },  { 'o', "output" },
			{ 'C', "constraint" },	  { 'w', "nodelist" } };
	size_t i;

	if (length > 1 && option[0] == '-' && option[1] == '-')
		return arena_strndup(arena, option + 2, length - 2);
	for (i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (length > 1 && option[1] == letters[i].letter)
			return letters[i].name;
	return arena_strndup(arena, option + 1, length - 1);
}

/* The part of a word from `skip` on as a word. */
static struct shell_word tail(struct shell_state *sh, const struct shell_text *text, size_t skip,
			      struct shell_raw raw)
{
	struct shell_text some = { 0 };

	shell_append(sh->arena, &some, text, skip, text->length);
	return shell_word_of(sh, &some, raw);
}

/* One option; its value may be the next word, which then is taken: true. */
static bool note_option(struct shell_state *sh, const struct shell_text *word,
			const struct shell_text *next, struct shell_raw raw)
{
	const char *text = shell_string(word);
	size_t length = strcspn(text, "=");
	bool is_short = text[0] == '-' && text[1] != '-';
	struct shell_assignment option;
	static const struct shell_text none;

	if (*text != '-' || length < 2)
		return false;
	option.name = long_name(sh->arena, text, length);
	if (text[length] && !is_short)
		option.value = tail(sh, word, length + 1, raw);
	else if (is_short && text[2])
		option.value = tail(sh, word, text[2] == '=' ? 3 : 2, raw);
	else if (next && *shell_string(next) != '-')
		option.value = shell_word_of(sh, next, raw);
	else
		option.value = shell_word_of(sh, &none, raw);
	vec_push(sh->arena, &sh->script->sbatch, option);
	return !text[length] && next && *shell_string(next) != '-' && !(is_short && text[2]);
}

static void note_line(struct shell_state *sh, struct shell_stream *s)
{
	struct shell_raw line = { s->in, s->at, s->end };
	struct shell_texts words = { 0 };
	size_t i;

	while (s->at < s->end) {
		struct shell_raw raw;
		shell_blanks(s);
		raw = shell_scan(s);
		if (raw.start < raw.end)
			vec_push(sh->arena, &words, shell_expand_whole(sh, raw));
		else
			s->at++;
	}
	for (i = 0; i < words.count; i++)
		i += note_option(sh, &words.items[i],
				 i + 1 < words.count ? &words.items[i + 1] : NULL, line);
}

static void set_number(struct shell_state *sh, const char *name, int64_t number, uint32_t at)
{
	struct shell_text text = { 0 };

	if (number < 1)
		return;
	shell_say(sh->arena, &text, arena_printf(sh->arena, "%lld", (long long)number), at);
	shell_set(sh, name, shell_scalar(sh, &text));
}

/* The number that an option gives, or 0; *at is where. */
static int64_t number_of(const struct shell_state *sh, const char *option, uint32_t *at)
{
	const struct shell_word *word = shell_sbatch(sh->script, option);
	const char *colon = word ? strrchr(word->text, ':') : NULL;
	int64_t number;

	if (!word || !text_to_int(colon ? colon + 1 : word->text, &number) || number < 1 ||
	    number > INT32_MAX)
		return 0;
	*at = word->marked.length ? word->marked.at[0] : 0;
	return number;
}

/* What Slurm sets in the job's environment by these options. */
static void set_variables(struct shell_state *sh)
{
	uint32_t at = 0;
	int64_t nodes = number_of(sh, "nodes", &at), tasks, per_node, gpus;

	set_number(sh, "SLURM_NNODES", nodes, at);
	set_number(sh, "SLURM_JOB_NUM_NODES", nodes, at);
	per_node = number_of(sh, "ntasks-per-node", &at);
	set_number(sh, "SLURM_NTASKS_PER_NODE", per_node, at);
	tasks = number_of(sh, "ntasks", &at);
	if (!tasks)
		tasks = nodes * per_node;
	set_number(sh, "SLURM_NTASKS", tasks, at);
	set_number(sh, "SLURM_NPROCS", tasks, at);
	gpus = number_of(sh, "gpus-per-node", &at);
	set_number(sh, "SLURM_GPUS_PER_NODE", gpus, at);
	if (!gpus)
		gpus = number_of(sh, "gres", &at);
	set_number(sh, "SLURM_GPUS_ON_NODE", gpus, at);
}

void shell_note_sbatch(struct shell_state *sh, const struct shell_text *text)
{
	size_t at = 0, end, start, before = sh->script->sbatch.count;

	while (at < text->length && shell_spend(sh, 1)) {
		for (end = at; end < text->length && text->text[end] != '\n'; end++)
			;
		for (start = at; start < end && isspace((unsigned char)text->text[start]); start++)
			;
		if (start < end && text->text[start] != '#')
			break;
		if (at + 8 < end && !strncmp(text->text + at, "#SBATCH", 7)) {
			struct shell_stream s = { .in = text, .at = at + 7, .end = end };
			note_line(sh, &s);
		}
		at = end + 1;
	}
	if (sh->script->sbatch.count > before)
		set_variables(sh);
}

void shell_note_variables(struct shell_state *sh)
{
	size_t i, k;

	for (i = 0; i < sh->values.count && sh->budget; i++) {
		const struct shell_value *value = sh->values.items[i];
		struct shell_variable variable = { .name = sh->name_list.items[i] };
		if (!value)
			continue;
		variable.array = value->array;
		for (k = 0; k < value->count; k++) {
			static const struct shell_text nothing;
			struct shell_raw raw = { &nothing, 0, 0 };
			struct shell_word word = shell_word_of(sh, &value->items[k], raw);
			vec_push(sh->arena, &variable.words, word);
		}
		vec_push(sh->arena, &sh->script->variables, variable);
	}
}

/* Whether $(...) may hold a heredoc or a case, whose quotes and brackets need no partners. */
static bool may_unpair(const struct shell_text *text)
{
	const char *from = strstr(shell_string(text), "$(");

	return from && (strstr(from, "<<") || strstr(from, "case"));
}

void shell_note_break(struct shell_state *sh, const struct shell_stream *s)
{
	const uint32_t *at = s->in->at;

	if (!s->trouble || sh->deep || may_unpair(s->in))
		return;
	sh->script->trouble = s->trouble;
	sh->script->broken = span_of(sh->script, at[s->broken], at[s->broken] + 1);
}

/* A line as only shells read it. */
static bool is_shell_line(const char *line, size_t length)
{
	static const char *const starts[] = {
		"#SBATCH ",
		"export ",
		"set -",
		"source ",
		"torchrun ",
		"srun ",
		"deepspeed ",
		"python ",
		"python3 ",
		"accelerate launch ",
		"mpirun ",
		"megatron ",
		"swift ",
		"cd ",
		"CUDA_VISIBLE_DEVICES=",
		"NPROC_PER_NODE=",
		"#!/bin/bash",
		"#!/bin/sh",
		"bash ",
		"nproc_per_node=",
		"PYTORCH_CUDA_ALLOC_CONF=",
		"mkdir ",
	};
	size_t i;

	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (length >= strlen(starts[i]) && !strncmp(line, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* A first line "#!" that names a shell. */
static bool names_shell(const char *text, size_t length)
{
	size_t line = 0;

	while (line < length && text[line] != '\n' && text[line] != '\r')
		line++;
	while (line && isspace((unsigned char)text[line - 1]))
		line--;
	return length > 2 && text[0] == '#' && text[1] == '!' && text_mentions(text, line, "sh") &&
	       !text_mentions(text, line, "python");
}

bool shell_looks(const char *text, size_t length)
{
	size_t at = 0, end, lines = 0;

	if (names_shell(text, length))
		return true;
	while (at < length && lines < 3) {
		for (end = at; end < length && text[end] != '\n'; end++)
			;
		if (is_shell_line(text + at, end - at))
			return true;
		lines += end > at && text[at] != '#' && !isspace((unsigned char)text[at]);
		at = end + 1;
	}
	return false;
}

/* The next place that no file uses. */
static size_t free_base(const struct shell_script *script)
{
	const struct shell_file *last;

	if (!script->files.count)
		return script->source->length + 2;
	last = &script->files.items[script->files.count - 1];
	return last->base + last->source->length + 2;
}

static struct shell_file *load_file(struct shell_state *sh, const char *path)
{
	struct shell_script *script = sh->script;
	struct shell_file file = { .path = path };
	size_t i, base = free_base(script);

	for (i = 0; i < script->files.count; i++)
		if (!strcmp(script->files.items[i].path, path))
			return &script->files.items[i];
	file.source = *path && base < UINT32_MAX / 2 ? sh->load(sh->files, path) : NULL;
	if (!file.source)
		return NULL;
	file.base = (uint32_t)base;
	vec_push(sh->arena, &script->files, file);
	return &script->files.items[script->files.count - 1];
}

const struct shell_text *shell_file_text(struct shell_state *sh, const struct shell_text *path)
{
	const char *shown = shell_shown(sh->arena, path, 0), *slash = strrchr(shown, '/');
	const struct shell_file *file = NULL;
	struct shell_text *text;
	size_t i;

	if (!sh->load || *shown == '/' || sh->script->files.count > 20)
		return NULL; /* what lies elsewhere on this machine is not the job's */
	if (shell_known(path))
		file = load_file(sh, shown);
	if (!file && slash && !strchr(slash, '$') && !strchr(slash, ')'))
		file = load_file(sh, slash + 1);
	if (!file || !shell_spend(sh, file->source->length))
		return NULL;
	text = arena_new(sh->arena, struct shell_text);
	for (i = file->source->lines[0]; i < file->source->length; i++)
		if (file->source->text[i] < 0 || file->source->text[i] > SHELL_SURELY)
			shell_put(sh->arena, text, file->source->text[i], file->base + (uint32_t)i);
	return text;
}
