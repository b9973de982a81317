#include "wings/k8s/container.h"

#include "base/buf.h"
#include "base/text.h"
#include "input/shell/places.h"
#include "input/document.h"
#include "input/shell/shell.h"

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

/* True behind `sh -c`, `bash -lc` and the like: what follows is a script. */
static bool awaits_script(const struct container_command *command)
{
	static const char *const shells[] = { "sh", "bash", "zsh", "dash" };
	const char *first = command->words.count ? command->words.items[0].text : "";
	const char *last =
		command->words.count ? command->words.items[command->words.count - 1].text : "";
	const char *slash = strrchr(first, '/');
	size_t i;

	if (last[0] != '-' || last[1] == '-' || !strchr(last, 'c'))
		return false;
	for (i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (!strcmp(slash ? slash + 1 : first, shells[i]))
			return true;
	return false;
}

/* Adds the words of a list; the first that is the script of a shell is returned instead. */
static const struct node *add_words(struct arena *arena, struct container_command *command,
				    const struct node *list, const struct node *environment)
{
	const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL;

	for (; item; item = item->next) {
		struct flag_word word = { .span = item->span };
		if (item->kind != NODE_SCALAR)
			continue;
		if (awaits_script(command))
			return item;
		word.text = expanded(arena, environment, item->text);
		word.unresolved = item->unresolved;
		if (!word.unresolved && strchr(word.text, '$'))
			word.unresolved = strchr(word.text, '$');
		vec_push(arena, &command->words, word);
	}
	return NULL;
}

/* Where a script in a scalar finds its variables. */
struct surroundings {
	const struct document *document;
	const struct node *environment;
};

static const char *outside(const void *context, const char *name)
{
	const struct surroundings *surroundings = context;
	const char *value = document_env(surroundings->document, name);

	return value ? value : variable(surroundings->environment, name);
}

static void read_script(const struct document *document, const struct workload *workload,
			const struct node *scalar, struct container_command *command)
{
	struct surroundings surroundings = { document, workload->environment };
	struct arena *arena = document->arena;
	const struct shell_command *found = NULL;
	struct shell_script *script =
		shell_read(arena, scalar->span.source, &scalar->span, scalar->text,
			   strlen(scalar->text), outside, &surroundings);
	size_t i;

	command->words.count = 0;
	shell_place_words(script, scalar);
	command->launch = launch_of_script(arena, script, &found);
	for (i = 0; found && i < found->words.count; i++) {
		struct flag_word word = { found->words.items[i].text, found->words.items[i].span,
					  found->words.items[i].unresolved };
		vec_push(arena, &command->words, word);
	}
}

static struct launch *launch_of_list(const struct document *document,
				     const struct container_command *command)
{
	VEC(struct launch_word) words = { 0 };
	size_t i;

	for (i = 0; i < command->words.count; i++) {
		const struct flag_word *from = &command->words.items[i];
		struct launch_word word = { from->text, from->span, from->unresolved };
		vec_push(document->arena, &words, word);
	}
	return launch_of_words(document->arena, document->source, words.items, words.count);
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

struct container_command container_command_of(const struct document *document,
					      const struct workload *workload)
{
	struct container_command command = { 0 };
	const struct node *script = workload->args;

	if (!script || script->kind == NODE_LIST)
		script = add_words(document->arena, &command, workload->command,
				   workload->environment);
	if (!script)
		script =
			add_words(document->arena, &command, workload->args, workload->environment);
	if (script && script->kind == NODE_SCALAR)
		read_script(document, workload, script, &command);
	else
		command.launch = launch_of_list(document, &command);
	if (command.launch)
		drop_assumed(command.launch);
	return command;
}
