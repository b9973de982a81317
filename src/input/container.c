#include "input/container.h"

#include "base/buf.h"
#include "base/text.h"

#include <string.h>

/* The value of a variable of the container's own, or NULL. */
static const char *variable(const struct node *environment, const char *name)
{
	const struct node *item, *its, *value;

	for (item = environment ? environment->first : NULL; item; item = item->next) {
		its = node_member(item, "name");
		value = node_member(item, "value");
		if (its && its->kind == NODE_SCALAR && !strcmp(its->text, name))
			return value && value->kind == NODE_SCALAR && !value->unresolved
				       ? value->text
				       : NULL;
	}
	return NULL;
}

/* $(NAME) as Kubernetes expands it in commands and arguments; others stay as they are. */
static const char *expanded(struct arena *arena, const struct node *environment, const char *text)
{
	const char *open, *close, *value, *result;
	struct buf out;

	if (!strstr(text, "$("))
		return text;
	buf_init(&out);
	while ((open = strstr(text, "$(")) && (close = strchr(open, ')'))) {
		value = variable(environment,
				 arena_strndup(arena, open + 2, (size_t)(close - open - 2)));
		buf_bytes(&out, text, (size_t)(open - text));
		if (value)
			buf_text(&out, value);
		else
			buf_bytes(&out, open, (size_t)(close + 1 - open));
		text = close + 1;
	}
	buf_text(&out, text);
	result = arena_strndup(arena, out.data, out.length);
	buf_release(&out);
	return result;
}

static void add_words(struct arena *arena, struct container_command *command,
		      const struct node *list, const struct node *environment)
{
	const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL;

	for (; item; item = item->next) {
		struct flag_word word = { .span = item->span };
		if (item->kind != NODE_SCALAR)
			continue;
		word.text = expanded(arena, environment, item->text);
		word.unresolved = item->unresolved;
		if (!word.unresolved && strchr(word.text, '$'))
			word.unresolved = strchr(word.text, '$');
		vec_push(arena, &command->words, word);
	}
}

struct container_command container_command_of(struct arena *arena, const struct workload *workload)
{
	struct container_command command = { 0 };

	add_words(arena, &command, workload->command, workload->environment);
	add_words(arena, &command, workload->args, workload->environment);
	return command;
}

/* What torchrun assumes without a flag is not what a controller's variables tell it. */
static void drop_assumed(struct launch *launch)
{
	size_t i, kept = 0;

	for (i = 0; i < launch->facts.count; i++)
		if (!launch->facts.items[i].assumed)
			launch->facts.items[kept++] = launch->facts.items[i];
	launch->facts.count = kept;
	launch->world = 0;
}

struct launch *container_launch(struct arena *arena, const struct source *source,
				const struct container_command *command)
{
	VEC(struct launch_word) words = { 0 };
	struct launch *launch;
	size_t i;

	for (i = 0; i < command->words.count; i++) {
		struct launch_word word = { command->words.items[i].text,
					    command->words.items[i].span,
					    command->words.items[i].unresolved };
		vec_push(arena, &words, word);
	}
	launch = launch_of_words(arena, source, words.items, words.count);
	if (launch)
		drop_assumed(launch);
	return launch;
}
