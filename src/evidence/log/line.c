#include "evidence/log/line.h"

#include "evidence/observed/ranks.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Bytes of a line in which prefixes are looked for, bytes in one pair of brackets, and ranks. */
enum { PREFIXES_MOST = 8, BRACKET_MOST = 160, RANKS_MOST = 1 << 24 };

/* What is left of the line. */
struct rest {
	const char *at, *end;
};

/* The number at *at, of at most nine digits, which moves behind it; -1: none. */
static int64_t number(const char **at, const char *end)
{
	const char *start = *at;
	int64_t value = 0;

	while (*at < end && isdigit((unsigned char)**at) && *at - start < 9)
		value = 10 * value + (*(*at)++ - '0');
	return *at > start ? value : -1;
}

/* The number behind the last "rank" or "default" of some bytes; -1: none. */
static int64_t rank_among(const char *at, const char *end)
{
	static const char *const words[] = { "rank", "default" };
	int64_t found = -1;
	size_t i, length;

	for (; at < end; at++)
		for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
			const char *digits;
			length = strlen(words[i]);
			if ((size_t)(end - at) <= length || strncasecmp(at, words[i], length) != 0)
				continue;
			digits = at + length;
			while (digits < end && strchr(" :=_-", *digits))
				digits++;
			if (digits < end && isdigit((unsigned char)*digits))
				found = number(&digits, end);
		}
	return found < RANKS_MOST ? found : -1;
}

/* ---- times ---- */

/* Digits as in "dd-dd": 'd' stands for one, anything else for itself. */
static bool shaped(const struct rest *rest, size_t at, const char *shape)
{
	size_t i;

	if ((size_t)(rest->end - rest->at) < at + strlen(shape))
		return false;
	for (i = 0; shape[i]; i++)
		if (shape[i] == 'd' ? !isdigit((unsigned char)rest->at[at + i])
				    : rest->at[at + i] != shape[i])
			return false;
	return true;
}

static int two(const char *digits)
{
	return 10 * (digits[0] - '0') + digits[1] - '0';
}

/* "03:04:05" with ".678" or ",678", which the rest moves behind. */
static double clock_of(struct rest *rest)
{
	double seconds = 3600.0 * two(rest->at) + 60.0 * two(rest->at + 3) + two(rest->at + 6);
	double unit = 0.1;

	rest->at += 8;
	if (rest->at + 1 < rest->end && strchr(".,", *rest->at) &&
	    isdigit((unsigned char)rest->at[1]))
		for (rest->at++; rest->at < rest->end && isdigit((unsigned char)*rest->at);
		     rest->at++, unit /= 10)
			seconds += unit * (*rest->at - '0');
	return seconds;
}

/* Months count 31 days: times of one job are only compared. */
static double day_of(const char *month, const char *day)
{
	return 86400.0 * (31 * two(month) + two(day));
}

/* A date with a time, a time alone, or glog's "E1206 18:44:12.7" at the start of the rest. */
static bool take_time(struct rest *rest, double *time)
{
	if (shaped(rest, 0, "dddd-dd-dd") &&
	    (shaped(rest, 10, " dd:dd:dd") || shaped(rest, 10, "Tdd:dd:dd"))) {
		double day = day_of(rest->at + 5, rest->at + 8);
		rest->at += 11;
		*time = day + clock_of(rest);
	} else if (rest->at < rest->end && strchr("IWEFCD", *rest->at) &&
		   shaped(rest, 1, "dddd dd:dd:dd")) {
		double day = day_of(rest->at + 1, rest->at + 3);
		rest->at += 6;
		*time = day + clock_of(rest);
	} else if (shaped(rest, 0, "dd:dd:dd")) {
		*time = clock_of(rest);
	} else {
		return false;
	}
	if (rest->at < rest->end && *rest->at == 'Z')
		rest->at++;
	return true;
}

/* ---- prefixes ---- */

static bool take_word(struct rest *rest, const char *word)
{
	const size_t length = strlen(word);

	if ((size_t)(rest->end - rest->at) < length || memcmp(rest->at, word, length) != 0)
		return false;
	rest->at += length;
	return true;
}

static bool take_level(struct rest *rest)
{
	static const char *const levels[] = { "INFO",  "WARNING",  "WARN",  "ERROR",
					      "DEBUG", "CRITICAL", "FATAL", "NOTICE" };
	size_t i;

	for (i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		struct rest after = *rest;
		if (take_word(&after, levels[i]) && after.at < after.end &&
		    strchr(" :-]", *after.at)) {
			*rest = after;
			return true;
		}
	}
	return false;
}

/* "name - " between a time and a message. */
static bool take_logger(struct rest *rest)
{
	const char *at = rest->at;

	while (at < rest->end && (isalnum((unsigned char)*at) || strchr("._", *at)) && *at)
		at++;
	if (at == rest->at || rest->end - at < 3 || memcmp(at, " - ", 3) != 0)
		return false;
	rest->at = at + 3;
	return true;
}

/* True for what launchers and loggers put in brackets; "[128]" and "['dp']" belong to a text. */
static bool is_label(const struct rest *inside)
{
	const char *at;

	if (inside->end - inside->at >= 5 && !memcmp(inside->at, "Errno", 5))
		return false;
	if (inside->at < inside->end && strchr("'\"", *inside->at))
		return false;
	for (at = inside->at; at < inside->end; at++)
		if (isalpha((unsigned char)*at) || *at == ':')
			return true;
	return false;
}

/* "[...]" or "(... pid=...)", with what it says of rank and time. */
static bool take_bracket(struct rest *rest, struct log_line *line)
{
	const bool round = rest->at < rest->end && *rest->at == '(';
	struct rest inside = { rest->at + 1, rest->end };
	int64_t rank;

	if (rest->at >= rest->end || (*rest->at != '[' && !round))
		return false;
	if (inside.end - inside.at > BRACKET_MOST)
		inside.end = inside.at + BRACKET_MOST;
	inside.end = memchr(inside.at, round ? ')' : ']', (size_t)(inside.end - inside.at));
	if (!inside.end || !is_label(&inside))
		return false;
	rest->at = round ? rest->at : inside.end + 1;
	rank = rank_among(inside.at, inside.end);
	if (rank >= 0)
		line->rank = rank;
	if (round) {
		for (; inside.at < inside.end; inside.at++)
			if (take_word(&inside, "pid="))
				break;
		if (inside.at >= inside.end)
			return false;
		rest->at = inside.end + 1;
		return true;
	}
	(void)take_time(&inside, &line->time);
	return true;
}

/* mpirun's "[1,3]<stdout>:" (--tag-output; a job's name may stand for the 1), hydra's "[3] ". */
static bool take_tag(struct rest *rest, struct log_line *line)
{
	struct rest after = *rest;
	const char *at, *close, *comma = NULL;
	int64_t rank;

	if (!take_word(&after, "["))
		return false;
	close = memchr(after.at, ']',
		       (size_t)(after.end - after.at < BRACKET_MOST ? after.end - after.at
								    : BRACKET_MOST));
	if (!close)
		return false;
	for (at = after.at; at < close; at++)
		if (*at == ',')
			comma = at;
	at = comma ? comma + 1 : after.at;
	rank = number(&at, close);
	after.at = close + 1;
	if (rank < 0 || at != close)
		return false;
	if (comma ? !take_word(&after, "<stdout>") && !take_word(&after, "<stderr>")
		  : !take_word(&after, " "))
		return false;
	line->rank = rank;
	rest->at = after.at;
	return true;
}

/* srun's "3: " at the very start of a line. */
static bool take_label(struct rest *rest, struct log_line *line)
{
	const char *at = rest->at;
	int64_t rank;

	while (at < rest->end && *at == ' ')
		at++;
	rank = number(&at, rest->end);
	if (rank < 0 || rest->end - at < 2 || at[0] != ':' || at[1] != ' ')
		return false;
	line->rank = rank;
	rest->at = at + 2;
	return true;
}

/* "E1206 18:44:12.7 4711 torch/elastic/api.py:869] ": what of glog is behind the time. */
static void take_place(struct rest *rest)
{
	const char *at = rest->at, *close;

	if (rest->end - at < 2 || *at != ' ')
		return;
	close = memchr(at, ']',
		       (size_t)(rest->end - at < BRACKET_MOST ? rest->end - at : BRACKET_MOST));
	if (close && memchr(at, ':', (size_t)(close - at)) &&
	    !memchr(at, '[', (size_t)(close - at)))
		rest->at = close + 1;
}

/* "host:4711:4712 [0] NCCL WARN " */
static void take_nccl(struct rest *rest)
{
	size_t room = (size_t)(rest->end - rest->at);
	const char *blank = memchr(rest->at, ' ', room < BRACKET_MOST ? room : BRACKET_MOST),
		   *close;

	if (!blank || rest->end - blank < 3 || blank[1] != '[' ||
	    !memchr(rest->at, ':', (size_t)(blank - rest->at)))
		return;
	room = (size_t)(rest->end - blank);
	close = memchr(blank, ']', room < BRACKET_MOST ? room : BRACKET_MOST);
	if (close && rest->end - close >= 12 &&
	    (!memcmp(close, "] NCCL WARN ", 12) || !memcmp(close, "] NCCL INFO ", 12)))
		rest->at = close + 12;
}

/* Separators behind a prefix; one blank alone may be indentation that somebody wants. */
static void take_separators(struct rest *rest)
{
	if (rest->at < rest->end && *rest->at == ':')
		rest->at++;
	if (rest->at + 2 < rest->end && !memcmp(rest->at, " - ", 3))
		rest->at += 3;
	else if (rest->at < rest->end && *rest->at == ' ')
		rest->at++;
}

static bool take_prefix(struct rest *rest, struct log_line *line)
{
	if (take_bracket(rest, line))
		return true;
	if (take_time(rest, &line->time)) {
		take_place(rest);
		return true;
	}
	return take_level(rest) || (line->time >= 0 && take_logger(rest));
}

struct log_line log_line_of(const char *bytes, size_t length)
{
	struct log_line line = { .rank = -1, .time = -1 };
	struct rest rest = { bytes, bytes + length };
	int i;

	if (take_tag(&rest, &line))
		take_separators(&rest);
	else
		(void)take_label(&rest, &line);
	for (i = 0; i < PREFIXES_MOST && take_prefix(&rest, &line); i++)
		take_separators(&rest);
	if (rest.at < rest.end && isalnum((unsigned char)*rest.at))
		take_nccl(&rest);
	line.text = rest.at;
	line.length = (size_t)(rest.end - rest.at);
	return line;
}

size_t log_line_uncolor(char *to, const char *bytes, size_t length)
{
	const char *end = bytes + length;
	char *at = to;

	while (bytes < end) {
		if (*bytes != '\033') {
			*at++ = *bytes++;
			continue;
		}
		bytes++;
		if (bytes < end && *bytes == '[') /* ECMA-48, CSI: up to a byte of 0x40 to 0x7e */
			for (bytes++; bytes < end && (*bytes < 0x40 || *bytes > 0x7e);)
				bytes++;
		if (bytes < end)
			bytes++;
	}
	return (size_t)(at - to);
}

int64_t log_path_rank(const char *path)
{
	const char *slash = strrchr(path, '/'), *folder;

	if (!slash || (strcmp(slash, "/stderr.log") && strcmp(slash, "/stdout.log")))
		return rank_of_name(path);
	for (folder = slash; folder > path && folder[-1] != '/';)
		folder--;
	if (isdigit((unsigned char)*folder))
		return number(&folder, slash);
	return rank_among(folder, slash);
}
