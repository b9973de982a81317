#include "base/secrets.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Tokens that say what they are: as GitHub's secret scanning and gitleaks know them. */
static const struct token {
	const char *prefix;
	size_t least; /* letters behind it */
	bool dashes;  /* '-', '_' and '.' among them */
} tokens[] = {
	{ "ghp_", 8, false },	{ "gho_", 8, false },	   { "ghu_", 8, false },
	{ "ghs_", 8, false },	{ "ghr_", 8, false },	   { "github_pat_", 8, true },
	{ "glpat-", 8, true },	{ "hf_", 20, false },	   { "sk-", 20, true },
	{ "xoxb-", 8, true },	{ "xoxp-", 8, true },	   { "xoxa-", 8, true },
	{ "xoxs-", 8, true },	{ "AKIA", 16, false },	   { "ASIA", 16, false },
	{ "AIza", 30, true },	{ "npm_", 30, false },	   { "pypi-AgE", 16, true },
	{ "ya29.", 16, true },	{ "eyJhbGciOi", 8, true }, { "dop_v1_", 16, false },
	{ "nvapi-", 16, true }, { "r8_", 30, false },	   { "gsk_", 30, false },
};

/* Parts of names whose values are secrets. */
static const char *const names[] = { "api_key",	     "apikey",	    "api-key",	    "access_key",
				     "secret",	     "password",    "passwd",	    "auth_token",
				     "access_token", "hf_token",    "hub_token",    "gh_token",
				     "github_token", "private_key", "authorization" };

enum { KEY_BYTES = 6, NAME_BYTES = 64 };

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t letters(const char *at, const char *end, bool dashes)
{
	const char *from = at;

	while (at < end && (isalnum((unsigned char)*at) ||
			    (dashes && (*at == '-' || *at == '_' || *at == '.'))))
		at++;
	return (size_t)(at - from);
}

static bool begins(const char *at, const char *end, const char *prefix)
{
	size_t length = strlen(prefix);

	return (size_t)(end - at) >= length && !memcmp(at, prefix, length);
}

static size_t token_at(const char *at, const char *end, size_t *behind)
{
	size_t i, length;

	for (i = 0; i < sizeof(tokens) / sizeof(*tokens); i++) {
		if (*at != *tokens[i].prefix || !begins(at, end, tokens[i].prefix))
			continue;
		*behind = strlen(tokens[i].prefix);
		length = letters(at + *behind, end, tokens[i].dashes);
		if (length >= tokens[i].least)
			return length;
	}
	return 0;
}

static bool is_secret_name(const char *word, size_t length)
{
	size_t i, j, part;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		part = strlen(names[i]);
		for (j = 0; j + part <= length; j++)
			if (tolower((unsigned char)word[j]) == *names[i] &&
			    !strncasecmp(word + j, names[i], part))
				return true;
	}
	return false;
}

/* Words of a value that are no secret. */
static bool is_plain(const char *value, size_t length)
{
	size_t i, digits = 0;

	for (i = 0; i < length; i++)
		digits += isdigit((unsigned char)value[i]) != 0;
	return length < KEY_BYTES || *value == '$' || *value == '<' || *value == '{' ||
	       *value == '*' || (!digits && length < 16);
}

static const char *skip(const char *at, const char *end, const char *what)
{
	while (at < end && *at && strchr(what, *at))
		at++;
	return at;
}

static size_t value_length(const char *at, const char *end)
{
	const char *from = at;

	while (at < end && *at && !strchr(" \t\r\n\"'\\,;<>&|(){}", *at))
		at++;
	return (size_t)(at - from);
}

/* NAME=VALUE, "NAME": "VALUE", NAME: scheme VALUE. */
static size_t value_of_name(const char *at, const char *end, size_t *behind)
{
	const char *value = at + letters(at, end, true);
	size_t word = (size_t)(value - at), length;

	value = skip(value, end, "\"'\\");
	value = skip(value, end, " \t");
	if (value == end || (*value != ':' && *value != '=') || word > NAME_BYTES ||
	    !is_secret_name(at, word))
		return 0;
	value = skip(value + 1, end, " \t\"'\\");
	length = value_length(value, end);
	if ((length == 5 && !strncasecmp(value, "basic", 5)) ||
	    (length == 6 && !strncasecmp(value, "bearer", 6))) {
		value = skip(value + length, end, " ");
		length = value_length(value, end);
	}
	*behind = (size_t)(value - at);
	return is_plain(value, length) ? 0 : length;
}

/* The password of a URL: "://name:HERE@". */
static size_t password_at(const char *at, const char *end, size_t *behind)
{
	const char *stop = at + 3, *colon = NULL;

	for (; stop < end && !strchr(" \t\r\n/@\"'<>", *stop); stop++)
		if (*stop == ':' && !colon)
			colon = stop;
	if (stop == end || *stop != '@' || !colon)
		return 0;
	*behind = (size_t)(colon + 1 - at);
	return (size_t)(stop - colon - 1);
}

size_t secret_at(const char *start, const char *at, const char *end, size_t *behind)
{
	size_t length;

	if (*at == ':' && begins(at, end, "://"))
		return password_at(at, end, behind);
	if (!in_word(*at) || (at > start && in_word(at[-1])))
		return 0;
	length = token_at(at, end, behind);
	return length ? length : value_of_name(at, end, behind);
}
