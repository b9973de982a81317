#include "wings/areal/allocation.h"

#include "base/number.h"
#include "base/text.h"
#include "input/keys.h"
#include "input/node.h"

#include <ctype.h>
#include <string.h>

/* Degrees by their letters; 0: not said. */
struct dims {
	int64_t of[128];
};

/* What trains in a notation, from its backend on. */
struct allocation {
	const char *start; /* NULL: none, or more than one */
	size_t length;
};

/* Bytes up to the next '+' or '|' that stands in no parentheses. */
static size_t part_length(const char *text)
{
	size_t i, depth = 0;

	for (i = 0; text[i]; i++) {
		depth += text[i] == '(';
		depth -= depth && text[i] == ')';
		/* "megatron:attn:d4|ffn:d2" needs no parentheses. */
		if (!depth &&
		    (text[i] == '+' || (text[i] == '|' && !text_starts(text + i, "|ffn:"))))
			break;
	}
	return i;
}

static bool generates(const char *part)
{
	return text_starts(part, "sglang") || text_starts(part, "vllm");
}

/* The one part that trains. */
static struct allocation trains(const char *text)
{
	struct allocation found = { NULL, 0 };
	size_t length;

	for (; *text; text += length + (text[length] != '\0')) {
		text += *text == ' ';
		length = part_length(text);
		if (generates(text))
			continue;
		if (found.start)
			return (struct allocation) { NULL, 0 };
		found = (struct allocation) { text, length };
	}
	return found;
}

/* Reads "d4p1t2"; false at anything else. */
static bool read_dims(const char *text, const char *end, struct dims *dims)
{
	int64_t degree;
	char letter;

	while (text < end) {
		letter = *text++;
		if (!strchr("dtpce", letter) || *text == '0' || !text_digits(&text, 9, &degree))
			return false;
		dims->of[(unsigned char)letter] = degree;
	}
	return true;
}

/* The experts' part: of its letters e is ep, and t etp; the others follow. */
static bool read_experts(const char *text, const char *end, struct dims *dims)
{
	struct dims experts = { { 0 } };

	if (!text_starts(text, "ffn:") || !read_dims(text + 4, end, &experts))
		return false;
	dims->of['e'] = experts.of['e'];
	dims->of['x'] = experts.of['t'];
	return true;
}

/* All behind the backend's colon. */
static bool read_all(const char *text, const char *end, struct dims *dims)
{
	const char *bar;

	if (text < end && *text == '(' && end[-1] == ')')
		text++, end--;
	if (!text_starts(text, "attn:"))
		return text < end && read_dims(text, end, dims);
	bar = memchr(text, '|', (size_t)(end - text));
	return bar && read_dims(text + 5, bar, dims) && read_experts(bar + 1, end, dims);
}

static void put(struct decoder *decoder, enum field_id id, int64_t degree, const struct node *from)
{
	struct setting *setting = settings_put_int(decoder->settings, decoder->arena, id,
						   degree ? degree : 1, ORIGIN_GIVEN);

	setting->span = from->span;
	setting->key_span = from->key_span;
	setting->spelling = node_path(decoder->arena, from);
}

static void leave_open(struct decoder *decoder, enum field_id id, const struct node *from)
{
	struct setting *setting = settings_of(decoder->settings, id);

	setting->unresolved = from->text;
	setting->invalid = true;
	setting->spelling = node_path(decoder->arena, from);
	setting->span = from->span;
	setting->key_span = from->key_span;
}

/* Who shares and who repeats: FSDP2 over d and the ranks of Ulysses, Megatron over none. */
static void put_engine(struct decoder *decoder, const char *backend, const struct dims *dims,
		       const struct node *from)
{
	const bool megatron = text_starts(backend, "megatron");
	const bool ulysses = text_starts(backend, "fsdp");

	put(decoder, megatron ? FIELD_DP_REPLICATE : FIELD_DP_SHARD, dims->of['d'], from);
	put(decoder, megatron ? FIELD_DP_SHARD : FIELD_DP_REPLICATE, 1, from);
	put(decoder, FIELD_CP, ulysses ? 1 : dims->of['c'], from);
	if (ulysses)
		put(decoder, FIELD_SP, dims->of['c'], from);
	else if (!megatron) /* docs/en/tutorial/archon.md */
		settings_put_text(decoder->settings, FIELD_CP_METHOD, "ulysses", ORIGIN_DEFAULT)
			->note = "AReaL's archon";
	settings_put_text(decoder->settings, FIELD_ENGINE, megatron ? "megatron" : "fsdp",
			  ORIGIN_DEFAULT)
		->note = "the backend";
	if (!megatron)
		settings_put_text(decoder->settings, FIELD_FSDP_VERSION, "2", ORIGIN_DEFAULT)
			->note = "AReaL's fully_shard";
}

void allocation_put(struct decoder *decoder, const struct node *text)
{
	static const enum field_id all[] = { FIELD_DP_SHARD, FIELD_DP_REPLICATE, FIELD_TP,
					     FIELD_PP,	     FIELD_CP,		 FIELD_EP };
	const struct allocation found = trains(text->kind == NODE_SCALAR ? text->text : "");
	const char *colon = found.start ? memchr(found.start, ':', found.length) : NULL;
	struct dims dims = { { 0 } };
	size_t i;

	if (text->unresolved || !colon ||
	    !(text_starts(found.start, "fsdp") || text_starts(found.start, "megatron") ||
	      text_starts(found.start, "archon")) ||
	    !read_all(colon + 1, found.start + found.length, &dims)) {
		for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			leave_open(decoder, all[i], text);
		return;
	}
	put_engine(decoder, found.start, &dims, text);
	put(decoder, FIELD_TP, dims.of['t'], text);
	put(decoder, FIELD_PP, dims.of['p'], text);
	put(decoder, FIELD_EP, dims.of['e'], text);
	put(decoder, FIELD_ETP, dims.of['x'], text); /* not tp: one, where nobody says */
}

int64_t allocation_ranks(const struct settings *settings)
{
	static const enum field_id factors[] = { FIELD_DP_REPLICATE, FIELD_DP_SHARD, FIELD_SP,
						 FIELD_CP,	     FIELD_TP,	     FIELD_PP };
	int64_t ranks = 1;
	size_t i;

	for (i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
		ranks = multiply(ranks,
				 setting_int(settings, factors[i], factors[i] == FIELD_SP ? 1 : 0));
	return ranks;
}
