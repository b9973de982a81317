#include "base/text.h"
#include "framework/wing.h"
#include "rules/facts.h"
#include "rules/mesh_block.h"
#include "rules/raised.h"
#include "rules/traffic.h"

#include <string.h>

/* Differences that have a rule of their own; what is left goes to data-parallel-differs. */
enum case_of_difference {
	CASE_NONE,
	CASE_COLLAPSED,
	CASE_UNSYNCHRONISED,
	CASE_REPEATED,
	CASE_OTHER
};

static const enum field_id data_parallel_fields[] = { FIELD_DP_REPLICATE, FIELD_DP_SHARD, FIELD_DP,
						      FIELD_CP, FIELD_MESH };

static struct span data_parallel_place(const struct job *job)
{
	const struct setting *mesh = fact(job, FIELD_MESH);
	const struct node *handed =
		setting_known(mesh) ? node_member(mesh->node, "fully_shard") : NULL;

	if (handed && span_known(handed->span))
		return handed->span;
	return first_place(job, data_parallel_fields,
			   sizeof(data_parallel_fields) / sizeof(*data_parallel_fields));
}

/* In a mesh: block, what the author said the axes mean. */
static void relate_meaning(struct job *job, struct finding *finding)
{
	const struct setting *mesh = fact(job, FIELD_MESH);
	const struct node *means = setting_known(mesh) ? node_member(mesh->node, "means") : NULL;

	if (means && span_known(means->span))
		finding_relate(job->findings, finding, means->span, "what the axes mean");
}

/* True when something about "parameters" (not experts) of that kind differs. */
static bool differs(const struct job *job, enum difference_kind kind)
{
	const struct differences *differences = &job->differences;
	size_t i;

	for (i = 0; i < differences->list.count; i++)
		if (differences->list.items[i].kind == kind &&
		    strcmp(differences->list.items[i].subject, "experts") != 0)
			return true;
	return false;
}

/* Two axes that were both meant to share: dim 0 of the mesh repeats, whatever it is called. */
static bool repeats_a_shard(const struct job *job)
{
	const struct sharding *asked = &job->intended->dense, *got = &job->applied->dense;
	struct layout both;

	if (asked->strategy != STRATEGY_FSDP || got->strategy != STRATEGY_HSDP ||
	    got->mesh_count != 2 || got->replicate.modes + got->shard.modes > LAYOUT_MODES)
		return false;
	both = layout_join(got->replicate, got->shard);
	return layout_same_groups(&both, &asked->shard);
}

static enum case_of_difference classify(const struct job *job)
{
	enum strategy asked, got;

	if (job->framework &&
	    wing_does(wing_find(job->framework->name), HABIT_IGNORES_DEGREES, NULL))
		return CASE_NONE; /* the degrees it drops are findings of their own */
	if (!differs(job, DIFFERENCE_STRATEGY) && !differs(job, DIFFERENCE_SHARD_GROUP) &&
	    !differs(job, DIFFERENCE_REPLICATE_GROUP))
		return CASE_NONE;
	asked = job->intended->dense.strategy;
	got = job->applied->dense.strategy;
	if (asked != STRATEGY_NONE && !job->intended->dense.shard.modes &&
	    !job->intended->dense.replicate.modes)
		return CASE_NONE; /* the degrees do not fit the world: no groups are meant */
	if (asked == STRATEGY_HSDP && got == STRATEGY_FSDP)
		return CASE_COLLAPSED;
	if (asked != STRATEGY_NONE && got == STRATEGY_NONE)
		return CASE_UNSYNCHRONISED;
	return repeats_a_shard(job) ? CASE_REPEATED : CASE_OTHER;
}

/* "world_mesh["dp"]", or the axes of the mesh given to fully_shard. */
static const char *mesh_expression(const struct job *job)
{
	const struct sharding *dense = &job->applied->dense;
	char *text = arena_strdup(job->arena, "");
	int i;

	for (i = 0; i < dense->mesh_count; i++)
		text = arena_printf(job->arena, "%s%s\"%s\"", text, i ? ", " : "", dense->mesh[i]);
	return arena_printf(job->arena, "mesh[%s]", text);
}

static const char *groups_of(const struct job *job, const struct sharding *sharding)
{
	int64_t world = job->world;
	const char *shard = "no shard groups", *replicate = "no replicate groups";

	if (sharding->shard.modes)
		shard = arena_printf(job->arena, "shard groups %s",
				     groups_text(job->arena, &sharding->shard, world, 2));
	if (layout_size(&sharding->replicate) > 1)
		replicate = arena_printf(job->arena, "replicate groups %s",
					 groups_text(job->arena, &sharding->replicate, world, 2));
	return arena_printf(job->arena, "%s; %s", shard, replicate);
}

static bool logs(const struct plan *plan, const char *line)
{
	size_t i;

	for (i = 0; i < plan->log.count; i++)
		if (strstr(plan->log.items[i], line))
			return true;
	return false;
}

/* The pin in the file that names the version, replaced. */
static void edit_pin(struct job *job, struct finding *finding, const char *commit)
{
	const struct version *version = trainer_of(job);

	if (version->origin == VERSION_PINNED && span_known(version->span) &&
	    version->span.source == job->document.source)
		finding_edit(job->findings, finding, version->span, "%s", commit);
}

/* The version that does not collapse, when TorchTitan is what collapsed it. */
static void fix_collapsed(struct job *job, struct finding *finding)
{
	bool cp = degree_of(job, FIELD_CP) > 1;

	if (!trainer_of(job) || !job->framework)
		return;
	edit_pin(job, finding, cp ? "40a0873b3" : "9a4eebe1c");
	if (!job_does(job, HABIT_HAS_REPLICAS))
		finding_fix(job->findings, finding,
			    "use a torchtitan that has HSDP: db6b39acd (2024-09-10, PR #518), or "
			    "9a4eebe1c (2024-12-02) and later");
	else if (cp)
		finding_fix(job->findings, finding,
			    "use torchtitan 40a0873b3 (2024-12-11, PR #685) or later: with cp > 1 "
			    "the fix of 9a4eebe1c (PR #713) is not enough");
	else
		finding_fix(job->findings, finding,
			    "use torchtitan 9a4eebe1c (2024-12-02, PR #713) or later; before "
			    "d7cabfb6c it was right, too");
}

static void check_collapsed(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	int64_t applied, asked;

	if (classify(job) != CASE_COLLAPSED)
		return;
	asked = layout_size(&job->intended->dense.shard);
	applied = layout_size(&job->applied->dense.shard);
	finding = finding_add(
		job->findings, rule->id, data_parallel_place(job),
		"the config asks for HSDP, %lld replicas sharded %lld ways, but fully_shard "
		"is given the 1-D %s: flat FSDP over %lld ranks",
		(long long)layout_size(&job->intended->dense.replicate), (long long)asked,
		mesh_expression(job), (long long)applied);
	relate_setting(job, finding, FIELD_DP_REPLICATE);
	relate_setting(job, finding, FIELD_DP_SHARD);
	relate_setting(job, finding, FIELD_CP);
	relate_meaning(job, finding);
	finding_requested(job->findings, finding, "%s", groups_of(job, &job->intended->dense));
	finding_actual(job->findings, finding, "%s%s", groups_of(job, &job->applied->dense),
		       logs(job->applied, "Applied HSDP")
			       ? " (the log will still say \"Applied HSDP to the model\")"
			       : "");
	finding_consequence(job->findings, finding, "%s", traffic_compare(job));
	fix_collapsed(job, finding);
}

static void check_unsynchronised(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (classify(job) != CASE_UNSYNCHRONISED)
		return;
	finding = finding_add(
		job->findings, rule->id, data_parallel_place(job),
		"the config asks for %s over %lld ranks, but nothing is applied: gradients "
		"are never reduced and every rank trains a model of its own",
		strategy_name(job->intended->dense.strategy),
		(long long)(layout_size(&job->intended->dense.shard) *
			    layout_size(&job->intended->dense.replicate)));
	relate_setting(job, finding, FIELD_CP);
	finding_requested(job->findings, finding, "%s", groups_of(job, &job->intended->dense));
	finding_actual(job->findings, finding, "no shard groups; no replicate groups");
}

static void check_other(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (classify(job) != CASE_OTHER)
		return;
	finding = finding_add(job->findings, rule->id, data_parallel_place(job),
			      "the ranks that share parameters are not the ones asked for: %s is "
			      "requested, %s on %s is applied",
			      strategy_name(job->intended->dense.strategy),
			      strategy_name(job->applied->dense.strategy), mesh_expression(job));
	relate_meaning(job, finding);
	finding_requested(job->findings, finding, "%s", groups_of(job, &job->intended->dense));
	finding_actual(job->findings, finding, "%s", groups_of(job, &job->applied->dense));
	finding_consequence(job->findings, finding, "%s", traffic_compare(job));
}

/* A first axis by a name that says it shares, in a block that does not say what is meant. */
static bool reads_as_shard(const struct job *job)
{
	const struct sharding *got = &job->applied->dense;
	const char *name = got->mesh_count == 2 ? got->mesh[0] : "";

	if (!setting_known(fact(job, FIELD_MESH)) || block_member(job, "means") ||
	    got->strategy != STRATEGY_HSDP || layout_size(&got->replicate) < 2)
		return false;
	return strstr(name, "shard") || !strcmp(name, "fsdp") || !strcmp(name, "cp") ||
	       !strcmp(name, "dp_cp");
}

/* The entry of mesh.flatten that joins exactly these axes, or NULL. */
static const char *flattened_as(const struct job *job, const struct block_list *axes)
{
	const struct node *flatten = block_member(job, "flatten"), *entry;
	struct block_list list;
	int i;

	for (entry = flatten ? flatten->first : NULL; entry; entry = entry->next) {
		list = block_list(entry);
		for (i = 0; i < list.count && i < axes->count; i++)
			if (strcmp(list.items[i]->text, axes->items[i]->text) != 0)
				break;
		if (i == list.count && i == axes->count)
			return entry->key;
	}
	return NULL;
}

/* fully_shard over the two flattened into one; the entry is made where there is room for a line. */
static void flatten_both(struct job *job, struct finding *finding)
{
	const struct node *handed = block_member(job, "fully_shard");
	struct block_list axes = block_list(handed);
	const char *name, *known;
	struct span line;

	if (axes.count != 2 || handed->origin != NODE_FROM_FILE)
		return;
	known = flattened_as(job, &axes);
	name = known ? known
		     : arena_printf(job->arena, "%s_%s", axes.items[0]->text, axes.items[1]->text);
	line = handed->key_span;
	finding_fix(job->findings, finding,
		    "flatten the two into one axis, %s, and give fully_shard that", name);
	if (!known && (block_member(job, "flatten") || handed->parent->span.line == line.line))
		return;
	if (!known) {
		finding_edit(job->findings, finding,
			     (struct span) { line.source, line.line, 1, line.line, 1 },
			     "%*sflatten: {%s: [%s, %s]}\n", (int)line.column - 1, "", name,
			     axes.items[0]->text, axes.items[1]->text);
	}
	finding_edit(job->findings, finding, handed->span, "%s", name);
}

static void check_repeated(const struct rule *rule, struct job *job)
{
	bool meant = classify(job) == CASE_REPEATED;
	const struct sharding *got = &job->applied->dense;
	struct finding *finding;

	if (!meant && !reads_as_shard(job))
		return;
	finding = finding_add(job->findings, rule->id, data_parallel_place(job),
			      "a 2-D mesh is HSDP: '%s' %s, but parameters are repeated over its "
			      "%lld ranks and cut over the %lld of '%s' alone",
			      got->mesh[0],
			      meant ? "was meant to share" : "reads as an axis that shares",
			      (long long)layout_size(&got->replicate),
			      (long long)layout_size(&got->shard), got->mesh[1]);
	relate_meaning(job, finding);
	if (meant)
		finding_requested(job->findings, finding, "%s",
				  groups_of(job, &job->intended->dense));
	else
		finding_cap(finding, SEVERITY_WARNING);
	finding_actual(job->findings, finding, "%s", groups_of(job, got));
	if (meant)
		finding_consequence(job->findings, finding, "%s", traffic_compare(job));
	flatten_both(job, finding);
}

static void check_experts(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	int64_t replicas = degree_of(job, FIELD_DP_REPLICATE), ep = degree_of(job, FIELD_EP);
	int64_t asked, applied;
	const char *cut;

	if (!job_does(job, HABIT_REPLICAS_LOST) || replicas < 2 || ep < 2)
		return;
	if (job->model && !job->model->experts)
		return;
	finding = finding_add(job->findings, rule->id, data_parallel_place(job),
			      "routed experts are sharded over the %lld replicas instead of inside "
			      "each: fully_shard reads dim 0 of (dp_replicate, efsdp) as the shard "
			      "axis",
			      (long long)replicas);
	relate_setting(job, finding, FIELD_EP);
	if (!job->intended->has_expert || !job->applied->has_expert)
		return;
	asked = layout_size(&job->intended->expert.shard);
	applied = layout_size(&job->applied->expert.shard);
	finding_requested(job->findings, finding, "experts: %s",
			  groups_of(job, &job->intended->expert));
	finding_actual(job->findings, finding, "experts: %s",
		       groups_of(job, &job->applied->expert));
	cut = asked == applied ? "across the replicas"
			       : arena_printf(job->arena, "%lld ways instead of %lld",
					      (long long)applied, (long long)asked);
	finding_consequence(
		job->findings, finding, "an expert's weights are cut %s%s%s", cut,
		layout_size(&job->applied->expert.replicate) > 1
			? ""
			: ", and its gradients are not averaged over the ranks that hold "
			  "the same part",
		traffic_forecasts(job));
}

#define UPSTREAM "https://github.com/pytorch/torchtitan/"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "hsdp-collapsed",
		.code = "M101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the config asks for HSDP, but flat FSDP over all replicas is applied",
		.explanation =
			"HSDP shards parameters inside a replica and repeats them over replicas; "
			"it needs a 2-D mesh. When fully_shard is given a 1-D mesh, every "
			"parameter is cut over replicas x shards ranks: all-gathers and "
			"reduce-scatters cross nodes in every layer. Training converges and the "
			"log claims HSDP, so only the mesh shows it. TorchTitan did so from "
			"d7cabfb6c to 9a4eebe1c, with context parallel from b19456a98 to "
			"40a0873b3.",
		.remedy =
			"Give fully_shard the 2-D mesh (replicate, shard), or use a version that "
			"does.",
		.source = UPSTREAM "issues/711",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_collapsed },
	{ &(const struct rule_id){
		.name = "no-gradient-sync",
		.code = "M102",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the config asks for data parallelism, but none is applied",
		.explanation =
			"Neither fully_shard nor DDP is applied although several ranks hold the "
			"same parameters, so their gradients are never reduced. TorchTitan "
			"3e3909a0c to 40a0873b3 did this for context parallel without dp_shard: "
			"it wraps the model only when dp_shard > 1.",
		.remedy =
			"Use dp_shard > 1 beside cp, or a version that shards over cp "
			"(torchtitan 40a0873b3 or later).",
		.source = UPSTREAM "pull/685",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_unsynchronised },
	{ &(const struct rule_id){
		.name = "data-parallel-differs",
		.code = "M103",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the ranks that share or repeat parameters are not those asked for",
		.explanation =
			"The mesh given to fully_shard decides who shares a parameter: a 1-D "
			"mesh shards over it, a 2-D mesh repeats over its first axis and shards "
			"over its second. Whatever the names of the axes suggest, only the rank "
			"groups count.",
		.remedy =
			"Hand fully_shard the axes in the order (replicate, shard), with the "
			"axes that shard flattened into one.",
		.source = "https://github.com/NVIDIA-NeMo/Automodel/issues/2768",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_other },
	{ &(const struct rule_id){
		.name = "fsdp-mesh-replicates",
		.code = "M121",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "fully_shard gets two axes to shard over, but replicates over the "
			   "first",
		.explanation =
			"fully_shard reads a mesh of two axes as HSDP: it repeats parameters over "
			"the first and shards them over the second, whatever their names. "
			"(dp_shard, cp) therefore keeps dp_shard copies of everything. Training "
			"converges; only memory and traffic show it. In 2.14 dp_mesh_dims can "
			"change this.",
		.remedy = "Flatten the axes to shard over into one and pass that.",
		.source = "https://github.com/NVIDIA-NeMo/Automodel/issues/2768",
	  },
	  NEEDS_APPLIED, check_repeated },
	{ &(const struct rule_id){
		.name = "ep-hsdp-replicate-sharded",
		.code = "M104",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "experts under HSDP are sharded over the replicate axis",
		.explanation =
			"TorchTitan 18a46d427 to 1d392caa5 passes fully_shard a per-parameter "
			"FSDPMeshInfo with shard_mesh_dim=0 on the 2-D mesh (dp_replicate, "
			"efsdp). Routed experts are then cut over the replicas and repeated over "
			"efsdp: the transpose of HSDP. Main branch only, no release has it.",
		.remedy =
			"Use torchtitan 1d392caa5 (2026-05-07, PR #3231) or later, or "
			"dp_replicate 1.",
		.source = UPSTREAM "issues/3205",
	  },
	  NEEDS_WORLD | NEEDS_TORCHTITAN | NEEDS_APPLIED, check_experts },
	{ &(const struct rule_id){
		.name = "mesh-unavailable",
		.code = "M105",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary =
			"the code asks for a mesh that this combination of degrees does not make",
		.explanation =
			"TorchTitan v0.2.1 and later make every mesh but mark those of degree 1 "
			"as unavailable; code that asks for one stops. Known cases: v0.2.1 "
			"llama4 and qwen3 with ep > 1 and tp 1, v0.2.1 and v0.2.2 with ep > 1 "
			"and dp_shard * cp = 1.",
		.remedy =
			"Use torchtitan 62f5806ed or later, or give the axis named a degree "
			"above 1.",
		.source = UPSTREAM "pull/2185",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, raised_check },
	{ &(const struct rule_id){
		.name = "ddp-with-other-axes",
		.code = "M106",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "dp_replicate without dp_shard (DDP) cannot be combined with other axes",
		.explanation =
			"dp_replicate > 1 with dp_shard 1 and cp 1 is DDP, and TorchTitan's DDP "
			"works on a 1-D world only: tp, pp or (before 6b03ffa32) cp beside it "
			"stop the job.",
		.remedy = "Use dp_shard instead of dp_replicate, or set dp_shard above 1 for HSDP.",
		.source = UPSTREAM "issues/577",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, raised_check },
};
/* clang-format on */

const struct ruleset ruleset_mesh = {
	"mesh",
	"Meshes: who shares and who repeats parameters",
	rules,
	sizeof(rules) / sizeof(*rules),
};
