#include "base/number.h"
#include "base/text.h"
#include "framework/world.h"
#include "input/launch/launch.h"
#include "input/launch/launched.h"
#include "input/node.h"
#include "rules/facts.h"
#include "framework/wing.h"
#include "rules/raised.h"
#include "rules/processes.h"

#include <inttypes.h>
#include <string.h>

/* accelerate divides the number of all processes by the machines, and drops the rest. */
static void check_total(const struct rule *rule, struct job *job)
{
	const struct setting *total = fact(job, FIELD_LAUNCH_PROCESSES);
	const struct setting *nodes = fact(job, FIELD_LAUNCH_NODES);
	const struct start start = start_of(job);
	struct finding *finding;
	int64_t each, rest, devices;

	if (!setting_known(total) || !setting_known(nodes) || nodes->integer < 2 ||
	    total->integer < 1)
		return;
	each = total->integer / nodes->integer;
	rest = total->integer % nodes->integer;
	devices = start.devices ? start.devices->integer : 0;
	if (!rest && (devices < 1 || each >= devices))
		return;
	finding = finding_add(job->findings, rule->id, total->span,
			      "%" PRId64 " processes over %" PRId64 " machines are %" PRId64
			      " on each: %" PRId64 " / %" PRId64 " = %" PRId64,
			      total->integer, nodes->integer, each, total->integer, nodes->integer,
			      each);
	relate_setting(job, finding, FIELD_LAUNCH_NODES);
	if (start.devices)
		relate_setting(job, finding, start.devices->field);
	if (rest)
		finding_actual(job->findings, finding,
			       "%" PRId64 " mod %" PRId64 " = %" PRId64 " left over: %" PRId64
			       " processes start",
			       total->integer, nodes->integer, rest, each * nodes->integer);
	else
		finding_actual(job->findings, finding,
			       "%" PRId64 " of %" PRId64 " devices stay idle on each machine",
			       devices - each, devices);
	if (devices < 1)
		return;
	finding_fix(job->findings, finding,
		    "the number counts the processes of all machines: did you mean %" PRId64
		    " * %" PRId64 " = %" PRId64 "?",
		    nodes->integer, devices, multiply(nodes->integer, devices));
	edit_setting(job, finding, total, multiply(nodes->integer, devices));
}

/* Whether each process has several devices, none of which is left over. */
static bool devices_dealt(const struct job *job, const struct start *start)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, "");

	if (!job_does(job, HABIT_DEVICE_MAP) || start->devices->integer % start->count)
		return false;
	return !*engine ||
	       (!wing_does(wing_find(engine), HABIT_MEGATRON, NULL) && /* refused: its wing */
		start->devices->field == FIELD_LAUNCH_GPUS_REQUESTED);
}

static void check_idle(const struct rule *rule, struct job *job)
{
	const struct start start = start_of(job);
	struct finding *finding;
	int64_t idle;

	if (!start.per_machine || !start.devices || start.count < 1 ||
	    start.count >= start.devices->integer || devices_dealt(job, &start))
		return;
	idle = start.devices->integer - start.count;
	finding = finding_add(job->findings, rule->id, start.per_machine->span,
			      "%" PRId64 " processes on machines of %" PRId64 " devices: %" PRId64
			      " of each stay idle",
			      start.count, start.devices->integer, idle);
	relate_setting(job, finding, start.devices->field);
	if (start.machines && start.machines->integer > 0)
		finding_actual(job->findings, finding,
			       "%" PRId64 " * %" PRId64 " = %" PRId64 " devices idle",
			       start.machines->integer, idle,
			       multiply(start.machines->integer, idle));
	finding_fix(job->findings, finding,
		    "start %" PRId64 " on each, or write %" PRId64 " where the devices are counted",
		    start.devices->integer, start.count);
	edit_setting(job, finding, start.per_machine, start.devices->integer);
}

static void check_shared(const struct rule *rule, struct job *job)
{
	const struct start start = start_of(job);
	struct finding *finding;

	if (!start.per_machine || !start.devices || start.devices->integer < 1 ||
	    start.count <= start.devices->integer)
		return;
	finding = finding_add(job->findings, rule->id, start.per_machine->span,
			      "%" PRId64 " processes on machines of %" PRId64
			      " devices: there is none for %" PRId64 " of them",
			      start.count, start.devices->integer,
			      start.count - start.devices->integer);
	relate_setting(job, finding, start.devices->field);
	finding_fix(job->findings, finding, "start at most %" PRId64 " on each machine",
		    start.devices->integer);
	edit_setting(job, finding, start.per_machine, start.devices->integer);
}

/* "8 + 8 + 4", and whether they are all alike. */
static const char *listed_sum(struct arena *arena, const struct node *list, bool *alike)
{
	const struct node *item;
	const char *text = "";

	*alike = true;
	for (item = list->first; item; item = item->next) {
		text = arena_printf(arena, "%s%s%" PRId64, text, *text ? " + " : "", item->integer);
		*alike = *alike && item->integer == list->first->integer;
	}
	return text;
}

/* Launchers that take every machine for like this one. */
static const char *assumes_alike(const struct job *job)
{
	const char *launcher = setting_text(&job->settings, FIELD_LAUNCH_LAUNCHER, "");
	const struct version *version = job_does(job, HABIT_NODES_ALIKE);

	if (wing_does(wing_find(launcher), HABIT_NODES_ALIKE, NULL))
		return launcher;
	return version ? version->framework : NULL;
}

static void check_uneven(const struct rule *rule, struct job *job)
{
	const struct setting *list = fact(job, FIELD_CLUSTER_DEVICES);
	const int64_t sum = world_of_devices(&job->settings);
	const char *text, *who = assumes_alike(job);
	struct finding *finding;
	bool alike;

	if (sum < 1)
		return;
	text = listed_sum(job->arena, list->node, &alike);
	if (alike || (!who && (!job->world || job->world == sum)))
		return;
	if (who)
		finding = finding_add(job->findings, rule->id, list->span,
				      "the nodes do not have the same number of devices, which %s "
				      "assumes: there are %s = %" PRId64,
				      who, text, sum);
	else
		finding = finding_add(job->findings, rule->id, list->span,
				      "the nodes have %s = %" PRId64
				      " devices, but the world is %" PRId64,
				      text, sum, job->world);
	relate_setting(job, finding, FIELD_WORLD);
	finding_actual(job->findings, finding,
		       "every node computes another world size, and those that expect more ranks "
		       "wait for them until the store's timeout");
	finding_fix(job->findings, finding,
		    "use as many devices on each node, or torchrun with --nproc-per-node for each "
		    "node: the world is the sum");
}

static bool is_local(const char *endpoint)
{
	static const char *const hosts[] = { "localhost", "127.", "[::1]", "::1" };
	size_t i;

	for (i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		if (text_starts(endpoint, hosts[i]) && (hosts[i][strlen(hosts[i]) - 1] == '.' ||
							strchr(":", endpoint[strlen(hosts[i])])))
			return true;
	return false;
}

static void check_rendezvous(const struct rule *rule, struct job *job)
{
	const struct setting *endpoint = fact(job, FIELD_LAUNCH_RDZV_ENDPOINT);
	const struct start start = start_of(job);
	struct finding *finding;

	if (!setting_known(endpoint) || !is_local(endpoint->text) || !start.machines ||
	    start.machines->integer < 2 ||
	    setting_int(&job->settings, FIELD_LAUNCH_NODE_RANK, -1) == 0)
		return;
	finding = finding_add(job->findings, rule->id, endpoint->span,
			      "%" PRId64
			      " machines use %.80s as the rendezvous host, which is a different "
			      "machine on each of them",
			      start.machines->integer, endpoint->text);
	relate_setting(job, finding, start.machines->field);
	finding_actual(job->findings, finding,
		       "every machine hosts a store of its own and waits there for the others");
	finding_fix(job->findings, finding,
		    "give the name or address of one machine, the same on all");
}

/* The file says how many ranks there are, and what is started: they should agree. */
static void check_world(const struct rule *rule, struct job *job)
{
	const struct setting *world = fact(job, FIELD_WORLD), *from;
	const int64_t launched = world_launched(&job->settings, &from);
	struct finding *finding;

	if (world->origin != ORIGIN_GIVEN || !setting_known(world) || launched < 1 ||
	    launched == world->integer)
		return;
	finding = finding_add(job->findings, rule->id, world->span,
			      "world is %" PRId64 ", but the launcher starts %" PRId64 " processes",
			      world->integer, launched);
	relate_setting(job, finding, from->field);
	relate_setting(job, finding, FIELD_LAUNCH_NODES);
	finding_fix(job->findings, finding,
		    "write %" PRId64 " or delete the line; or correct what is launched", launched);
	edit_setting(job, finding, world, launched);
}

/* How a setting of the config is called there, and what it is. */
static void report_apart(const struct rule *rule, struct job *job, const struct setting *said,
			 const struct setting *launched)
{
	struct finding *finding;

	if (!setting_known(said) || !setting_known(launched) ||
	    !strcmp(said->text, launched->text) || said->span.source == launched->span.source)
		return;
	finding = finding_add(job->findings, rule->id, said->span,
			      "%s is %s, but %s, which starts the job, says %s", said->spelling,
			      said->text, launched->span.source->path, launched->text);
	finding_relate(job->findings, finding, launched->span, "%s is started", launched->text);
	finding_actual(job->findings, finding, "%s is what starts", launched->text);
	finding_fix(job->findings, finding, "write the same number in both files");
}

/* The config's machines and devices against what a file of its own starts. */
static void check_apart(const struct rule *rule, struct job *job)
{
	static const enum field_id pairs[][2] = {
		{ FIELD_CLUSTER_NODES, FIELD_LAUNCH_NODES },
		{ FIELD_CLUSTER_NODES, FIELD_LAUNCH_REPLICAS },
		{ FIELD_CLUSTER_GPUS_PER_NODE, FIELD_LAUNCH_PER_NODE },
		{ FIELD_CLUSTER_GPUS_PER_NODE, FIELD_LAUNCH_GPUS_REQUESTED },
	};
	int64_t number;
	size_t i;

	for (i = 0; job->document.launched_by && i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct setting *said = fact(job, pairs[i][0]);
		const struct setting *launched = fact(job, pairs[i][1]);
		if (setting_given(said) && launched->origin == ORIGIN_LAUNCH &&
		    text_to_int(launched->text, &number))
			report_apart(rule, job, said, launched);
	}
}

/* A flag of the script that starts the job against the config: the flag counts. */
static void check_overridden(const struct rule *rule, struct job *job)
{
	static const enum field_id fields[] = {
		FIELD_DP,
		FIELD_DP_REPLICATE,
		FIELD_DP_SHARD,
		FIELD_CP,
		FIELD_TP,
		FIELD_PP,
		FIELD_EP,
		FIELD_ETP,
		FIELD_MICRO_BATCH_SIZE,
		FIELD_SEQ_LEN,
		FIELD_GLOBAL_BATCH_SIZE,
		FIELD_GRADIENT_ACCUMULATION,
		FIELD_ZERO_STAGE,
		FIELD_LOCAL_BATCH_SIZE,
		FIELD_LAUNCH_PROCESSES,
		FIELD_LAUNCH_NODES,
		FIELD_LAUNCH_PER_NODE,
	};
	struct finding *finding;
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct setting *now = fact(job, fields[i]), *before = now->overridden;
		if (!job->document.launched_by || !before || before->origin != ORIGIN_GIVEN ||
		    now->span.source != job->document.launched_by ||
		    !strcmp(now->text, before->text))
			continue;
		finding = finding_add(job->findings, rule->id, before->span,
				      "%s is %s here, but %s gives %s, which counts",
				      before->spelling, before->text, now->span.source->path,
				      now->text);
		finding_relate(job->findings, finding, now->span, "given here");
		finding_fix(job->findings, finding,
			    "write %s here, too, or take it out of the command line", now->text);
	}
}

static const struct saying shared_says[] = {
	{ "CUDA", "RuntimeError: CUDA error: invalid device ordinal" },
	{ "NCCL", "Duplicate GPU detected : rank {n} and rank {n} both on CUDA device {id}" },
	{ NULL, NULL },
};

static const struct saying uneven_says[] = {
	{ "torch",
	  "Timed out initializing process group in store based barrier on rank: {n}, for key: "
	  "store_based_barrier_key:{n} (world_size={n}, worker_count={n}, timeout={time})" },
	{ NULL, NULL },
};

static const struct saying rendezvous_says[] = {
	{ "torch, after its join timeout of 600 s",
	  "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError" },
	{ NULL, NULL },
};

static void check_option(const struct rule *rule, struct job *job)
{
	const struct launch_flag *refused =
		job->document.launch ? &job->document.launch->refused : NULL;
	const char *launcher = job->document.launch ? job->document.launch->launcher : NULL;
	struct finding *finding;

	if (!refused || !refused->name || !refused->value || !launcher)
		return;
	finding = finding_add(job->findings, rule->id, refused->span, "%s has no option --%s",
			      launcher, refused->name);
	finding->speaker = launcher;
	finding_quote(job->findings, finding, "error: unrecognized arguments: --%s", refused->name);
	finding_fix(job->findings, finding, "did you mean --%s?", refused->value);
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "processes-are-total",
		.code = "L101",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "accelerate's number of processes counts all machines",
		.explanation =
			"accelerate starts num_processes / num_machines processes on each "
			"machine, by floor division. A number meant for one machine leaves the "
			"other devices of each machine idle, and accelerate silently drops a "
			"remainder.",
		.remedy = "Give the number of processes of all machines together.",
		.source = "https://github.com/huggingface/accelerate/issues/2521",
	  },
	  NEEDS_NOTHING, check_total },
	{ &(const struct rule_id){
		.name = "idle-devices",
		.code = "L102",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "fewer processes on a machine than it has devices",
		.explanation =
			"A rank drives one device, so devices without a process do nothing. The "
			"run succeeds; only its speed per paid device is wrong. By default "
			"torchrun starts one process on each machine.",
		.remedy = "Start a process for each device, or ask for fewer devices.",
		.source = "https://github.com/GitM-Labs/runtime/pull/76",
	  },
	  NEEDS_NOTHING, check_idle },
	{ &(const struct rule_id){
		.name = "shared-device",
		.code = "L103",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "more processes on a machine than it has devices",
		.explanation =
			"A process takes the device of its local rank. Ranks beyond the last "
			"device find none, and two ranks on one device cannot talk through NCCL.",
		.remedy = "Start at most one process for each device.",
		.source = "NVIDIA/nccl@v2.27.3 src/init.cc, Duplicate GPU detected",
		.says = shared_says,
	  },
	  NEEDS_NOTHING, check_shared },
	{ &(const struct rule_id){
		.name = "uneven-nodes",
		.code = "L108",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "nodes have different numbers of devices, but the launcher multiplies",
		.explanation =
			"accelerate and Lightning compute the world size as nodes * devices of a "
			"node. If the nodes differ, ranks disagree about the world size, and some "
			"wait for ranks that are never started.",
		.remedy = "Use the same number on each node, or torchrun, which adds the numbers "
			  "up.",
		.source = "https://github.com/Lightning-AI/pytorch-lightning/issues/13506",
		.says = uneven_says,
	  },
	  NEEDS_NOTHING, check_uneven },
	{ &(const struct rule_id){
		.name = "rendezvous-localhost",
		.code = "L109",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "the rendezvous host of several machines is localhost",
		.explanation =
			"On every machine localhost is the machine itself: each one hosts a store "
			"of its own and waits there for the others. Scripts fall back to "
			"localhost when the command that names the first host fails inside a "
			"container.",
		.remedy = "Give the same reachable host on all machines.",
		.source = "torch distributed/elastic/rendezvous/c10d_rendezvous_backend.py, "
			  "_create_tcp_store; https://github.com/mlc-ai/pith-train/pull/91",
		.says = rendezvous_says,
	  },
	  NEEDS_NOTHING, check_rendezvous },
	{ &(const struct rule_id){
		.name = "world-not-launched",
		.code = "L110",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "world is not the number of processes that are launched",
		.explanation =
			"world and the launch: block of one file should agree. parplan uses world "
			"for everything.",
		.remedy = "Delete world, or correct the launch: block.",
		.source = "the native config's launch: block",
	  },
	  NEEDS_NOTHING, check_world },
	{ &(const struct rule_id){
		.name = "launcher-disagrees",
		.code = "L111",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_READ,
		.summary = "config and launcher give different numbers of machines or processes",
		.explanation =
			"A config that counts machines or devices itself (devices, num_nodes, "
			"trainer.nnodes) and the script or manifest that starts it should agree. "
			"The launcher starts the ranks: if the config expects more, the job waits "
			"for machines that never come; if it expects fewer, the rest are idle.",
		.remedy = "Write the same numbers in both files.",
		.source = "Lightning-AI/litgpt@26857050; NVIDIA/NeMo@8cfedd72",
	  },
	  NEEDS_NOTHING, check_apart },
	{ &(const struct rule_id){
		.name = "launcher-overrides",
		.code = "L112",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_READ,
		.summary = "a flag of the launcher's command line overrides the config",
		.explanation =
			"The command line overrides the file, so the job does not run with the "
			"number in the config.",
		.remedy = "Keep the number in one place.",
		.source = "pytorch/torchtitan@73a0e697 torchtitan/config/manager.py",
	  },
	  NEEDS_NOTHING, check_overridden },
	{ &(const struct rule_id){
		.name = "launcher-option",
		.code = "L119",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "an option that the launcher does not know",
		.explanation =
			"torchrun and deepspeed read their own options in front of the script, and "
			"stop at one that they do not know. The unambiguous beginning of an option "
			"is the option to them. How many ranks would have started is not known.",
		.remedy = "Correct the option; the script's own flags stand behind the script.",
		.source = "torch 2.15.0 distributed/run.py, get_args_parser; deepspeed 0.18.9 "
			  "launcher/runner.py, parse_args",
	  },
	  NEEDS_NOTHING, check_option },
};
/* clang-format on */

const struct ruleset ruleset_launch = {
	"launch",
	"Launching: machines, processes and devices",
	rules,
	sizeof(rules) / sizeof(*rules),
};
