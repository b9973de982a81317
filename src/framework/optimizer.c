#include "framework/optimizer.h"

#include "base/text.h"
#include "input/field.h"

#define ADAM	  .states = 2
#define IN_BLOCKS 256.0 /* elements that share a scale (bitsandbytes and torchao) */
#define EIGHT(n)  .states = (n), .bytes = (n) * (1 + 4 / IN_BLOCKS)
#define WIDE(n)	  .states = (n), .bytes = 4.0 * (n)

/*
 * Optimizers by their names in configs, in small letters. What each keeps was read off its state
 * after two steps on a matrix (torch 2.13.0, bitsandbytes 0.50.2, torchao 0.18.0,
 * schedulefree 1.4.1, lion-pytorch 0.2.5, transformers 5.23.0 on a CPU, with parameters in fp32 and
 * in bf16). By the names of transformers' Trainer, which have a sign between their words,
 * bitsandbytes' optimizers of 8 bits leave embeddings in 32 (trainer.py, create_optimizer); by
 * those of the classes they do not.
 */
static const struct row {
	const char *names; /* separated by '|' */
	struct optimizer keeps;
} rows[] = {
	{ "adamw|adam|adamw_torch", { ADAM, .adam = true, .setting = "betas" } },
	{ "adamw_torch_fused|adamw_torch_xla|adamw_torch_npu_fused|adamw_apex_fused|adamw_hf",
	  { ADAM } },
	{ "fusedadam|fused_adam|cpuadam|deepspeedcpuadam|distributed_fused_adam|decoupled_adamw",
	  { ADAM } }, /* Apex, DeepSpeed, NeMo, llm-foundry */
	{ "adamax|nadam|radam|adadelta|rprop|lamb", { ADAM } },
	{ "schedule_free_adamw|schedule_free_radam|adamwschedulefree|radamschedulefree", { ADAM } },
	{ "adagrad|asgd|rmsprop|lion|decoupled_lionw|schedule_free_sgd|sgdschedulefree",
	  { .states = 1 } },
	{ "sgd", { .setting = "momentum" } }, /* without momentum, torch.optim's default */
	{ "adafactor|lomo|adalomo",
	  { .states = 0 } }, /* at most a number for each row and column */
	/* Momentum of the matrices between the embeddings, Adam for the rest. */
	{ "muon|dist_muon", { .states = 1, .outside = 8 } },
	{ "adamw_anyprecision", { WIDE(2) } },
	{ "adamw_bnb_8bit|adamw_8bit", { EIGHT(2), .outside = 8 } },
	{ "paged_adamw_8bit", { EIGHT(2), .outside = 8, .paged = true } },
	{ "paged_adamw_32bit|pagedadamw|pagedadamw32bit", { WIDE(2), .paged = true } },
	{ "adam8bit|adamw8bit|adamw_torch_8bit|adamwfp8", { EIGHT(2) } },
	{ "pagedadamw8bit", { EIGHT(2), .paged = true } },
	{ "adamw4bit|adamw_torch_4bit", { .states = 2, .bytes = 1 + 2 * 4 / 128.0 } },
	{ "ademamix", { WIDE(3) } },
	{ "ademamix_8bit", { EIGHT(3), .outside = 12 } },
	{ "paged_ademamix_32bit", { WIDE(3), .paged = true } },
	{ "paged_ademamix_8bit", { EIGHT(3), .outside = 12, .paged = true } },
	{ "lion_32bit|rmsprop_bnb|rmsprop_bnb_32bit", { WIDE(1) } },
	{ "lion8bit", { EIGHT(1) } },
	{ "lion_8bit|rmsprop_bnb_8bit", { EIGHT(1), .outside = 4 } },
	{ "paged_lion_32bit", { WIDE(1), .paged = true } },
	{ "paged_lion_8bit", { EIGHT(1), .outside = 4, .paged = true } },
};

struct optimizer optimizer_of(const struct job *job)
{
	const char *name =
		text_lower(job->arena, setting_text(&job->settings, FIELD_OPTIMIZER_NAME, "adamw"));
	struct optimizer optimizer = { ADAM };
	size_t i;

	for (i = 0; !optimizer.known && i < sizeof(rows) / sizeof(*rows); i++)
		if (words_have(rows[i].names, name))
			optimizer = rows[i].keeps, optimizer.known = true;
	optimizer.fused = text_starts(
		setting_text(&job->settings, FIELD_OPTIMIZER_IMPLEMENTATION, ""), "fused");
	optimizer.in_backward = setting_bool(&job->settings, FIELD_OPTIMIZER_IN_BACKWARD, false);
	return optimizer;
}

double optimizer_bytes(const struct optimizer *optimizer, const struct model *model,
		       double parameter)
{
	double bytes = optimizer->bytes > 0 ? optimizer->bytes : parameter * optimizer->states;
	double embeddings = (double)model->vocab * (double)model->hidden;

	if (!optimizer->outside || !model->total)
		return bytes;
	return bytes + (optimizer->outside - bytes) * embeddings / (double)model->total;
}
