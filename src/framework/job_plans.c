#include "framework/job_plans.h"

#include "base/text.h"
#include "framework/grid.h"
#include "framework/placing.h"
#include "framework/wing.h"
#include "input/field.h"

#include <string.h>

bool job_driven_by(const struct job *job, const char *framework)
{
	const char *own = job->document.dialect->framework;

	return own ? !strcmp(own, framework) : versions_find(&job->versions, framework) != NULL;
}

bool job_driven_by_alone(const struct job *job, const char *framework)
{
	size_t i;

	for (i = 0; i < job->versions.list.count; i++) {
		const char *name = job->versions.list.items[i].framework;
		if (strcmp(name, framework) != 0 && !version_is_library(name))
			return false;
	}
	return job_driven_by(job, framework);
}

const struct node *job_own(const struct job *job)
{
	return job->document.dialect->framework ? job->document.root
						: job->settings.items[FIELD_OWN].node;
}

/* No other dialect's files have an expect: block themselves. */
static bool is_native(const struct job *job)
{
	return job->document.dialect->holds_expect;
}

bool job_says_all(const struct job *job)
{
	if (job->document.dialect->framework || node_member(job->document.root, "defaults"))
		return true;
	return !is_native(job) && setting_known(&job->settings.items[FIELD_ENGINE]);
}

bool job_says_stage_of_zero(const struct job *job)
{
	return job_says_all(job) || setting_known(&job->settings.items[FIELD_ZERO_STAGE]);
}

const char *job_wants_sizes(const struct job *job)
{
	const char *wants = model_wants(job->arena, &job->settings), *key = wants, *sets = "";

	while (key && *key) {
		const size_t length = strcspn(key, ",");
		sets = arena_printf(job->arena, "%s%s--set %.*s=N", sets, *sets ? " " : "",
				    (int)length, key);
		key += length + strspn(key + length, ", ");
	}
	return wants ? arena_printf(job->arena, "%s (%s)", wants, sets) : NULL;
}

const char *job_lacks_model(const struct job *job)
{
	const char *wants = job_wants_sizes(job);

	return wants ? arena_join(job->arena, "the model is not known without ", wants, "")
		     : "no model is given (--set model.preset=llama3-8b)";
}

const struct framework *job_framework(const struct job *job)
{
	const struct framework *const *row, *best = NULL;
	int claim, highest = 0;

	for (row = frameworks; *row; row++) {
		claim = (*row)->claims ? (*row)->claims(job) : 0;
		if (claim > highest) {
			highest = claim;
			best = *row;
		}
	}
	return best;
}

/* A framework nobody modelled: what the degrees mean is all there is to say. */
static void leave_unmodelled(const struct job *job, struct plan *plan)
{
	const char *framework = job->document.dialect->framework;

	if (!framework && job->versions.list.count)
		framework = job->versions.list.items[0].framework;
	plan->degrees = job->intended->degrees;
	plan->unmodelled = true;
	plan->unmodelled_why = arena_printf(
		job->arena, "What %s builds is not modelled: nothing beyond the degrees is known.",
		framework ? framework : "this framework");
}

/* The first degree that is given as something nobody can resolve, or NULL. */
static const struct setting *open_degree(const struct job *job)
{
	static const enum field_id degrees[] = { FIELD_DP_REPLICATE, FIELD_DP_SHARD, FIELD_TP,
						 FIELD_CP,	     FIELD_PP,	     FIELD_SP,
						 FIELD_ULYSSES,	     FIELD_EP,	     FIELD_ETP };
	enum { DENSE = 7 };
	const bool experts = setting_int(&job->settings, FIELD_MODEL_MOE_EXPERTS, 0) > 0;
	size_t i;

	for (i = 0; i < (experts ? sizeof(degrees) / sizeof(degrees[0]) : DENSE); i++)
		if (setting_unresolved(&job->settings, degrees[i]))
			return &job->settings.items[degrees[i]];
	return NULL;
}

const char *job_trains_nothing(const struct job *job)
{
	if (!job->document.no_job)
		return NULL;
	return arena_printf(job->arena, "This is no training job: %s.",
			    text_on_line(job->arena, job->document.no_job));
}

/* With a degree unknown no group is known: nothing is built on a guess. */
static void leave_open(const struct job *job, struct plan *plan, const struct setting *degree)
{
	plan->degrees = job->intended->degrees;
	plan->unmodelled = true;
	if (job->document.no_job)
		plan->unmodelled_why = job_trains_nothing(job);
	else if (job->unsaid)
		plan->unmodelled_why = arena_printf(
			job->arena,
			"Strategy and degrees are not known: no file or option says what %s does "
			"with "
			"its %s.",
			job->unsaid, job->world ? "ranks" : "ranks, nor how many there are");
	else
		plan->unmodelled_why = arena_printf(
			job->arena,
			"%s is not known (%s): nothing beyond the other degrees is known.",
			degree->spelling ? degree->spelling : field_of(degree->field)->key,
			text_on_line(job->arena, degree->unresolved));
}

bool job_lacks_axis(const struct job *job, enum field_id axis)
{
	const struct framework *framework = job->framework;

	if (axis == FIELD_ULYSSES && !job_does(job, HABIT_ULYSSES_INSIDE))
		return true;
	if (axis == FIELD_SP &&
	    (job_does(job, HABIT_ULYSSES_INSIDE) || job_does(job, HABIT_TRAINER)))
		return true;
	return framework && framework->lacks && framework->lacks(job, axis);
}

const struct setting *job_lacking(const struct job *job)
{
	static const enum field_id axes[] = { FIELD_DP_REPLICATE, FIELD_CP, FIELD_TP,	  FIELD_PP,
					      FIELD_EP,		  FIELD_SP, FIELD_ULYSSES };
	size_t i;

	for (i = 0; job->framework && i < sizeof(axes) / sizeof(axes[0]); i++)
		if (setting_int(&job->settings, axes[i], 1) > 1 && job_lacks_axis(job, axes[i]))
			return &job->settings.items[axes[i]];
	return NULL;
}

/* What a framework cannot be asked for it does not build: nothing is laid out instead. */
static void leave_lacking(const struct job *job, struct plan *plan, const struct setting *axis)
{
	plan->degrees = job->intended->degrees;
	plan->unmodelled = true;
	plan->unmodelled_why = arena_printf(
		job->arena, "%s has no such axis (%s is %s): its groups are not laid out.",
		job->framework->name, axis->spelling, axis->text);
}

/* Executes the job's config into a fresh plan. */
static void job_apply(struct job *job, struct plan *plan)
{
	const struct setting *open = open_degree(job), *lacking = job_lacking(job);

	plan->world = job->world;
	plan->requested = job->intended->requested;
	if (open)
		leave_open(job, plan, open);
	else if (lacking)
		leave_lacking(job, plan, lacking);
	else if (job->framework)
		job->framework->apply(job, plan);
	else
		leave_unmodelled(job, plan);
}

/* Puts on the groups of a plan what the framework puts there. */
static void put_model(struct job *job, struct plan *plan)
{
	if (!job->framework || !job->model)
		return;
	if (job->framework->complete)
		job->framework->complete(job, plan);
	else
		place_model(job, plan);
}

/* What the framework raises as it does so belongs to the applied plan alone. */
static void complete_applied(struct job *job)
{
	struct plan *plan = job->applied;

	if (plan->error || plan->unmodelled || !plan->world || plan->parameters.count)
		return;
	put_model(job, plan);
	if (plan->error && job->framework->refused)
		job->framework->refused(job, plan);
}

/* Builds with sanitizers also count out what must hold of every plan; it costs too much elsewhere.
 */
static void check_plan(const struct plan *plan)
{
	plan_check(plan);
#ifdef __SANITIZE_ADDRESS__
	plan_check_boxes(plan);
#endif
}

struct model *job_model(struct job *job, const struct model *like)
{
	enum naming naming = NAMING_TITAN;

	if (job->framework && job->framework->naming)
		naming = job->framework->naming(job);
	return model_new_like(job->arena, &job->settings, naming, like, job->findings);
}

/*
 * The mesh over which units stay cut between their passes, where their policy is a number:
 * fully_shard makes it of the one that shards (torch@v2.8.0 distributed/fsdp/_fully_shard/
 * _fsdp_init.py, _get_post_forward_mesh_info).
 */
static void put_post_forward(struct plan *plan)
{
	struct mesh mesh = { .name = "post_forward", .exists = true, .backend = "nccl" };
	const struct sharding *dense = &plan->dense;
	struct layout outer;
	size_t i;

	for (i = 0; i < plan->units.count && !plan->units.items[i].kept_over; i++)
		;
	if (i == plan->units.count ||
	    !grid_split(&dense->shard, plan->units.items[i].kept_over, &mesh.layout, &outer))
		return;
	if (dense->mesh_count)
		mesh.from[mesh.from_count++] = dense->mesh[dense->mesh_count - 1];
	vec_push(plan->arena, &plan->meshes, mesh);
}

static struct group_ways group_ways_of(const struct job *job)
{
	const struct wing *engine = wing_find(setting_text(&job->settings, FIELD_ENGINE, ""));

	return (struct group_ways) { wing_does(engine, HABIT_MEGATRON_GROUPS, NULL),
				     wing_does(engine, HABIT_EXPERT_TENSOR, NULL) };
}

void job_make_plans(struct job *job)
{
	job->intended = plan_intended(job->arena, &job->settings, job->world, group_ways_of(job));
	job->applied = plan_new(job->arena, PLAN_APPLIED);
	job_apply(job, job->applied);
	complete_applied(job);
	put_post_forward(job->applied);
	check_plan(job->intended);
	check_plan(job->applied);
	if (job->world && !job->applied->error && !job->applied->unmodelled)
		job->differences = plan_compare(job->arena, job->intended, job->applied);
}

/* ---- the plan as asked ---- */

/*
 * The groups that the degrees make. A script of one's own has said which of its meshes were meant:
 * they are what it has.
 */
static void take_meshes(const struct job *job, struct plan *plan)
{
	const struct sharding *dense = &job->intended->dense;
	const struct plan *from = job->intended;
	size_t i;

	if (!from->meshes.count && !job->applied->error &&
	    (dense->shard.modes || dense->replicate.modes))
		from = job->applied;
	memset(&plan->meshes, 0, sizeof(plan->meshes));
	for (i = 0; i < from->meshes.count; i++)
		vec_push(plan->arena, &plan->meshes, from->meshes.items[i]);
}

const struct plan *job_asked(struct job *job)
{
	struct plan *plan;

	if (job->asked || !job->world || !job->framework || job->document.no_job)
		return job->asked;
	plan = plan_new(job->arena, PLAN_INTENDED);
	*plan = *job->intended;
	plan->arena = job->arena;
	take_meshes(job, plan);
	if (!plan->meshes.count)
		return NULL;
	plan_put_expert_meshes(plan);
	put_model(job, plan);
	put_post_forward(plan);
	plan->error = plan->later = NULL;
	check_plan(plan);
	return job->asked = plan;
}
