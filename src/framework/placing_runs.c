#include "framework/grid.h"
#include "framework/placing.h"
#include "framework/torch/fsdp.h"
#include "framework/wing.h"

#include <string.h>

/*
 * What is cut without regard to tensors. FSDP1: torch@v2.8.0 distributed/fsdp/_flat_param.py, a
 * vector per unit. ZeRO-3: deepspeed@edaa7221 runtime/zero/partition_parameters.py, each parameter
 * padded to a multiple of the ranks. ZeRO-1 and 2: runtime/zero/stage_1_and_2.py, one vector for
 * all parameters of a rank. Megatron-LM@d98e8a64: core/distributed/param_and_grad_buffer.py, a
 * buffer for all that a stage has, one for its experts; what pads its buckets is left out.
 */

/* ---- who shares what ---- */

/* How parameters that ranks share are cut: by tensors, unless FSDP1 or the framework says else. */
static enum run_of shared_run(const struct job *job)
{
	const struct framework *builder = placing_builder(job);
	const char *version = setting_text(&job->settings, FIELD_FSDP_VERSION, "");
	const enum run_of run = builder ? builder->shares_by : RUN_OF_NONE;

	if (run == RUN_OF_PARAMETER)
		return run;
	if (wrap_is_flat(&job->settings))
		return RUN_OF_UNIT;
	return strcmp(version, "2") != 0 ? run : RUN_OF_NONE;
}

/* How what is kept of parameters that ranks repeat is cut. */
static enum run_of repeated_run(const struct job *job)
{
	const struct framework *builder = placing_builder(job);

	return builder && builder->repeats_by ? builder->repeats_by : RUN_OF_STAGE;
}

/* The stage of ZeRO that works over ranks which repeat parameters: 1 or 2, or 0. */
static int64_t zero_of(const struct job *job)
{
	const int64_t zero = setting_int(&job->settings, FIELD_ZERO_STAGE, 0);

	if (zero == 1 || zero == 2)
		return zero;
	return setting_bool(&job->settings, FIELD_OPTIMIZER_DISTRIBUTED, false) ? 1 : 0;
}

/* The ranks that cut a run of what all of them repeat: one instance of the optimizer. */
static struct layout within_instance(const struct job *job, const struct layout *replicate)
{
	const int64_t instances = setting_int(&job->settings, FIELD_OPTIMIZER_INSTANCES, 1);
	struct layout inner, outer;

	if (instances < 2 || !replicate->modes || layout_size(replicate) % instances ||
	    !grid_split(replicate, layout_size(replicate) / instances, &inner, &outer))
		return *replicate;
	return inner;
}

static const char *name_of(const struct plan *plan, const struct sharding *sharding,
			   const struct layout *layout)
{
	const struct mesh *mesh =
		sharding->mesh_count ? plan_mesh(plan, sharding->mesh[sharding->mesh_count - 1])
				     : NULL;

	if (mesh && layout_same_groups(&mesh->layout, layout))
		return mesh->name;
	return plan_mesh_over(plan, layout, "dp");
}

static bool runs_are_words(const struct job *job)
{
	return wing_does(wing_find(setting_text(&job->settings, FIELD_ENGINE, "")), HABIT_WORD_RUNS,
			 NULL);
}

static void cut(const struct job *job, const struct plan *plan, struct sharding *sharding)
{
	struct run_cut *run = &sharding->run;
	const int64_t zero = zero_of(job);

	*run = (struct run_cut) { 0 };
	if (sharding->shard.modes) {
		if (!shared_run(job))
			return;
		run->layout = sharding->shard;
		run->held[HELD_PARAMETER] = run->held[HELD_GRADIENT] = true;
	} else if (zero) { /* on one rank, too, it keeps a run of its own */
		run->layout = within_instance(job, &sharding->replicate);
		run->held[HELD_GRADIENT] = zero > 1;
		run->align = runs_are_words(job) ? 2 : 1;
	} else {
		return;
	}
	run->held[HELD_OPTIMIZER] = true;
	run->name = name_of(plan, sharding, &run->layout);
}

void place_runs(const struct job *job, struct plan *plan)
{
	cut(job, plan, &plan->dense);
	if (plan->has_expert)
		cut(job, plan, &plan->expert);
}

/* ---- what lies where in a run ---- */

/* Runs of parameters by what they are made of. */
struct runs {
	const struct job *job;
	struct plan *plan;
	int64_t *length; /* by unit, or by stage, dense and expert; NULL: one for each parameter */
};

static enum run_of run_of(const struct job *job, const struct sharding *sharding)
{
	return sharding->run.held[HELD_PARAMETER] ? shared_run(job) : repeated_run(job);
}

/* The lengths so far of the run that a parameter belongs to; NULL: it has one of its own. */
static int64_t *length_of(const struct runs *runs, const struct sharded *s,
			  const struct sharding *sharding)
{
	const int own = sharding == &runs->plan->expert;

	switch (run_of(runs->job, sharding)) {
	case RUN_OF_UNIT:
		return &runs->length[s->unit];
	case RUN_OF_STAGE:
		return &runs->length[runs->plan->units.count + 2 * (size_t)s->stage + (size_t)own];
	default:
		return NULL;
	}
}

static int64_t padded(int64_t length, const struct run_cut *run)
{
	const int64_t step = layout_size(&run->layout) * (run->align ? run->align : 1);

	return (length + step - 1) / step * step;
}

static void append(const struct runs *runs, struct sharded *s)
{
	const struct sharding *sharding = plan_sharding(runs->plan, s->parameter);
	int64_t *length;

	if (!sharding->run.name)
		return;
	length = length_of(runs, s, sharding);
	s->run_at = length ? *length : 0;
	s->run_length = s->run_at + plan_padded(s);
	if (length)
		*length = s->run_length;
}

/* How many heaps the parameters are dealt to, one after the other, before they are appended. */
static size_t heaps_of(const struct job *job, const struct plan *plan)
{
	const struct run_cut *run = &plan->dense.run;

	if (!run->name || run->held[HELD_PARAMETER] || !runs_are_words(job) ||
	    !setting_bool(&job->settings, FIELD_ZERO_ROUND_ROBIN, false))
		return 1;
	return (size_t)layout_size(&run->layout);
}

static void append_all(const struct runs *runs)
{
	struct sharded *items = runs->plan->parameters.items;
	const size_t heaps = heaps_of(runs->job, runs->plan), count = runs->plan->parameters.count;
	size_t heap, i;

	for (heap = 0; heap < heaps && heap < count; heap++)
		for (i = heap; i < count; i += heaps)
			append(runs, &items[i]);
}

/* Once all runs are complete; units of ZeRO-3 have the sum of what is cut one by one. */
static void close(const struct runs *runs, struct sharded *s)
{
	const struct sharding *sharding = plan_sharding(runs->plan, s->parameter);
	const int64_t *length;
	struct unit *unit;

	if (!sharding->run.name)
		return;
	length = length_of(runs, s, sharding);
	s->run_length = padded(length ? *length : s->run_length, &sharding->run);
	if (s->unit < 0 || !sharding->run.held[HELD_PARAMETER])
		return;
	unit = &runs->plan->units.items[s->unit];
	if (length)
		unit->shard_elements = 0;
	unit->shard_elements += s->run_length / layout_size(&sharding->run.layout);
}

void place_in_runs(const struct job *job, struct plan *plan)
{
	const size_t stages = plan->stages.count ? plan->stages.count : 1;
	struct runs runs = { .job = job, .plan = plan };
	size_t i;

	if (!plan->dense.run.name && !(plan->has_expert && plan->expert.run.name))
		return;
	runs.length =
		arena_array(plan->arena, plan->units.count + 2 * stages, sizeof(*runs.length));
	append_all(&runs);
	for (i = 0; i < plan->parameters.count; i++)
		close(&runs, &plan->parameters.items[i]);
}
