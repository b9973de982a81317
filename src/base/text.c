#include "base/text.h"

#include "base/die.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool text_starts(const char *text, const char *prefix)
{
	while (*prefix && *text == *prefix) {
		text++;
		prefix++;
	}
	return !*prefix;
}

bool text_among(const char *text, const char *const *names, size_t count)
{
	while (count && strcmp(names[count - 1], text) != 0)
		count--;
	return count > 0;
}

const char *text_find(const char *text, size_t length, const char *word)
{
	const size_t size = strlen(word);
	const char *at = text, *end = text + length;

	while (at && (size_t)(end - at) >= size) {
		at = memchr(at, *word, (size_t)(end - at) - size + 1);
		if (at && !memcmp(at, word, size))
			return at;
		at = at ? at + 1 : NULL;
	}
	return NULL;
}

bool text_mentions(const char *text, size_t length, const char *word)
{
	return text_find(text, length, word) != NULL;
}

bool text_ends(const char *text, const char *suffix)
{
	size_t a = strlen(text), b = strlen(suffix);

	return a >= b && !strcmp(text + a - b, suffix);
}

bool text_to_int(const char *text, int64_t *value)
{
	char *end;

	if (!*text || isspace((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoll(text, &end, 10);
	return !*end && !errno && isdigit((unsigned char)end[-1]);
}

bool text_digits(const char **at, size_t most, int64_t *value)
{
	size_t length = strspn(*at, "0123456789"), i;

	if (!length || length > most)
		return false;
	*value = 0;
	for (i = 0; i < length; i++)
		*value = *value * 10 + (*at)[i] - '0';
	*at += length;
	return true;
}

char *text_dashed(struct arena *arena, const char *text)
{
	char *dashed = arena_strdup(arena, text), *c;

	for (c = dashed; *c; c++)
		if (*c == '_')
			*c = '-';
	return dashed;
}

bool text_to_double(const char *text, double *value)
{
	char *end;

	if (!*text || strspn(text, "0123456789+-.eE") != strlen(text))
		return false;
	errno = 0;
	*value = strtod(text, &end);
	return end != text && !*end && !(errno == ERANGE && (*value > 1 || *value < -1));
}

char *text_lower(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text), *c;

	for (c = copy; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy;
}

char *text_upper(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text), *c;

	for (c = copy; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return copy;
}

bool text_matches(const char *pattern, const char *name)
{
	while (*pattern && *name) {
		if (pattern[0] == '*' && (!pattern[1] || pattern[1] == '.')) {
			name += strcspn(name, ".");
			pattern++;
		} else if (*pattern++ != *name++) {
			return false;
		}
	}
	return !*pattern && !*name;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t text_distance(const char *a, const char *b, size_t limit)
{
	enum { LONGEST = 127 };
	size_t rows[3][LONGEST + 1], n = strlen(a), m = strlen(b), i, j;

	if (n > LONGEST || m > LONGEST || (n > m ? n - m : m - n) > limit)
		return limit + 1;
	for (j = 0; j <= m; j++)
		rows[0][j] = j;
	for (i = 1; i <= n; i++) {
		size_t *now = rows[i % 3], *before = rows[(i + 2) % 3];
		const size_t *earlier = rows[(i + 1) % 3];
		now[0] = i;
		for (j = 1; j <= m; j++) {
			size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
			best = least(best, least(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = least(best, earlier[j - 2] + 1);
			now[j] = best;
		}
	}
	return least(rows[n % 3][m], limit + 1);
}

const char *text_nearest(const char *name, const char *const *candidates, size_t count)
{
	size_t length = strlen(name), limit = length <= 4 ? 1 : length >= 12 ? 3 : 2, i;
	const char *best = NULL;

	if (limit >= length)
		return NULL;
	for (i = 0; i < count; i++) {
		size_t distance = text_distance(name, candidates[i], limit);
		if (distance > limit)
			continue;
		best = candidates[i];
		if (!distance)
			break;
		limit = distance - 1;
	}
	return best;
}

char *text_join_lines(struct arena *arena, const char *text, bool all)
{
	char *joined = arena_strdup(arena, text), *to = joined;

	while (*text) {
		if (*text == '\n' && (all || text[1] == ' ')) {
			if (to > joined && to[-1] != ' ')
				*to++ = ' ';
			text += strspn(text, " \n");
		} else {
			*to++ = *text++;
		}
	}
	while (to > joined && to[-1] == ' ')
		to--;
	*to = '\0';
	return joined;
}

const char *text_on_line(struct arena *arena, const char *text)
{
	const size_t length = strlen(text);
	char *line, *to;

	if (!text[strcspn(text, "\r\n")])
		return text;
	line = to = arena_alloc(arena, 2 * length + 1);
	for (; *text; text++) {
		const bool breaks = *text == '\n' || *text == '\r';
		if (breaks)
			*to++ = '\\';
		*to++ = *text == '\n' ? 'n' : breaks ? 'r' : *text;
	}
	return line;
}

bool text_same_digits(const char *left, const char *right)
{
	static const char digits[] = "0123456789";

	for (;;) {
		left += strcspn(left, digits);
		right += strcspn(right, digits);
		if (*left != *right || !*left)
			return *left == *right;
		left++;
		right++;
	}
}

size_t text_width(const char *text, size_t length)
{
	size_t width = 0, i;

	for (i = 0; i < length; i++)
		width += ((unsigned char)text[i] & 0xC0) != 0x80;
	return width;
}

/* Length of the well-formed sequence at s, or 0 (Unicode 15, table 3-7). */
static size_t utf8_sequence(const unsigned char *s, size_t room)
{
	unsigned char low = 0x80, high = 0xBF;
	size_t length, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xC2 || s[0] > 0xF4)
		return 0;
	length = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
	if (length > room)
		return 0;
	if (s[0] == 0xE0)
		low = 0xA0;
	if (s[0] == 0xED)
		high = 0x9F;
	if (s[0] == 0xF0)
		low = 0x90;
	if (s[0] == 0xF4)
		high = 0x8F;
	if (s[1] < low || s[1] > high)
		return 0;
	for (i = 2; i < length; i++)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	return length;
}

bool text_is_utf8(const char *text, size_t length, size_t *bad)
{
	size_t i = 0;

	while (i < length) {
		size_t step = utf8_sequence((const unsigned char *)text + i, length - i);
		if (!step) {
			*bad = i;
			return false;
		}
		i += step;
	}
	return true;
}

char *text_count(struct arena *arena, int64_t n)
{
	char digits[32], out[48];
	size_t length, i, o = 0;

	if (n == INT64_MIN)
		bug("count out of range");
	length = (size_t)snprintf(digits, sizeof(digits), "%" PRId64, n < 0 ? -n : n);
	if (n < 0)
		out[o++] = '-';
	for (i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			out[o++] = ',';
		out[o++] = digits[i];
	}
	return arena_strndup(arena, out, o);
}

char *text_bytes(struct arena *arena, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	size_t unit = 0;

	while (bytes >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1024;
		unit++;
	}
	return arena_printf(arena, "%.*f %s",
			    !unit || bytes >= 100 ? 0
			    : bytes >= 10	  ? 1
						  : 2,
			    bytes, units[unit]);
}

const char *text_probability(struct arena *arena, double probability)
{
	if (probability < 0.01)
		return "under 1 %";
	if (probability > 0.99)
		return "over 99 %";
	return arena_printf(arena, "%.0f %%", 100 * probability);
}

/* Length of "ESC [ 31 m" at `text`; 0: there is none. */
static size_t escape_length(const char *text, size_t length)
{
	size_t at = 2;

	if (length < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (at < length &&
	       (text[at] == ';' || text[at] == '?' || isdigit((unsigned char)text[at])))
		at++;
	return at < length && text[at] >= '@' && text[at] <= '~' ? at + 1 : 0;
}

size_t text_plain(const char *text, size_t length, char *plain)
{
	size_t at = 0, count = 0;

	while (at < length) {
		const size_t escape = escape_length(text + at, length - at);
		const char c = text[at];
		if (!escape)
			plain[count++] = (char)(c == '\t' ? ' ' : c < ' ' || c > '~' ? '?' : c);
		at += escape ? escape : 1;
	}
	plain[count] = '\0';
	return count;
}
