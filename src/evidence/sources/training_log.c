#include "framework/training_log.h"

#include "base/text.h"
#include "evidence/evidence.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/*
 * What frameworks print while they train, by the rows of their wings: world, degrees of the groups
 * that they made, time, speed and memory of steps. None of it says who talks to whom.
 */
enum { LINE_MOST = 4096 };

struct training {
	struct evidence_intake *intake;
	int64_t world, stage, tensor; /* 0: not told; stage -1: not told */
	int64_t first, last;	      /* steps; -1: none */
	VEC(struct seen_claim) claims;
};

static void *open_log(struct evidence_intake *intake)
{
	struct training *training = arena_new(intake->capture->arena, struct training);

	training->stage = training->first = training->last = -1;
	return training;
}

/* Copies "1,234.5e+03" without its commas; returns behind it. */
static const char *copy_number(const char *at, char word[32])
{
	char *end = word;

	for (; end < word + 31 && *at; at++) {
		if (isdigit((unsigned char)*at) || strchr(".e+", *at))
			*end++ = *at;
		else if (*at != ',' || !isdigit((unsigned char)at[1]))
			break;
	}
	*end = '\0';
	return at;
}

/* "1.23K" and "1,234.5" behind a key; NaN: there is none. */
static double number_behind(const char *line, const char *key)
{
	const char *at = strstr(line, key);
	char word[32];
	double value;

	if (!at)
		return (double)NAN;
	at += strlen(key);
	at = copy_number(at + strspn(at, " \t.:='\"("), word);
	if (!text_to_double(word, &value) || value < 0 || value > 1e18)
		return (double)NAN;
	return *at == 'K'   ? value * 1e3
	       : *at == 'M' ? value * 1e6
	       : *at == 'G' ? value * 1e9
			    : value;
}

static void claim(struct training *training, const char *axis, double degree)
{
	const struct evidence_intake *intake = training->intake;
	const struct seen_claim row = { .axis = axis,
					.degree = (int64_t)degree,
					.built = true,
					.witness = { intake->file, intake->record } };
	size_t i;

	for (i = 0; i < training->claims.count; i++)
		if (!strcmp(training->claims.items[i].axis, axis))
			return;
	if (degree >= 1 && degree < 1 << 24)
		vec_push(intake->capture->arena, &training->claims, row);
}

static void measure(struct training *training, enum seen_quantity quantity, double value,
		    int64_t step)
{
	if (value > 0)
		evidence_measure(training->intake, quantity, value, -1, step);
}

static void take_step(struct training *training, double value)
{
	training->last = (int64_t)value;
	if (training->first < 0)
		training->first = training->last;
}

/* Facts that are claims, by axis, and those that are measured, with their unit in ours. */
static const char *const axes[] = {
	[LOG_TP] = "tp", [LOG_PP] = "pp",	    [LOG_CP] = "cp",
	[LOG_EP] = "ep", [LOG_BATCH] = CLAIM_BATCH, [LOG_SEQUENCE] = CLAIM_SEQUENCE,
};

static const struct {
	enum log_fact fact;
	enum seen_quantity quantity;
	double unit;
} quantities[] = {
	{ LOG_LOADING_MS, SEEN_LOADING_SECONDS, 1e-3 },
	{ LOG_RETRIES, SEEN_RETRIES, 1 },
	{ LOG_STEP_SECONDS, SEEN_STEP_SECONDS, 1 },
	{ LOG_STEP_MS, SEEN_STEP_SECONDS, 1e-3 },
	{ LOG_TOKENS_DEVICE, SEEN_TOKENS_PER_SECOND, 1 },
	{ LOG_TFLOPS_DEVICE, SEEN_FLOPS, 1e12 },
	{ LOG_RESERVED_MB, SEEN_MEMORY_RESERVED, 1048576 },
	{ LOG_RESERVED_GB, SEEN_MEMORY_RESERVED, 1073741824 },
};

static void take(struct training *training, enum log_fact fact, double value)
{
	size_t i;

	if (fact == LOG_WORLD)
		training->world = (int64_t)value;
	else if (fact == LOG_ZERO_STAGE)
		training->stage = (int64_t)value;
	else if (fact == LOG_STEP)
		take_step(training, value);
	else if ((size_t)fact < sizeof(axes) / sizeof(*axes) && axes[fact])
		claim(training, axes[fact], value);
	for (i = 0; i < sizeof(quantities) / sizeof(*quantities); i++)
		if (quantities[i].fact == fact)
			measure(training, quantities[i].quantity, value * quantities[i].unit,
				training->last);
}

/* True when the line has the shape and one of its numbers. */
static bool take_shape(struct training *training, const struct log_shape *shape, const char *line)
{
	bool any = false;
	int i;

	for (i = 0; i < LOG_KEYS && shape->keys[i].key; i++) {
		const double value = number_behind(line, shape->keys[i].key);
		if (!isfinite(value))
			continue;
		take(training, shape->keys[i].fact, value);
		any = true;
	}
	return any;
}

static bool take_line(struct evidence_intake *intake, void *state, const char *text, size_t length)
{
	struct training *training = state;
	const struct training_log *const *log;
	const struct log_shape *shape;
	char line[LINE_MOST];

	training->intake = intake;
	for (log = training_logs; *log; log++)
		for (shape = (*log)->shapes; shape->mark; shape++) {
			if (!text_mentions(text, length, shape->mark))
				continue;
			length = length < LINE_MOST - 1 ? length : LINE_MOST - 1;
			memcpy(line, text, length);
			line[length] = '\0';
			if (take_shape(training, shape, line))
				return true;
		}
	return false;
}

/* Stage 3 cuts parameters over all ranks that are not cut otherwise. */
static void close_log(struct evidence_intake *intake, void *state)
{
	struct training *training = state;
	size_t i;

	training->intake = intake;
	if (training->world > 0)
		evidence_world(intake, training->world);
	if (training->stage == 3 && training->world > 1 && !training->claims.count)
		claim(training, "dp_shard", (double)training->world);
	if (training->stage > 0)
		claim(training, "ZeRO stage", (double)training->stage);
	for (i = 0; i < training->claims.count; i++)
		vec_push(intake->capture->arena, &intake->capture->claims,
			 training->claims.items[i]);
	if (training->last > training->first)
		evidence_file(intake)->steps = training->last - training->first;
}

const struct evidence_source source_training_log = {
	.name = "training log",
	.record = "line",
	.blind = true,
	.open = open_log,
	.line = take_line,
	.close = close_log,
};
