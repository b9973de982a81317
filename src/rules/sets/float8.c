#include "base/text.h"
#include "framework/wing.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <string.h>

/* FSDP2 sliced the shard mesh out of the mesh it was given (pytorch#137436) until #143248. */
static bool slices_submeshes(const struct job *job)
{
	struct torch_release torch;

	return torch_release_of(job, &torch) && torch_has(&torch, TORCH_FLATTEN) &&
	       !torch_has(&torch, TORCH_SHARD_MESH_FROM_ROOT);
}

/* True when fully_shard gets a 2-D mesh that is not the root mesh itself. */
static bool hsdp_on_submesh(const struct job *job)
{
	const struct sharding *dense = &job->applied->dense;

	return dense->strategy == STRATEGY_HSDP && dense->mesh_count == 2 &&
	       job->applied->root.axes > 2;
}

/* TorchTitan from 40a0873b3 on names a flattened axis: a submesh even of a 2-D root. */
static bool hsdp_on_flattened(const struct job *job)
{
	const struct sharding *dense = &job->applied->dense;
	const struct mesh *shard;

	if (dense->strategy != STRATEGY_HSDP || dense->mesh_count != 2)
		return false;
	shard = plan_mesh(job->applied, dense->mesh[1]);
	return shard && shard->flattened;
}

static const char *root_text(const struct job *job)
{
	const struct view *root = &job->applied->root;
	char *text = arena_strdup(job->arena, "");
	int i;

	for (i = 0; i < root->axes; i++)
		text = arena_printf(job->arena, "%s%s%s=%lld", text, i ? ", " : "", root->names[i],
				    (long long)root->sizes[i]);
	return text;
}

/* The root of a mesh: block. */
static void relate_root(struct job *job, struct finding *finding)
{
	const struct setting *mesh = fact(job, FIELD_MESH);
	const struct node *root = setting_known(mesh) ? node_member(mesh->node, "root") : NULL;

	if (root && span_known(root->span))
		finding_relate(job->findings, finding, root->span, "the root has %d axes",
			       job->applied->root.axes);
}

static void check_submesh(const struct rule *rule, struct job *job)
{
	const struct setting *gather = fact(job, FIELD_FLOAT8_FSDP_ALL_GATHER);
	const struct sharding *dense = &job->applied->dense;
	struct finding *finding;

	if (!slices_submeshes(job) || !setting_bool(&job->settings, FIELD_FLOAT8_ENABLED, true) ||
	    !setting_bool(&job->settings, FIELD_FLOAT8_FSDP_ALL_GATHER, false))
		return;
	if (!hsdp_on_submesh(job) && !hsdp_on_flattened(job))
		return;
	finding =
		finding_add(job->findings, rule->id, gather->span,
			    "float8 all-gather with HSDP on a part of a larger mesh: %s slices "
			    "[\"%s\"] out of the submesh [\"%s\", \"%s\"], which it forbids",
			    speaker(job, "torch"), dense->mesh[1], dense->mesh[0], dense->mesh[1]);
	if (!hsdp_on_submesh(job))
		finding_cap(finding, SEVERITY_NOTE);
	relate_setting(job, finding, FIELD_DP_REPLICATE);
	relate_setting(job, finding, FIELD_TP);
	relate_root(job, finding);
	finding_requested(job->findings, finding, "the shard mesh [\"%s\"] of the root (%s)",
			  dense->mesh[1], root_text(job));
	finding_actual(job->findings, finding,
		       "an exception in the first forward pass, in "
		       "fsdp_pre_all_gather");
	finding_quote(job->findings, finding,
		      "RuntimeError: Cannot create a submesh from a "
		      "submesh.");
	finding->speaker = speaker(job, "torch");
	finding_fix(job->findings, finding,
		    "use torch 2.7 or later (pytorch PR #143248); or gather in bfloat16; or drop "
		    "the axes beside the two of HSDP");
	if (gather->origin == ORIGIN_GIVEN && gather->span.source == job->document.source)
		finding_edit(job->findings, finding, gather->span, "false");
}

static void check_tp_ignored(const struct rule *rule, struct job *job)
{
	const char *recipe = setting_text(&job->settings, FIELD_FLOAT8_RECIPE, "tensorwise");
	struct finding *finding;

	if (!job_does(job, HABIT_FLOAT8_TP_LOST) || degree_of(job, FIELD_TP) < 2)
		return;
	if (!setting_lists(&job->settings, FIELD_CONVERTERS, "quantize.linear.float8") ||
	    strcmp(recipe, "tensorwise") != 0)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_CONVERTERS)->span,
			      "float8 linear layers with plain tensor parallelism: the TP plan "
			      "looks for the converter \"float8\", which no longer exists");
	relate_setting(job, finding, FIELD_TP);
	finding_requested(job->findings, finding,
			  "Float8ColwiseParallel and "
			  "Float8RowwiseParallel, float8 all-gathers "
			  "over tp");
	finding_actual(job->findings, finding,
		       "ColwiseParallel and RowwiseParallel, bfloat16 "
		       "all-gathers over tp");
}

/* The converter names of before and after 5b5d46856. */
static const struct {
	const char *old, *new;
} converters[] = {
	{ "float8", "quantize.linear.float8" },
	{ "mx", "quantize.linear.mx" },
};

static void find_converter(const struct rule *rule, struct job *job, const struct node *item,
			   const char *wrong, const char *right)
{
	struct finding *finding;

	finding = finding_add(job->findings, rule->id, item->span,
			      "%s has no model converter \"%s\": here it is called \"%s\"",
			      raiser(job), wrong, right);
	quote_told(rule, job, finding,
		   (const struct exception_name[]) { TELL("name", wrong), TELL_END });
	finding_fix(job->findings, finding, "write \"%s\"", right);
	if (item->origin == NODE_FROM_FILE && span_known(item->span))
		finding_edit(job->findings, finding, item->span, "\"%s\"", right);
}

static void check_converter(const struct rule *rule, struct job *job)
{
	const struct setting *setting = fact(job, FIELD_CONVERTERS);
	bool new = job_does(job, HABIT_NAMES_QUANTIZE);
	const struct node *item;
	size_t i;

	if (!setting_known(setting) || !setting->node || job_does(job, HABIT_PYTHON_CONFIG))
		return;
	for (item = setting->node->first; item; item = item->next)
		for (i = 0; i < sizeof(converters) / sizeof(*converters); i++) {
			const char *wrong = new ? converters[i].old : converters[i].new;
			const char *right = new ? converters[i].new : converters[i].old;

			if (item->kind == NODE_SCALAR && !strcmp(item->text, wrong))
				find_converter(rule, job, item, wrong, right);
		}
}

/* ---- torchao by version: one nobody named is of TorchTitan's date ---- */

static void check_amax(const struct rule *rule, struct job *job)
{
	const struct setting *gather = fact(job, FIELD_FLOAT8_FSDP_ALL_GATHER);
	const bool hangs = degree_of(job, FIELD_PP) > 1;
	const enum strategy strategy = job->applied->dense.strategy;
	struct finding *finding;

	if (!setting_bool(&job->settings, FIELD_FLOAT8_ENABLED, true) ||
	    !setting_bool(&job->settings, gather->field, false) ||
	    !job_does(job, HABIT_AMAX_OVER_WORLD) || strategy == STRATEGY_NONE ||
	    strategy == STRATEGY_DDP || (!hangs && degree_of(job, FIELD_TP) < 2))
		return;
	finding =
		finding_add(job->findings, rule->id, gather->span,
			    "torchao %s reduces the scales of weights over all %lld ranks: %s",
			    versions_find(&job->versions, "torchao")->label, (long long)job->world,
			    hangs ? "pipeline stages gather at other times, so the first step "
				    "hangs"
				  : "tp ranks scale by the largest value of all of them");
	relate_setting(job, finding, hangs ? FIELD_PP : FIELD_TP);
	finding_requested(job->findings, finding, "one scale per weight, over its FSDP ranks");
	if (!hangs)
		finding_cap(finding, SEVERITY_NOTE);
	else if (versions_find(&job->versions, "torchao")->origin != VERSION_PINNED)
		finding_cap(finding, SEVERITY_WARNING);
	if (gather->origin == ORIGIN_GIVEN && gather->span.source == job->document.source)
		finding_edit(job->findings, finding, gather->span, "false");
}

/* pytorch#147578: seen in February 2025 with 2.6, gone with the nightly of the day after. */
static void check_rowwise_eager(const struct rule *rule, struct job *job)
{
	const char *recipe = setting_text(&job->settings, FIELD_FLOAT8_RECIPE, "tensorwise");
	struct torch_release torch;
	struct finding *finding;

	if (strncmp(recipe, "rowwise", 7) != 0 || degree_of(job, FIELD_TP) < 2 ||
	    !setting_bool(&job->settings, FIELD_FLOAT8_ENABLED, true) ||
	    setting_bool(&job->settings, FIELD_COMPILE, false) || !torch_release_of(job, &torch) ||
	    torch.minor > 6)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_FLOAT8_RECIPE)->span,
			      "float8 with %s scales under tp %lld without compile: DTensor cannot "
			      "take the largest value of rows in torch %s",
			      recipe, (long long)degree_of(job, FIELD_TP), torch.label);
	relate_setting(job, finding, FIELD_TP);
	finding_quote(job->findings, finding,
		      "NotImplementedError: Operator aten.amax.default does not have a sharding "
		      "strategy registered.");
	finding->speaker = speaker(job, "torch");
}

static void check_delayed(const struct rule *rule, struct job *job)
{
	const struct setting *scaling = fact(job, FIELD_FLOAT8_SCALING_WEIGHT);
	struct finding *finding;

	if (strcmp(setting_text(&job->settings, scaling->field, "dynamic"), "delayed") != 0 ||
	    !setting_bool(&job->settings, FIELD_FLOAT8_ENABLED, true) ||
	    !setting_bool(&job->settings, FIELD_FLOAT8_FSDP_ALL_GATHER, false) ||
	    !setting_bool(&job->settings, FIELD_FLOAT8_PRECOMPUTE_SCALE, false))
		return;
	finding = finding_add(job->findings, rule->id, scaling->span,
			      "scales of weights are asked for delayed and computed ahead, which "
			      "exclude each other: the first optimizer step stops");
	relate_setting(job, finding, FIELD_FLOAT8_PRECOMPUTE_SCALE);
	finding_quote(job->findings, finding, "NotImplementedError: Only supports delayed scaling");
	finding->speaker = "torchao";
	if (scaling->origin == ORIGIN_GIVEN && scaling->span.source == job->document.source)
		finding_edit(job->findings, finding, scaling->span, "\"dynamic\"");
}

/* ---- grouped products of experts ---- */

/* How FSDP cuts the experts that a rank holds, along dim 0; 1 when it does not. */
static int64_t expert_shards(const struct plan *plan, int64_t *experts)
{
	int64_t shards = 1;
	size_t i;
	int k;

	for (i = 0; i < plan->parameters.count && !plan->parameters.items[i].parameter->expert; i++)
		;
	if (i == plan->parameters.count || !plan_places(plan))
		return 1;
	*experts = plan->parameters.items[i].parameter->shape[0];
	for (k = 0; k < plan->parameters.items[i].dims; k++) {
		const struct mesh_dim *dim = &plan->parameters.items[i].dim[k];

		if (dim->placement.kind == PLACE_REPLICATE || dim->placement.dim != 0)
			continue;
		if (!strcmp(dim->name, "ep"))
			*experts /= layout_size(dim->layout);
		else
			shards = layout_size(dim->layout);
	}
	return shards;
}

static void check_grouped(const struct rule *rule, struct job *job)
{
	static const char *const names[] = { "quantize.grouped_mm.mx",
					     "quantize.grouped_mm.float8" };
	const char *dtype = setting_text(&job->settings, FIELD_MATMUL_DTYPE, "");
	bool grouped = !strcmp(dtype, "mxfp8");
	int64_t experts = 0, shards;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		grouped = grouped || setting_lists(&job->settings, FIELD_CONVERTERS, names[i]);
	shards = grouped ? expert_shards(job->applied, &experts) : 1;
	if (shards < 2 || experts % shards == 0)
		return;
	finding_add(
		job->findings, rule->id,
		first_place(
			job,
			(const enum field_id[]) { FIELD_CONVERTERS, FIELD_MATMUL_DTYPE, FIELD_EP },
			3),
		"%lld experts on a rank over %lld FSDP shards: quantized experts must pad their "
		"shards themselves",
		(long long)experts, (long long)shards);
}

static const struct saying rowwise_says[] = {
	{ "torch 2.6", "Operator aten.amax.default does not have a sharding strategy registered." },
	{ NULL, NULL },
};

static const struct saying delayed_says[] = {
	{ "torchao up to 0.9", "NotImplementedError: Only supports delayed scaling" },
	{ NULL, NULL },
};

static void check_unconverted(const struct rule *rule, struct job *job)
{
	const struct setting *gather = fact(job, FIELD_FLOAT8_FSDP_ALL_GATHER);
	const struct setting *enabled = fact(job, FIELD_FLOAT8_ENABLED);
	struct finding *finding;

	if (!setting_given(gather) || !setting_known(gather) || !gather->boolean ||
	    !setting_known(enabled) || enabled->boolean)
		return;
	finding = finding_add(job->findings, rule->id, gather->span,
			      "float8 is not on: %s is ignored", gather->spelling);
	relate_setting(job, finding, FIELD_CONVERTERS);
	finding_requested(job->findings, finding, "all-gathers in float8");
	finding_actual(job->findings, finding, "no layer computes or gathers in float8");
	finding_fix(
		job->findings, finding,
		setting_known(fact(job, FIELD_CONVERTERS)) || enabled->note
			? "name the converter of float8 in model.converters, or drop the section"
			: "switch float8 on, or drop the key");
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "float8-submesh",
		.code = "F101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary =
			"float8 all-gather, HSDP and a third mesh axis stop in PyTorch 2.5 and "
			"2.6",
		.explanation =
			"Before PyTorch 2.7 FSDP2 sliced the shard axis out of the HSDP mesh for "
			"fsdp_pre_all_gather (pytorch#137436). Slicing is illegal when that mesh "
			"is itself a slice of a larger root, so HSDP with tp, cp or pp and a "
			"float8 all-gather stops in the first forward pass. The fault is in "
			"FSDP2, not in torchao or TorchTitan. TorchTitan 40a0873b3 and later name "
			"a flattened axis, so there a plain 2-D root fails, too (derived: a "
			"note).",
		.remedy = "Use PyTorch 2.7 or later, or switch float8 all-gather off.",
		.source = "https://github.com/pytorch/ao/issues/1411",
		.says = (const struct saying[]){
			{ "torch 2.5 and 2.6", "RuntimeError: Cannot create a submesh from a submesh." },
			{ NULL, NULL } },
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_submesh },
	{ &(const struct rule_id){
		.name = "float8-tp-ignored",
		.code = "F102",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "float8 tensor parallelism is silently plain tensor parallelism",
		.explanation =
			"From 5b5d46856 to 9810191bb (v0.2.0 to v0.2.2) the converter is "
			"registered as quantize.linear.float8, but the TP plan tests for "
			"\"float8\". With the valid name the test fails and float8 layers get "
			"the bfloat16 TP plan: right results, no float8 all-gather over tp.",
		.remedy = "Use v0.1.0 or a version from 9810191bb on where float8 TP matters.",
		.source = "torchtitan@v0.2.0 models/llama3/infra/parallelize.py:75",
	  },
	  NEEDS_WORLD | NEEDS_TORCHTITAN | NEEDS_APPLIED, check_tp_ignored },
	{ &(const struct rule_id){
		.name = "float8-converter-name",
		.code = "F103",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "a model converter has the name that another version uses",
		.explanation =
			"model.converters took \"float8\" and \"mx\" until 2025-09-25 and takes "
			"\"quantize.linear.float8\" and \"quantize.linear.mx\" from 5b5d46856 on; "
			"the name of the other period raises a KeyError when the model is built. "
			"The llama3_405b.toml shipped with v0.2.0 to v0.2.2 has the old name.",
		.remedy = "Use the name of the version in use.",
		.source = "torchtitan@v0.2.0 protocols/model_converter.py:67",
	  },
	  NEEDS_TORCHTITAN, check_converter },
	{ &(const struct rule_id){
		.name = "float8-not-on",
		.code = "F129",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "settings of float8 where nothing switches it on",
		.explanation =
			"TorchTitan makes float8 layers only of converters that model.converters "
			"names. A section [quantize.linear.float8] (before, [float8]) alone is read "
			"and ignored: the job runs in bfloat16, as slow as without it.",
		.remedy = "Add the converter's name to model.converters, or drop the section.",
		.source = "pytorch/torchtitan v0.2.2 protocols/model_converter.py, "
			  "build_model_converters",
	  },
	  NEEDS_NOTHING, check_unconverted },
	{ &(const struct rule_id){
		.name = "float8-unsupported",
		.code = "F104",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "float8 is refused for this model with tensor parallelism",
		.explanation =
			"deepseek_v3 refuses tensorwise float8 together with tensor parallelism, "
			"as not tested.",
		.remedy = "Use a rowwise recipe, or tp 1.",
		.source = "torchtitan models/deepseek_v3/infra/parallelize.py",
	  },
	  NEEDS_WORLD | NEEDS_ATTEMPT, raised_check },
	{ &(const struct rule_id){
		.name = "float8-amax-over-world",
		.code = "F125",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "torchao before 0.6 reduces float8 scales over all ranks",
		.explanation =
			"Before its float8 all-gather torchao needs the largest value of a weight "
			"over the ranks that share it. Up to 0.5 it takes the maximum over all "
			"ranks: pipeline stages have other weights at other times, so the job "
			"hangs, and tp ranks get a coarser scale than they need.",
		.remedy = "Use torchao 0.6 or later, or gather in bfloat16.",
		.source = "https://github.com/pytorch/ao/pull/933",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_amax },
	{ &(const struct rule_id){
		.name = "float8-rowwise-eager",
		.code = "F126",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "rowwise float8 with tp needs torch.compile in PyTorch 2.6",
		.explanation =
			"Rowwise scales are the largest values of rows, and DTensor had no rule "
			"for that operator. Compiled code does not reach it.",
		.remedy = "Use PyTorch 2.7 or later, compile the model, or use tensorwise scales.",
		.source = "https://github.com/pytorch/pytorch/issues/147578",
		.says = rowwise_says,
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_rowwise_eager },
	{ &(const struct rule_id){
		.name = "float8-delayed-precompute",
		.code = "F127",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "delayed float8 scales cannot be computed ahead",
		.explanation =
			"precompute_float8_dynamic_scale_for_fsdp computes all scales of weights "
			"after the optimizer step; delayed scaling takes them from earlier steps. "
			"torchao refuses the pair, but its message says the opposite of what it "
			"means. torchao after 0.9 has no delayed scaling.",
		.remedy = "Use dynamic scaling, or switch the precomputation off.",
		.source = "https://github.com/pytorch/ao/issues/1753",
		.says = delayed_says,
	  },
	  NEEDS_NOTHING, check_delayed },
	{ &(const struct rule_id){
		.name = "quantized-experts-uneven",
		.code = "F128",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "FSDP cuts quantized experts into shards of different sizes",
		.explanation =
			"Experts with float8 or mxfp8 matrix products have an all-gather of their "
			"own, which must pad the last shard itself; it does so since August 2026 "
			"(#4371). Derived by reading, not seen in a run.",
		.remedy = "Choose ep and dp_shard so that the shards divide experts / ep.",
		.source = "https://github.com/pytorch/torchtitan/pull/4371",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_grouped },
};
/* clang-format on */

const struct ruleset ruleset_float8 = {
	"float8",
	"Float8 training",
	rules,
	sizeof(rules) / sizeof(*rules),
};
