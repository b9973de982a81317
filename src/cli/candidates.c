#include "cli/candidates.h"

#include "input/setting.h"
#include "rules/rule.h"

#include <string.h>

static void rule_names(struct buf *out)
{
	const struct rule *rule = NULL;

	while ((rule = rule_next(rule)))
		buf_printf(out, " %s", rule->id->name);
}

static void field_keys(struct buf *out)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id++)
		buf_printf(out, " %s", field_of((enum field_id)id)->key);
}

static void assignments(struct buf *out)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id++)
		buf_printf(out, " %s=", field_of((enum field_id)id)->key);
}

static void pinned_frameworks(struct buf *out)
{
	buf_text(out, " torchtitan@ torch@ torchao@ torchft@");
}

static void shells(struct buf *out)
{
	buf_text(out, " bash zsh fish");
}

static void manual_parts(struct buf *out)
{
	buf_text(out, " commands keys rules");
}

/* Arguments by the name they have in --help. */
static const struct {
	const char *argument;
	void (*list)(struct buf *out);
} kinds[] = {
	{ "RULE", rule_names },	      { "FIELD", field_keys },
	{ "KEY=VALUE", assignments }, { "NAME@VERSION", pinned_frameworks },
	{ "SHELL", shells },	      { "SECTION", manual_parts },
};

/* True when `argument` stands in `text` as a word of its own: "RULE" in "RULE|FILE FIELD". */
static bool mentions(const char *text, const char *argument)
{
	size_t length = strlen(argument);
	const char *at;

	for (at = strstr(text, argument); at; at = strstr(at + 1, argument)) {
		bool begins = at == text || strchr(" |[", at[-1]);
		if (begins && (!at[length] || strchr(" |],.", at[length])))
			return true;
	}
	return false;
}

void candidates_of_operands(const char *operands, struct buf *out)
{
	size_t i;

	for (i = 0; operands && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (mentions(operands, kinds[i].argument))
			kinds[i].list(out);
}

void candidates_of_option(const struct opt *option, struct buf *out)
{
	const char *c;

	if (!option->words) {
		candidates_of_operands(option->argument, out);
		return;
	}
	buf_char(out, ' ');
	for (c = option->words; *c; c++)
		buf_char(out, *c == '|' ? ' ' : *c);
}

bool candidates_are_files(const char *argument)
{
	return argument && (mentions(argument, "FILE") || mentions(argument, "PATH"));
}
