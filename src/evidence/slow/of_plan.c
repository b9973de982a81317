#include "evidence/slow/study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Causes that lie in what runs: other groups, another batch. */

/* ---- another layout ---- */

struct degree {
	enum role role;
	enum field_id field;
};

static const struct degree degrees[] = {
	{ ROLE_PP, FIELD_PP },		{ ROLE_REPLICATE, FIELD_DP_REPLICATE },
	{ ROLE_SHARD, FIELD_DP_SHARD }, { ROLE_CP, FIELD_CP },
	{ ROLE_TP, FIELD_TP },
};

enum { DEGREES = sizeof(degrees) / sizeof(*degrees) };

/* What who made the groups says of an axis; NULL: nothing. */
static const struct seen_claim *claim_of(const struct study *study, const char *axis)
{
	const struct capture *capture = study->observed->capture;
	size_t i;

	for (i = 0; i < capture->claims.count; i++)
		if (capture->claims.items[i].built && !strcmp(capture->claims.items[i].axis, axis))
			return &capture->claims.items[i];
	return NULL;
}

/* The degree of an axis as it ran: by traffic, else as a log says; 0: not known. */
static int64_t degree_run(const struct study *study, const struct degree *degree,
			  struct witness *witness)
{
	const struct seen_claim *claim = claim_of(study, role_name(degree->role));
	const int64_t seen = observed_degree(study->observed, degree->role);
	const int32_t family = study->observed->axes.axis[degree->role].family;

	if (seen && family >= 0)
		*witness = study->observed->families.list.items[family].witness;
	else if (!seen && claim)
		*witness = claim->witness;
	return seen || !claim ? seen : claim->degree;
}

static int64_t degree_planned(const struct study *study, enum role role)
{
	const struct layout planned = axis_planned(study->job->intended, role);
	const int64_t size = planned.modes ? layout_size(&planned) : 1;

	return role == ROLE_SHARD ? study->job->intended->degrees.dp_shard : size;
}

/* "tp 4 instead of 2"; NULL: nothing is otherwise. What differs goes into `variations`. */
static const char *differing(const struct study *study, struct variation *variations, size_t *count,
			     struct witness *witness)
{
	const char *text = NULL;
	size_t i;

	*count = 0;
	for (i = 0; i < DEGREES; i++) {
		struct witness told = { -1, 0 };
		const int64_t run = degree_run(study, &degrees[i], &told);
		const int64_t planned = degree_planned(study, degrees[i].role);
		const char *part;
		if (!run || run == planned)
			continue;
		*witness = told;
		part = arena_printf(study->arena, "%s %" PRId64 " instead of %" PRId64,
				    role_name(degrees[i].role), run, planned);
		text = text ? arena_join(study->arena, text, ", ", part) : part;
		variations[*count].field = degrees[i].field;
		variations[(*count)++].value = arena_printf(study->arena, "%" PRId64, run);
	}
	return text;
}

/* The same config with what ran laid over it; false: it has no forecast so. */
static bool simulate_layout(const struct study *study, const struct variation *variations,
			    size_t count, int64_t world, struct slow_cause *cause)
{
	struct forecast *then = arena_new(study->arena, struct forecast);
	struct job *other = arena_new(study->arena, struct job);
	const struct capture *capture = study->observed->capture;

	job_vary(other, study->arena, study->job, variations, count, world);
	if (other->applied->error ||
	    forecast_read_on(then, other, other->applied, NULL, capture->device))
		return false;
	then->profile = study->base.profile;
	forecast_run(then, study->arena);
	cause->other = then;
	return true;
}

static bool judge_layout(const struct study *study, struct slow_cause *cause)
{
	const struct verdict *verdict = study->yardstick->verdict;
	const int64_t world = study->observed->families.world;
	struct variation variations[DEGREES];
	const char *text;
	size_t count;

	text = differing(study, variations, &count, &cause->witness);
	if (world && world != study->job->world)
		text = arena_printf(study->arena, "%" PRId64 " ranks instead of %" PRId64 "%s%s",
				    world, study->job->world, text ? ", " : "", text ? text : "");
	if (text) {
		cause->basis = SLOW_SHOWN;
		cause->says = simulate_layout(study, variations, count, world, cause)
				      ? arena_join(study->arena, "it ran with ", text, "")
				      : arena_join(study->arena, "it ran with ", text,
						   ", which cannot be simulated of this config");
	} else if (verdict->kind == VERDICT_MISMATCH) {
		cause->basis = SLOW_SHOWN;
		cause->says = verdict->text;
	} else if (verdict->kind == VERDICT_MATCH) {
		cause->basis = SLOW_EXCLUDED;
		cause->says = "the groups that ran are the planned ones";
	} else {
		cause->says = "the evidence does not tell which groups carried what (parplan "
			      "verify says what would)";
	}
	return true;
}

const struct slow_row slow_row_layout = {
	.name = "other-layout",
	.title = "another layout than the config's",
	.next = "parplan verify CONFIG EVIDENCE..., and what the launcher overrides",
	.judge = judge_layout,
};

/* ---- another batch ---- */

static void change_batch(struct arena *arena, struct forecast *then,
			 const struct slow_change *change)
{
	(void)arena;
	then->work.microbatches = (int64_t)change->amount;
}

static void change_sequence(struct arena *arena, struct forecast *then,
			    const struct slow_change *change)
{
	(void)arena;
	then->work.seq = (int64_t)change->amount;
}

static bool judge_batch(const struct study *study, struct slow_cause *cause)
{
	const struct workload *work = &study->base.work;
	const int64_t planned = work->microbatches * work->micro * work->dp;
	const struct seen_claim *batch = claim_of(study, CLAIM_BATCH);
	const struct seen_claim *sequence = claim_of(study, CLAIM_SEQUENCE);
	const bool longer = sequence && sequence->degree != work->seq;
	const struct seen_claim *claim = longer ? sequence : batch;
	double rounds;

	if (!claim) {
		cause->says = "nothing says how many tokens a step has";
		return true;
	}
	cause->witness = claim->witness;
	if (!longer && batch->degree == planned) {
		cause->basis = SLOW_EXCLUDED;
		cause->says = "a step has as many sequences as planned";
		return true;
	}
	cause->basis = SLOW_SHOWN;
	cause->says = arena_printf(study->arena, "the log says %s %" PRId64 ", planned is %" PRId64,
				   claim->axis, claim->degree, longer ? work->seq : planned);
	rounds = (double)claim->degree / (double)(work->micro * work->dp);
	if (longer)
		cause->change = (struct slow_change) { change_sequence, (double)claim->degree, 0 };
	else if (rounds >= 1 && rounds <= 1e6 && rounds == floor(rounds))
		cause->change = (struct slow_change) { change_batch, rounds, 0 };
	return true;
}

const struct slow_row slow_row_batch = {
	.name = "other-batch",
	.title = "another batch or sequence length than the config's",
	.next = "the batch and the sequence length that the launch line gives",
	.judge = judge_batch,
};
