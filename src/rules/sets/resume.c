#include "framework/resume.h"

#include "rules/facts.h"
#include "rules/raised.h"

#include <string.h>

/*
 * Whether a checkpoint loads is judged in one place, framework/resume.h; the rules here say what
 * was found there, each its own obstacle.
 */

/* The first obstacle that a rule reports, or NULL. */
static const struct obstacle *obstacle_of(const struct rule *rule, const struct resume *resume)
{
	size_t i;

	for (i = 0; resume && i < resume->obstacles.count; i++)
		if (!strcmp(resume->obstacles.items[i].rule, rule->id->name))
			return &resume->obstacles.items[i];
	return NULL;
}

/* The exact text that comes first: under some versions the optimizer's tensors are looked up first.
 */
static const char *error_of(const struct rule *rule, const struct resume *resume,
			    const struct obstacle *obstacle)
{
	size_t i;

	for (i = 0; resume->optimizer_first && i < resume->obstacles.count; i++) {
		const struct obstacle *other = &resume->obstacles.items[i];
		if (other->component == COMPONENT_OPTIMIZER && !strcmp(other->rule, rule->id->name))
			return other->error;
	}
	return obstacle->error;
}

static struct finding *report(const struct rule *rule, struct job *job,
			      const struct obstacle *obstacle, struct span span)
{
	struct finding *finding;
	const char *error = error_of(rule, job->resume, obstacle);
	int i;

	finding = finding_add(job->findings, rule->id, span, "%s", obstacle->what);
	if (obstacle->fate == FATE_LOSES || obstacle->reported)
		finding_cap(finding, SEVERITY_WARNING);
	for (i = 0; i < obstacle->because_count; i++)
		relate_setting(job, finding, obstacle->because[i]);
	if (obstacle->requested)
		finding_requested(job->findings, finding, "%s", obstacle->requested);
	if (obstacle->actual)
		finding_actual(job->findings, finding, "%s", obstacle->actual);
	if (error) {
		finding_quote(job->findings, finding, "%s", error);
		finding->speaker = speaker(job, obstacle->speaker);
	}
	if (obstacle->way)
		finding_fix(job->findings, finding, "%s", obstacle->way);
	return finding;
}

static void check_obstacle(const struct rule *rule, struct job *job)
{
	const struct resume *resume = resume_of(job);
	const struct obstacle *obstacle = obstacle_of(rule, resume);

	if (obstacle)
		report(rule, job, obstacle, resume->checkpoint->span);
}

/* ---- Data loader ---- */

/* Puts "dataloader" into the list of what is not loaded, where the file has one. */
static void edit_exclude(struct job *job, struct finding *finding)
{
	const struct setting *exclude = fact(job, FIELD_CHECKPOINT_EXCLUDE);
	struct span at = exclude->span;
	size_t end;

	if (!job_does(job, HABIT_LOADING_EXCLUDES) || exclude->origin != ORIGIN_GIVEN ||
	    !exclude->node || !span_known(at) || at.source != job->document.source)
		return;
	end = source_offset(at.source, at.end_line, at.end_column);
	if (!end || at.source->text[end - 1] != ']')
		return;
	finding_edit(job->findings, finding, source_span(at.source, end - 1, end - 1),
		     exclude->node->first ? ", \"dataloader\"" : "\"dataloader\"");
}

static void check_loader(const struct rule *rule, struct job *job)
{
	const struct resume *resume = resume_of(job);
	const struct obstacle *obstacle = obstacle_of(rule, resume);

	if (obstacle)
		edit_exclude(job, report(rule, job, obstacle, resume->checkpoint->span));
}

/* ---- Others ---- */

/* Up to PyTorch 2.5 sizes are not compared: what overlaps is loaded. */
static void check_sizes(const struct rule *rule, struct job *job)
{
	const struct resume *resume = resume_of(job);
	const struct obstacle *obstacle = obstacle_of(rule, resume);
	struct finding *finding;

	if (!obstacle)
		return;
	finding = report(rule, job, obstacle, resume->checkpoint->span);
	if (obstacle->fate == FATE_LOSES)
		finding_cap(finding, SEVERITY_WARNING);
}

static void check_unread(const struct rule *rule, struct job *job)
{
	const struct resume *resume = resume_of(job);
	const struct obstacle *obstacle = obstacle_of(rule, resume);

	if (obstacle)
		finding_cap(report(rule, job, obstacle, resume->checkpoint->span), SEVERITY_NOTE);
}

static void check_compiled(const struct rule *rule, struct job *job)
{
	const struct obstacle *obstacle = obstacle_of(rule, resume_of(job));

	if (obstacle)
		report(rule, job, obstacle, fact(job, FIELD_COMPILE)->span);
}

static void check_readable(const struct rule *rule, struct job *job)
{
	const struct resume *resume = resume_of(job);
	const struct checkpoint *checkpoint = resume ? resume->checkpoint : NULL;

	if (!checkpoint || checkpoint->source != CHECKPOINT_UNKNOWN)
		return;
	finding_add(job->findings, rule->id, checkpoint->span,
		    "whether this job can load the checkpoint is not judged: %s",
		    checkpoint->trouble);
}

/* Without names of their own the parameter groups of all stages have the same keys. */
static void check_groups(const struct rule *rule, struct job *job)
{
	struct torch_release torch;
	struct finding *finding;

	if (degree_of(job, FIELD_PP) < 2 || !torch_release_of(job, &torch) || torch.minor >= 4 ||
	    !setting_bool(&job->settings, FIELD_CHECKPOINT_ENABLED, false))
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_PP)->span,
			      "%lld pipeline stages save their optimizers under the same keys: all "
			      "but one are lost",
			      (long long)degree_of(job, FIELD_PP));
	relate_setting(job, finding, FIELD_CHECKPOINT_ENABLED);
}

static const struct saying says_loader[] = {
	{ "torch", "RuntimeError: Missing key in checkpoint state_dict: dataloader.dp_rank_{n}." },
	{ NULL, NULL },
};

static const struct saying says_scheduler[] = {
	{ "torch", "RuntimeError: Missing key in checkpoint state_dict: lr_scheduler_{n}.{key}." },
	{ NULL, NULL },
};

static const struct saying says_missing[] = {
	{ "torch", "RuntimeError: Missing key in checkpoint state_dict: {fqn}." },
	{ NULL, NULL },
};

static const struct saying says_sizes[] = {
	{ "torch", "ValueError: Size mismatch between saved {size} and current: {size} for {fqn}" },
	{ NULL, NULL },
};

static const struct saying says_compiled[] = {
	{ "torch", "RuntimeError: Missing key in checkpoint state_dict: "
		   "model.layers.0.attention.wq.weight." },
	{ NULL, NULL },
};

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "dataloader-resume",
		.code = "R102",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a checkpoint is resumed with another data-parallel degree",
		.explanation =
			"Model and optimizer reshard, but the data loader's state is stored by "
			"data-parallel rank. The degree that counts is dp_replicate * dp_shard "
			"(times replica groups under torchft), not the world size: changing tp, "
			"cp or pp, or FSDP 16 into HSDP 2 x 8, is safe. A larger degree fails in "
			"every version, because the checkpoint has no keys for the new ranks. "
			"With a smaller degree, versions before 690f299d3 silently drop state and "
			"later ones refuse. From 49c6d6fc1 on a config can exclude the component.",
		.remedy = "Keep the data-parallel degree, or exclude dataloader from loading.",
		.source = "https://github.com/pytorch/torchtitan/issues/811",
		.says = says_loader,
	  },
	  NEEDS_RESUME | NEEDS_TORCHTITAN | NEEDS_WORLD | NEEDS_APPLIED, check_loader },
	{ &(const struct rule_id){
		.name = "lr-scheduler-resume",
		.code = "R107",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "the number of stages per rank changes, and schedulers cannot reshard",
		.explanation =
			"Before cca07028e (2025-01-31, PR #794) TorchTitan kept one learning-rate "
			"scheduler per pipeline stage of a rank in the checkpoint: a single one "
			"has the key lr_scheduler, several have lr_scheduler_0, lr_scheduler_1, "
			"and so on. With another number of stages per rank the job asks for keys "
			"that were not saved. Another pp with one stage per rank works.",
		.remedy = "Keep the stages per rank, or use torchtitan cca07028e or later.",
		.source = "https://github.com/pytorch/torchtitan/issues/738",
		.says = says_scheduler,
	  },
	  NEEDS_RESUME | NEEDS_TORCHTITAN | NEEDS_WORLD | NEEDS_APPLIED, check_obstacle },
	{ &(const struct rule_id){
		.name = "resume-unreadable",
		.code = "R109",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_RUN,
		.summary = "checkpoint.resume does not name a readable checkpoint",
		.explanation =
			"checkpoint.resume is a map of the degrees the checkpoint was written "
			"with, or the path (from this file's folder) of the config that wrote it, "
			"of a DCP .metadata file or of the folder that holds one. A config must "
			"be readable, start, and fix its world size.",
		.remedy = "Give the degrees: resume: {dp_replicate: 1, dp_shard: 8}.",
		.source = "the native config's checkpoint: block",
	  },
	  NEEDS_RESUME | NEEDS_WORLD | NEEDS_APPLIED, check_readable },
	{ &(const struct rule_id){
		.name = "resume-missing-key",
		.code = "R120",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "the checkpoint lacks a tensor or component that the job loads",
		.explanation =
			"DCP asks the checkpoint for every entry of the job's state dict by its "
			"full name. More layers, another family, or a TorchTitan across #1347 "
			"(2025-07, from then on parameters are saved without \"model.\" before "
			"their names) lead to names that the checkpoint does not have. A "
			"checkpoint of the last step holds the model alone unless "
			"last_save_model_only is off.",
		.remedy =
			"Resume with the model and the TorchTitan that wrote the checkpoint, or "
			"rewrite its names (dcp_to_torch_save, rename, torch_save_to_dcp).",
		.source = "torch@v2.8.0 distributed/checkpoint/default_planner.py",
		.says = says_missing,
	  },
	  NEEDS_RESUME | NEEDS_WORLD | NEEDS_APPLIED, check_obstacle },
	{ &(const struct rule_id){
		.name = "resume-size-mismatch",
		.code = "R121",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "a tensor of the checkpoint has another size than the job's",
		.explanation =
			"Any mesh and any placement may change between saving and loading, but "
			"the size of the whole tensor may not. A vocabulary that was padded, "
			"another number of experts or another hidden size is refused. This rule "
			"does not claim that PyTorch before 2.6 compares sizes.",
		.remedy =
			"Give the model the sizes it was saved with, or resize the tensors of the "
			"checkpoint offline.",
		.source = "torch@v2.8.0 distributed/checkpoint/default_planner.py",
		.says = says_sizes,
	  },
	  NEEDS_RESUME | NEEDS_WORLD | NEEDS_APPLIED | NEEDS_MODEL, check_sizes },
	{ &(const struct rule_id){
		.name = "resume-unread-parameters",
		.code = "R122",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_RUN,
		.summary = "the checkpoint has parameters that the job never reads",
		.explanation =
			"DCP reads what the job's state dict asks for and nothing else: fewer "
			"layers, or untied embeddings that become tied, load silently and leave "
			"tensors of the checkpoint unread.",
		.remedy = "Give the model the layers it was saved with.",
		.source = "torch@v2.8.0 distributed/checkpoint/default_planner.py",
	  },
	  NEEDS_RESUME | NEEDS_WORLD | NEEDS_APPLIED | NEEDS_MODEL, check_unread },
	{ &(const struct rule_id){
		.name = "resume-compiled",
		.code = "R123",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "a compiled model resumes once, but not twice",
		.explanation =
			"TorchTitan keeps the names of the model's state dict. Loading a compiled "
			"model changed them in place, so checkpoints written after a resume had "
			"_orig_mod. in their names, and the next resume did not find its keys. "
			"Fixed by PR #977 (2025-03-17).",
		.remedy = "Use torchtitan 785c34c99 (2025-03-18) or later, or do not compile.",
		.source = "https://github.com/pytorch/torchtitan/issues/961",
		.says = says_compiled,
	  },
	  NEEDS_RESUME | NEEDS_TORCHTITAN | NEEDS_WORLD | NEEDS_APPLIED, check_compiled },
	{ &(const struct rule_id){
		.name = "resume-scrambled",
		.code = "R124",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "the checkpoint was written with FSDP and tp before PyTorch 2.4",
		.explanation =
			"Tensor parallelism cuts a weight before FSDP does. Up to PyTorch 2.3 "
			"DTensor could not express this, and DCP recorded offsets that follow the "
			"mesh from left to right: on other ranks the rows come back in another "
			"order, without an error. state-dict-2d reports the same at saving.",
		.remedy =
			"Load it on the ranks that wrote it, and save it again with PyTorch 2.5 "
			"or later.",
		.source = "https://github.com/pytorch/pytorch/issues/129229",
	  },
	  NEEDS_RESUME | NEEDS_WORLD | NEEDS_APPLIED, check_obstacle },
	{ &(const struct rule_id){
		.name = "optimizer-stages-collide",
		.code = "R125",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "optimizers of pipeline stages are saved under the same keys",
		.explanation =
			"An optimizer's parameter groups are lists: group 0 of every pipeline "
			"stage has the same key in a checkpoint, so the checkpoint keeps only one "
			"of them. flatten_optimizer_state_dict (pytorch#127071, 2.4) saves them "
			"by the names of the parameters.",
		.remedy = "Use PyTorch 2.4 or later, and flatten the optimizer's state dict.",
		.source = "https://github.com/pytorch/pytorch/issues/126595",
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_groups },
};
/* clang-format on */

const struct ruleset ruleset_resume = {
	"resume",
	"Resuming on other degrees",
	rules,
	sizeof(rules) / sizeof(*rules),
};
