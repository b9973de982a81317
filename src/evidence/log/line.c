#include "evidence/log/line.h"

#include "evidence/observed/ranks.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Bytes of a line in which prefixes are looked for, bytes in one pair of brackets, and ranks. */
enum { PREFIXES_MOST = 8, BRACKET_MOST = 160, RANKS_MOST = 1 << 24, HOST_MOST = 64 };

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

/* Takes a rank for the line's where its mark says more than the one it has. */
static void mark_rank(struct log_line *line, int64_t rank, enum log_mark mark)
{
	if (rank < 0 || rank >= RANKS_MOST || mark <= line->mark)
		return;
	line->rank = rank;
	line->mark = mark;
}

/* Words before a rank in brackets; c10d's is the one with a capital. */
static const struct {
	const char *word;
	enum log_mark mark;
} rank_words[] = {
	{ "Rank", LOG_MARK_GROUP },    { "rank", LOG_MARK_RANK },     { "RANK", LOG_MARK_RANK },
	{ "default", LOG_MARK_LOCAL }, { "trainer", LOG_MARK_LOCAL },
};

/* The digits behind a word at `at`; NULL: another word. */
static const char *behind_word(const char *at, const char *end, const char *word)
{
	const size_t length = strlen(word);

	if ((size_t)(end - at) <= length || strncmp(at, word, length) != 0)
		return NULL;
	for (at += length; at < end && strchr(" :=_-", *at);)
		at++;
	return at < end && isdigit((unsigned char)*at) ? at : NULL;
}

/* The ranks behind such words in brackets. */
static void marks_among(struct log_line *line, const char *at, const char *end)
{
	const char *start = at, *digits;
	size_t i;

	for (; at < end; at++)
		for (i = 0; i < sizeof(rank_words) / sizeof(*rank_words); i++) {
			if (*at != *rank_words[i].word)
				continue;
			digits = behind_word(at, end, rank_words[i].word);
			/* "[local_rank 3]" counts on its node. */
			if (digits)
				mark_rank(line, number(&digits, end),
					  at > start && at[-1] == '_' ? LOG_MARK_LOCAL
								      : rank_words[i].mark);
		}
}

/* ---- hosts ---- */

/* A name of a host: letters, digits, dots and dashes, with a digit or a dash in it. */
static size_t host_at(const char *at, const char *end)
{
	const char *start = at;
	bool numbered = false;

	while (at < end && at - start < HOST_MOST &&
	       (isalnum((unsigned char)*at) || (*at && strchr("._-", *at)))) {
		numbered = numbered || isdigit((unsigned char)*at) || *at == '-';
		at++;
	}
	return numbered ? (size_t)(at - start) : 0;
}

static void mark_host(struct log_line *line, const char *host, size_t length)
{
	line->host = host;
	line->host_length = length;
}

/* "node02: [rank12]: " and "node02: node02:4711:4712 [0] NCCL": what collects logs of many hosts.
 */
static void take_host(struct rest *rest, struct log_line *line)
{
	const size_t length = host_at(rest->at, rest->end);
	const char *behind = rest->at + length;
	const size_t room = (size_t)(rest->end - behind);

	if (!length || room < length + 4 || memcmp(behind, ": ", 2) != 0 ||
	    !isalpha((unsigned char)*rest->at))
		return;
	if (behind[2] != '[' &&
	    (memcmp(behind + 2, rest->at, length) != 0 || behind[2 + length] != ':'))
		return;
	mark_host(line, rest->at, length);
	rest->at = behind + 2;
}

/* ---- times ---- */

/* Digits as in "dd-dd": 'd' stands for one, anything else for itself. */
static bool shaped(const struct rest *rest, size_t at, const char *shape)
{
	const size_t room = (size_t)(rest->end - rest->at);
	size_t i;

	for (i = 0; shape[i]; i++)
		if (at + i >= room || (shape[i] == 'd' ? !isdigit((unsigned char)rest->at[at + i])
						       : rest->at[at + i] != shape[i]))
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

/* "[node1] [default3]:": the host is alone in its brackets. */
static void take_bracketed_host(const struct rest *inside, const struct rest *behind,
				struct log_line *line)
{
	const size_t length = host_at(inside->at, inside->end);

	if (!line->host && length && length == (size_t)(inside->end - inside->at) &&
	    isalpha((unsigned char)*inside->at) && behind->end - behind->at > 9 &&
	    !memcmp(behind->at, " [default", 9))
		mark_host(line, inside->at, length);
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

	if (rest->at >= rest->end || (*rest->at != '[' && !round))
		return false;
	if (inside.end - inside.at > BRACKET_MOST)
		inside.end = inside.at + BRACKET_MOST;
	inside.end = memchr(inside.at, round ? ')' : ']', (size_t)(inside.end - inside.at));
	if (!inside.end || !is_label(&inside))
		return false;
	rest->at = round ? rest->at : inside.end + 1;
	marks_among(line, inside.at, inside.end);
	take_bracketed_host(&inside, rest, line);
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
	mark_rank(line, rank, LOG_MARK_TASK);
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
	mark_rank(line, rank, LOG_MARK_TASK);
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

/* " NCCL WARN " or " NCCL INFO " near the bracket; NULL: neither. */
static const char *nccl_word(const char *close, const char *end)
{
	const char *at;

	for (at = close; end - at >= 11 && at - close < BRACKET_MOST; at++)
		if (!memcmp(at, " NCCL WARN ", 11) || !memcmp(at, " NCCL INFO ", 11))
			return at;
	return NULL;
}

/* "host:4711:4712 [0] NCCL WARN ", with a place in NCCL's sources before its name or not */
static void take_nccl(struct rest *rest, struct log_line *line)
{
	size_t room = (size_t)(rest->end - rest->at);
	const char *blank = memchr(rest->at, ' ', room < BRACKET_MOST ? room : BRACKET_MOST),
		   *colon, *close, *at;

	if (!blank || rest->end - blank < 3 || blank[1] != '[')
		return;
	colon = memchr(rest->at, ':', (size_t)(blank - rest->at));
	room = (size_t)(rest->end - blank);
	close = memchr(blank, ']', room < BRACKET_MOST ? room : BRACKET_MOST);
	if (!colon || !close || colon == rest->at)
		return;
	at = nccl_word(close, rest->end);
	if (!at)
		return;
	mark_host(line, rest->at, (size_t)(colon - rest->at));
	blank += 2;
	line->gpu = number(&blank, close);
	rest->at = at + 11;
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
	struct log_line line = { .rank = -1, .time = -1, .gpu = -1 };
	struct rest rest = { bytes, bytes + length };
	int i;

	if (take_tag(&rest, &line))
		take_separators(&rest);
	else
		(void)take_label(&rest, &line);
	take_host(&rest, &line);
	for (i = 0; i < PREFIXES_MOST && take_prefix(&rest, &line); i++)
		take_separators(&rest);
	if (rest.at < rest.end && isalnum((unsigned char)*rest.at))
		take_nccl(&rest, &line);
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

int64_t log_path_rank(const char *path, enum log_mark *mark)
{
	const char *slash = strrchr(path, '/'), *folder;
	struct log_line line = { .rank = -1 };

	*mark = LOG_MARK_TASK;
	if (!slash || (strcmp(slash, "/stderr.log") && strcmp(slash, "/stdout.log")))
		return rank_of_name(path);
	for (folder = slash; folder > path && folder[-1] != '/';)
		folder--;
	if (!isdigit((unsigned char)*folder)) {
		marks_among(&line, folder, slash);
		return line.rank;
	}
	*mark = LOG_MARK_LOCAL;
	return number(&folder, slash);
}
