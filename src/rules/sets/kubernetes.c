#include "base/text.h"
#include "input/document.h"
#include "input/field.h"
#include "input/node.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* What the webhooks of Kubeflow's operators refuse before a pod is there. */

static bool is_kind(const struct job *job, const char *kind)
{
	const struct node *node = node_member(job->document.manifest, "kind");

	return node && node->kind == NODE_SCALAR && !strcmp(node->text, kind);
}

static void refuse(const struct rule *rule, struct job *job, struct span span, const char *what,
		   const char *text, const char *fix)
{
	struct finding *finding = finding_add(job->findings, rule->id, span, "%s", what);

	finding->speaker = "Kubeflow's webhook";
	finding_quote(job->findings, finding, "%s", text);
	finding_fix(job->findings, finding, "%s", fix);
}

static const char *joined(struct job *job, const char *role, const char *rest)
{
	return arena_printf(job->arena, "spec.pytorchReplicaSpecs[%s]%s", role, rest);
}

/* The number of replicas when it is one; -1 when a template decides. */
static int64_t replicas_of(const struct node *role)
{
	const struct node *node = node_member(role, "replicas");

	if (!node || (node->kind == NODE_SCALAR && node->type == SCALAR_NULL))
		return 1;
	return node->unresolved || !field_fits(FIELD_INT, node) ? -1 : node->integer;
}

static bool has_container(const struct node *containers, const char *name)
{
	const struct node *item, *its;

	for (item = containers->first; item; item = item->next) {
		its = node_member(item, "name");
		if (its && its->kind == NODE_SCALAR &&
		    (its->unresolved || strchr(its->text, '$') || !strcmp(its->text, name)))
			return true;
	}
	return false;
}

static void check_role(const struct rule *rule, struct job *job, const struct node *role)
{
	const struct node *containers = node_find(role, "template.spec.containers");
	const int64_t replicas = replicas_of(role);
	const struct node *number = node_member(role, "replicas");
	bool master = !strcmp(role->key, "Master");

	if (!master && strcmp(role->key, "Worker") != 0) {
		refuse(rule, job, role->key_span,
		       arena_printf(job->arena, "%s is no role of a PyTorchJob", role->key),
		       joined(job, role->key,
			      arena_printf(job->arena,
					   ": Unsupported value: \"%s\": supported values: "
					   "\"Master\", \"Worker\"",
					   role->key)),
		       "name the roles Master and Worker");
		return;
	}
	if (number && replicas >= 0 && master && replicas != 1)
		refuse(rule, job, number->span,
		       arena_printf(job->arena, "a PyTorchJob has one master, not %" PRId64,
				    replicas),
		       joined(job, "Master", ".replicas: Forbidden: must be 1"),
		       "keep one master; the other pods are workers");
	if (number && replicas == 0 && !master)
		refuse(rule, job, number->span, "a role with no pods",
		       joined(job, "Worker", ".replicas: Forbidden: must be at least 1"),
		       "delete the role, or give it a pod");
	if (containers && containers->kind == NODE_LIST && containers->first &&
	    !has_container(containers, "pytorch"))
		refuse(rule, job, containers->key_span, "no container is named pytorch",
		       joined(job, role->key,
			      ".template.spec.containers: Required value: must have at least one "
			      "container with name pytorch"),
		       "name the container that trains pytorch");
}

static void check_pytorch_job(const struct rule *rule, struct job *job)
{
	const struct node *roles = node_find(job->document.manifest, "spec.pytorchReplicaSpecs");
	const struct node *elastic = node_find(job->document.manifest, "spec.elasticPolicy");
	const struct node *role;

	if (!is_kind(job, "PyTorchJob") || !roles || roles->kind != NODE_MAP)
		return;
	for (role = roles->first; role; role = role->next)
		check_role(rule, job, role);
	if (elastic && elastic->kind == NODE_MAP && !node_member(roles, "Worker"))
		refuse(rule, job, elastic->key_span, "an elastic policy without workers",
		       joined(job, "Worker",
			      ": Required value: must be configured if elastic policy is used"),
		       "add the role Worker, or delete the policy");
}

static void check_reserved(const struct rule *rule, struct job *job)
{
	static const char reserved[] =
		"PET_NNODES|PET_NPROC_PER_NODE|PET_NODE_RANK|PET_MASTER_ADDR|PET_MASTER_PORT";
	const struct node *trainer = node_find(job->document.manifest, "spec.trainer");
	const struct node *list = node_member(trainer, "env"), *item, *name;
	struct finding *finding;

	if (!is_kind(job, "TrainJob") || !list || list->kind != NODE_LIST)
		return;
	for (item = list->first; item; item = item->next) {
		name = node_member(item, "name");
		if (!name || name->kind != NODE_SCALAR || !words_have(reserved, name->text))
			continue;
		finding = finding_add(job->findings, rule->id, name->span,
				      "%s is set by the trainer itself", name->text);
		if (!node_member(trainer, "numProcPerNode")) {
			finding_cap(finding, SEVERITY_WARNING);
			finding_actual(job->findings, finding,
				       "the trainer's own value takes its place");
		} else {
			finding->speaker = "Kubeflow's webhook";
			finding_quote(job->findings, finding,
				      "must not have reserved envs, invalid envs configured: [%s]",
				      name->text);
		}
		finding_fix(job->findings, finding,
			    "delete it; numNodes and numProcPerNode decide");
	}
}

/* torchrun waits for as many machines as it is told of. */
static void check_machines(const struct rule *rule, struct job *job)
{
	const struct setting *told = fact(job, FIELD_LAUNCH_NODES);
	const struct setting *pods = fact(job, FIELD_LAUNCH_REPLICAS);
	struct finding *finding;

	if (!job->document.manifest || !setting_known(told) || !setting_known(pods) ||
	    told->integer == pods->integer || told->span.source != job->document.source)
		return;
	finding = finding_add(job->findings, rule->id, told->span,
			      "torchrun gets %" PRId64
			      " as the number of machines, but there are %" PRId64 " pods",
			      told->integer, pods->integer);
	relate_setting(job, finding, FIELD_LAUNCH_REPLICAS);
	if (told->integer > pods->integer)
		finding_actual(job->findings, finding,
			       "the pods wait for %" PRId64 " more until the rendezvous times out",
			       told->integer - pods->integer);
	else
		finding_actual(job->findings, finding,
			       "%" PRId64 " pods cannot join the rendezvous",
			       pods->integer - told->integer);
	finding_fix(job->findings, finding,
		    "leave --nnodes out: the controller sets PET_NNODES to the number of pods");
}

static const struct saying refused_says[] = {
	{ "Kubeflow training-operator, its webhook",
	  "spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1" },
	{ "Kubeflow training-operator, its webhook",
	  "spec.pytorchReplicaSpecs[Worker].replicas: Forbidden: must be at least 1" },
	{ "Kubeflow training-operator, its webhook",
	  "Required value: must have at least one container with name pytorch" },
	{ "Kubeflow training-operator, its webhook",
	  "spec.pytorchReplicaSpecs[Worker]: Required value: must be configured if elastic policy "
	  "is used" },
	{ NULL, NULL },
};

static const struct saying reserved_says[] = {
	{ "Kubeflow trainer, its webhook",
	  "must not have reserved envs, invalid envs configured: {names}" },
	{ NULL, NULL },
};

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "pytorchjob-refused",
		.code = "L113",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "a PyTorchJob that the operator's webhook refuses",
		.explanation =
			"A PyTorchJob has one master and any number of workers, each with a "
			"container named pytorch; an elastic policy needs workers. The webhook "
			"refuses everything else when the job is applied.",
		.remedy = "Correct the role that the message names.",
		.source = "kubeflow/trainer@289f1790 pkg/webhooks/pytorch/pytorchjob_webhook.go",
		.says = refused_says,
	  },
	  NEEDS_NOTHING, check_pytorch_job },
	{ &(const struct rule_id){
		.name = "reserved-environment",
		.code = "L114",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "a TrainJob sets a variable that the trainer sets for torchrun",
		.explanation =
			"The trainer passes nodes, processes and the rendezvous to torchrun in "
			"the variables PET_*. If numProcPerNode is given, it refuses a job that "
			"sets them itself; otherwise it replaces the job's values.",
		.remedy = "Delete the variable.",
		.source = "kubeflow/trainer@8c0f5059 pkg/runtime/framework/plugins/torch/torch.go",
		.says = reserved_says,
	  },
	  NEEDS_NOTHING, check_reserved },
	{ &(const struct rule_id){
		.name = "pods-not-launched",
		.code = "L115",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "torchrun's number of machines differs from the number of pods",
		.explanation =
			"Each pod runs torchrun, which waits for as many machines as --nnodes "
			"says. If --nnodes was not changed together with the replicas, torchrun "
			"keeps waiting, or turns pods away.",
		.remedy = "Leave --nnodes to the controller.",
		.source = "torch distributed/elastic/rendezvous/dynamic_rendezvous.py",
	  },
	  NEEDS_NOTHING, check_machines },
};
/* clang-format on */

const struct ruleset ruleset_kubernetes = {
	"kubernetes",
	"Kubernetes: what its operators make of a manifest",
	rules,
	sizeof(rules) / sizeof(*rules),
};
