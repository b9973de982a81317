#include "input/field.h"

/* The rules about keys and values, whatever the dialect. */

const struct rule_id rule_unknown_key = {
	.name = "unknown-key",
	.code = "K001",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "a key that nothing reads",
	.explanation = "This config format does not have the key at the version that parplan "
		       "checks against. TorchTitan from eadca4835 (2025-08-28) to v0.2.2 stops on "
		       "it with a ValueError; earlier versions silently ignore it and use the "
		       "default. axolotl always ignores it: a warning where the key is another "
		       "trainer's name for one of axolotl's, or one of a plugin that is not named; "
		       "else a note.",
	.remedy = "Correct the spelling, or remove the key. Keys of a fork are accepted under "
		  "job.custom_config_module.",
	.source = "pytorch/torchtitan@eadca4835 (#1644) config_manager.py _dict_to_dataclass, "
		  "axolotl-ai-cloud/axolotl@067b021c utils/config/__init__.py validate_config",
	.says =
		(const struct saying[]) {
			{ "torchtitan eadca4835 to v0.2.2",
			  "ValueError: Invalid field names in {class} data: {names}." },
			{ NULL, NULL } },
};

const struct rule_id rule_renamed_key = {
	.name = "renamed-key",
	.code = "K002",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "a key of another version of the framework",
	.explanation = "The key is the name that an older or newer version uses. A "
		       "version that ignores unknown keys runs with the default instead: degrees "
		       "moved from "
		       "[training] and [experimental] to [parallelism] on 2025-03-18, and an old "
		       "file then trains "
		       "with flat FSDP, without any message.",
	.remedy =
		"Use the name of the version in use, or pin the version the file was written for.",
	.source = "pytorch/torchtitan@785c34c99 (#980)",
};

const struct rule_id rule_wrong_type = {
	.name = "wrong-type",
	.code = "K003",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_READ,
	.summary = "a value of the wrong type",
	.explanation = "The key takes another type of value. TorchTitan does not check the types "
		       "of values from a TOML file: the wrong value fails, or compares wrongly, "
		       "only where it is used.",
	.remedy = "Give a value of the type that the message names.",
	.source = "pytorch/torchtitan v0.2.2 config/manager.py (no type check)",
};

const struct rule_id rule_bad_word = {
	.name = "bad-word",
	.code = "K004",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_READ,
	.summary = "a word that is not one of the allowed ones",
	.explanation = "The key takes one of a few words, and this is not one of them.",
	.remedy = "Use one of the words that the message lists.",
	.source = "pytorch/torchtitan v0.2.2 config/job_config.py (Literal types)",
};

const struct rule_id rule_out_of_range = {
	.name = "out-of-range",
	.code = "K021",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_READ,
	.summary = "a number outside of what its key takes",
	.explanation =
		"A share is a part of 1, a norm is not negative, ZeRO has the stages 0 to 3, and "
		"lengths and counts begin at 1. What becomes of another number depends on who "
		"reads it: vLLM, prime-rl and DeepSpeed refuse it, Megatron-LM takes more than all "
		"of the optimizer state for all of it, and PyTorch's clipping by a negative norm "
		"turns the gradients round. parplan takes the setting for unknown.",
	.remedy = "Give a number in the range that the message names.",
	.source = "vllm-project/vllm@002f10e0 config/cache.py (gt=0, le=1), "
		  "PrimeIntellect-ai/prime-rl@559b4477 configs/trainer.py (ge=0), "
		  "deepspeedai/DeepSpeed@029f12b3 runtime/zero/config.py (ZeroStageEnum), "
		  "NVIDIA/Megatron-LM@d98e8a64 optimizer/cpu_offloading/hybrid_optimizer.py, "
		  "pytorch/pytorch@01a57d87 torch/nn/utils/clip_grad.py",
};

const struct rule_id rule_unknown_flag = {
	.name = "unknown-flag",
	.code = "K005",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_READ,
	.summary = "a command-line word that the framework refuses",
	.explanation = "The words after -- are read as the framework reads its own command line, "
		       "and its parser "
		       "(argparse, later tyro) stops at a flag that it does not know or a value it "
		       "cannot read.",
	.remedy = "Correct the flag; `parplan explain --keys` lists the settings.",
	.source = "pytorch/torchtitan@c1c2f55d1 config/manager.py (tyro.cli)",
};

const struct rule_id rule_two_precisions = {
	.name = "two-precisions",
	.code = "K013",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "fp16 and bf16 are both asked for",
	.explanation =
		"A job computes in one of them. Megatron-LM and transformers' TrainingArguments "
		"stop before anything is built when both are on.",
	.remedy = "Keep the one that is meant: bf16 wherever the device has it.",
	.source = "NVIDIA/Megatron-LM@d98e8a64 training/arguments.py, validate_args; "
		  "transformers v4.57.0 training_args.py, __post_init__",
};

const struct rule_id rule_recompute_ignored = {
	.name = "recompute-ignored",
	.code = "K014",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "recomputed layers are counted, but nothing is recomputed",
	.explanation = "Megatron recomputes activations only where --recompute-granularity or "
		       "--recompute-activations says what. --recompute-num-layers and "
		       "--recompute-method without one of them change nothing and are not "
		       "refused, so the job needs the memory of no recomputation.",
	.remedy = "Add --recompute-granularity full (with a method and a number of layers), or "
		  "--recompute-activations alone; or drop the flags.",
	.source = "NVIDIA/Megatron-LM@d98e8a64 core/transformer/transformer_config.py, "
		  "__post_init__; core/transformer/transformer_block.py, forward",
};

const struct rule_id rule_unread_key = {
	.name = "unread-key",
	.code = "K015",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "a key of other recipes or versions, which the one that runs does not read",
	.explanation = "torchtune's recipes take any key and read their own: those for DPO, "
		       "distillation and reinforcement learning share the model over all ranks, "
		       "whatever the degrees. transformers' Trainer takes sync_each_batch in all "
		       "versions, and none from 4.46 to 5.1 reads it. The job runs without what "
		       "its config says, and nothing tells.",
	.remedy = "Remove the key, or run a recipe or version that reads it.",
	.source = "pytorch/torchtune@bd2a0fc7 recipes/full_dpo_distributed.py beside "
		  "recipes/full_finetune_distributed.py:157-170; transformers v4.46.3 and v5.2.0 "
		  "trainer.py",
};

const struct rule_id rule_quoted_number = {
	.name = "quoted-number",
	.code = "K006",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_READ,
	.summary = "a number or boolean written in quotes",
	.explanation =
		"In quotes it is text. Frameworks that do not check types carry the text on, and "
		"\"8\" != 8 wherever it is compared.",
	.remedy = "Remove the quotes.",
	.source = "pytorch/torchtitan v0.2.2 config/manager.py (no type check)",
};

const struct rule_id rule_schema_version = {
	.name = "schema-version",
	.code = "K007",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "a native config has an unknown schema version",
	.explanation = "The first key of a native config says which version of the schema it is "
		       "written in; this "
		       "program reads version 1.",
	.remedy = "Write `parplan: 1`.",
	.source = "the native config's schema",
};

const struct rule_id rule_foreign_config = {
	.name = "config-file-unsupported",
	.code = "K008",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_READ,
	.summary = "a config file that the framework's version cannot read",
	.explanation = "TorchTitan reads no config files from 9810191bb (2026-02-23) on: --module "
		       "and --config name a run, and the flags after them change values.",
	.remedy = "Pin the release the file was written for (torchtitan@v0.2.2 at the latest), or "
		  "give "
		  "`-- --module NAME --config FUNCTION --flags`.",
	.source = "pytorch/torchtitan@9810191bb",
};

const struct rule_id rule_unknown_model = {
	.name = "unknown-model",
	.code = "C110",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "no preset has this model's name",
	.explanation =
		"A model is known by its family and flavour, as in llama3-8b or qwen3-30b-a3b. "
		"Without its sizes neither shards nor memory nor time can be derived, and rules "
		"that "
		"need them are skipped.",
	.remedy =
		"Use a name that `parplan presets` lists, or give the sizes: model: {arch: llama, "
		"layers: ..., hidden: ..., heads: ..., ffn: ..., vocab: ...}.",
	.source = "parplan presets",
};

const struct rule_id rule_unresolved_value = {
	.name = "unresolved-value",
	.code = "K010",
	.severity = SEVERITY_NOTE,
	.evidence = EVIDENCE_RUN,
	.summary = "a value that depends on the job's environment",
	.explanation =
		"The value is an expression over something that is not in the file: a variable of "
		"the environment, an argument of the script, a key that another file defines. "
		"parplan assumes no value, and does not check what depends on it.",
	.remedy = "Give the variable with --env NAME=VALUE, or the value with --set KEY=VALUE.",
	.source = "parplan's own limit",
};
