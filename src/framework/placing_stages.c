#include "framework/placing_stages.h"

#include "framework/placing.h"
#include "framework/stage_layout.h"
#include "framework/stage_names.h"
#include "framework/torch/pipelining.h"
#include "input/node.h"

#include <string.h>

void put_stages(struct plan *plan, const int64_t *blocks, int64_t stages, bool v)
{
	const int64_t pp = plan->degrees.pp;
	int64_t i, first = 0;

	for (i = 0; i < stages; i++) {
		struct stage stage = { .index = (int)i };
		stage.pp_rank = v && i >= pp ? stages - 1 - i : i % pp;
		if (i == 0)
			vec_push(plan->arena, &stage.modules, "tok_embeddings");
		stage_hold_layers(plan->arena, &stage, first, first + blocks[i]);
		first += blocks[i];
		if (i == stages - 1) {
			vec_push(plan->arena, &stage.modules, "norm");
			vec_push(plan->arena, &stage.modules, "output");
		}
		vec_push(plan->arena, &plan->stages, stage);
	}
}

/* Equal parts of what counts as a layer, of which each end of the model is so many. */
static void deal_out(struct plan *plan, int64_t all, int64_t stages, const int64_t ends[2], bool v)
{
	int64_t *each = arena_array(plan->arena, (size_t)stages, sizeof(*each)), i;

	for (i = 0; i < stages; i++)
		each[i] = all / stages + (i < all % stages);
	each[0] -= ends[0];
	each[stages - 1] -= ends[1];
	put_stages(plan, each, stages, v);
}

void put_even_stages(struct plan *plan, int64_t blocks, int64_t stages, bool v)
{
	deal_out(plan, blocks, stages, (const int64_t[2]) { 0 }, v);
}

static const struct node *given(const struct job *job, enum field_id field)
{
	const struct setting *setting = &job->settings.items[field];

	return setting_known(setting) ? setting->node : NULL;
}

/* Modules of each stage, or the first ones, by names that a config gives. */
static void put_named(const struct job *job, struct plan *plan, bool v)
{
	const struct node *parts = given(job, FIELD_PP_STAGES);
	const struct node *points = given(job, FIELD_PP_SPLIT_POINTS);
	const size_t pp = (size_t)plan->degrees.pp;

	if (parts)
		stages_of_names(plan->arena, &plan->stages, parts);
	else if (points && points->first)
		stages_at_points(plan->arena, &plan->stages, points, job->model->layers, "output");
	if (plan->stages.count % pp || (v && plan->stages.count != 2 * pp))
		plan->stages.count = 0;
	stages_to_ranks(&plan->stages, plan->degrees.pp, v);
}

/* Numbers of a list; false where they are none, or not those of the model's blocks. */
static bool read_list(const struct node *list, int64_t *blocks, int64_t *stages, int64_t all)
{
	const struct node *item = list->first;
	int64_t sum = 0;

	for (*stages = 0; item; item = item->next) {
		if (item->kind != NODE_SCALAR || item->type != SCALAR_INT || item->integer < 0 ||
		    *stages == PLACED_STAGES_MOST)
			return false;
		sum += blocks[(*stages)++] = item->integer;
	}
	return sum == all;
}

/* Megatron's layout in words. */
static bool read_layout(const char *text, int64_t *blocks, int64_t *stages, int64_t all)
{
	int64_t sum = 0, i;

	*stages = stage_layout_read(text, NULL, 0);
	if (*stages < 1 || *stages > PLACED_STAGES_MOST)
		return false;
	stage_layout_read(text, blocks, *stages);
	for (i = 0; i < *stages; i++)
		sum += blocks[i];
	return sum == all;
}

/*
 * Stages of a rank that follow from so many layers in each, the last ones of which may have fewer
 * (NVIDIA-NeMo/Automodel components/distributed/pipelining/functional.py,
 * calculate_virtual_stages); 0: nobody says how many layers, or they do not fit the ranks.
 */
static int64_t stages_by_layers(const struct job *job, int64_t pp)
{
	const int64_t each = setting_int(&job->settings, FIELD_PP_LAYERS_PER_STAGE, 0);
	const int64_t stages = each > 0 ? (job->model->layers - 1) / each + 1 : 0;

	return stages % pp ? 0 : stages / pp;
}

/* Stages of a rank where nobody says which blocks they hold. */
static int64_t stages_each(const struct job *job, const struct pipeline_schedule *schedule,
			   int64_t pp)
{
	int64_t given_stages = setting_int(&job->settings, FIELD_PP_VIRTUAL_STAGES, 0);

	if (schedule && schedule->v)
		return 2;
	if (given_stages <= 0)
		given_stages = stages_by_layers(job, pp);
	if (given_stages > 0)
		return given_stages;
	return schedule && !schedule->single ? 2 : 1;
}

/* Layers that an end of the model counts for. */
static int64_t counts_for(const struct job *job, enum field_id end)
{
	const int64_t layers = setting_int(&job->settings, end, 0);

	return layers > 0 ? layers : 0;
}

/* Equal parts, which the config asks for, or for want of its words. */
static void put_equal(const struct job *job, struct plan *plan,
		      const struct pipeline_schedule *schedule)
{
	const int64_t pp = plan->degrees.pp, each = stages_each(job, schedule, pp);
	const int64_t ends[2] = { counts_for(job, FIELD_PP_FIRST_STAGE_LESS),
				  counts_for(job, FIELD_PP_LAST_STAGE_LESS) };
	const int64_t all = job->model->layers + ends[0] + ends[1];
	const int64_t stages = each > PLACED_STAGES_MOST / pp ? 0 : pp * each;

	if (plan->stages.count || stages < 1 || all / stages < ends[0] || all / stages < ends[1])
		return;
	deal_out(plan, all, stages, ends, schedule && schedule->v);
	plan->stages_assumed =
		strcmp(setting_text(&job->settings, FIELD_PP_LAYER_SPLIT, ""), "even") != 0;
}

/* parallelism.pipeline.layer_split, where it says what each stage holds. */
static void put_split(struct job *job, struct plan *plan, bool v)
{
	const struct setting *split = &job->settings.items[FIELD_PP_LAYER_SPLIT];
	int64_t *blocks, stages = 0;
	bool read;

	if (!setting_known(split) || plan->stages.count)
		return;
	blocks = arena_array(plan->arena, PLACED_STAGES_MOST, sizeof(*blocks));
	read = split->node && split->node->kind == NODE_LIST
		       ? read_list(split->node, blocks, &stages, job->model->layers)
		       : split->text &&
				 read_layout(split->text, blocks, &stages, job->model->layers);
	if (read && stages % plan->degrees.pp == 0)
		put_stages(plan, blocks, stages, v && stages == 2 * plan->degrees.pp);
}

void place_stages(struct job *job, struct plan *plan)
{
	const struct framework *builder = placing_builder(job);
	const struct pipeline_schedule *schedule =
		pipeline_schedule_find(setting_text(&job->settings, FIELD_PP_SCHEDULE, "1F1B"));

	if (plan->degrees.pp < 2 || plan->stages.count)
		return;
	put_named(job, plan, schedule && schedule->v);
	put_split(job, plan, schedule && schedule->v);
	if (!plan->stages.count && builder && builder->stages)
		builder->stages(job, plan);
	put_equal(job, plan, schedule);
}
