#include "base/text.h"
#include "wings/torchtitan/parallelize.h"
#include "framework/torch/job_torch.h"
#include "framework/wing.h"
#include "wings/torchtitan/exceptions.h"
#include "wings/torchtitan/pipeline.h"

#include <string.h>

/*
 * The pipeline of one job: torchtitan distributed/pipeline_parallel.py (pipeline.py up to
 * v0.1.0), pipeline_llm and build_pipeline_schedule.
 */

static const struct node *node_of(const struct job *job, enum field_id id)
{
	const struct setting *setting = &job->settings.items[id];

	return setting_known(setting) ? setting->node : NULL;
}

enum { STAGES_MOST = 1 << 20, WEIGHT_MOST = 1 << 20 };

/* Layers that an end of the model counts for; far more than there are is as bad as more. */
static int64_t weight_of(const struct job *job, enum field_id id)
{
	int64_t weight = setting_int(&job->settings, id, 1);

	return weight > WEIGHT_MOST ? WEIGHT_MOST : weight < -WEIGHT_MOST ? -WEIGHT_MOST : weight;
}

static struct pipeline_request pipeline_request_of(const struct job *job, const int traits[],
						   int64_t pp, const char *output)
{
	const struct settings *settings = &job->settings;
	struct pipeline_request request = {
		.algorithm = (enum titan_pp)traits[TRAIT_PP],
		.v = (enum titan_pp_v)traits[TRAIT_PP_V],
		.own_names = traits[TRAIT_OWN_SCHEDULES],
		.torch = torch_of_job(job),
		.degree_named = traits[TRAIT_PP_DEGREE_NAMED],
		.schedule = setting_text(settings, FIELD_PP_SCHEDULE, "1F1B"),
		.pp = pp > 1 ? pp : 1,
		.layers = job->model->layers,
		.layers_per_stage = setting_int(settings, FIELD_PP_LAYERS_PER_STAGE, 0),
		.input_weight = weight_of(job, FIELD_PP_FIRST_STAGE_LESS),
		.output_weight = weight_of(job, FIELD_PP_LAST_STAGE_LESS),
		.split_points = node_of(job, FIELD_PP_SPLIT_POINTS),
		.parts = node_of(job, FIELD_PP_STAGES),
		.output = output,
	};

	if (request.layers_per_stage < 0)
		request.layers_per_stage = 0;
	if (request.pp > 1)
		return request;
	/* No pipeline: everything is in the one stage, whatever else is set. */
	request.algorithm = PP_FQNS;
	request.schedule = "1F1B";
	request.layers_per_stage = 0;
	request.input_weight = request.output_weight = 1;
	request.parts = request.split_points = NULL;
	return request;
}

/* Without a model: as many stages as the schedule has by default (up to a million), and no modules.
 */
static void stages_without_model(struct job *job, struct plan *plan, const struct titan *titan)
{
	const struct pipeline_schedule *schedule =
		pipeline_schedule_find(setting_text(&job->settings, FIELD_PP_SCHEDULE, "1F1B"));
	const int64_t pp = titan->degrees.pp > 1 ? titan->degrees.pp : 1;
	const int64_t stages = pp * (pp == 1 || !schedule || schedule->single ? 1 : 2);
	const bool v = pipeline_in_v(schedule, (enum titan_pp_v)titan->traits[TRAIT_PP_V]);
	int64_t i;

	for (i = 0; i < stages && stages <= STAGES_MOST; i++) {
		struct stage stage = { .index = (int)i };
		stage.pp_rank = v && i >= pp ? stages - 1 - i : i % pp;
		vec_push(plan->arena, &plan->stages, stage);
	}
}

static void raise_split(struct job *job, struct plan *plan, const struct pipeline_split *split)
{
	if (!split->raised.type)
		return;
	exception_raise_told(plan, split->raised);
	plan_blame(plan, settings_of(&job->settings, split->because));
	if (split->because != FIELD_PP)
		plan_blame(plan, settings_of(&job->settings, FIELD_PP));
}

/* A schedule that is not known needs no model to be refused. */
static void look_up_schedule(struct job *job, struct plan *plan, const struct titan *titan)
{
	const struct pipeline_request request = {
		.algorithm = (enum titan_pp)titan->traits[TRAIT_PP],
		.own_names = titan->traits[TRAIT_OWN_SCHEDULES],
		.torch = titan->torch.torch,
		.split_points = node_of(job, FIELD_PP_SPLIT_POINTS),
		.schedule = setting_text(&job->settings, FIELD_PP_SCHEDULE, "1F1B"),
	};
	struct pipeline_split split;

	if (titan->degrees.pp <= 1 || setting_known(&job->settings.items[FIELD_PP_SCHEDULE_CSV]))
		return;
	pipeline_ask(plan->arena, &request, &split);
	raise_split(job, plan, &split);
}

void titan_pipeline_split(struct job *job, struct plan *plan, const struct titan *titan)
{
	struct pipeline_request request;
	struct pipeline_split split;
	size_t i;

	if (plan->error)
		return;
	if (!job->model) {
		look_up_schedule(job, plan, titan);
		if (!plan->error)
			stages_without_model(job, plan, titan);
		return;
	}
	request = pipeline_request_of(job, titan->traits, titan->degrees.pp,
				      titan->traits[TRAIT_NAMES] >= NAMES_LM_HEAD ? "lm_head"
										  : "output");
	request.torch = titan->torch.torch;
	request.own_names |= request.pp <= 1; /* nobody asks torch for the class */
	pipeline_split(plan->arena, &request, &split);
	for (i = 0; i < split.stages.count; i++)
		vec_push(plan->arena, &plan->stages, split.stages.items[i]);
	raise_split(job, plan, &split);
	/* Split points that nobody gave stop the job, but meshes are as the degrees make them. */
	if (plan->error && split.because == FIELD_PP_SPLIT_POINTS &&
	    !setting_given(&job->settings.items[FIELD_PP_SPLIT_POINTS]))
		plan_postpone(plan);
}

/* True when the config counts microbatches; else it gives their size. */
static bool counted(const struct titan *titan)
{
	return titan->traits[TRAIT_TOKENS] ||
	       titan->traits[TRAIT_MICROBATCHES] != MICROBATCHES_SIZED;
}

/* Microbatches per step, or 0 when the config does not say. */
static int64_t microbatches_of(const struct job *job, const struct plan *plan,
			       const struct titan *titan)
{
	const struct settings *settings = &job->settings;
	const int64_t size = setting_int(settings, FIELD_PP_MICROBATCH_SIZE, 1);
	const int64_t batch = setting_int(settings, FIELD_LOCAL_BATCH_SIZE, 0);

	if (titan->traits[TRAIT_TOKENS])
		return setting_int(settings, FIELD_PP_MICROBATCHES, 0);
	if (titan->traits[TRAIT_MICROBATCHES] == MICROBATCHES_COUNTED)
		return setting_int(settings, FIELD_PP_MICROBATCHES, titan->degrees.pp);
	if (titan->traits[TRAIT_MICROBATCHES] != MICROBATCHES_SIZED)
		return setting_int(settings, FIELD_PP_MICROBATCHES, (int64_t)plan->stages.count);
	return size > 0 ? batch / size : 0;
}

/* 95677cb9c: the batch is cut into the microbatches that are counted. */
static void validate_count(struct job *job, struct plan *plan, const struct titan *titan)
{
	const int64_t count = plan->microbatches;
	const int64_t batch = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE, 0);

	if (titan->traits[TRAIT_MICROBATCHES] != MICROBATCHES_CHECKED ||
	    titan->traits[TRAIT_TOKENS] || count < 1 || batch % count == 0)
		return;
	exception_raise(plan, TITAN(MICROBATCHES), VALUE(batch), VALUE(count));
	plan_blame(plan, settings_of(&job->settings, FIELD_PP_MICROBATCHES));
	plan_blame(plan, settings_of(&job->settings, FIELD_LOCAL_BATCH_SIZE));
}

/* The batch must be a multiple of the microbatch; v0.1.0 trips over its own message. */
static void validate_microbatch_size(struct job *job, struct plan *plan, const struct titan *titan)
{
	const int64_t size = setting_int(&job->settings, FIELD_PP_MICROBATCH_SIZE, 1);
	const int64_t batch = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE, 0);

	if (counted(titan) || size < 1 || batch % size == 0)
		return;
	if (titan->traits[TRAIT_PP] != PP_FQNS)
		exception_raise(plan, TITAN(MICROBATCHES_UNBOUND));
	else
		exception_raise(plan, titan_told(TITAN_MICROBATCH_SIZE, titan->when), VALUE(batch),
				VALUE(size));
	plan_blame(plan, settings_of(&job->settings, FIELD_PP_MICROBATCH_SIZE));
	plan_blame(plan, settings_of(&job->settings, FIELD_LOCAL_BATCH_SIZE));
}

/* Until 5525d7723 not every class of schedules was built from what it needs. */
static void validate_looped(struct job *job, struct plan *plan, const struct titan *titan,
			    const struct pipeline_schedule *schedule)
{
	const bool base = schedule && text_starts(schedule->name, "PipelineSchedule");
	const int looped = titan->traits[TRAIT_PP_LOOPED];

	if (plan->error || !schedule || looped == LOOPED_ALL || titan->traits[TRAIT_OWN_SCHEDULES])
		return;
	if (looped == LOOPED_NO_CUSTOM && base)
		exception_raise(plan, TITAN(SCHEDULE_CUSTOM), VALUE(schedule->name));
	else if (looped == LOOPED_TWO && !schedule->single && !strstr(schedule->name, "1F1B"))
		exception_raise(plan, schedule->by_rounds ? TITAN(SCHEDULE_SUBSCRIPT)
							  : TITAN(SCHEDULE_LEN));
	else
		return;
	plan_blame(plan, settings_of(&job->settings, FIELD_PP_SCHEDULE));
}

/*
 * PipelineScheduleSingle is a class to be derived from: torch's words as Python 3.11 has them until
 * TorchTitan finds its own.
 */
static void validate_concrete(struct job *job, struct plan *plan, const struct titan *titan)
{
	if (plan->error ||
	    strcmp(setting_text(&job->settings, FIELD_PP_SCHEDULE, ""), "PipelineScheduleSingle") !=
		    0 ||
	    setting_known(settings_of(&job->settings, FIELD_PP_SCHEDULE_CSV)))
		return;
	if (titan->traits[TRAIT_PP_ABSTRACT_REFUSED])
		exception_raise(plan, TITAN(SCHEDULE_ABSTRACT));
	else
		exception_raise(plan, TITAN(SCHEDULE_ABSTRACT_TORCH));
	plan_blame(plan, settings_of(&job->settings, FIELD_PP_SCHEDULE));
}

/* Up to a88dc4125, whose names are compared to the letter: parallelisms/pipelining_utils.py. */
static void validate_own_name(struct job *job, struct plan *plan, const struct titan *titan)
{
	static const char *const own[] = { "1f1b", "gpipe", "interleaved_1f1b",
					   "flexible_interleaved_1f1b" };
	const struct setting *schedule = settings_of(&job->settings, FIELD_PP_SCHEDULE);
	size_t i;

	if (!titan->traits[TRAIT_OWN_SCHEDULES] || !setting_given(schedule) ||
	    !setting_known(schedule) || schedule->written)
		return;
	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcmp(schedule->text, own[i]))
			return;
	exception_raise(plan, TITAN(SCHEDULE_NOT_THERE), VALUE(schedule->text));
	plan_blame(plan, schedule);
}

void titan_validate_schedule(struct job *job, struct plan *plan, const struct titan *titan)
{
	struct pipeline_microbatches given = { .pp = titan->degrees.pp };
	struct told told;

	if (plan->error || titan->degrees.pp <= 1)
		return;
	plan->microbatches = microbatches_of(job, plan, titan);
	given.schedule =
		pipeline_schedule_find(setting_text(&job->settings, FIELD_PP_SCHEDULE, "1F1B"));
	validate_own_name(job, plan, titan);
	if (!plan->error)
		validate_microbatch_size(job, plan, titan);
	if (!plan->error)
		validate_count(job, plan, titan);
	validate_looped(job, plan, titan, given.schedule);
	validate_concrete(job, plan, titan);
	given.microbatches = plan->microbatches;
	given.stages = (int64_t)plan->stages.count;
	given.torch = &titan->torch.torch;
	if (plan->error || !given.schedule || given.microbatches < 1 ||
	    setting_known(settings_of(&job->settings, FIELD_PP_SCHEDULE_CSV)))
		return;
	told = pipeline_microbatches_refused(plan->arena, &given);
	if (!told.type)
		return;
	exception_raise_told(plan, told);
	plan_blame(plan, settings_of(&job->settings, FIELD_PP_SCHEDULE));
	plan_blame(plan, settings_of(&job->settings, counted(titan) ? FIELD_PP_MICROBATCHES
								    : FIELD_LOCAL_BATCH_SIZE));
	plan_blame(plan, settings_of(&job->settings, FIELD_PP));
}

int64_t titan_fitting_layers(struct job *job, int64_t pp)
{
	struct pipeline_request request;
	struct pipeline_split split;
	int64_t asked, most, away, sign;
	int traits[TRAIT_COUNT];

	titan_traits(job_does(job, HABIT_TRAINER)->when, traits);
	request = pipeline_request_of(job, traits, pp, "output");
	asked = request.layers_per_stage;
	most = request.layers + 2;
	for (away = 1; away <= most && asked > 0; away++)
		for (sign = -1; sign <= 1; sign += 2) {
			request.layers_per_stage = asked + sign * away;
			if (request.layers_per_stage < 1)
				continue;
			pipeline_split(job->arena, &request, &split);
			if (!split.raised.type && split.stages.count)
				return request.layers_per_stage;
		}
	return 0;
}
