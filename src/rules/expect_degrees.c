#include "rules/expect.h"

#include "base/number.h"
#include "input/axis.h"
#include "input/node.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* Expectations about degrees and what follows from them alone: the strategy, counts. */

enum field_id expect_axis(const char *name)
{
	int i;

	for (i = AXIS_DP_REPLICATE; i < AXIS_SP; i++)
		if (!strcmp(axis_name(axes[i]), name))
			return axes[i];
	return FIELD_COUNT;
}

void expect_relate_degrees(const struct expected *expected, struct finding *finding)
{
	int i;

	for (i = AXIS_DP_REPLICATE; i < AXIS_SP; i++)
		if (fact(expected->job, axes[i])->integer != 1)
			relate_setting(expected->job, finding, axes[i]);
	relate_setting(expected->job, finding, FIELD_DP);
	relate_setting(expected->job, finding, FIELD_WORLD);
}

/* Whatever the other degrees leave: -1, or nothing at all. */
static bool is_open(const struct setting *setting)
{
	return !setting_known(setting) || setting->integer < 0;
}

void expect_relate_degree(const struct expected *expected, struct finding *finding,
			  enum field_id field)
{
	const struct setting *setting = field == FIELD_COUNT ? NULL : fact(expected->job, field);

	if (setting && setting_given(setting) && !is_open(setting))
		relate_setting(expected->job, finding, field);
	else
		expect_relate_degrees(expected, finding);
}

/* "tp", as the job's own file calls it where the degree stands there. */
static const char *spelling(const struct setting *setting)
{
	const char *name =
		setting_given(setting) ? setting->spelling : field_of(setting->field)->key;
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

/* "tp 2": a degree to be written. */
static const char *proposal(const struct expected *expected, enum field_id field, int64_t degree)
{
	return arena_printf(expected->job->arena, "%s %" PRId64,
			    spelling(fact(expected->job, field)), degree);
}

/* Degrees that are not factors of the world. */
static bool is_inner(enum field_id field)
{
	return field == FIELD_EP || field == FIELD_ETP;
}

static bool in_file(const struct job *job, enum field_id field)
{
	const struct setting *setting = fact(job, field);

	return setting->origin == ORIGIN_GIVEN && setting->span.source == job->document.source;
}

/* Proposes one degree, of which another then follows. */
static void fix_one(const struct expected *expected, struct finding *finding, enum field_id field,
		    int64_t degree, enum field_id follows, int64_t then)
{
	struct job *job = expected->job;

	finding_fix(job->findings, finding, "give %s: %s is then %" PRId64,
		    proposal(expected, field, degree), spelling(fact(job, follows)), then);
	edit_setting(job, finding, fact(job, field), degree);
}

/* Proposes two degrees; half an edit would be worse than none. */
static void fix_both(const struct expected *expected, struct finding *finding, enum field_id field,
		     int64_t degree, enum field_id other, int64_t rest)
{
	struct job *job = expected->job;

	finding_fix(job->findings, finding, "give %s and %s: the product stays %" PRId64,
		    proposal(expected, field, degree), proposal(expected, other, rest), job->world);
	if (!in_file(job, field) || !in_file(job, other))
		return;
	edit_setting(job, finding, fact(job, field), degree);
	edit_setting(job, finding, fact(job, other), rest);
}

/* The degrees are as they should be, and something else is built from them. */
static void blame_framework(const struct expected *expected, struct finding *finding)
{
	finding_fix(expected->job->findings, finding,
		    "not in the degrees: parplan plan shows what is built, the other findings why");
}

void expect_fix_degree(const struct expected *expected, struct finding *finding,
		       enum field_id field, int64_t want)
{
	struct job *job = expected->job;
	enum field_id other = field == FIELD_DP_SHARD ? FIELD_DP_REPLICATE : FIELD_DP_SHARD;
	enum field_id total =
		field == FIELD_DP_SHARD && setting_given(fact(job, FIELD_DP)) ? FIELD_DP : field;
	int64_t both = multiply(degree_of(job, field), degree_of(job, other));

	if (degree_of(job, field) == want) {
		blame_framework(expected, finding);
	} else if (is_inner(field)) {
		finding_fix(job->findings, finding, "give %s", proposal(expected, field, want));
		edit_setting(job, finding, fact(job, field), want);
	} else if (setting_given(fact(job, FIELD_DP)) || both % want) {
		finding_fix(job->findings, finding,
			    "give %s, and other degrees so that the product is %" PRId64 " again",
			    proposal(expected, total, want), job->world);
	} else if (is_open(fact(job, field))) {
		fix_one(expected, finding, other, both / want, field, want);
	} else if (is_open(fact(job, other))) {
		fix_one(expected, finding, field, want, other, both / want);
	} else {
		fix_both(expected, finding, field, want, other, both / want);
	}
}

/* ---- degrees ---- */

static void judge_degree(const struct expected *expected, const struct node *want,
			 enum field_id field)
{
	struct job *job = expected->job;
	int64_t got = degree_of(job, field);
	const struct setting *setting = fact(job, field);
	struct finding *finding;

	if (!expect_shape(job, want, SHAPE_COUNT, NULL) || want->integer == got)
		return;
	finding = expect_failed(expected, want, "expected %s %" PRId64 ", it is %" PRId64,
				want->key, want->integer, got);
	expect_relate_degree(expected, finding, field);
	finding_requested(job->findings, finding, "%s = %" PRId64, want->key, want->integer);
	finding_actual(job->findings, finding, "%s = %" PRId64 "%s", want->key, got,
		       is_open(setting) ? ", what the other degrees leave of the world" : "");
	expect_fix_degree(expected, finding, field, want->integer);
}

void expect_degrees(const struct expected *expected)
{
	const char *names[AXIS_SP - AXIS_DP_REPLICATE];
	const struct node *want;
	int i;

	for (i = AXIS_DP_REPLICATE; i < AXIS_SP; i++)
		names[i - AXIS_DP_REPLICATE] = axis_name(axes[i]);
	if (expected->job->applied->error)
		return; /* they are not what is built */
	for (want = expected->want->first; want; want = want->next) {
		enum field_id field = expect_axis(want->key);
		if (field == FIELD_COUNT)
			expect_unknown(expected->job, want, names, AXIS_SP - AXIS_DP_REPLICATE);
		else
			judge_degree(expected, want, field);
	}
}

/* ---- strategy ---- */

/* Ranks that hold one copy, were parameters shared inside a node and repeated across; or 0. */
static int64_t shard_in_node(const struct job *job)
{
	int64_t node = setting_int(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);
	int64_t inner = multiply(degree_of(job, FIELD_TP), degree_of(job, FIELD_CP));
	int64_t both = multiply(degree_of(job, FIELD_DP_REPLICATE), degree_of(job, FIELD_DP_SHARD));

	return node > inner && node % inner == 0 && both > node / inner &&
			       both % (node / inner) == 0
		       ? node / inner
		       : 0;
}

/* Which dp_shard gives that strategy in this world; 0: none that can be told. */
static int64_t shard_for(const struct job *job, const char *strategy)
{
	int64_t both = multiply(degree_of(job, FIELD_DP_REPLICATE), degree_of(job, FIELD_DP_SHARD));

	if (!strcmp(strategy, "fsdp"))
		return both;
	if (!strcmp(strategy, "ddp"))
		return degree_of(job, FIELD_CP) == 1 ? 1 : 0;
	return !strcmp(strategy, "hsdp") ? shard_in_node(job) : 0;
}

/* The framework does something else than the degrees ask for: no degree is to blame. */
static bool is_framework(const struct job *job)
{
	return job->applied->requested != job->applied->dense.strategy;
}

void expect_data_parallel(const struct expected *expected)
{
	struct job *job = expected->job;
	const char *want = expected->want->text;
	const char *got = strategy_name(job->applied->dense.strategy);
	struct finding *finding;

	if (!strcmp(want, got))
		return;
	finding = expect_failed(expected, expected->want, "expected %s, applied is %s", want, got);
	finding_requested(job->findings, finding, "%s", want);
	expect_relate_degrees(expected, finding);
	if (is_framework(job)) {
		finding_actual(job->findings, finding, "the degrees ask for %s, %s applies %s",
			       strategy_name(job->applied->requested),
			       speaker(job, job->framework->name), got);
		blame_framework(expected, finding);
		return;
	}
	finding_actual(job->findings, finding,
		       "%s: dp_replicate %" PRId64 ", dp_shard %" PRId64 ", cp %" PRId64, got,
		       degree_of(job, FIELD_DP_REPLICATE), degree_of(job, FIELD_DP_SHARD),
		       degree_of(job, FIELD_CP));
	if (shard_for(job, want))
		expect_fix_degree(expected, finding, FIELD_DP_SHARD, shard_for(job, want));
}

/* ---- counts ---- */

static struct finding *judge_count(const struct expected *expected, int64_t got)
{
	int64_t want = expected->want->integer;
	struct finding *finding;

	if (want == got)
		return NULL;
	finding = expect_failed(expected, expected->want, "expected %s %" PRId64 ", it is %" PRId64,
				expected->row->name, want, got);
	finding_requested(expected->job->findings, finding, "%" PRId64, want);
	finding_actual(expected->job->findings, finding, "%" PRId64, got);
	return finding;
}

void expect_world(const struct expected *expected)
{
	struct job *job = expected->job;
	const struct setting *world = job->world_from;
	const struct setting *free =
		fact(job, setting_given(fact(job, FIELD_DP)) ? FIELD_DP : FIELD_DP_SHARD);
	struct finding *finding = judge_count(expected, job->world);
	int i;

	if (!finding)
		return;
	if (span_known(world->span))
		finding_relate(job->findings, finding, world->span, "world=%" PRId64, job->world);
	for (i = 0; i < world->parent_count; i++)
		relate_setting(job, finding, world->parents[i]->field);
	if (!setting_given(free) || free->integer < 1) /* the degrees follow the world */
		edit_setting(job, finding, world, expected->want->integer);
}

void expect_units(const struct expected *expected)
{
	static const enum field_id because[] = { FIELD_MODEL_PRESET, FIELD_MODEL_LAYERS,
						 FIELD_DP_SHARD, FIELD_DP_REPLICATE };
	struct job *job = expected->job;
	struct finding *finding;
	size_t i;

	if (job->applied->stages_assumed) {
		expect_unjudged(job, expected->want, "a framework that cuts the model into stages");
		return;
	}
	finding = judge_count(expected, (int64_t)job->applied->units.count);
	for (i = 0; finding && i < sizeof(because) / sizeof(*because); i++)
		relate_setting(job, finding, because[i]);
}

void expect_stages(const struct expected *expected)
{
	static const enum field_id because[] = { FIELD_PP,
						 FIELD_PP_SCHEDULE,
						 FIELD_PP_LAYERS_PER_STAGE,
						 FIELD_PP_VIRTUAL_STAGES,
						 FIELD_PP_STAGES,
						 FIELD_PP_SPLIT_POINTS };
	struct job *job = expected->job;
	size_t count = job->applied->stages.count, i;
	struct finding *finding;

	if ((!count || job->applied->stages_assumed) && degree_of(job, FIELD_PP) > 1) {
		expect_unjudged(job, expected->want, "a framework that cuts the model into stages");
		return;
	}
	finding = judge_count(expected, count ? (int64_t)count : 1);
	for (i = 0; finding && i < sizeof(because) / sizeof(*because); i++)
		relate_setting(job, finding, because[i]);
}
