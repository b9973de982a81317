#include "base/number.h"
#include "base/text.h"
#include "input/launch/launch.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"
#include "rules/processes.h"

#include <inttypes.h>
#include <string.h>

/* Kubeflow sets WORLD_SIZE to replicas * nprocPerNode, and takes a word for 1. */
static void check_counted(const struct rule *rule, struct job *job)
{
	const struct setting *per_node = fact(job, FIELD_LAUNCH_PER_NODE);
	const struct start start = start_of(job);
	struct finding *finding;
	int64_t pods, devices;

	if (!launched_by(job, "kubernetes") || !start.devices || start.count > 0 ||
	    (setting_known(per_node) && !strcmp(per_node->text, "cpu")))
		return;
	pods = start.machines ? start.machines->integer : 1;
	devices = start.devices->integer;
	if (devices < 2 || pods < 1)
		return;
	finding = finding_add(job->findings, rule->id,
			      setting_given(per_node) ? per_node->span : start.devices->span,
			      "processes per pod is %s, not a number: WORLD_SIZE counts %" PRId64
			      " * 1 = %" PRId64 ", torchrun starts %" PRId64 " * %" PRId64
			      " = %" PRId64,
			      setting_given(per_node) ? per_node->text : "not given (auto)", pods,
			      pods, pods, devices, multiply(pods, devices));
	relate_setting(job, finding, start.devices->field);
	relate_setting(job, finding, FIELD_LAUNCH_REPLICAS);
	finding_consequence(job->findings, finding,
			    "a script that reads WORLD_SIZE before torchrun sets it, or is started "
			    "without torchrun, uses 1 of %" PRId64 " devices of each pod",
			    devices);
	if (!setting_given(per_node) && per_node->spelling)
		finding_fix(job->findings, finding, "write %s: %" PRId64, per_node->spelling,
			    devices);
	else
		finding_fix(job->findings, finding, "write the number: %" PRId64, devices);
	edit_setting(job, finding, per_node, devices);
}

static void check_cpu(const struct rule *rule, struct job *job)
{
	const struct setting *per_node = fact(job, FIELD_LAUNCH_PER_NODE);
	const struct setting *devices = fact(job, FIELD_LAUNCH_GPUS_REQUESTED);
	struct finding *finding;

	if (!launched_by(job, "kubernetes") || !setting_known(devices) || devices->integer != 0 ||
	    (setting_known(per_node) && strcmp(per_node->text, "auto") != 0))
		return;
	finding = finding_add(
		job->findings, rule->id, setting_known(per_node) ? per_node->span : devices->span,
		"processes per pod is %s and a pod has no device: one process per CPU "
		"of its machine is started",
		setting_known(per_node) ? per_node->text : "not given (auto)");
	relate_setting(job, finding, FIELD_LAUNCH_GPUS_REQUESTED);
	finding_fix(job->findings, finding,
		    "give the number of processes, 1 when one model fits the pod");
	edit_setting(job, finding, per_node, 1);
}

static void check_elastic(const struct rule *rule, struct job *job)
{
	const struct setting *inner = fact(job, FIELD_LAUNCH_ELASTIC_PER_NODE);
	const struct setting *outer = fact(job, FIELD_LAUNCH_PER_NODE);
	struct finding *finding;

	if (!setting_known(inner))
		return;
	if (setting_known(outer)) {
		finding = finding_add(job->findings, rule->id, inner->span,
				      "processes per pod are given twice: %" PRId64
				      " inside the elastic policy, %s beside it",
				      inner->integer, outer->text);
		relate_setting(job, finding, FIELD_LAUNCH_PER_NODE);
		finding_quote(job->findings, finding,
			      "spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with "
			      "spec.nprocPerNode");
		finding->speaker = "Kubeflow's webhook";
		finding_fix(job->findings, finding, "delete the one inside the elastic policy");
	} else {
		finding = finding_add(job->findings, rule->id, inner->span,
				      "processes per pod stand inside the elastic policy, where "
				      "they are deprecated");
		finding_cap(finding, SEVERITY_WARNING);
		finding_actual(job->findings, finding,
			       "Kubeflow's webhook warns: spec.elasticPolicy.nProcPerNode is "
			       "deprecated, use spec.nprocPerNode instead");
		finding_fix(job->findings, finding, "write %s: %" PRId64,
			    text_starts(inner->spelling, "launch.")
				    ? "launch.processes_per_node (spec.nprocPerNode)"
				    : "spec.nprocPerNode",
			    inner->integer);
	}
}

/* Tasks of srun on each machine, or 0. */
static int64_t tasks_of(const struct job *job, const struct start *start,
			const struct setting **from)
{
	const struct setting *tasks = fact(job, FIELD_LAUNCH_TASKS);

	*from = fact(job, FIELD_LAUNCH_TASKS_PER_NODE);
	if (setting_known(*from))
		return (*from)->integer;
	*from = tasks;
	if (!setting_known(tasks) || !start->machines || start->machines->integer < 1)
		return 0;
	return tasks->integer / start->machines->integer;
}

/* srun starts a launcher several times on a machine, which each start all its processes. */
static void report_twice(const struct rule *rule, struct job *job, const struct start *start,
			 const struct setting *from, int64_t tasks)
{
	const int64_t each = start->count > 0 && start->per_machine->field == FIELD_LAUNCH_PER_NODE
				     ? start->count
				     : 0;
	struct finding *finding;

	if (each)
		finding = finding_add(
			job->findings, rule->id, from->span,
			"srun starts %s %" PRId64 " times on each machine, each "
			"with %" PRId64 " processes: %" PRId64 " * %" PRId64 " = %" PRId64
			" processes%s",
			start->launcher, tasks, each, tasks, each, multiply(tasks, each),
			start->devices ? arena_printf(job->arena, " on %" PRId64 " devices",
						      start->devices->integer)
				       : "");
	else
		finding = finding_add(job->findings, rule->id, from->span,
				      "srun starts %s %" PRId64 " times on each machine, which "
				      "each start all processes of the machine",
				      start->launcher, tasks);
	relate_setting(job, finding, FIELD_LAUNCH_PER_NODE);
	finding_fix(job->findings, finding,
		    "one task per machine: --ntasks-per-node=1; %s makes the processes",
		    start->launcher);
	if (from->field == FIELD_LAUNCH_TASKS_PER_NODE)
		edit_setting(job, finding, from, 1);
}

/* Lightning under srun: a task per device, or it refuses to start. */
static void report_lightning(const struct rule *rule, struct job *job, const struct setting *from,
			     int64_t tasks, const struct setting *devices, int64_t count)
{
	struct finding *finding;

	finding = finding_add(job->findings, rule->id, from->span,
			      "%" PRId64 " tasks on each machine, but devices is %" PRId64
			      ": Lightning wants a task per device",
			      tasks, count);
	relate_setting(job, finding, devices->field);
	quote_told(
		rule, job, finding,
		(const struct exception_name[]) { TELL("d", count), TELL("t", tasks), TELL_END });
	finding_fix(job->findings, finding, "use --ntasks-per-node=%" PRId64, count);
	if (from->field == FIELD_LAUNCH_TASKS_PER_NODE)
		edit_setting(job, finding, from, count);
}

static void check_tasks(const struct rule *rule, struct job *job)
{
	const struct setting *per_node = fact(job, FIELD_LAUNCH_PER_NODE), *from;
	struct start start = start_of(job);
	int64_t tasks = tasks_of(job, &start, &from), count;

	if (tasks < 1)
		return;
	if (launcher_makes_blocks(start.launcher)) {
		if (tasks > 1)
			report_twice(rule, job, &start, from, tasks);
		return;
	}
	if (job_does(job, HABIT_TASK_PER_DEVICE) && setting_known(per_node) &&
	    text_to_int(per_node->text, &count) && count > 0 && count != tasks)
		report_lightning(rule, job, from, tasks, per_node, count);
}

static const struct saying elastic_says[] = {
	{ "Kubeflow training-operator, its webhook",
	  "spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with spec.nprocPerNode" },
	{ "Kubeflow training-operator, its webhook",
	  "spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead" },
	{ NULL, NULL },
};

#define KUBEFLOW "kubeflow/training-operator@ee116291 "

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "processes-not-counted",
		.code = "L104",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "a Kubernetes job gives its processes per pod as a word, not a number",
		.explanation =
			"A PyTorchJob sets WORLD_SIZE to replicas * nprocPerNode, where auto (the "
			"default), gpu and cpu count as 1, while torchrun reads them as the "
			"number of devices of the pod. Scripts started without torchrun use one "
			"device.",
		.remedy = "Write the number of devices of a pod.",
		.source = KUBEFLOW "pkg/controller.v1/pytorch/envvar.go, issue 1790",
	  },
	  NEEDS_NOTHING, check_counted },
	{ &(const struct rule_id){
		.name = "process-per-cpu",
		.code = "L105",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "a pod without devices starts a process for each CPU",
		.explanation =
			"If no number is given, a pod starts one process for each device that it "
			"asks for. Without devices it starts one for each CPU of the whole "
			"machine, whatever the pod's limit. Memory runs out, or the processes "
			"wait for each other.",
		.remedy = "Give the number of processes.",
		.source = "https://github.com/kubeflow/trainer/issues/2407",
	  },
	  NEEDS_NOTHING, check_cpu },
	{ &(const struct rule_id){
		.name = "elastic-processes",
		.code = "L106",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "processes per pod inside an elastic policy",
		.explanation =
			"elasticPolicy.nProcPerNode is the old name of spec.nprocPerNode. Both "
			"together are refused; before they were, WORLD_SIZE counted replicas only.",
		.remedy = "Keep spec.nprocPerNode alone.",
		.source = "https://github.com/kubeflow/trainer/issues/1947",
		.says = elastic_says,
	  },
	  NEEDS_NOTHING, check_elastic },
	{ &(const struct rule_id){
		.name = "tasks-per-node",
		.code = "L107",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "srun starts another number of tasks than the launcher needs",
		.explanation =
			"torchrun and other launchers start the processes of a machine "
			"themselves and want one task on each; eight tasks make eight times as "
			"many processes as devices. Lightning without a launcher wants a task for "
			"each device; older versions hang when there are fewer.",
		.remedy = "Use one task per machine with a launcher, one per device without.",
		.source = "https://github.com/awslabs/awsome-distributed-ai/pull/1112",
	  },
	  NEEDS_NOTHING, check_tasks },
};
/* clang-format on */

const struct ruleset ruleset_schedulers = {
	"schedulers",
	"Kubernetes and SLURM",
	rules,
	sizeof(rules) / sizeof(*rules),
};
