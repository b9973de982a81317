#include "wings/accelerate/words.h"

#include "base/text.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "wings/accelerate/total.h"

#include <string.h>
#include <strings.h>

/* What the plug-in and accelerate launch take by name (utils/constants.py, utils/dataclasses.py).
 */
static const struct key_choice choices[] = {
	{ "distributed_type",
	  "NO|MULTI_CPU|MULTI_GPU|MULTI_NPU|MULTI_MLU|MULTI_SDAA|MULTI_MUSA|MULTI_XPU|MULTI_HPU|"
	  "MULTI_NEURON|DEEPSPEED|FSDP|XLA|MEGATRON_LM|TP|TPU",
	  CHOICE_CAPITALS },
	{ "fsdp_config.fsdp_sharding_strategy",
	  "FULL_SHARD|SHARD_GRAD_OP|NO_SHARD|HYBRID_SHARD|HYBRID_SHARD_ZERO2|_HYBRID_SHARD_ZERO2|1|"
	  "2|3|4|5",
	  CHOICE_CAPITALS },
	{ "fsdp_config.fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP|SIZE_BASED_WRAP|NO_WRAP",
	  CHOICE_CAPITALS },
	{ "fsdp_config.fsdp_state_dict_type",
	  "FULL_STATE_DICT|LOCAL_STATE_DICT|SHARDED_STATE_DICT|1|2|3", CHOICE_CAPITALS },
	{ "fsdp_config.fsdp_backward_prefetch", "BACKWARD_PRE|BACKWARD_POST|NO_PREFETCH|1|2",
	  CHOICE_CAPITALS },
};

/*
 * `accelerate launch` makes arguments of what are maps (commands/launch.py@16cb6eb8); torchrun
 * wants a worker on each machine at least (torch/distributed/elastic/agent/server/api.py,
 * WorkerSpec). num_processes -1 has words of its own.
 */
#define DROPPED "accelerate launch takes nothing from it, and prints nothing"
static const struct key_kind kinds[] = {
	{ "fsdp_config", KIND_MAP, NULL, DROPPED },
	{ "deepspeed_config", KIND_MAP, NULL, DROPPED },
	{ "parallelism_config", KIND_MAP, NULL, DROPPED },
	{ "num_processes", KIND_NUMBER, "-1..", "torchrun starts no fewer than one worker" },
};

/* A whole number that the file gives, or NULL. */
static const struct node *number_of(const struct node *root, const char *key)
{
	const struct node *node = node_member(root, key);

	return node && !node->unresolved && field_fits(FIELD_INT, node) ? node : NULL;
}

/* num_machines below 2 takes the way of one machine (utils/launch.py@16cb6eb8). */
static void judge_machines(struct decoder *decoder, const struct node *machines)
{
	struct finding *finding;

	if (!machines || machines->integer > 0)
		return;
	finding = finding_add(decoder->findings, &rule_out_of_range, machines->span,
			      "num_machines %.20s is no number of machines", machines->text);
	finding_cap(finding, SEVERITY_WARNING);
	finding_actual(decoder->findings, finding,
		       "accelerate launch starts on one machine, and prints nothing");
	finding_fix(decoder->findings, finding, "give the number of machines, 1 or more");
}

/* What starts torchrun's agent wants a worker: WorkerSpec asserts local_world_size > 0. */
static void judge_processes(struct decoder *decoder, const struct node *root)
{
	const struct node *processes = number_of(root, "num_processes");
	struct finding *finding;

	if (!processes || processes->integer || processes->type != SCALAR_INT ||
	    !words_have("MULTI_GPU|MULTI_NPU|MULTI_XPU|MULTI_HPU|FSDP|DEEPSPEED|MEGATRON_LM",
			keys_text(root, "distributed_type", "NO")))
		return;
	finding = finding_add(decoder->findings, &rule_out_of_range, processes->span,
			      "num_processes 0 starts no process");
	finding_actual(decoder->findings, finding, "torchrun starts no fewer than one worker");
	finding_fix(decoder->findings, finding, "give the number of processes of all machines");
}

/* machine_rank is torchrun's --node_rank where there are several machines. */
static void judge_rank(struct decoder *decoder, const struct node *root,
		       const struct node *machines)
{
	const struct node *rank = number_of(root, "machine_rank");
	struct finding *finding;

	if (!rank || !machines || machines->integer < 2 ||
	    (rank->integer >= 0 && rank->integer < machines->integer))
		return;
	finding = finding_add(decoder->findings, &rule_out_of_range, rank->span,
			      "machine_rank %.20s is none of %.20s machines: they are 0 to %lld",
			      rank->text, machines->text, (long long)machines->integer - 1);
	finding_cap(finding, SEVERITY_WARNING);
	finding_relate(decoder->findings, finding, machines->span, "num_machines");
	finding_actual(decoder->findings, finding,
		       "the others wait for the missing machine until torchrun gives up");
	finding_fix(decoder->findings, finding, "number the machines from 0 on");
}

/* The end of a name that is a letter off what blocks of transformers are called, or NULL. */
static const char *slip_of_block(const char *name)
{
	static const char block[] = "DecoderLayer";
	const size_t length = strlen(name), usual = sizeof(block) - 1;
	size_t tail;

	if (text_ends(name, block))
		return NULL;
	for (tail = usual - 1; tail <= usual + 1; tail++)
		if (length > tail && name[length - tail] == *block &&
		    text_distance(name + length - tail, block, 1) <= 1)
			return name + length - tail;
	return NULL;
}

/* utils/dataclasses.py@16cb6eb8, set_auto_wrap_policy; of several names nothing is said. */
static void judge_block(struct decoder *decoder, const struct node *root)
{
	const struct node *node = node_find(root, "fsdp_config.fsdp_transformer_layer_cls_to_wrap");
	const char *end = node && node->kind == NODE_SCALAR && !node->unresolved
				  ? slip_of_block(node->text)
				  : NULL;
	struct finding *finding;

	if (!end || strchr(node->text, ','))
		return;
	finding = finding_add(decoder->findings, &rule_bad_word, node->span,
			      "no model has blocks of a class %.60s", node->text);
	finding_actual(decoder->findings, finding,
		       "accelerate raises a ValueError when it wraps the model");
	finding_fix(decoder->findings, finding, "did you mean %.*sDecoderLayer?",
		    (int)(end - node->text), node->text);
	finding_edit(decoder->findings, finding, node->span, "%.*sDecoderLayer",
		     (int)(end - node->text), node->text);
}

void accelerate_choose(struct decoder *decoder, const struct node *root)
{
	keys_choose(decoder, root, choices, sizeof(choices) / sizeof(choices[0]));
	keys_kinds(decoder, root, kinds, sizeof(kinds) / sizeof(kinds[0]));
	if (!decoder->findings)
		return;
	judge_machines(decoder, number_of(root, "num_machines"));
	judge_processes(decoder, root);
	judge_block(decoder, root);
	judge_rank(decoder, root, number_of(root, "num_machines"));
}

bool accelerate_is_switch(const char *word)
{
	static const char *const words[] = { "true",  "yes", "on",  "t", "y", "1",
					     "false", "no",  "off", "f", "n", "0" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(words[i], word))
			return true;
	return false;
}
