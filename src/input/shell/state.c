#include "input/shell/state.h"

#include <ctype.h>
#include <string.h>

bool shell_runs(const struct shell_state *sh)
{
	return !sh->skip && sh->flow == SHELL_GOES_ON && sh->budget;
}

bool shell_spend(struct shell_state *sh, size_t amount)
{
	sh->budget = amount < sh->budget ? sh->budget - amount : 0;
	return sh->budget > 0;
}

static size_t index_of(struct shell_state *sh, const char *name)
{
	int64_t index = map_find(&sh->names, name);

	if (index >= 0)
		return (size_t)index;
	name = arena_strdup(sh->arena, name);
	map_add(&sh->names, name, (uint32_t)sh->name_list.count);
	vec_push(sh->arena, &sh->name_list, name);
	vec_push(sh->arena, &sh->values, NULL);
	return sh->name_list.count - 1;
}

struct shell_value *shell_scalar(struct shell_state *sh, const struct shell_text *text)
{
	struct shell_value *value = arena_new(sh->arena, struct shell_value);
	struct shell_text *item = arena_new(sh->arena, struct shell_text);

	*item = *text;
	value->items = item;
	value->count = 1;
	return value;
}

struct shell_value *shell_array(struct shell_state *sh, const struct shell_texts *items)
{
	struct shell_value *value = arena_new(sh->arena, struct shell_value);

	value->array = true;
	value->items = items->items;
	value->count = items->count;
	return value;
}

static const struct shell_value *from_outside(struct shell_state *sh, const char *name, uint32_t at)
{
	const char *said = sh->outside ? sh->outside(sh->context, name) : NULL;
	struct shell_text text = { 0 };

	if (!said && !strcmp(name, "PWD"))
		said = sh->folder ? sh->folder : ".";
	if (!said)
		return NULL;
	shell_say(sh->arena, &text, said, at);
	return shell_scalar(sh, &text);
}

const struct shell_value *shell_get(struct shell_state *sh, const char *name, uint32_t at)
{
	int64_t index = map_find(&sh->names, name);

	if (index >= 0 && sh->values.items[index])
		return sh->values.items[index];
	return from_outside(sh, name, at);
}

void shell_set(struct shell_state *sh, const char *name, const struct shell_value *value)
{
	size_t index = index_of(sh, name);

	sh->values.items[index] = value;
}

static const struct shell_value *left_open(struct shell_state *sh, const char *name, uint32_t at)
{
	const struct shell_value *said = from_outside(sh, name, at);
	struct shell_text text = { 0 };

	if (said)
		return said;
	shell_leave_open(sh->arena, &text, arena_join(sh->arena, "$", name, ""), at);
	return shell_scalar(sh, &text);
}

void shell_forget(struct shell_state *sh, const char *name, uint32_t at)
{
	shell_set(sh, name, left_open(sh, name, at));
}

struct shell_values shell_values_copy(struct shell_state *sh)
{
	struct shell_values copy = { NULL, sh->values.count };

	shell_spend(sh, copy.count);
	copy.items = arena_array(sh->arena, copy.count + 1, sizeof(struct shell_value *));
	if (copy.count)
		memcpy(copy.items, sh->values.items, copy.count * sizeof(*copy.items));
	return copy;
}

void shell_values_restore(struct shell_state *sh, const struct shell_values *values)
{
	size_t i;

	shell_spend(sh, sh->values.count);
	for (i = 0; i < sh->values.count; i++)
		sh->values.items[i] = i < values->count ? values->items[i] : NULL;
}

static bool same_value(const struct shell_value *a, const struct shell_value *b)
{
	size_t i;

	if (a == b)
		return true;
	if (!a || !b || a->array != b->array || a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++)
		if (!shell_same(&a->items[i], &b->items[i]))
			return false;
	return true;
}

/* Options rather than the value of one: they begin with a dash or are several words. */
static bool is_options(const struct shell_value *value)
{
	const char *text;

	if (!value || value->array || !value->count)
		return value && value->array;
	text = shell_string(&value->items[0]);
	text += strspn(text, " \t\n\001\002\003\004");
	return *text == '-' || strpbrk(text, " \t\n");
}

static bool is_empty(const struct shell_value *value)
{
	return !value || !value->count || (!value->array && !value->items[0].length);
}

static void maybe(struct shell_state *sh, struct shell_text *to, const struct shell_text *text,
		  size_t start)
{
	uint32_t at = start < text->length ? text->at[start] : SHELL_NOWHERE;

	if (start >= text->length)
		return;
	shell_put(sh->arena, to, SHELL_MAYBE, at);
	shell_append(sh->arena, to, text, start, text->length);
	shell_put(sh->arena, to, SHELL_SURELY, text->at[text->length - 1]);
}

static size_t common_words(const struct shell_text *a, const struct shell_text *b)
{
	size_t i, common = 0;

	for (i = 0; i < a->length && i < b->length && a->text[i] == b->text[i]; i++)
		if (isspace((unsigned char)a->text[i]))
			common = i + 1;
	if (i == a->length && (i == b->length || isspace((unsigned char)b->text[i])))
		common = i;
	if (i == b->length && i < a->length && isspace((unsigned char)a->text[i]))
		common = i;
	return common;
}

/* What both have in front, then what either has behind, as perhaps there. */
static const struct shell_value *merge_words(struct shell_state *sh, const struct shell_value *a,
					     const struct shell_value *b)
{
	static const struct shell_text none;
	const struct shell_text *left = is_empty(a) ? &none : &a->items[0];
	const struct shell_text *right = is_empty(b) ? &none : &b->items[0];
	size_t common = common_words(left, right);
	struct shell_text text = { 0 };

	shell_append(sh->arena, &text, left, 0, common);
	maybe(sh, &text, left, common);
	if (left->length > common && right->length > common)
		shell_put(sh->arena, &text, ' ', right->at[common]);
	maybe(sh, &text, right, common);
	return shell_scalar(sh, &text);
}

static void maybe_items(struct shell_state *sh, struct shell_texts *items,
			const struct shell_value *value, size_t start)
{
	size_t i;

	for (i = start; value && i < value->count; i++) {
		struct shell_text text = { 0 };
		maybe(sh, &text, &value->items[i], 0);
		vec_push(sh->arena, items, text);
	}
}

static const struct shell_value *merge_arrays(struct shell_state *sh, const struct shell_value *a,
					      const struct shell_value *b)
{
	size_t common = 0;
	struct shell_texts items = { 0 };

	while (a && b && common < a->count && common < b->count &&
	       shell_same(&a->items[common], &b->items[common])) {
		vec_push(sh->arena, &items, a->items[common]);
		common++;
	}
	maybe_items(sh, &items, a, common);
	maybe_items(sh, &items, b, common);
	return shell_array(sh, &items);
}

static size_t size_of(const struct shell_value *value)
{
	size_t i, size = 1;

	for (i = 0; value && i < value->count; i++)
		size += value->items[i].length + 1;
	return size;
}

/* The one word of a value, or NULL. */
static const struct shell_text *one_word(const struct shell_value *value)
{
	return value && !value->array && value->count == 1 && value->items[0].length
		       ? &value->items[0]
		       : NULL;
}

/* True when "2 or 8" has the value already. */
static bool is_told(const char *values, const char *value)
{
	const size_t length = strlen(value);

	for (; values; values = strstr(values, " or ")) {
		values += values[0] == ' ' ? strlen(" or ") : 0;
		if (!strncmp(values, value, length) && strchr(" ", values[length]))
			return true;
	}
	return false;
}

/* What several branches assign, when each is one word: "2 or 8". */
static const struct shell_value *either(struct shell_state *sh, const char *name,
					const struct shell_value *a, const struct shell_value *b)
{
	enum { LONGEST = 60 };
	const struct shell_text *left = one_word(a), *right = one_word(b);
	struct shell_text text = { 0 };
	char *one;

	if (!left || !right || left->length + right->length > LONGEST || !shell_known(right) ||
	    from_outside(sh, name, left->at[0]))
		return NULL;
	one = shell_shown(sh->arena, left, 0);
	if (!shell_known(left) && !strstr(one, " or "))
		return NULL;
	if (is_told(one, shell_shown(sh->arena, right, 0)))
		return a;
	shell_leave_open(sh->arena, &text,
			 arena_join(sh->arena, one, " or ", shell_shown(sh->arena, right, 0)),
			 left->at[0]);
	return shell_scalar(sh, &text);
}

/* Of values that are no options: each told, or open; a loop may make any other of them. */
static const struct shell_value *merge_scalars(struct shell_state *sh, const char *name,
					       const struct shell_value *a,
					       const struct shell_value *b, bool repeats)
{
	const struct shell_value *some = a ? a : b, *both = repeats ? NULL : either(sh, name, a, b);
	uint32_t at = SHELL_NOWHERE;

	if (both)
		return both;
	if (some->count && some->items[0].length)
		at = some->items[0].at[0];
	return left_open(sh, name, at);
}

static const struct shell_value *merge_value(struct shell_state *sh, const char *name,
					     const struct shell_value *a,
					     const struct shell_value *b, bool repeats)
{
	const struct shell_value *some = a ? a : b;

	if (same_value(a, b))
		return a;
	if (!shell_spend(sh, size_of(a) + size_of(b)))
		return left_open(sh, name, SHELL_NOWHERE);
	if ((!a || a->array) && (!b || b->array))
		return merge_arrays(sh, a, b);
	if ((is_options(a) || is_empty(a)) && (is_options(b) || is_empty(b)) && !some->array)
		return merge_words(sh, a, b);
	return merge_scalars(sh, name, a, b, repeats);
}

static void merge(struct shell_state *sh, struct shell_choice *choice,
		  const struct shell_values *values)
{
	struct shell_values merged = { NULL, sh->values.count };
	size_t i;

	shell_spend(sh, merged.count);
	merged.items = arena_array(sh->arena, merged.count + 1, sizeof(struct shell_value *));
	for (i = 0; i < merged.count; i++) {
		const struct shell_value *now = i < values->count ? values->items[i] : NULL;
		const struct shell_value *before =
			i < choice->merged.count ? choice->merged.items[i] : NULL;
		merged.items[i] = choice->merges ? merge_value(sh, sh->name_list.items[i], before,
							       now, choice->loops)
						 : now;
	}
	choice->merged = merged;
	choice->merges = true;
}

void shell_choice_begin(struct shell_state *sh, struct shell_choice *choice, bool repeats)
{
	memset(choice, 0, sizeof(*choice));
	choice->open = true;
	choice->repeats = choice->loops = repeats;
	choice->id = ++sh->choices;
	if (shell_runs(sh))
		choice->base = shell_values_copy(sh);
}

void shell_choice_enter(struct shell_state *sh, struct shell_choice *choice, enum shell_truth truth)
{
	if (!shell_runs(sh) || !choice->open || truth == SHELL_NO) {
		sh->skip++;
		choice->mode = SHELL_SKIPPED;
		return;
	}
	choice->mode = SHELL_TAKEN;
	if (truth != SHELL_YES || choice->maybe) {
		choice->maybe = true;
		choice->mode = SHELL_TRIED;
		sh->undecided += !choice->repeats;
		choice->outer = sh->choice;
		choice->outer_branch = sh->branch;
		sh->branch = ++sh->branches;
		sh->choice = choice->repeats ? sh->choice : choice->id;
	}
	if (truth == SHELL_YES)
		choice->open = false;
}

void shell_choice_leave(struct shell_state *sh, struct shell_choice *choice)
{
	struct shell_values now;

	if (choice->mode == SHELL_SKIPPED) {
		sh->skip--;
	} else if (choice->mode == SHELL_TAKEN) {
		if (sh->flow != SHELL_FAILED)
			return;
		sh->flow = SHELL_GOES_ON; /* a script that always gives up is not meant */
		shell_values_restore(sh, &choice->base);
	} else {
		sh->undecided -= !choice->repeats;
		sh->choice = choice->outer;
		sh->branch = choice->outer_branch;
		if (sh->flow == SHELL_GOES_ON) {
			now = shell_values_copy(sh);
			merge(sh, choice, &now);
		}
		sh->flow = SHELL_GOES_ON;
		shell_values_restore(sh, &choice->base);
	}
}

void shell_choice_end(struct shell_state *sh, struct shell_choice *choice)
{
	if (!choice->maybe)
		return;
	if (choice->open)
		merge(sh, choice, &choice->base);
	if (choice->merges)
		shell_values_restore(sh, &choice->merged);
}
