#include "input/keys.h"
#include "input/launch/launch.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <stdlib.h>
#include <string.h>

/* What transformers' Trainer wants of a DeepSpeed file that is handed to it. */

static const struct {
	const char *key, *flag;
	const char *ours, *theirs; /* names of their values in the exception */
} pairs[] = {
	{ "train_micro_batch_size_per_gpu", "per_device_train_batch_size", "mb", "hm" },
	{ "gradient_accumulation_steps", "gradient_accumulation_steps", "ga", "hg" },
	{ "gradient_clipping", "max_grad_norm", "cl", "hc" },
};

/* The value in the file, when the command line says another. */
static const struct node *differing(const struct job *job, size_t pair,
				    const struct launch_flag *flag)
{
	const struct node *node = node_find(job->document.root, pairs[pair].key);

	if (!flag || !flag->value || flag->unresolved || !node || node->kind != NODE_SCALAR ||
	    node->type == SCALAR_NULL || node->type == SCALAR_STRING ||
	    strtod(flag->value, NULL) == node->number)
		return NULL;
	return node;
}

static void report(const struct rule *rule, struct job *job, size_t pair, const struct node *node,
		   const struct launch_flag *flag)
{
	struct finding *finding;

	finding = finding_add(job->findings, rule->id, node->span,
			      "%s is %s here, and --%s %s on the command line", pairs[pair].key,
			      node->text, pairs[pair].flag, flag->value);
	finding_relate(job->findings, finding, flag->span, "%s=%s", pairs[pair].flag, flag->value);
	quote_by_any(rule, job, finding,
		     (const struct exception_name[]) { TELL(pairs[pair].ours, node->text),
						       TELL(pairs[pair].theirs, flag->value),
						       TELL_END });
	finding_fix(job->findings, finding, "write \"auto\": the Trainer puts its own value there");
	finding_edit(job->findings, finding, node->span, "\"auto\"");
}

static void check_arguments(const struct rule *rule, struct job *job)
{
	const struct launch *launch = job->document.launch;
	const struct launch_flag *flag;
	const struct node *node;
	size_t i;

	if (!launch || !file_does(job, HABIT_ENGINE) || !launch_find(launch, pairs[0].flag))
		return;
	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		flag = launch_find(launch, pairs[i].flag);
		node = differing(job, i, flag);
		if (node)
			report(rule, job, i, node, flag);
	}
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "deepspeed-arguments-differ",
		.code = "S230",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "numbers in a DeepSpeed file differ from the Trainer's arguments",
		.explanation =
			"transformers' Trainer fills in what is \"auto\" in the DeepSpeed file it is "
			"handed, and compares everything else with its own arguments. Numbers that "
			"differ stop it before DeepSpeed starts.",
		.remedy = "Write \"auto\" in the file, or the same number in both places.",
		.source = "transformers integrations/deepspeed.py, trainer_config_finalize; "
			  "https://github.com/hiyouga/LlamaFactory/issues/201",
	  },
	  NEEDS_OTHER, check_arguments },
	{ &rule_arguments_refused, NEEDS_NOTHING, NULL },
};
/* clang-format on */

const struct ruleset ruleset_trainer = {
	"trainer",
	"What trainers refuse: DeepSpeed files that differ, arguments beside each other",
	rules,
	sizeof(rules) / sizeof(*rules),
};
