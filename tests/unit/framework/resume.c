#include "framework/resume.h"

#include "framework/torch/dcp.h"
#include "wings/torchtitan/resume.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static struct job *read_job(struct arena *arena, const char *text)
{
	struct findings *findings = arena_new(arena, struct findings);
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct job *job = arena_new(arena, struct job);

	overrides->text = text;
	findings_init(findings, arena);
	assert_null(job_read(job, arena, "job.yaml", overrides, findings));
	return job;
}

#define TITAN(version, rest)                                                                       \
	"parplan: 1\nframework: {torchtitan: " version "}\nworld: 16\nmodel: llama3-8b\n" rest

#define RESUME(version, degrees) TITAN(version, "checkpoint: {resume: {" degrees "}}\n")

/* The fates of model, optimizer, scheduler, loader, train state and rng in one line. */
static const char *fates(struct arena *arena, const struct resume *resume)
{
	const char *text = "";
	int i;

	for (i = 0; i < COMPONENTS; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
				    fate_name(resume->fates[i]));
	return text;
}

static void components_by_version(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		/* HSDP 2x8 wrote it, FSDP 16 reads: 16 loaders both times */
		{ RESUME("v0.2.0", "dp_replicate: 2, dp_shard: 8"),
		  "reshards, reshards, ok, ok, ok, not saved" },
		{ RESUME("v0.2.0", "dp_shard: 16"), "ok, ok, ok, ok, ok, not saved" },
		{ RESUME("v0.2.0", "dp_shard: 8"), "reshards, reshards, ok, fails, ok, not saved" },
		{ RESUME("v0.2.0", "dp_shard: 16, tp: 2"),
		  "reshards, reshards, ok, ok, ok, not saved" },
		/* shrinking was not noticed before 690f299d3 */
		{ RESUME("cca07028e", "dp_shard: 32"),
		  "reshards, reshards, ok, loses, ok, not saved" },
		{ RESUME("690f299d3", "dp_shard: 32"),
		  "reshards, reshards, ok, fails, ok, not saved" },
		{ TITAN("v0.2.0", "checkpoint: {resume: {dp_shard: 8}, "
				  "exclude_from_loading: [dataloader, optimizer]}\n"),
		  "reshards, excluded, ok, excluded, ok, not saved" },
		/* HEAD wants both left out, or neither */
		{ TITAN("HEAD", "checkpoint: {resume: {dp_shard: 16}, "
				"exclude_from_loading: [optimizer]}\n"),
		  "ok, excluded, fails, ok, ok, not saved" },
		{ TITAN("HEAD", "checkpoint: {resume: {dp_shard: 16}, "
				"exclude_from_loading: [optimizer, lr_scheduler]}\n"),
		  "ok, excluded, excluded, ok, ok, not saved" },
		{ TITAN("v0.2.0", "training: {optimizer: {name: Muon}}\n"
				  "checkpoint: {resume: {dp_shard: 16}}\n"),
		  "ok, unknown, ok, ok, ok, not saved" },
		/* no TorchTitan: how a script keeps its loader is its own affair */
		{ "parplan: 1\nframework: {torch: 2.9.0}\nworld: 16\nmodel: llama3-8b\n"
		  "checkpoint: {resume: {dp_shard: 8}}\n",
		  "reshards, reshards, unknown, unknown, unknown, unknown" },
		{ "parplan: 1\nframework: {megatron: core@2024-05}\nworld: 16\n"
		  "checkpoint: {resume: {dp_shard: 8}}\n",
		  "unknown, unknown, unknown, unknown, unknown, unknown" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena arena;
		const struct resume *resume;
		arena_init(&arena);
		resume = resume_of(read_job(&arena, cases[i].text));
		assert_non_null(resume);
		assert_string_equal(fates(&arena, resume), cases[i].want);
		arena_release(&arena);
	}
}

static void compatible_tells_why_not(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ RESUME("v0.2.0", "dp_shard: 16"), NULL },
		{ RESUME("v0.2.0", "dp_shard: 8"),
		  "the checkpoint has 8 data-parallel ranks, the job 16: the data loader cannot "
		  "be resumed" },
		{ TITAN("v0.2.0", ""), "no checkpoint.resume says what is loaded" },
		{ TITAN("v0.2.0", "checkpoint: {resume: none.yaml}\n"),
		  "the checkpoint none.yaml tells nothing: cannot read 'none.yaml': No such file "
		  "or directory" },
		{ TITAN("v0.2.0", "parallelism: {dp_shard: 3}\ncheckpoint: {resume: {tp: 2}}\n"),
		  "the job's own plan is not known" },
	};
	const char *why;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena arena;
		bool good;
		arena_init(&arena);
		good = resume_compatible(read_job(&arena, cases[i].text), &why);
		assert_int_equal(good, !cases[i].why);
		if (cases[i].why)
			assert_string_equal(why, cases[i].why);
		arena_release(&arena);
	}
}

/* What wrote the checkpoint is another job of its own. */
static const struct resume *between(struct arena *arena, const char *before, const char *after)
{
	struct checkpoint *checkpoint = arena_new(arena, struct checkpoint);
	struct job *job = read_job(arena, after);

	checkpoint->source = CHECKPOINT_CONFIG;
	checkpoint->dated = true;
	checkpoint->from = read_job(arena, before);
	checkpoint->degrees = degrees_of_job(checkpoint->from);
	checkpoint->loaders = loaders_of_job(checkpoint->from);
	resume_from(job, checkpoint);
	return resume_of(job);
}

static void names_change_with_the_version(void **state)
{
	const struct obstacle *obstacle;
	const struct resume *resume;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_string_equal(titan_model_prefix(read_job(&arena, TITAN("v0.1.0", ""))), "model.");
	assert_string_equal(titan_model_prefix(read_job(&arena, TITAN("v0.2.0", ""))), "");
	resume = between(&arena, TITAN("v0.1.0", ""), TITAN("v0.2.0", ""));
	assert_false(resume_loads(resume));
	obstacle = resume_obstacle(resume, COMPONENT_MODEL);
	assert_string_equal(obstacle->error, "RuntimeError: Missing key in checkpoint state_dict: "
					     "layers.0.attention.wk.weight.");
	assert_null(resume_obstacle(resume, COMPONENT_OPTIMIZER));
	resume = between(&arena, TITAN("v0.2.0", ""), TITAN("v0.1.0", ""));
	obstacle = resume_obstacle(resume, COMPONENT_MODEL);
	assert_string_equal(obstacle->error, "RuntimeError: Missing key in checkpoint state_dict: "
					     "model.tok_embeddings.weight.");
	assert_true(resume_loads(between(&arena, TITAN("v0.2.0", ""), TITAN("v0.2.1", ""))));
	resume = between(&arena, TITAN("cca07028e", ""), TITAN("49c6d6fc1", ""));
	assert_string_equal(resume_obstacle(resume, COMPONENT_DATALOADER)->error,
			    "RuntimeError: Missing key in checkpoint state_dict: "
			    "dataloader.world_size.");
	resume = between(&arena, TITAN("v0.2.0", ""), TITAN("HEAD", ""));
	assert_string_equal(resume_obstacle(resume, COMPONENT_DATALOADER)->error,
			    "RuntimeError: Missing key in checkpoint state_dict: "
			    "dataloader.version.");
	resume = between(&arena, TITAN("v0.2.0", "training: {optimizer: {name: SGD}}\n"),
			 TITAN("v0.2.0", ""));
	assert_string_equal(resume_obstacle(resume, COMPONENT_OPTIMIZER)->error,
			    "RuntimeError: Missing key in checkpoint state_dict: "
			    "optimizer.state.tok_embeddings.weight.step.");
	/* a group of SGD has settings that one of AdamW has not: run, tests/oracle/of/torch/dcp.py
	 */
	resume = between(&arena, TITAN("v0.2.0", ""),
			 TITAN("v0.2.0", "training: {optimizer: {name: SGD}}\n"));
	assert_string_equal(resume_obstacle(resume, COMPONENT_OPTIMIZER)->error,
			    "RuntimeError: Missing key in checkpoint state_dict: "
			    "optimizer.param_groups.tok_embeddings.weight.momentum.");
	arena_release(&arena);
}

static void checkpoints_that_cannot_be_read_say_why(void **state)
{
	struct checkpoint checkpoint;
	struct findings findings;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	findings_init(&findings, &arena);
	checkpoint_read(&checkpoint, &arena, "plans/none.yaml", NULL, &findings);
	assert_int_equal(checkpoint.source, CHECKPOINT_UNKNOWN);
	assert_string_equal(checkpoint.trouble,
			    "cannot read 'plans/none.yaml': No such file or directory");
	arena_release(&arena);
}

static void put_tensor(struct arena *arena, struct dcp_metadata *metadata, const char *fqn,
		       int64_t rows, int64_t columns)
{
	struct dcp_tensor tensor = { .fqn = fqn, .dims = 2, .shape = { rows, columns } };

	vec_push(arena, &metadata->tensors, tensor);
}

static void metadata_is_held_against_the_model(void **state)
{
	struct checkpoint checkpoint = { .source = CHECKPOINT_METADATA, .loaders = 0 };
	struct dcp_metadata metadata = { 0 };
	const struct resume *resume;
	struct arena arena;
	struct job *job;

	(void)state;
	arena_init(&arena);
	job = read_job(&arena, TITAN("v0.2.0", ""));
	checkpoint.metadata = &metadata;
	put_tensor(&arena, &metadata, "tok_embeddings.weight", 128512, 4096);
	resume_from(job, &checkpoint);
	resume = resume_of(job);
	assert_string_equal(fates(&arena, resume), "fails, fails, fails, fails, fails, not saved");
	/* one of 291 is there, with more rows */
	assert_string_equal(resume->obstacles.items[0].what,
			    "the checkpoint has no layers.0.attention.wk.weight and 289 more");
	assert_string_equal(resume->obstacles.items[1].error,
			    "ValueError: Size mismatch between saved torch.Size([128512, 4096]) "
			    "and current: torch.Size([128256, 4096]) for tok_embeddings.weight");
	assert_string_equal(resume_obstacle(resume, COMPONENT_OPTIMIZER)->error,
			    "RuntimeError: Missing key in checkpoint state_dict: "
			    "optimizer.state.tok_embeddings.weight.step.");
	arena_release(&arena);
}

/* Degrees stand for the job's own config: at its version, unless the map names another. */
static void degrees_have_the_version_of_the_job(void **state)
{
	const char *why;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_true(
		resume_compatible(read_job(&arena, RESUME("v0.1.0", "dp_shard: 16, tp: 1")), &why));
	assert_false(resume_compatible(
		read_job(&arena, RESUME("v0.2.0", "dp_shard: 16, framework: torchtitan@v0.1.0")),
		&why));
	assert_string_equal(why, "the checkpoint has no layers.0.attention.wk.weight and 290 more");
	assert_false(resume_compatible(
		read_job(&arena, RESUME("v0.2.0", "dp_shard: 16, framework: {torchtitan: v0.1.0}")),
		&why));
	arena_release(&arena);
}

/* At HEAD the model's state dict has wqkv as wq, wk and wv, the optimizer's has it whole. */
static void fused_projections_are_saved_in_parts(void **state)
{
	struct checkpoint checkpoint = { .source = CHECKPOINT_METADATA, .loaders = -1 };
	struct dcp_metadata metadata = { 0 };
	const struct obstacle *obstacle;
	struct arena arena;
	struct job *job;

	(void)state;
	arena_init(&arena);
	job = read_job(&arena, TITAN("HEAD", ""));
	checkpoint.metadata = &metadata;
	put_tensor(&arena, &metadata, "tok_embeddings.weight", 128256, 4096);
	resume_from(job, &checkpoint);
	obstacle = resume_obstacle(resume_of(job), COMPONENT_MODEL);
	assert_string_equal(obstacle->error, "RuntimeError: Missing key in checkpoint state_dict: "
					     "layers.0.attention.qkv_linear.wq.weight.");
	put_tensor(&arena, &metadata, "layers.0.attention.qkv_linear.wq.weight", 4096, 4096);
	resume_from(job, &checkpoint);
	obstacle = resume_obstacle(resume_of(job), COMPONENT_MODEL);
	assert_string_equal(obstacle->error, "RuntimeError: Missing key in checkpoint state_dict: "
					     "layers.0.attention.wo.weight.");
	arena_release(&arena);
}

static void a_script_may_name_its_model_as_it_likes(void **state)
{
	struct checkpoint checkpoint = { .source = CHECKPOINT_METADATA, .loaders = -1 };
	struct dcp_metadata metadata = { 0 };
	const struct resume *resume;
	struct arena arena;
	struct job *job;
	size_t i;

	(void)state;
	arena_init(&arena);
	job = read_job(&arena, "parplan: 1\nframework: {torch: 2.9.0}\nworld: 8\n"
			       "model: llama3-8b\n"
			       "checkpoint: {enabled: true, exclude_from_loading: [optimizer]}\n");
	checkpoint.metadata = &metadata;
	for (i = 0; i < job->model->parameters.count; i++) {
		const struct parameter *parameter = &job->model->parameters.items[i];
		struct dcp_tensor tensor = { .dims = parameter->dims };
		tensor.fqn = arena_join(&arena, "app.net.", parameter->fqn, "");
		memcpy(tensor.shape, parameter->shape, sizeof(tensor.shape));
		vec_push(&arena, &metadata.tensors, tensor);
	}
	resume_from(job, &checkpoint);
	resume = resume_of(job);
	assert_true(resume_loads(resume));
	assert_int_equal(resume->fates[COMPONENT_MODEL], FATE_RESHARDS);
	metadata.tensors.count = 0;
	resume_from(job, &checkpoint);
	assert_int_equal(resume_of(job)->fates[COMPONENT_MODEL], FATE_UNKNOWN);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(components_by_version),
		cmocka_unit_test(compatible_tells_why_not),
		cmocka_unit_test(names_change_with_the_version),
		cmocka_unit_test(checkpoints_that_cannot_be_read_say_why),
		cmocka_unit_test(metadata_is_held_against_the_model),
		cmocka_unit_test(degrees_have_the_version_of_the_job),
		cmocka_unit_test(fused_projections_are_saved_in_parts),
		cmocka_unit_test(a_script_may_name_its_model_as_it_likes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
