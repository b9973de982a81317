#include "base/number.h"
#include "wings/megatron/megatron.h"
#include "input/field.h"
#include "input/node.h"

/*
 * The global batch and its parts: megatron/training/arguments.py validate_args and core/
 * num_microbatches_calculator.py at d98e8a64.
 */

static bool known(const struct megatron *m, enum field_id field)
{
	return setting_known(&m->job->settings.items[field]);
}

static int64_t number(const struct megatron *m, enum field_id field)
{
	return setting_int(&m->job->settings, field, 0);
}

/* Ranks with data of their own (training/global_vars.py): those of dp, and of gtp. */
static int64_t distinct(const struct megatron *m)
{
	return multiply(m->degrees.dp, m->gtp);
}

static void check_constant_batch(struct megatron *m, int64_t global, int64_t micro)
{
	if (global % multiply(micro, distinct(m)) == 0)
		return;
	megatron_raise(m, MEGATRON(BATCH), VALUE(global), VALUE(micro), VALUE(distinct(m)));
	megatron_blame(m, FIELD_GLOBAL_BATCH_SIZE);
	megatron_blame(m, FIELD_MICRO_BATCH_SIZE);
}

static void check_growing_batch(struct megatron *m, int64_t global, int64_t micro)
{
	const struct node *start = m->job->settings.items[FIELD_RAMPUP_BATCH_SIZE].node->first;
	const struct node *step = start ? start->next : NULL;

	if (!start || !step || !field_fits(FIELD_INT, start) || !field_fits(FIELD_INT, step) ||
	    start->integer < 1 || step->integer < 1)
		return;
	if (global < start->integer)
		megatron_raise(m, MEGATRON(RAMPUP_START), VALUE(global), VALUE(start->integer));
	else if ((global - start->integer) % step->integer)
		megatron_raise(m, MEGATRON(RAMPUP_STEPS), VALUE(global - start->integer),
			       VALUE(step->integer));
	else if (start->integer % multiply(micro, distinct(m)))
		megatron_raise(m, MEGATRON(RAMPUP_BATCH), VALUE(start->integer), VALUE(micro),
			       VALUE(distinct(m)));
	megatron_blame(m, FIELD_RAMPUP_BATCH_SIZE);
	megatron_blame(m, FIELD_GLOBAL_BATCH_SIZE);
}

/*
 * Evaluation takes training's sizes where it has none of its own, and the global batch is one
 * microbatch for each rank of dp where nobody gives it: d85365bd23, with GTP df197a816f.
 */
void megatron_validate_eval_batch(struct megatron *m)
{
	enum { SINCE = 20260413, WITH_GTP = 20260821 };
	const int64_t training = number(m, FIELD_MICRO_BATCH_SIZE), dp = m->degrees.dp;
	const int64_t micro = setting_int(&m->job->settings, FIELD_EVAL_MICRO_BATCH_SIZE, training);
	const bool gtp = megatron_since(m, WITH_GTP);
	int64_t global = number(m, FIELD_GLOBAL_BATCH_SIZE);

	if (global < 1)
		global = multiply(training, dp);
	global = setting_int(&m->job->settings, FIELD_EVAL_GLOBAL_BATCH_SIZE, global);
	if (!m->own_file || !megatron_since(m, SINCE) || micro < 1 || global < 1 || dp < 1 ||
	    global % multiply(micro, gtp ? distinct(m) : dp) == 0)
		return;
	if (gtp)
		megatron_raise(m, MEGATRON(EVAL_BATCH_GTP), VALUE(global), VALUE(micro), VALUE(dp),
			       VALUE(m->gtp));
	else
		megatron_raise(m, MEGATRON(EVAL_BATCH), VALUE(global), VALUE(micro), VALUE(dp));
	megatron_blame(m, FIELD_EVAL_GLOBAL_BATCH_SIZE);
	megatron_blame(m, FIELD_EVAL_MICRO_BATCH_SIZE);
	megatron_blame(m, FIELD_GLOBAL_BATCH_SIZE);
	megatron_blame(m, FIELD_MICRO_BATCH_SIZE);
	megatron_blame(m, FIELD_WEIGHT_SHARDS);
}

void megatron_validate_batch(struct megatron *m)
{
	const int64_t global = number(m, FIELD_GLOBAL_BATCH_SIZE);
	const int64_t micro = number(m, FIELD_MICRO_BATCH_SIZE);

	if (global < 1 || micro < 1 || m->degrees.dp < 1 ||
	    setting_bool(&m->job->settings, FIELD_DECREASE_BATCH, false))
		return;
	if (known(m, FIELD_RAMPUP_BATCH_SIZE))
		check_growing_batch(m, global, micro);
	else
		check_constant_batch(m, global, micro);
}
