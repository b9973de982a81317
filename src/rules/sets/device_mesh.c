#include "rules/facts.h"
#include "rules/mesh_block.h"
#include "rules/raised.h"

#include <string.h>

/* What PyTorch refuses, or does in silence, with the slices of a `mesh:` block. */

/* The statement of mesh.script that raised, or the block's own words for the step. */
static const char *statement(const struct job *job, const struct plan_error *error)
{
	return block_member(job, "script") ? arena_printf(job->arena, "'%s'", error->where)
					   : error->where;
}

static bool warned(const struct job *job, const char *text)
{
	size_t i;

	for (i = 0; i < job->applied->warnings.count; i++)
		if (strstr(job->applied->warnings.items[i], text))
			return true;
	return false;
}

static void check_nested(const struct rule *rule, struct job *job)
{
	const struct plan_error *error = raised(rule, job);
	struct finding *finding;

	if (!error)
		return;
	finding = raised_finding(rule, job,
				 "%s slices a mesh that is itself a slice or flattened: %s takes "
				 "slices of the root alone",
				 statement(job, error), speaker(job, "torch"));
	block_point(job, finding, block_member(job, "script"));
	finding_fix(job->findings, finding,
		    "slice the root itself, or use torch 2.9 or later (pytorch PR #158899)");
	edit_torch(job, finding, "2.9.0");
}

static bool ascends(const struct block_list *list)
{
	int i;

	for (i = 1; i < list->count; i++)
		if (list->at[i] <= list->at[i - 1])
			return false;
	return true;
}

/* Writes the names in the order of the root, each in the place of the one that stood there. */
static void edit_order(struct job *job, struct finding *finding, const struct block_list *list)
{
	int order[BLOCK_AXES], i, j, least;

	for (i = 0; i < list->count; i++) {
		order[i] = i;
		for (j = i; j > 0 && list->at[order[j]] < list->at[order[j - 1]]; j--) {
			least = order[j];
			order[j] = order[j - 1];
			order[j - 1] = least;
		}
	}
	for (i = 0; i < list->count; i++)
		if (order[i] != i && list->items[i]->origin == NODE_FROM_FILE)
			finding_edit(job->findings, finding, list->items[i]->span, "%s",
				     list->items[order[i]]->text);
}

static const char *joined(const struct job *job, const struct block_list *list)
{
	char *text = arena_strdup(job->arena, "");
	int i;

	for (i = 0; i < list->count; i++)
		text = arena_printf(job->arena, "%s%s%s", text, i ? ", " : "",
				    list->items[i]->text);
	return text;
}

/* The first list of the block whose names do not stand in the root's order; NULL: none. */
static const struct node *disordered(const struct job *job)
{
	static const char *const keys[] = { "fully_shard", "ddp", "tensor_parallel" };
	const struct node *flatten = block_member(job, "flatten"), *entry;
	struct block_list list;
	size_t i;

	for (entry = flatten ? flatten->first : NULL; entry; entry = entry->next) {
		list = block_placed(job, entry);
		if (!ascends(&list))
			return entry;
	}
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		list = block_placed(job, block_member(job, keys[i]));
		if (!ascends(&list))
			return block_member(job, keys[i]);
	}
	return NULL;
}

static void check_order(const struct rule *rule, struct job *job)
{
	const struct plan_error *error = raised(rule, job);
	const struct node *at = error ? disordered(job) : NULL;
	struct block_list list = block_placed(job, at);
	struct finding *finding;

	if (!error)
		return;
	if (at) {
		finding = raised_finding(rule, job,
					 "[%s] is not the order of the root's axes, which a slice "
					 "must keep",
					 joined(job, &list));
		block_point(job, finding, at);
		finding_fix(job->findings, finding, "name the axes in the order of the root");
		edit_order(job, finding, &list);
	} else if (!strcmp(error->where, "fully_shard")) {
		finding = raised_finding(rule, job,
					 "the tensor-parallel axis stands before the one that "
					 "shards: %s slices both out of the root, data parallel "
					 "first",
					 speaker(job, "torch"));
		block_point(job, finding, block_member(job, "tensor_parallel"));
		finding_fix(job->findings, finding,
			    "make tensor parallel the last axis of the root (its ranks then lie "
			    "next to each other), or use torch 2.10 or later");
		block_tensor_last(job, finding);
	} else {
		finding =
			raised_finding(rule, job, "%s names axes in another order than the root's",
				       statement(job, error));
		block_point(job, finding, block_member(job, "script"));
		finding_fix(job->findings, finding, "name the axes in the order of the root");
	}
}

static void check_three(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (!raised(rule, job))
		return;
	finding = raised_finding(rule, job,
				 "a mesh flattened from three or more axes is sliced out of the "
				 "root: torch 2.5 takes the product of two sizes for a dim");
	block_point(job, finding, block_member(job, "flatten"));
	finding_fix(job->findings, finding,
		    "use torch 2.6 or later (pytorch PR #138945), or keep the mesh that _flatten "
		    "returns");
	edit_torch(job, finding, "2.6.0");
}

static void check_gap(const struct rule *rule, struct job *job)
{
	const char *fix = "flatten axes that stand next to each other in the root, or keep the "
			  "mesh that _flatten returns instead of slicing it out of the root";
	struct finding *finding;

	if (raised(rule, job)) {
		finding = raised_finding(rule, job,
					 "a mesh flattened from axes that are not adjacent is "
					 "sliced out of the root: %s cannot",
					 speaker(job, "torch"));
	} else if (warned(job, "are not adjacent")) {
		finding =
			finding_add(job->findings, rule->id, fact(job, FIELD_MESH)->span,
				    "a mesh flattened from axes that are not adjacent is sliced "
				    "out of the root: %s lists other ranks in it than its process "
				    "group has, and prints nothing",
				    speaker(job, "torch"));
		finding_cap(finding, SEVERITY_WARNING);
	} else {
		return;
	}
	block_point(job, finding,
		    block_member(job, "flatten") ? block_member(job, "flatten")
						 : block_member(job, "script"));
	finding_fix(job->findings, finding, "%s", fix);
}

/* An entry of `flatten` that bears the name of an axis of the root. */
static const struct node *shadowing(const struct job *job)
{
	const struct node *flatten = block_member(job, "flatten"), *entry;

	for (entry = flatten ? flatten->first : NULL; entry; entry = entry->next)
		if (entry->key && block_index(block_member(job, "root"), entry->key) >= 0)
			return entry;
	return NULL;
}

static void check_name(const struct rule *rule, struct job *job)
{
	const struct node *entry = shadowing(job);
	const char *fix = "give the flattened mesh a name of its own";
	struct finding *finding;

	if (raised(rule, job)) {
		finding = raised_finding(rule, job, "the name%s%s%s of the flattened mesh is taken",
					 entry ? " '" : "", entry ? entry->key : "",
					 entry ? "'" : "");
	} else if (warned(job, "was flattened before")) {
		finding = finding_add(job->findings, rule->id, fact(job, FIELD_MESH)->span,
				      "two meshes are flattened under one name: %s returns the "
				      "first for both and prints nothing",
				      speaker(job, "torch"));
		finding_cap(finding, SEVERITY_WARNING);
	} else if (entry && !job->applied->error) {
		finding = finding_add(job->findings, rule->id, fact(job, FIELD_MESH)->span,
				      "'%s' is an axis of the root and the name of a flattened "
				      "mesh: %s slices the flattened one and prints nothing",
				      entry->key, speaker(job, "torch"));
		finding_cap(finding, SEVERITY_WARNING);
	} else {
		return;
	}
	block_point(job, finding, entry ? entry : block_member(job, "script"));
	if (entry && span_known(entry->key_span))
		finding->span = entry->key_span;
	finding_fix(job->findings, finding, "%s", fix);
}

static void check_deprecated(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	const struct node *at = block_member(job, "flatten");

	if (!setting_known(fact(job, FIELD_MESH)) || !warned(job, "Slicing a flattened dim"))
		return;
	at = at ? at : block_member(job, "script");
	finding = finding_add(job->findings, rule->id, at ? at->span : fact(job, FIELD_MESH)->span,
			      "a flattened mesh is sliced out of the root by its name, which torch "
			      "announces to drop");
	finding_quote(job->findings, finding,
		      "UserWarning: Slicing a flattened dim from root mesh will be deprecated in "
		      "PT 2.11. Users need to bookkeep the flattened mesh directly. ");
	finding->speaker = speaker(job, "torch");
	finding_fix(job->findings, finding, "keep the mesh that _flatten returns and pass it on");
}

static void check_unit(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (!raised(rule, job))
		return;
	finding = raised_finding(rule, job,
				 "a mesh flattened from axes of one rank each is sliced together "
				 "with an axis behind it: %s loses its place",
				 speaker(job, "torch"));
	block_point(job, finding,
		    block_member(job, "flatten") ? block_member(job, "flatten")
						 : block_member(job, "script"));
	finding_fix(job->findings, finding,
		    "use torch 2.11 or later (pytorch PR #169454), or leave axes of one rank out "
		    "of the "
		    "root");
}

#define TORCH_MESH "torch@v2.8.0 distributed/device_mesh.py"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "submesh-of-submesh",
		.code = "M201",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a slice of a slice, which PyTorch 2.5 to 2.8 forbids",
		.explanation =
			"From 2.5 on DeviceMesh finds slices by their dims in the root, and "
			"refuses to slice a mesh that is a slice or was flattened; it accepts "
			"only the tuple of all the mesh's own names, not a list of them. 2.9 "
			"warns, 2.10 allows it.",
		.remedy = "Slice the root mesh, or use PyTorch 2.9 or later.",
		.source = "https://github.com/pytorch/pytorch/pull/158899",
		.says = (const struct saying[]){
			{ "torch 2.5 to 2.8", "RuntimeError: Cannot create a submesh from a submesh." },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_nested },
	{ &(const struct rule_id){
		.name = "mesh-slice-order",
		.code = "M202",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a slice names axes in another order than the root",
		.explanation =
			"A slice keeps the order of the root's axes; a flattened axis has the "
			"position of its last axis. fully_shard over parameters that tensor "
			"parallelism has cut slices both meshes together, data parallel first, so "
			"up to 2.9 the tensor-parallel axis must come after it. From 2.10 on it "
			"joins them in any order.",
		.remedy = "Keep the order pp, replicate, shard, cp, tp in the root and in slices.",
		.source = TORCH_MESH ":334",
		.says = (const struct saying[]){
			{ "torch >= 2.5", "KeyError: Invalid mesh_dim_names {names} specified. Found mesh dim indices to slice: {dims}. Mesh dim indices should be in ascending order." },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_order },
	{ &(const struct rule_id){
		.name = "flattened-slice-of-three",
		.code = "M203",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "PyTorch 2.5 cannot slice a mesh flattened from three axes",
		.explanation =
			"When 2.5 slices a flattened name, it multiplies the sizes of its axes, "
			"but uses the product so far as the number of the next dim to look up. "
			"With three axes that number is usually beyond the last dim.",
		.remedy = "Use PyTorch 2.6 or later.",
		.source = "https://github.com/pytorch/pytorch/pull/138945",
		.says = (const struct saying[]){
			{ "torch 2.5", "IndexError: Dimension out of range (expected to be in range of [{n}, {n}], but got {n})" },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_three },
	{ &(const struct rule_id){
		.name = "flattened-slice-gap",
		.code = "M204",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a script flattens axes that are not adjacent, and slices them by name",
		.explanation =
			"Slicing a flattened name out of the root merges all axes between its "
			"first and its last. With another axis in between, 2.5 to 2.9 list other "
			"ranks in the mesh than its process group holds, or stop where another "
			"axis of the slice is gone; 2.10 to 2.12 refuse, 2.13 gets it right. The "
			"mesh that _flatten itself returns is right in every version.",
		.remedy = "Flatten adjacent axes, or keep what _flatten returns.",
		.source = TORCH_MESH ":112-160",
		.says = (const struct saying[]){
			{ "torch 2.9 to 2.12", "NotImplementedError: Currently, this only allows slicing out a contiguous flattened dim." },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_gap },
	{ &(const struct rule_id){
		.name = "flatten-name-taken",
		.code = "M205",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the name of a flattened mesh is already taken",
		.explanation =
			"2.5 to 2.8 compare the new name with the letters of the taken ones and "
			"therefore accept it: it hides the axis of that name from slices, and a "
			"second _flatten with the same name returns the first mesh, whatever its "
			"axes. 2.9 refuses names of axes but still returns the first mesh; 2.10 "
			"and later refuse both.",
		.remedy = "Use a name that no axis and no other flattened mesh has.",
		.source = "https://github.com/pytorch/pytorch/pull/161311",
		.says = (const struct saying[]){
			{ "torch 2.9", "RuntimeError: {name} already exists for submesh of the {mesh}." },
			{ "torch >= 2.10", "ValueError: {name} already exists for submesh of the {mesh}." },
			{ "torch >= 2.10", "ValueError: Flatten mesh with mesh_dim_name {name} has been created before, Please specify another valid mesh_dim_name." },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_name },
	{ &(const struct rule_id){
		.name = "flattened-slice-deprecated",
		.code = "M211",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_RUN,
		.summary = "a flattened mesh is sliced out of the root by its name",
		.explanation =
			"From 2.10 on PyTorch warns that it will remove this; 2.15 still only "
			"warns.",
		.remedy = "Keep the mesh that _flatten returns.",
		.source = "https://github.com/pytorch/pytorch/pull/164993",
		.says = (const struct saying[]){
			{ "torch >= 2.10", "Slicing a flattened dim from root mesh will be deprecated in PT 2.11. Users need to bookkeep the flattened mesh directly. " },
			{ NULL, NULL } },
	  },
	  NEEDS_APPLIED, check_deprecated },
	{ &(const struct rule_id){
		.name = "unit-axis-flattened",
		.code = "M212",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "PyTorch 2.10 loses a mesh flattened from axes of one rank",
		.explanation =
			"When DeviceMesh moved to layouts (October 2025), it dropped axes of one "
			"rank from a flattened mesh. That mesh then has no position in a slice "
			"with an axis behind it. Nightlies from then on and 2.10.0 stop; 2.9.1 "
			"and 2.11.0 do not.",
		.remedy = "Use PyTorch 2.11 or later, or leave axes of one rank out.",
		.source = "https://github.com/pytorch/pytorch/issues/169381",
		.says = (const struct saying[]){
			{ "torch 2.10", "KeyError: \"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending order.\"" },
			{ NULL, NULL } },
	  },
	  NEEDS_ATTEMPT, check_unit },
};
/* clang-format on */

const struct ruleset ruleset_device_mesh = {
	"device_mesh",
	"DeviceMesh: slices and flattened meshes of a script",
	rules,
	sizeof(rules) / sizeof(*rules),
};
