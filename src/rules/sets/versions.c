#include "framework/torch/release.h"
#include "rules/facts.h"
#include "rules/raised.h"

/* The pin of torch that cannot carry the pinned framework. */
static void check_torch(const struct rule *rule, struct job *job)
{
	const struct version *torch = versions_find(&job->versions, "torch");
	const struct version *titan = trainer_of(job);
	bool views = titan && job_does(job, HABIT_MESH_VIEWS);
	const char *needs = views ? "DeviceMesh._unflatten" : "DeviceMesh._flatten";
	const char *since = views ? "2.10" : "2.5";
	struct finding *finding;

	if (!torch || !titan || !raised(rule, job))
		return;
	finding = raised_finding(rule, job, "%s builds its meshes with %s, which torch %s lacks",
				 raiser(job), needs, torch->label);
	finding_fix(job->findings, finding, "use torch %s or later; %s was written against %s",
		    since, raiser(job), torch_of_date(job->arena, (int)(titan->when / 100)).label);
	if (!span_known(torch->span))
		return;
	finding->span = torch->span;
	if (torch->span.source == job->document.source)
		finding_edit(job->findings, finding, torch->span, "%s.0", since);
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "torch-too-old",
		.code = "V002",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the pinned torch lacks what the pinned TorchTitan builds meshes with",
		.explanation =
			"TorchTitan follows PyTorch's nightlies. Since db6b39acd it flattens mesh "
			"axes (DeviceMesh._flatten, torch 2.5), and since 183a0d2e7 (v0.2.1) it "
			"unflattens one world axis into views (DeviceMesh._unflatten, torch 2.10). "
			"An older torch stops the job while the meshes are built.",
		.remedy = "Raise the pin of torch, or pin an older TorchTitan.",
		.source = "pytorch#132632, pytorch#161224, torchtitan/distributed/parallel_dims.py",
	  },
	  NEEDS_WORLD | NEEDS_TORCHTITAN | NEEDS_ATTEMPT, check_torch },
};
/* clang-format on */

const struct ruleset ruleset_versions = {
	"versions",
	"Versions that do not work together",
	rules,
	sizeof(rules) / sizeof(*rules),
};
