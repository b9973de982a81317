#include "input/shell/word.h"

#include "base/text.h"

#include <fnmatch.h>
#include <string.h>

/* Conditions: [ ], [[ ]], and patterns. What asks the file system or programs stays open. */

struct test {
	struct shell_state *sh;
	const struct shell_texts *words;
	size_t at;
	int depth;
};

static enum shell_truth disjunction(struct test *t);

static enum shell_truth truth(bool yes)
{
	return yes ? SHELL_YES : SHELL_NO;
}

static enum shell_truth negated(enum shell_truth truth)
{
	if (truth == SHELL_YES)
		return SHELL_NO;
	return truth == SHELL_NO ? SHELL_YES : SHELL_PERHAPS;
}

static const struct shell_text *word(const struct test *t, size_t ahead)
{
	static const struct shell_text none;

	return t->at + ahead < t->words->count ? &t->words->items[t->at + ahead] : &none;
}

static bool is(const struct test *t, size_t ahead, const char *text)
{
	return t->at + ahead < t->words->count && !strcmp(shell_string(word(t, ahead)), text);
}

enum shell_truth shell_matches(const struct shell_text *pattern, const struct shell_text *text)
{
	if (!strcmp(shell_string(pattern), "*"))
		return SHELL_YES;
	if (!shell_known(pattern) || !shell_known(text) || pattern->length > 1024 ||
	    text->length > 4096)
		return SHELL_PERHAPS;
	return truth(!fnmatch(shell_string(pattern), shell_string(text), 0));
}

static enum shell_truth compare_numbers(const char *operator, const struct shell_text * a,
					const struct shell_text *b)
{
	static const char *const operators[] = { "-eq", "-ne", "-lt", "-le", "-gt", "-ge" };
	int64_t left, right;
	bool results[6];
	size_t i;

	if (!text_to_int(shell_string(a), &left) || !text_to_int(shell_string(b), &right))
		return SHELL_PERHAPS;
	results[0] = left == right;
	results[1] = left != right;
	results[2] = left < right;
	results[3] = left <= right;
	results[4] = left > right;
	results[5] = left >= right;
	for (i = 0; i < 6; i++)
		if (!strcmp(operator, operators[i]))
			return truth(results[i]);
	return SHELL_PERHAPS;
}

static bool is_binary(const struct test *t)
{
	static const char operators[] = "=|==|!=|=~|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef";
	const char *text = shell_string(word(t, 1)), *at = operators;
	size_t length = strlen(text);

	while (length && at) {
		if (!strncmp(at, text, length) && (at[length] == '|' || !at[length]))
			return true;
		at = strchr(at, '|');
		if (at)
			at++;
	}
	return false;
}

/* A variable that nobody assigns counts as empty, as it does for ${NAME:-default}; what the
 * scheduler or the launcher sets does not. */
static bool set_by_others(const char *open)
{
	static const char *const prefixes[] = { "$(",	 "$SLURM", "$WORLD_SIZE", "$RANK",  "$PET_",
						"$PBS",	 "$LSB",   "$LOCAL",	  "$OMPI_", "$KUBE",
						"$HOME", "$USER",  "$MASTER",	  "$PATH" };
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (text_starts(open, prefixes[i]))
			return true;
	return false;
}

static enum shell_truth empty(struct test *t, const struct shell_text *text)
{
	const char *open = shell_open_part(t->sh->arena, text, 0);
	size_t i;

	if (!open)
		return truth(!text->length);
	if (text->text[0] != SHELL_OPEN || text->text[text->length - 1] != SHELL_CLOSE ||
	    set_by_others(open))
		return SHELL_PERHAPS;
	for (i = 1; open[i]; i++)
		if (strchr("${}()[] ", open[i]))
			return SHELL_PERHAPS;
	/* assigned, but by a branch that may not be taken */
	return map_find(&t->sh->names, open + 1) >= 0 ? SHELL_PERHAPS : SHELL_YES;
}

/* Against nothing, as `= ""`, a variable counts as it does for -z. */
static enum shell_truth equal(struct test *t, const struct shell_text *a,
			      const struct shell_text *b)
{
	if (!b->length)
		return empty(t, a);
	return a->length		  ? shell_matches(b, a)
	       : empty(t, b) == SHELL_YES ? SHELL_YES
					  : shell_matches(b, a);
}

static enum shell_truth binary(struct test *t)
{
	const struct shell_text *a = word(t, 0), *b = word(t, 2);
	const char *operator= shell_string(word(t, 1));

	t->at += 3;
	if (!strcmp(operator, "=") || !strcmp(operator, "=="))
		return equal(t, a, b);
	if (!strcmp(operator, "!="))
		return negated(equal(t, a, b));
	return compare_numbers(operator, a, b);
}

static enum shell_truth single(struct test *t)
{
	const char *text = shell_string(word(t, 0));
	const struct shell_text *operand = word(t, 1);

	if (text[0] == '-' && text[1] && !text[2] && t->at + 1 < t->words->count) {
		t->at += 2;
		if (text[1] == 'z')
			return empty(t, operand);
		return text[1] == 'n' ? negated(empty(t, operand)) : SHELL_PERHAPS;
	}
	operand = word(t, 0);
	t->at++;
	return negated(empty(t, operand));
}

static enum shell_truth primary(struct test *t)
{
	enum shell_truth found = SHELL_PERHAPS;

	if (t->at >= t->words->count || t->depth > 50)
		return SHELL_PERHAPS;
	t->depth++;
	if (is_binary(t) && t->at + 2 < t->words->count) {
		found = binary(t);
	} else if (is(t, 0, "!")) {
		t->at++;
		found = negated(primary(t));
	} else if (is(t, 0, "(")) {
		t->at++;
		found = disjunction(t);
		t->at += is(t, 0, ")");
	} else {
		found = single(t);
	}
	t->depth--;
	return found;
}

static enum shell_truth conjunction(struct test *t)
{
	enum shell_truth all = primary(t), next;

	while (is(t, 0, "-a") || is(t, 0, "&&")) {
		t->at++;
		next = primary(t);
		if (all == SHELL_NO || next == SHELL_NO)
			all = SHELL_NO;
		else if (next != SHELL_YES)
			all = SHELL_PERHAPS;
	}
	return all;
}

static enum shell_truth disjunction(struct test *t)
{
	enum shell_truth any = conjunction(t), next;

	while (is(t, 0, "-o") || is(t, 0, "||")) {
		t->at++;
		next = conjunction(t);
		if (any == SHELL_YES || next == SHELL_YES)
			any = SHELL_YES;
		else if (next != SHELL_NO)
			any = SHELL_PERHAPS;
	}
	return any;
}

enum shell_truth shell_test(struct shell_state *sh, const struct shell_texts *words)
{
	struct test t = { sh, words, 0, 0 };
	enum shell_truth found;

	if (!words->count)
		return SHELL_NO;
	found = disjunction(&t);
	return t.at < words->count ? SHELL_PERHAPS : found;
}

/* An operator of [[ ]] as a word of its own. */
static bool read_operator(struct shell_state *sh, struct shell_stream *s, struct shell_texts *words)
{
	static const char *const operators[] = { "&&", "||", "(", ")", "<", ">", ";", "&", "|" };
	struct shell_text text = { 0 };
	size_t i;

	for (i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (text_starts(s->in->text + s->at, operators[i]))
			break;
	if (i == sizeof(operators) / sizeof(operators[0]))
		return false;
	shell_say(sh->arena, &text, operators[i], s->in->at[s->at]);
	vec_push(sh->arena, words, text);
	s->at += text.length;
	return true;
}

enum shell_truth shell_condition(struct shell_state *sh, struct shell_stream *s)
{
	struct shell_texts words = { 0 };
	enum shell_truth found;

	while (s->at < s->end) {
		struct shell_raw raw;
		shell_blanks(s);
		if (s->at >= s->end)
			break;
		raw = shell_scan(s);
		if (raw.end == raw.start + 2 && !strncmp(s->in->text + raw.start, "]]", 2))
			break;
		if (raw.end > raw.start && shell_runs(sh)) {
			vec_push(sh->arena, &words, shell_expand_whole(sh, raw));
		} else if (raw.end == raw.start) {
			if (s->in->text[s->at] == '\n' || !read_operator(sh, s, &words))
				s->at++;
		}
	}
	found = shell_runs(sh) ? shell_test(sh, &words) : SHELL_PERHAPS;
	return found;
}
