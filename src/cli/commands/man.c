#include "base/die.h"
#include "cli/candidates.h"
#include "cli/command.h"
#include "cli/topic.h"
#include "input/setting.h"
#include "rules/expect.h"
#include "rules/rule.h"

#include <ctype.h>
#include <string.h>

/*
 * The parts of the manual that the tables know, as scdoc source. The pages
 * around them are docs/man/NAME.scd, where a line "@PART@" stands for one part.
 */

static void escaped_bytes(struct buf *out, const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		const bool item = text[i] == '-' && i && text[i - 1] == '\n'; /* a list, to scdoc */

		if (item || strchr("\\_*`#<>[]|~", text[i]))
			buf_char(out, '\\');
		buf_char(out, text[i]);
	}
}

static void escaped(struct buf *out, const char *text)
{
	escaped_bytes(out, text, strlen(text));
}

/* Length of a paragraph, up to an empty line or the end. */
static size_t paragraph_length(const char *text)
{
	const char *end = strstr(text, "\n\n");

	return end ? (size_t)(end - text) : strlen(text);
}

/* Paragraphs as they are; one that starts with a blank is shown literally. */
static void paragraphs(struct buf *out, const char *text)
{
	while (*text) {
		size_t length = paragraph_length(text);
		if (*text == ' ' || *text == '\t') {
			buf_text(out, "```\n");
			buf_bytes(out, text, length);
			buf_text(out, "\n```\n\n");
		} else {
			if (*text == '-') /* a list, to scdoc */
				buf_char(out, '\\');
			escaped_bytes(out, text, length);
			buf_text(out, "\n\n");
		}
		text += length;
		text += strspn(text, "\n");
	}
}

static void option_entry(const struct opt *option, struct buf *out)
{
	if (option->letter)
		buf_printf(out, "*-%c*, ", option->letter);
	buf_text(out, "*--");
	escaped(out, option->name);
	buf_char(out, '*');
	if (option->argument) {
		buf_text(out, " _");
		escaped(out, option->argument);
		buf_char(out, '_');
	}
	buf_text(out, "\n\t");
	escaped(out, option->help);
	if (option->words) {
		buf_text(out, ": ");
		escaped(out, option->words);
	}
	buf_text(out, "\n\n");
}

static void command_entry(const struct command *command, struct buf *out)
{
	const struct opt *option;

	buf_printf(out, "## parplan %s\n\n*parplan %s* [_option_...] ", command->name,
		   command->name);
	escaped(out, command->operands);
	buf_text(out, "\n\n");
	escaped(out, command->summary);
	buf_text(out, ".\n\n");
	if (command->details)
		paragraphs(out, command->details);
	for (option = command->options; option->kind != OPT_END; option++)
		option_entry(option, out);
	if (command->examples)
		buf_printf(out, "```\n%s\n```\n\n", command->examples);
}

static void write_commands(struct buf *out)
{
	const struct command *const *command;

	for (command = commands; *command; command++)
		command_entry(*command, out);
}

static const char *const type_names[] = {
	[FIELD_INT] = "integer", [FIELD_REAL] = "number", [FIELD_BOOL] = "boolean",
	[FIELD_TEXT] = "text",	 [FIELD_LIST] = "list",	  [FIELD_NODE] = "block",
};

/* "a|b|c" with a blank after each bar: a line of the page may end there. */
static void write_words(struct buf *out, const char *words)
{
	size_t length = strcspn(words, "|");

	for (; words[length]; words += length + 1, length = strcspn(words, "|")) {
		escaped_bytes(out, words, length + 1);
		buf_char(out, ' ');
	}
	escaped(out, words);
}

static void key_entry(struct buf *out, const char *section, const char *key, const char *type,
		      const char *words, const char *fallback, const char *help)
{
	buf_char(out, '*');
	escaped(out, section);
	escaped(out, key);
	buf_printf(out, "*: %s", type);
	if (words) {
		buf_text(out, ", ");
		write_words(out, words);
	}
	if (fallback) {
		buf_text(out, "; default ");
		escaped(out, fallback);
	}
	buf_text(out, "\n\t");
	escaped(out, help);
	buf_text(out, "\n\n");
}

static void write_keys(struct buf *out)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const struct field *field = field_of((enum field_id)id);
		key_entry(out, "", field->key, type_names[field->type],
			  field->range ? field->range : field->words, field->fallback, field->help);
	}
}

static void write_expectations(struct buf *out)
{
	const struct expectation *row;

	for (row = expectations; row->name; row++)
		key_entry(out, "expect.", row->name, shape_name(row->shape), row->words, NULL,
			  row->help);
}

static void write_topics(struct buf *out)
{
	const struct topic *topic;
	const struct topic_entry *entry;
	const char *c;

	for (topic = topics; topic->name; topic++) {
		buf_text(out, "# ");
		for (c = topic->title; *c; c++)
			buf_char(out, (char)toupper((unsigned char)*c));
		buf_text(out, "\n\n");
		for (entry = topic->entries; entry->term; entry++) {
			buf_char(out, '*');
			escaped(out, entry->term);
			buf_text(out, "*\n\t");
			escaped(out, entry->text);
			buf_text(out, "\n\n");
		}
		if (topic->text) {
			escaped(out, topic->text);
			buf_text(out, "\n\n");
		}
	}
}

static void write_rules(struct buf *out)
{
	const struct rule *rule = NULL;
	const struct ruleset *topic = NULL;

	while ((rule = rule_next(rule))) {
		if (topic != rule_topic(rule)) {
			topic = rule_topic(rule);
			buf_printf(out, "# %s\n\n", topic->summary);
		}
		buf_text(out, "*");
		escaped(out, rule->id->name);
		buf_printf(out, "* (%s, at most %s)\n\t", rule->id->code,
			   severity_name(rule->id->severity));
		escaped(out, rule->id->summary);
		buf_text(out, "\n\n");
	}
}

static const struct {
	const char *name;
	void (*write)(struct buf *out);
} parts[] = {
	{ "commands", write_commands },
	{ "keys", write_keys },
	{ "expectations", write_expectations },
	{ "rules", write_rules },
	{ "topics", write_topics },
};

void candidates_of_manual(struct arena *arena, struct buf *out)
{
	size_t i;

	(void)arena;
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		buf_printf(out, " %s", parts[i].name);
}

static int run(struct invocation *invocation, void *request)
{
	const struct operands *operands = &invocation->operands;
	size_t i;

	(void)request;
	if (operands->count != 1)
		die("man takes one section: commands, keys, expectations, rules or topics");
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!strcmp(parts[i].name, operands->items[0])) {
			parts[i].write(invocation->out);
			return EXIT_CLEAN;
		}
	die("the manual has no section '%s'; there are commands, keys, expectations, rules and "
	    "topics",
	    operands->items[0]);
}

static const struct opt options[] = { { OPT_END, 0, NULL, NULL, NULL, NULL, 0 } };

const struct command command_man = {
	.name = "man",
	.summary = "print what the manual pages say of commands, keys, rules, topics",
	.operands = "SECTION",
	.details = "Prints a part of the manual as scdoc source, made from the tables that the "
		   "program\n"
		   "itself runs on. `make docs` puts the parts into parplan(1), parplan(5) and\n"
		   "parplan-rules(7).",
	.examples = "  parplan man commands\n"
		    "  parplan man keys",
	.options = options,
	.request_size = 1,
	.run = run,
};
