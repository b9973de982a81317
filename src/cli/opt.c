#include "cli/opt.h"

#include "base/die.h"
#include "base/text.h"

#include <stdint.h>
#include <string.h>

static const struct opt *find_long(const struct opt *options, const char *name, size_t length)
{
	for (; options->kind != OPT_END; options++)
		if (strlen(options->name) == length && !strncmp(options->name, name, length))
			return options;
	return NULL;
}

static const struct opt *find_letter(const struct opt *options, char letter)
{
	for (; options->kind != OPT_END; options++)
		if (options->letter == letter)
			return options;
	return NULL;
}

static bool allowed(const char *words, const char *value)
{
	size_t length = strlen(value);

	while (words) {
		size_t word = strcspn(words, "|");
		if (word == length && !strncmp(words, value, length))
			return true;
		words = words[word] ? words + word + 1 : NULL;
	}
	return false;
}

static const char *store(struct arena *arena, const struct opt *option, const char *value,
			 void *request)
{
	union {
		char *bytes;
		bool *flag;
		const char **text;
		int64_t *count;
		struct texts *texts;
	} to = { (char *)request + option->offset };

	if (option->words && !allowed(option->words, value))
		return arena_printf(arena, "--%s takes %s, not '%s'", option->name, option->words,
				    value);
	switch (option->kind) {
	case OPT_FLAG:
		*to.flag = true;
		break;
	case OPT_TEXT:
		*to.text = value;
		break;
	case OPT_COUNT:
		if (!text_to_int(value, to.count) || *to.count < 1)
			return arena_printf(arena, "--%s takes a number from 1 on, not '%s'",
					    option->name, value);
		break;
	case OPT_TEXTS:
		vec_push(arena, to.texts, value);
		break;
	case OPT_END:
		bug("option table");
	}
	return NULL;
}

static const char *unknown(struct arena *arena, const struct opt *options, const char *name)
{
	VEC(const char *) names = { 0 };
	const char *near;

	for (; options->kind != OPT_END; options++)
		vec_push(arena, &names, options->name);
	near = text_nearest(name, names.items, names.count);
	return near ? arena_printf(arena, "unknown option --%s; did you mean --%s?", name, near)
		    : arena_printf(arena, "unknown option --%s", name);
}

struct parser {
	struct arena *arena;
	const struct opt *options;
	void *request;
	int argc, at;
	char **argv;
};

static const char *take_value(struct parser *p, const struct opt *option, const char *attached)
{
	if (option->kind == OPT_FLAG)
		return attached ? arena_printf(p->arena, "--%s takes no value", option->name)
				: store(p->arena, option, "", p->request);
	if (attached)
		return store(p->arena, option, attached, p->request);
	if (p->at + 1 >= p->argc)
		return arena_printf(p->arena, "--%s needs %s", option->name, option->argument);
	return store(p->arena, option, p->argv[++p->at], p->request);
}

static const char *take_long(struct parser *p, const char *word)
{
	size_t length = strcspn(word, "=");
	const struct opt *option = find_long(p->options, word, length);

	if (!option)
		return unknown(p->arena, p->options, arena_strndup(p->arena, word, length));
	return take_value(p, option, word[length] ? word + length + 1 : NULL);
}

static const char *take_short(struct parser *p, const char *word)
{
	const struct opt *option = find_letter(p->options, word[0]);

	if (!option)
		return arena_printf(p->arena, "unknown option -%c", word[0]);
	return take_value(p, option, word[1] ? word + 1 : NULL);
}

/* The name of a file, which no dash in front makes an option or stdin. */
static const char *file_named(struct arena *arena, const char *word)
{
	return *word == '-' ? arena_join(arena, "./", word, "") : word;
}

const char *opt_parse(struct arena *arena, const struct opt *options, int argc, char **argv,
		      void *request, struct operands *operands)
{
	struct parser p = { arena, options, request, argc, 0, argv };
	VEC(const char *) items = { 0 };
	const char *error = NULL;
	bool ended = false;

	memset(operands, 0, sizeof(*operands));
	for (; p.at < argc && !error; p.at++) {
		const char *word = argv[p.at];
		if (ended) {
			vec_push(arena, &items, file_named(arena, word));
			continue;
		}
		ended = !strcmp(word, OPT_FILES_FOLLOW);
		if (ended)
			continue;
		if (!strcmp(word, "--")) {
			operands->has_rest = true;
			operands->rest_count = (size_t)(argc - p.at - 1);
			operands->rest =
				arena_array(arena, operands->rest_count + 1, sizeof(char *));
			memcpy(operands->rest, argv + p.at + 1,
			       operands->rest_count * sizeof(char *));
			break;
		}
		if (word[0] == '-' && word[1] == '-')
			error = take_long(&p, word + 2);
		else if (word[0] == '-' && word[1])
			error = take_short(&p, word + 1);
		else
			vec_push(arena, &items, word);
	}
	operands->items = items.items;
	operands->count = items.count;
	return error;
}
