#include "rules/fingerprint.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* FNV-1a of 64 bits: offset basis and prime (RFC 9923). */
static const uint64_t basis = 0xcbf29ce484222325, prime = 0x100000001b3;

static void mix(uint64_t *hash, const char *bytes, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		*hash = (*hash ^ (unsigned char)bytes[i]) * prime;
}

/* A text and its end, so that "a" and "b" are not "ab" and "". */
static void mix_text(uint64_t *hash, const char *text)
{
	mix(hash, text, strlen(text) + 1);
}

/* ---- the key ---- */

static bool starts_at(struct span a, struct span b)
{
	return span_known(a) && a.source == b.source && a.line == b.line && a.column == b.column;
}

/* The deepest node whose key or value begins where the finding does, or NULL. */
static const struct node *node_at(const struct node *node, struct span span)
{
	const struct node *child, *found = NULL;

	for (child = node->first; child && !found; child = child->next)
		found = node_at(child, span);
	if (!found && (starts_at(node->key_span, span) || starts_at(node->span, span)))
		found = node;
	return found;
}

/* ---- the facts of a message ---- */

/* "train.yaml:9" or "train.yaml:9:32": where something stands is no fact. */
static bool is_place(const char *word, size_t length)
{
	const char *colon = memchr(word, ':', length);

	return colon && colon > word && colon + 1 < word + length &&
	       isdigit((unsigned char)colon[1]);
}

static bool has_digit(const char *word, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (isdigit((unsigned char)word[i]))
			return true;
	return false;
}

/* True for a quotation mark that is no apostrophe. */
static bool is_quote(const char *message, const char *at)
{
	return *at == '\'' && (at == message || !isalnum((unsigned char)at[-1]));
}

/* The length of the word at `at`: what stands in quotes, else up to a blank or bracket. */
static size_t word_length(const char *message, const char *at)
{
	const char *close = is_quote(message, at) ? strchr(at + 1, '\'') : NULL;

	return close ? (size_t)(close - at) + 1 : strcspn(at + 1, " \t\n()[]{},;=*'") + 1;
}

static void mix_facts(uint64_t *hash, const char *message)
{
	const char *at;
	size_t length;

	for (at = message; *at; at += length) {
		length = word_length(message, at);
		if (is_place(at, length) || !(is_quote(message, at) || has_digit(at, length)))
			continue;
		while (length > 1 && strchr(" .:(,=*", *at)) {
			at++;
			length--;
		}
		mix(hash, at, length);
		mix(hash, "", 1);
	}
}

struct fingerprint fingerprint_of(struct arena *arena, const struct job *job,
				  const struct finding *finding, const char *path)
{
	const struct node *node = NULL;
	struct fingerprint print = { .rule = finding->rule->name, .path = path, .hash = basis };

	if (job->document.root && span_known(finding->span))
		node = node_at(job->document.root, finding->span);
	print.key = node && node->parent ? node_path(arena, node) : "";
	print.message = arena_strdup(arena, finding->message);
	mix_text(&print.hash, print.rule);
	mix_text(&print.hash, path);
	mix_text(&print.hash, print.key);
	mix_text(&print.hash, node && node->kind == NODE_SCALAR ? node->text : "");
	mix_facts(&print.hash, finding->message);
	return print;
}

const char *fingerprint_text(struct arena *arena, const struct fingerprint *fingerprint)
{
	return arena_printf(arena, "%016" PRIx64, fingerprint->hash);
}
