#include "base/number.h"
#include "base/text.h"
#include "input/keys.h"
#include "input/node.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/processes.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static bool is_second(const struct job *job)
{
	return !strcmp(setting_text(&job->settings, FIELD_FSDP_VERSION, "1"), "2");
}

static bool names_hybrid(const struct job *job)
{
	const char *mode = setting_text(&job->settings, FIELD_SHARDING_MODE, "");

	return strstr(text_lower(job->arena, mode), "hybrid_shard") != NULL;
}

/* True for FSDP1's HYBRID_SHARD, however a framework spells it. */
static bool hybrid(const struct job *job)
{
	return names_hybrid(job) && !is_second(job);
}

/* The axes handed to FSDP by the mesh: block: how many, and the size of the last; 0 without. */
static int mesh_axes(const struct job *job, int64_t *last, struct span *place)
{
	const struct setting *mesh = fact(job, FIELD_MESH);
	const struct node *block = setting_known(mesh) ? mesh->node : NULL;
	const struct node *names = node_member(block, "fully_shard"), *item, *size;
	int count = 0;

	*last = 0;
	if (!names)
		return 0;
	*place = names->span;
	item = names->kind == NODE_LIST ? names->first : names;
	for (; item; item = names->kind == NODE_LIST ? item->next : NULL) {
		size = item->kind == NODE_SCALAR
			       ? node_member(node_member(block, "root"), item->text)
			       : NULL;
		*last = size && size->kind == NODE_SCALAR ? size->integer : 0;
		count++;
	}
	return count;
}

/* "2 x 4, 4 x 2": (replicate, shard) meshes of the world with both above 1; NULL without any. */
static const char *two_dimensional(const struct job *job)
{
	const char *text = "";
	int64_t shard;
	int count = 0;

	for (shard = job->world / 2; shard > 1 && count < 4; shard--)
		if (job->world % shard == 0) {
			text = arena_printf(job->arena, "%s%s%" PRId64 " x %" PRId64, text,
					    *text ? ", " : "", job->world / shard, shard);
			count++;
		}
	return *text ? text : NULL;
}

/* Another strategy, or a mesh where the world has room for one. */
static void fix_mesh(struct job *job, struct finding *finding, const char *instead)
{
	const char *meshes = two_dimensional(job);

	if (meshes)
		finding_fix(job->findings, finding,
			    "use %s, or a (replicate, shard) mesh of the %" PRId64 " ranks: %s",
			    instead, job->world, meshes);
	else
		finding_fix(job->findings, finding,
			    "use %s: %" PRId64 " ranks have no two-dimensional mesh", instead,
			    job->world);
}

/* Without a mesh FSDP1 makes shard groups of as many ranks as a node has devices. */
static void check_group(const struct rule *rule, struct job *job)
{
	const struct setting *seen = devices_seen(job), *mode = fact(job, FIELD_SHARDING_MODE);
	const int64_t each = seen ? seen->integer : 0;
	struct finding *finding;

	if (!hybrid(job) || setting_known(fact(job, FIELD_MESH)) || each < 2 ||
	    degree_of(job, FIELD_DP_REPLICATE) > 1 || job->world % each == 0)
		return;
	if (job->world < each)
		finding =
			finding_add(job->findings, rule->id, mode->span,
				    "%.40s shards over the %" PRId64 " devices of a node, but the "
				    "world has %" PRId64 " ranks",
				    mode->text, each, job->world);
	else
		finding = finding_add(
			job->findings, rule->id, mode->span,
			"%.40s shards over the %" PRId64 " devices of a node, which do "
			"not divide the world of %" PRId64 " ranks: %" PRId64 " mod %" PRId64
			" = %" PRId64,
			mode->text, each, job->world, job->world, each, job->world % each);
	relate_setting(job, finding, seen->field);
	relate_setting(job, finding, FIELD_WORLD);
	if (job->world < each)
		finding_quote(job->findings, finding,
			      "ValueError: The arg 'group_size' (%" PRId64
			      ") must not exceed the world size (%" PRId64 ")",
			      each, job->world);
	else
		finding_quote(job->findings, finding,
			      "ValueError: The world size (%" PRId64
			      ") must be divisible by 'group_size=%" PRId64 "'",
			      job->world, each);
	finding->speaker = speaker(job, "torch");
	fix_mesh(job, finding, "FULL_SHARD");
}

static const struct saying mesh_says[] = {
	{ "torch 2.2 and 2.3",
	  "TypeError: object of type 'torch._C._distributed_c10d.ProcessGroup' has no len()" },
	{ "torch 2.4 and later", "ValueError: Expected device_mesh to have ndim=2 but got {n}" },
	{ "torch",
	  "ValueError: ('Manual wrapping with ShardingStrategy.HYBRID_SHARD', 'requires explicit "
	  "specification of process group or device_mesh.')" },
	{ NULL, NULL },
};

static void check_mesh(const struct rule *rule, struct job *job)
{
	struct torch_release torch;
	struct finding *finding;
	struct span place;
	int64_t last;
	const int axes = mesh_axes(job, &last, &place);

	if (!hybrid(job) || axes == 0 || axes == 2)
		return;
	finding = finding_add(job->findings, rule->id, place,
			      "%.40s wants a (replicate, shard) mesh of two dimensions, and gets "
			      "%d",
			      fact(job, FIELD_SHARDING_MODE)->text, axes);
	relate_setting(job, finding, FIELD_SHARDING_MODE);
	if (torch_release_of(job, &torch) && !torch_has(&torch, TORCH_TUPLE_SLICING))
		finding_quote(job->findings, finding, "%s", mesh_says[0].text);
	else
		finding_quote(job->findings, finding,
			      "ValueError: Expected device_mesh to have ndim=2 but got %d", axes);
	finding->speaker = speaker(job, "torch");
	fix_mesh(job, finding, "FULL_SHARD");
}

/* Ranks that shard a parameter under HYBRID_SHARD; 0 when nobody says. */
static int64_t shard_ranks(const struct job *job, struct span *place)
{
	int64_t last;
	const int axes = mesh_axes(job, &last, place);

	if (axes)
		return axes == 2 ? last : 0;
	*place = fact(job, FIELD_DP_SHARD)->span;
	if (setting_given(fact(job, FIELD_DP_SHARD)))
		return degree_of(job, FIELD_DP_SHARD) * degree_of(job, FIELD_CP);
	*place = fact(job, FIELD_SHARDING_MODE)->span;
	return setting_int(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);
}

static void check_one(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	struct span place;

	if (!hybrid(job) || job->world < 2 || shard_ranks(job, &place) != 1)
		return;
	finding =
		finding_add(job->findings, rule->id, place,
			    "%.40s over the mesh (%" PRId64 ", 1) shards over one rank: nothing is "
			    "sharded, no memory saved",
			    fact(job, FIELD_SHARDING_MODE)->text, job->world);
	relate_setting(job, finding, FIELD_SHARDING_MODE);
	finding_actual(job->findings, finding,
		       "FSDP switches to NO_SHARD, which reduces gradients in the shard group "
		       "only: over one rank, so the %" PRId64 " replicas are never averaged",
		       job->world);
	finding_consequence(job->findings, finding,
			    "the only sign is a warning: FSDP is switching to use `NO_SHARD` "
			    "instead of ShardingStrategy.HYBRID_SHARD since the world size is 1.");
	fix_mesh(job, finding, "DDP or FULL_SHARD");
}

/* Whether the framework refuses the degree for something else, of whatever plan. */
static bool refuses_tp(const struct rule *rule, const struct job *job)
{
	const struct plan_error *error = job->applied ? job->applied->error : NULL;

	return error && error->because_count && error->because[0] == fact(job, FIELD_TP) &&
	       !raised(rule, job);
}

static void check_plan(const struct rule *rule, struct job *job)
{
	const struct setting *tp = fact(job, FIELD_TP);
	struct finding *finding;

	if (!job_does(job, HABIT_WANTS_TP_PLAN) || degree_of(job, FIELD_TP) < 2 ||
	    setting_known(fact(job, FIELD_TP_PLAN)) || refuses_tp(rule, job))
		return;
	finding = finding_add(job->findings, rule->id, tp->span,
			      "tp %" PRId64 " without a plan of what it cuts: torchtune wants "
			      "tensor_parallel_plan beside tensor_parallel_dim",
			      degree_of(job, FIELD_TP));
	quote_told(rule, job, finding, (const struct exception_name[]) { TELL_END });
	finding_fix(job->findings, finding,
		    "add the model's plan: tensor_parallel_plan._component_: "
		    "torchtune.models.llama3.base_llama_tp_plan for Llama 3 (here "
		    "parallelism.tp_plan)");
}

static void check_zero(const struct rule *rule, struct job *job)
{
	const struct setting *stage = fact(job, FIELD_ZERO_STAGE),
			     *file = fact(job, FIELD_ZERO_CONFIG);
	struct finding *finding;

	if (!job_does(job, HABIT_ENGINE_FILE) || !setting_given(stage) || !setting_given(file) ||
	    stage->origin == ORIGIN_SET ||
	    (span_known(stage->span) && stage->span.source != file->span.source))
		return; /* the stage may stand in that file, or be said of it beside */
	finding = finding_add(job->findings, rule->id, stage->span,
			      "zero_stage %" PRId64 " stands beside %.80s, which says it, too",
			      stage->integer, file->text);
	relate_setting(job, finding, FIELD_ZERO_CONFIG);
	quote_told(rule, job, finding,
		   (const struct exception_name[]) {
			   TELL("names", "'gradient_accumulation_steps', 'gradient_clipping', "
					 "'zero_stage', ..."),
			   TELL_END });
	finding_fix(job->findings, finding, "remove zero_stage: the file would win");
}

static struct finding *drop(const struct rule *rule, struct job *job, struct span span,
			    const char *strategy)
{
	struct finding *finding;

	finding = finding_add(
		job->findings, rule->id, span,
		"FSDP2 takes no %.40s: the model is shared over all ranks of dp_shard", strategy);
	relate_setting(job, finding, FIELD_FSDP_VERSION);
	return finding;
}

/* The words of a Trainer's `fsdp`, of which FSDP2 takes those alone that shard over all ranks. */
static void check_words_of_two(const struct rule *rule, struct job *job)
{
	const struct setting *mode = fact(job, FIELD_SHARDING_MODE);

	const bool bare = job_does(job, HABIT_BARE_DEGREES);

	if ((!bare &&
	     (!job_does(job, HABIT_HF_TRAINER) || job_does(job, HABIT_STRATEGY_DROPPED))) ||
	    !setting_known(mode) || !is_second(job) ||
	    (!names_hybrid(job) && strcasecmp(mode->text, "no_shard") != 0))
		return;
	finding_fix(job->findings, drop(rule, job, mode->span, mode->text), "%s",
		    bare ? "give FSDP's version 1, or the replicas: dp_replicate_size"
			 : "give FSDP's version 1, or the replicas to accelerate: "
			   "parallelism_config_dp_replicate_size");
}

/* Where fsdp_config names a strategy. */
static const char *const paths[] = { "fsdp_config.fsdp_sharding_strategy",
				     "fsdp_config.sharding_strategy" };

/* What accelerate's FSDP2 plug-in does with a strategy: it reads reshard_after_forward instead. */
static void check_strategy_of_two(const struct rule *rule, struct job *job)
{
	const struct node *said;
	struct finding *finding;
	size_t i;

	if (!job_does(job, HABIT_STRATEGY_DROPPED) || !is_second(job))
		return;
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		said = node_find(job->document.root, paths[i]);
		if (!said || said->kind != NODE_SCALAR ||
		    (!strstr(said->text, "HYBRID_SHARD") && strcmp(said->text, "NO_SHARD") != 0))
			continue;
		finding = drop(rule, job, said->span, said->text);
		finding_actual(job->findings, finding,
			       "the only sign is a warning: sharding_strategy is deprecated in "
			       "favor of reshard_after_forward");
		finding_fix(job->findings, finding, "%s",
			    job_does(job, HABIT_BARE_DEGREES)
				    ? "give the replicas as dp_replicate_size, and dp_shard_size"
				    : "give the replicas in parallelism_config: "
				      "parallelism_config_dp_replicate_size, and "
				      "parallelism_config_dp_shard_size");
	}
}

/* A strategy by its name in any case, or of a boolean what it would be; NULL: that of all who say
 * nothing. */
static const char *strategy_meant(const struct node *said)
{
	static const char *const names[] = { "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD",
					     "HYBRID_SHARD_ZERO2" };
	size_t i;

	if (said->type == SCALAR_BOOL)
		return said->boolean ? NULL : names[0];
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(said->text, names[i]))
			return names[i];
	return NULL;
}

/*
 * `accelerate config` asks for FSDP1's strategy and writes it as fsdp_reshard_after_forward. The
 * plug-in takes that where no sharding strategy is given, but launch.py always gives one.
 */
static void check_strategy_of_one(const struct rule *rule, struct job *job)
{
	const char *version = setting_text(&job->settings, FIELD_FSDP_VERSION, "1");
	const struct node *map = node_find(job->document.root, "fsdp_config");
	const struct node *said = node_member(map, "fsdp_reshard_after_forward");
	const char *meant = said && said->kind == NODE_SCALAR ? strategy_meant(said) : NULL;
	struct decoder decoder = { job->arena, &job->settings, job->findings };
	struct finding *finding;

	if (!meant || !job_does(job, HABIT_STRATEGY_DROPPED) || job_does(job, HABIT_BARE_DEGREES) ||
	    strcmp(version, "1") != 0 || node_member(map, "fsdp_sharding_strategy"))
		return;
	finding = finding_add(job->findings, rule->id, said->span,
			      "accelerate launch never takes the %.40s that "
			      "fsdp_reshard_after_forward asks FSDP1 for",
			      meant);
	finding_actual(job->findings, finding,
		       "FULL_SHARD: the default of --fsdp_sharding_strategy, which wins");
	finding_fix(job->findings, finding, "write fsdp_sharding_strategy: %s", meant);
	if (said->type != SCALAR_BOOL)
		keys_rename(&decoder, finding, said, "fsdp_sharding_strategy");
}

static void check_strategy(const struct rule *rule, struct job *job)
{
	check_strategy_of_one(rule, job);
	check_strategy_of_two(rule, job);
	check_words_of_two(rule, job);
}

static const struct saying group_says[] = {
	{ "torch", "ValueError: The arg 'group_size' ({n}) must not exceed the world size ({n})" },
	{ "torch", "ValueError: The world size ({n}) must be divisible by 'group_size={n}'" },
	{ NULL, NULL },
};

static const struct saying one_says[] = {
	{ "torch", "UserWarning: FSDP is switching to use `NO_SHARD` instead of "
		   "ShardingStrategy.HYBRID_SHARD since the world size is 1." },
	{ NULL, NULL },
};

#define FSDP1 "torch distributed/fsdp/_init_utils.py"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "hybrid-shard-group",
		.code = "S201",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "HYBRID_SHARD has no mesh, and the world does not fill whole nodes",
		.explanation =
			"Without a mesh or process groups FSDP1's HYBRID_SHARD shards over the "
			"devices of a node, as many as torch sees there, used or not. A world "
			"that is smaller, or not a multiple, cannot form such groups.",
		.remedy = "Use FULL_SHARD, or hand over a (replicate, shard) mesh.",
		.source = "https://github.com/instructlab/training/issues/678",
		.says = group_says,
	  },
	  NEEDS_WORLD, check_group },
	{ &(const struct rule_id){
		.name = "hybrid-shard-mesh",
		.code = "S202",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "HYBRID_SHARD with a mesh that is not two-dimensional",
		.explanation =
			"FSDP1 replicates over the first axis of the mesh and shards over the "
			"second; with one axis it cannot do both. With modules wrapped by hand it "
			"also refuses to run without a mesh.",
		.remedy = "Make a mesh (replicate, shard), or use FULL_SHARD.",
		.source = FSDP1 ", _init_process_group_state_for_hybrid_shard; "
			  "https://github.com/huggingface/accelerate/issues/2671",
		.says = mesh_says,
	  },
	  NEEDS_WORLD, check_mesh },
	{ &(const struct rule_id){
		.name = "shard-axis-of-one",
		.code = "S203",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the shard axis of HYBRID_SHARD has one rank",
		.explanation =
			"A shard group of one rank makes FSDP1 switch to NO_SHARD, which reduces "
			"gradients over the shard group. It then ignores the replicate axis: "
			"every rank trains a model of its own, and the only sign is one warning.",
		.remedy = "Use DDP or FULL_SHARD, or a shard axis of more than one rank.",
		.source = FSDP1 ", _init_core_state; "
			  "https://github.com/pytorch/pytorch/issues/154888",
		.says = one_says,
	  },
	  NEEDS_WORLD, check_one },
	{ &rule_strategy_ignored, NEEDS_NOTHING, check_strategy },
	{ &rule_strategy_refused, NEEDS_NOTHING, NULL },
	{ &(const struct rule_id){
		.name = "tensor-parallel-plan",
		.code = "S204",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "torchtune: tp without a tensor_parallel_plan",
		.explanation =
			"torchtune's models do not say which layers tp cuts; the recipe needs a "
			"plan and stops without one.",
		.remedy = "Name the plan of the model.",
		.source = "torchtune@bd2a0fc7 recipes/full_finetune_distributed.py:160",
	  },
	  NEEDS_OTHER, check_plan },
	{ &(const struct rule_id){
		.name = "zero-config-twice",
		.code = "S205",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "accelerate: ZeRO's stage is set together with a DeepSpeed file",
		.explanation =
			"With deepspeed_config_file only the file counts, and accelerate refuses "
			"settings that it would ignore.",
		.remedy = "Keep the file, or the settings.",
		.source = "accelerate@16cb6eb8 utils/dataclasses.py:1527",
	  },
	  NEEDS_OTHER, check_zero },
};
/* clang-format on */

const struct ruleset ruleset_strategy = {
	"strategy",
	"Sharding strategies by name",
	rules,
	sizeof(rules) / sizeof(*rules),
};
