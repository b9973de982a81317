#include "wings/transformers/data_parallel.h"

#include "wings/deepspeed/keys.h"
#include "framework/wing.h"
#include "input/keys.h"
#include "input/launch/launch.h"

#include <inttypes.h>
#include <string.h>

const struct rule_id rule_deepspeed_mismatch = {
	.name = "deepspeed-mismatch",
	.code = "B107",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_READ,
	.summary = "DeepSpeed's file and the Trainer's arguments say different numbers",
	.explanation =
		"transformers fills \"auto\" in DeepSpeed's config from its own arguments and "
		"compares all other values with them: a number that differs stops the job after "
		"the model was loaded.",
	.remedy = "Set the value in DeepSpeed's file to \"auto\", or to the arguments' number.",
	.source = "transformers@v4.57.0 integrations/deepspeed.py, trainer_config_finalize",
	.says =
		(const struct saying[]) {
			{ "transformers",
			  "ValueError: Please correct the following DeepSpeed config values "
			  "that mismatch TrainingArguments values:" },
			{ NULL, NULL } },
};

/* True when somebody gave it, or gave what it follows from under the same name. */
static bool stands(const struct setting *setting)
{
	return setting_given(setting) ||
	       (setting->origin == ORIGIN_DERIVED && setting->parent_count &&
		setting->parents[0]->field == setting->field && setting_given(setting->parents[0]));
}

static void rest(struct decoder *decoder, enum field_id open, enum field_id one, const char *note)
{
	const struct settings *settings = decoder->settings;

	if (!stands(&settings->items[open]))
		keys_default(decoder, open, -1, note);
	if (!stands(&settings->items[one]))
		keys_default(decoder, one, 1, note);
}

void data_parallel_shards(struct decoder *decoder, const char *note)
{
	rest(decoder, FIELD_DP_SHARD, FIELD_DP_REPLICATE, note);
}

void data_parallel_repeats(struct decoder *decoder, const char *note)
{
	rest(decoder, FIELD_DP_REPLICATE, FIELD_DP_SHARD, note);
}

/* huggingface/accelerate@16cb6eb8 commands/launch.py, _validate_launch_command, and
 * utils/launch.py: its file's type goes to the Trainer by ACCELERATE_USE_FSDP and
 * ACCELERATE_USE_DEEPSPEED. */
void data_parallel_by_launcher(struct document *document, struct decoder *decoder, const char *note)
{
	data_parallel_repeats(decoder, note);
	if (!document->launch)
		document->sharing_open =
			"nothing here starts the job: torchrun leaves it at "
			"DistributedDataParallel, but the file of accelerate launch "
			"may ask for FSDP or DeepSpeed";
}

bool data_parallel_started(struct document *document, struct decoder *decoder)
{
	static const enum field_id fields[] = {
		FIELD_DP_REPLICATE,
		FIELD_DP_SHARD,
		FIELD_TP,
		FIELD_CP,
		FIELD_SP,
		FIELD_PP,
		FIELD_FSDP_VERSION,
		FIELD_SHARDING_MODE,
		FIELD_RESHARD_AFTER_FORWARD,
		FIELD_CPU_OFFLOAD,
		FIELD_ZERO_STAGE,
		FIELD_ZERO_CONFIG,
		FIELD_ENGINE,
	};
	const struct launch *launch = document->launch;
	size_t i;

	if (!launch || !launch->starter || strcmp(launch->starter_dialect, "accelerate") != 0)
		return false;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!setting_given(settings_of(decoder->settings, fields[i])))
			decoder->settings->items[fields[i]] = launch->starter->items[fields[i]];
	document->sharing_open = launch->sharing_open;
	return true;
}

static void share_within_machines(struct decoder *decoder, const struct setting *mode)
{
	int64_t machines = setting_int(decoder->settings, FIELD_LAUNCH_NODES, 0);

	if (machines < 1)
		machines = setting_int(decoder->settings, FIELD_CLUSTER_NODES, 0);
	if (machines > 1 && !setting_given(settings_of(decoder->settings, FIELD_DP_REPLICATE)))
		keys_derive(decoder, FIELD_DP_REPLICATE, machines, mode,
			    "one replica on each machine");
	if (machines > 1)
		keys_default(decoder, FIELD_DP_SHARD, -1, "the devices of a machine share");
	else
		data_parallel_shards(decoder, "the devices of a machine share");
}

bool data_parallel_strategy(struct decoder *decoder)
{
	const struct setting *mode = settings_of(decoder->settings, FIELD_SHARDING_MODE);
	const char *word = setting_text(decoder->settings, FIELD_SHARDING_MODE, "FULL_SHARD");

	if (strstr(word, "SHARD_GRAD_OP") || strstr(word, "ZERO2"))
		settings_put_text(decoder->settings, FIELD_RESHARD_AFTER_FORWARD, "never",
				  ORIGIN_DERIVED)
			->span = mode->span;
	if (strstr(word, "HYBRID"))
		share_within_machines(decoder, mode);
	else if (!strcmp(word, "NO_SHARD"))
		data_parallel_repeats(decoder, "NO_SHARD");
	else
		return false;
	return true;
}

/* What such a file leaves in host memory: what the optimizer keeps, or parameters as well. */
enum hosted { NOTHING_HOSTED, OPTIMIZER_HOSTED, ALL_HOSTED };

/* Files that come with a framework, for when they do not lie beside the config. */
static const struct {
	const char *name, *owner;
	int stage;
	enum hosted hosted;
} shipped[] = {
	{ "zero1.json", "axolotl@067b021c deepspeed_configs", 1, NOTHING_HOSTED },
	{ "zero1_torch_compile.json", "axolotl@067b021c deepspeed_configs", 1, NOTHING_HOSTED },
	{ "zero2.json", "axolotl@067b021c deepspeed_configs", 2, NOTHING_HOSTED },
	{ "zero2_torch_compile.json", "axolotl@067b021c deepspeed_configs", 2, NOTHING_HOSTED },
	{ "zero3.json", "axolotl@067b021c deepspeed_configs", 3, NOTHING_HOSTED },
	{ "zero3_bf16.json", "axolotl@067b021c deepspeed_configs", 3, NOTHING_HOSTED },
	{ "zero3_bf16_cpuoffload_all.json", "axolotl@067b021c deepspeed_configs", 3, ALL_HOSTED },
	{ "zero3_bf16_cpuoffload_params.json", "axolotl@067b021c deepspeed_configs", 3,
	  NOTHING_HOSTED },
	{ "ds_z0_config.json", "LLaMA-Factory@ff6d4d12 examples/deepspeed", 0, NOTHING_HOSTED },
	{ "ds_z2_config.json", "LLaMA-Factory@ff6d4d12 examples/deepspeed", 2, NOTHING_HOSTED },
	{ "ds_z2_offload_config.json", "LLaMA-Factory@ff6d4d12 examples/deepspeed", 2,
	  OPTIMIZER_HOSTED },
	{ "ds_z2_autotp_config.json", "LLaMA-Factory@ff6d4d12 examples/deepspeed", 2,
	  NOTHING_HOSTED },
	{ "ds_z3_config.json", "LLaMA-Factory@ff6d4d12 examples/deepspeed", 3, NOTHING_HOSTED },
	{ "ds_z3_offload_config.json", "LLaMA-Factory@ff6d4d12 examples/deepspeed", 3, ALL_HOSTED },
	{ "ds_z3_fp8_config.json", "LLaMA-Factory@ff6d4d12 examples/deepspeed", 3, NOTHING_HOSTED },
	{ "stage0_no_offloading_accelerate.conf", "open-instruct@e6c3044a configs/ds_configs", 0,
	  NOTHING_HOSTED },
	{ "stage2_accelerate.conf", "open-instruct@e6c3044a configs/ds_configs", 2,
	  NOTHING_HOSTED },
	{ "stage3_no_offloading.conf", "open-instruct@e6c3044a configs/ds_configs", 3,
	  NOTHING_HOSTED },
	{ "stage3_no_offloading_accelerate.conf", "open-instruct@e6c3044a configs/ds_configs", 3,
	  NOTHING_HOSTED },
	{ "stage3_offloading.conf", "open-instruct@e6c3044a configs/ds_configs", 3, ALL_HOSTED },
	{ "stage3_offloading_accelerate.conf", "open-instruct@e6c3044a configs/ds_configs", 3,
	  ALL_HOSTED },
	{ "zero0", "ms-swift@3602360a swift/config", 0, NOTHING_HOSTED },
	{ "zero1", "ms-swift@3602360a swift/config", 1, NOTHING_HOSTED },
	{ "zero2", "ms-swift@3602360a swift/config", 2, NOTHING_HOSTED },
	{ "zero2_offload", "ms-swift@3602360a swift/config", 2, OPTIMIZER_HOSTED },
	{ "zero3", "ms-swift@3602360a swift/config", 3, NOTHING_HOSTED },
	{ "zero3_offload", "ms-swift@3602360a swift/config", 3, ALL_HOSTED },
};

static void put_hosted(struct decoder *decoder, enum hosted hosted, const char *owner)
{
	if (hosted >= OPTIMIZER_HOSTED)
		keys_derive(decoder, FIELD_OPTIMIZER_OFFLOAD, 1, NULL, owner);
	if (hosted == ALL_HOSTED)
		settings_put_bool(decoder->settings, FIELD_CPU_OFFLOAD, true, ORIGIN_DERIVED)
			->note = owner;
}

/* True when the path ends in the name of a shipped file, whose stage is put. */
static bool put_shipped(struct decoder *decoder, const char *path)
{
	const struct setting *file = settings_of(decoder->settings, FIELD_ZERO_CONFIG);
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t i;

	for (i = 0; i < sizeof(shipped) / sizeof(shipped[0]); i++) {
		if (strcmp(shipped[i].name, name) != 0)
			continue;
		keys_derive(decoder, FIELD_ZERO_STAGE, shipped[i].stage, file, shipped[i].owner);
		put_hosted(decoder, shipped[i].hosted, shipped[i].owner);
		deepspeed_put_axes(decoder, -1);
		return true;
	}
	return false;
}

/* The degree hangs on a file that is not there. */
static void leave_open(struct decoder *decoder, enum field_id id, const struct node *config)
{
	struct setting *setting = settings_of(decoder->settings, id);

	if (setting_given(setting))
		return;
	setting->unresolved = config->text;
	setting->invalid = true;
	setting->spelling = "the ZeRO stage";
	setting->span = config->span;
	setting->key_span = config->key_span;
}

/* What both the Trainer and DeepSpeed have a key for. */
struct twice {
	enum field_id field;
	const char *ds, *hf;
};

static const struct twice twices[] = {
	{ FIELD_MICRO_BATCH_SIZE, "train_micro_batch_size_per_gpu", "per_device_train_batch_size" },
	{ FIELD_GRADIENT_ACCUMULATION, "gradient_accumulation_steps",
	  "gradient_accumulation_steps" },
};

enum { TWICES = sizeof(twices) / sizeof(twices[0]) };

static void report_mismatch(struct decoder *decoder, const struct twice *twice,
			    const struct setting *own, const struct setting *theirs)
{
	struct finding *finding;

	if (!decoder->findings)
		return;
	finding = finding_add(decoder->findings, &rule_deepspeed_mismatch, own->span,
			      "%s is %" PRId64 ", but %s in DeepSpeed's file is %" PRId64,
			      own->spelling, own->integer, twice->ds, theirs->integer);
	finding_relate(decoder->findings, finding, theirs->span, "%s=%" PRId64, twice->ds,
		       theirs->integer);
	finding_quote(decoder->findings, finding,
		      "ValueError: Please correct the following DeepSpeed config values that "
		      "mismatch TrainingArguments values:\n- ds %s=%" PRId64 " vs hf %s=%" PRId64
		      "\nThe easiest method is to set these DeepSpeed config values to 'auto'.",
		      twice->ds, theirs->integer, twice->hf, own->integer);
	finding->speaker = "transformers";
	finding_fix(decoder->findings, finding, "write \"%s\": \"auto\" in DeepSpeed's file",
		    twice->ds);
}

/* The arguments stand; what DeepSpeed's map says of the same is compared with them. */
static void put_beside(struct decoder *decoder, const struct node *map)
{
	struct setting own[TWICES];
	size_t i;

	for (i = 0; i < TWICES; i++)
		own[i] = decoder->settings->items[twices[i].field];
	deepspeed_put(decoder, map);
	deepspeed_choose(decoder, map);
	for (i = 0; i < TWICES; i++) {
		struct setting *theirs = &decoder->settings->items[twices[i].field];
		if (!setting_given(&own[i]) || !setting_known(&own[i]))
			continue;
		if (setting_given(theirs) && setting_known(theirs) &&
		    theirs->integer != own[i].integer)
			report_mismatch(decoder, &twices[i], &own[i], theirs);
		*theirs = own[i];
	}
}

void data_parallel_deepspeed(struct document *document, struct decoder *decoder,
			     const struct node *config)
{
	const struct node *map = config;

	if (config->kind == NODE_SCALAR) {
		field_put(decoder, FIELD_ZERO_CONFIG, config);
		map = document_load(document, NULL, config->text, decoder->findings);
	}
	settings_put_text(decoder->settings, FIELD_ENGINE, "deepspeed", ORIGIN_DEFAULT);
	if (map) {
		put_beside(decoder, map);
		return;
	}
	if (put_shipped(decoder, config->text))
		return;
	leave_open(decoder, FIELD_DP_SHARD, config);
	leave_open(decoder, FIELD_DP_REPLICATE, config);
}
