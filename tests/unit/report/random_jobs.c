#include "base/buf.h"
#include "framework/torch/dtensor.h"
#include "wings/torchtitan/timeline.h"
#include "input/syntax/reader.h"
#include "report/plan/view.h"
#include "report/report.h"
#include "rules/interval.h"
#include "rules/level.h"

#include "unit/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/*
 * Whole jobs, from a random native config to what commands print of it: nothing aborts, plans are
 * sound, what is called equal is equal rank by rank, findings keep to their rules, JSON is JSON.
 */
enum { WORLD_MOST = 512 };

/* ---- random configs ---- */

struct config {
	struct random random;
	struct buf text;
};

static const int64_t degrees[] = { 1, 1, 1, 1, 2, 2, 2, 3, 4, 8 };

static void put_framework(struct config *config)
{
	static const char *const releases[] = { "2.2.0", "2.4.0", "2.5.1",  "2.6.0", "2.7.0",
						"2.8.0", "2.9.0", "2.10.0", "2.12.0" };
	struct random *random = &config->random;
	int titan = !random_once(random, 5), torch = random_once(random, titan ? 3 : 2);

	buf_text(&config->text, "parplan: 1\nframework: {");
	if (random_once(random, 24)) {
		buf_text(&config->text, "megatron: core@2024-05}\n");
		return;
	}
	if (titan)
		buf_printf(&config->text, "torchtitan: %s",
			   timeline_torchtitan.rows[random_below(random, timeline_torchtitan.count)]
				   .commit);
	if (torch)
		buf_printf(&config->text, "%storch: %s", titan ? ", " : "",
			   random_pick(random, releases));
	buf_text(&config->text, "}\n");
}

/* A small model of any sizes, also of sizes that nothing divides. */
static void put_inline_model(struct config *config)
{
	static const char *const archs[] = { "llama", "gpt", "deepseek" };
	static const int64_t sizes[] = { 12, 24, 32, 40, 56, 63, 96 };
	static const int64_t heads[] = { 1, 2, 3, 4, 6, 8 };
	struct random *random = &config->random;
	const char *arch = random_pick(random, archs);

	buf_printf(&config->text, "model: {arch: %s, layers: %d, hidden: %d, heads: %d, ffn: %d, ",
		   arch, (int)random_below(random, 9) + 1, (int)random_pick(random, sizes),
		   (int)random_pick(random, heads), (int)random_pick(random, sizes));
	buf_printf(&config->text, "vocab: %d, head_dim: 8", (int)random_pick(random, sizes));
	if (*arch == 'g' && random_once(random, 2))
		buf_text(&config->text, ", learned_pos_emb: 33");
	if (random_once(random, 3))
		buf_text(&config->text, ", tied_embeddings: true");
	if (*arch != 'g' && random_once(random, 3))
		buf_printf(&config->text,
			   ", moe: {experts: %d, topk: 2, expert_ffn: 24, shared_ffn: %d}",
			   (int)random_pick(random, heads) * 2, random_once(random, 2) ? 24 : 0);
	if (random_once(random, 6))
		buf_text(&config->text, ", mtp: 1");
	buf_text(&config->text, "}\n");
}

static void put_model(struct config *config)
{
	static const char *const presets[] = { "llama3-debugmodel",    "llama2-debugmodel",
					       "llama4-debugmodel",    "qwen3-debugmodel",
					       "qwen3-debugmodel_moe", "deepseek_v3-debugmodel",
					       "gpt_oss-debugmodel",   "llama3-8b",
					       "qwen3-0.6b",	       "deepseek_v3-16b" };
	struct random *random = &config->random;

	if (random_once(random, 10))
		return;
	if (random_once(random, 2))
		put_inline_model(config);
	else
		buf_printf(&config->text, "model: %s\n", random_pick(random, presets));
}

static void put_pipeline(struct config *config)
{
	static const char *const schedules[] = {
		"1F1B",		 "GPipe",     "Interleaved1F1B", "InterleavedZeroBubble",
		"ZBVZeroBubble", "DualPipeV", "LoopedBFS",	 "nothing"
	};
	struct random *random = &config->random;

	if (random_once(random, 2))
		return;
	buf_printf(&config->text, "  pipeline: {schedule: %s", random_pick(random, schedules));
	if (random_once(random, 2))
		buf_printf(&config->text, ", layers_per_stage: %d",
			   (int)random_below(random, 4) + 1);
	if (random_once(random, 2))
		buf_text(&config->text, ", microbatch_size: 1");
	if (random_once(random, 4))
		buf_printf(&config->text, ", first_stage_less_layers: %d",
			   (int)random_below(random, 3));
	buf_text(&config->text, "}\n");
}

/* A degree that leaves the world small; mostly 1. */
static int64_t put_degree(struct config *config, const char *axis, int64_t product)
{
	struct random *random = &config->random;
	int64_t degree = random_once(random, 2) ? 1 : random_pick(random, degrees);

	if (product * degree > WORLD_MOST)
		degree = 1;
	if (degree > 1 || random_once(random, 2))
		buf_printf(&config->text, "  %s: %d\n", axis, (int)degree);
	return degree;
}

/* Degrees, and a world that they mostly multiply to. */
static void put_degrees(struct config *config)
{
	static const char *const axes[] = { "dp_replicate", "cp", "tp", "pp" };
	struct random *random = &config->random;
	int64_t product = random_pick(random, degrees);
	size_t i;

	buf_text(&config->text, "parallelism:\n");
	if (random_once(random, 2))
		buf_printf(&config->text, "  dp_shard: %d\n", (int)product);
	else if (random_once(random, 2))
		buf_text(&config->text, "  dp_shard: -1\n");
	for (i = 0; i < sizeof(axes) / sizeof(*axes); i++)
		product *= put_degree(config, axes[i], product);
	if (random_once(random, 2))
		buf_printf(&config->text, "  ep: %d\n", (int)random_pick(random, degrees));
	if (random_once(random, 8))
		put_degree(config, "etp", 1);
	put_pipeline(config);
	if (!random_once(random, 20))
		buf_printf(&config->text, "world: %d\n",
			   (int)product * (random_once(random, 12) ? 3 : 1));
	if (random_once(random, 2))
		buf_printf(&config->text, "cluster: {gpus_per_node: %d}\n",
			   (int)random_pick(random, degrees));
}

/* A script with meshes of its own, over three axes. */
static void put_mesh(struct config *config)
{
	static const char *const meshes[] = { "a", "[a, b]", "[b]", "[a, c]", "b" };
	struct random *random = &config->random;

	buf_text(&config->text, "parplan: 1\nframework: {torch: 2.8.0}\nworld: 16\n");
	put_model(config);
	buf_printf(&config->text, "mesh:\n  root: {a: %d, b: %d, c: 2}\n  fully_shard: %s\n",
		   (int)random_pick(random, degrees), (int)random_pick(random, degrees),
		   random_pick(random, meshes));
	if (random_once(random, 2))
		buf_text(&config->text, "  tensor_parallel: c\n");
	if (random_once(random, 2))
		buf_text(&config->text, "  means: {replicate: a, shard: b}\n");
}

static void put_config(struct config *config)
{
	static const char *const lines[] = {
		"training: {seq_len: 2048, local_batch_size: 8}\n",
		"fault_tolerance: {enabled: true, group_size: 2}\n",
		"checkpoint: {enabled: true, resume: {dp_shard: 8, pp: 2}}\n",
		"expect: {data_parallel: hsdp, groups: {tp: within-node, dp_shard: {size: 8}}, "
		"parameters: {wq: {placements: R S(0) S(0), max_local_elements: 9}}, "
		"max_local_parameters: 99, clean: [topology, resume]}\n",
	};
	size_t i;

	if (random_once(&config->random, 16)) {
		put_mesh(config);
		return;
	}
	put_framework(config);
	put_model(config);
	put_degrees(config);
	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (random_once(&config->random, 3))
			buf_text(&config->text, lines[i]);
}

/* ---- what holds of every job ---- */

static struct job *read_job(struct arena *arena, const char *text, struct skips *skips)
{
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct findings *findings = arena_new(arena, struct findings);
	struct job *job = arena_new(arena, struct job);
	const struct levels levels = { 0 };

	overrides->text = text;
	findings_init(findings, arena);
	assert_null(job_read(job, arena, "case.yaml", overrides, findings));
	assert_true(job->readable);
	rules_run(job, skips);
	interval_apply(job);
	levels_apply(&levels, job, skips);
	return job;
}

/* Rank by rank: the lowest rank that shares with it. */
static bool same_groups(const struct layout *a, const struct layout *b, int64_t world)
{
	int64_t rank;

	for (rank = 0; rank < world; rank++)
		if (layout_base(a, rank) != layout_base(b, rank))
			return false;
	return true;
}

/*
 * What the degrees mean, in three lines of arithmetic: who shares with whom, who repeats whom. With
 * Megatron cp ranks repeat what dp does not share.
 */
static void means_what_it_says(const struct plan *plan, bool megatron)
{
	const struct degrees *d = &plan->degrees;
	const int64_t cp_repeats = megatron && !plan->dense.shard.modes ? d->cp : 1;
	int64_t inner = d->tp, sharers = d->dp_shard * d->cp / cp_repeats, rank;
	int64_t copies = d->dp_replicate * cp_repeats;

	for (rank = 0; rank < plan->world; rank++) {
		int64_t first = rank - rank / inner % sharers * inner;
		int64_t copy = rank - rank / (inner * sharers) % copies * inner * sharers;
		assert_int_equal(layout_base(&plan->dense.shard, rank), first);
		assert_int_equal(layout_base(&plan->dense.replicate, rank), copy);
	}
}

static void plans_hold(const struct job *job)
{
	const struct plan *intended = job->intended, *applied = job->applied;
	bool alike = job->differences.list.count == 0;

	plan_check(intended);
	plan_check(applied);
	plan_check_boxes(applied);
	if (intended->meshes.count && job->world)
		means_what_it_says(intended, !strcmp(job->framework->name, "megatron"));
	if (!job->world || applied->error || applied->unmodelled || !intended->meshes.count)
		return;
	if (alike)
		assert_true(
			same_groups(&intended->dense.shard, &applied->dense.shard, job->world) &&
			same_groups(&intended->dense.replicate, &applied->dense.replicate,
				    job->world));
	else
		assert_true(plan_compare(job->arena, applied, intended).list.count > 0);
}

static bool has_place(const struct finding *finding)
{
	return !span_known(finding->span) || finding->span.line <= finding->span.source->line_count;
}

static void findings_keep_to_their_rules(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++) {
		const struct finding *finding = job->findings->list.items[i];
		const struct rule *rule = rule_find(finding->rule->name);
		assert_non_null(rule);
		assert_true(finding->message && *finding->message);
		assert_true(has_place(finding));
		if (!strstr(finding->message, "expected to be clean") && !finding->related.count)
			assert_true(finding->severity <= evidence_cap(finding->rule->evidence));
	}
}

static void is_json(struct arena *arena, const struct buf *out)
{
	struct findings findings;
	const struct source *source = source_new(arena, "out", out->data, out->length);

	findings_init(&findings, arena);
	assert_non_null(json_read(arena, source, &findings));
	assert_int_equal(findings.list.count, 0);
}

static void print_check(struct job *job, const struct skips *skips, const char *name,
			struct buf *out)
{
	const struct format *format = format_find(name);
	struct report report = { .arena = job->arena, .count = 1, .columns = 80 };
	struct checked file = { "case.yaml", job, job->findings, *skips };

	format->begin(&report, out);
	report_file(&report, format, &file, out);
	format->end(&report, out);
}

/* Everything that commands print of a job, one behind the other; JSON is read again. */
static void print_all(struct job *job, const struct skips *skips, struct buf *all)
{
	struct plan_view view = { 0 };
	struct buf out;

	buf_init(&out);
	print_check(job, skips, "json", &out);
	is_json(job->arena, &out);
	buf_bytes(all, out.data, out.length);
	buf_clear(&out);
	report_plan_json(job, &view, &out);
	is_json(job->arena, &out);
	buf_bytes(all, out.data, out.length);
	buf_release(&out);
	print_check(job, skips, "text", all);
	report_plan_text(job, &view, all, false, 80);
}

/* The same config prints the same bytes. */
static void prints_twice(const char *text, const struct buf *first)
{
	struct skips skips = { 0 };
	struct arena arena;
	struct buf again;

	arena_init(&arena);
	buf_init(&again);
	print_all(read_job(&arena, text, &skips), &skips, &again);
	assert_string_equal(first->data, again.data);
	buf_release(&again);
	arena_release(&arena);
}

static void jobs_hold(void **state)
{
	struct config config;
	int64_t number;

	(void)state;
	random_each(number, config.random, 2000)
	{
		struct skips skips = { 0 };
		struct arena arena;
		struct job *job;
		struct buf out;

		arena_init(&arena);
		buf_init(&config.text);
		buf_init(&out);
		put_config(&config);
		random_case_text = config.text.data;
		job = read_job(&arena, config.text.data, &skips);
		plans_hold(job);
		findings_keep_to_their_rules(job);
		print_all(job, &skips, &out);
		if (number % 16 == 0)
			prints_twice(config.text.data, &out);
		buf_release(&out);
		random_case_text = NULL;
		buf_release(&config.text);
		arena_release(&arena);
	}
}

/* ---- offsets by version ---- */

/* A tensor that everything divides, cut as FSDP2 and tensor parallelism cut. */
struct even {
	int dims, axes;
	int64_t shape[PARAMETER_DIMS], mesh[3];
	struct placement placements[3];
	struct layout layouts[3];
};

static void random_even(struct random *random, struct even *even)
{
	int64_t stride = 1, parts[PARAMETER_DIMS];
	int i;

	even->dims = 1 + (int)random_below(random, 3);
	even->axes = 1 + (int)random_below(random, 3);
	for (i = 0; i < even->dims; i++)
		parts[i] = 1;
	for (i = even->axes - 1; i >= 0; i--) {
		struct placement *placement = &even->placements[i];
		even->mesh[i] = 1 + random_below(random, 4);
		even->layouts[i] = layout_axis(even->mesh[i], stride);
		stride *= even->mesh[i];
		*placement = (struct placement) { .kind = PLACE_REPLICATE };
		if (even->mesh[i] == 1 || random_once(random, 4))
			continue;
		placement->dim = (int)random_below(random, even->dims);
		placement->factor = parts[placement->dim];
		placement->kind = placement->factor > 1 ? PLACE_STRIDED_SHARD : PLACE_SHARD;
		parts[placement->dim] *= even->mesh[i];
	}
	for (i = 0; i < even->dims; i++)
		even->shape[i] = parts[i] * (1 + random_below(random, 5));
}

/* What FSDP2 stores on that rank. */
static struct box stored(const struct even *even, int64_t rank)
{
	struct parameter parameter = { .fqn = "weight", .dims = even->dims };
	struct sharded sharded = { .parameter = &parameter, .dims = even->axes };
	int i;

	memcpy(parameter.shape, even->shape, sizeof(parameter.shape));
	for (i = 0; i < even->axes; i++) {
		sharded.dim[i].layout = &even->layouts[i];
		sharded.dim[i].placement = even->placements[i];
	}
	return plan_box(&sharded, rank);
}

static void same_box_by_version(struct arena *arena, const struct even *even, const char *version,
				int64_t world)
{
	struct torch_world torch;
	struct torch_release release;
	int64_t at[3], rank;
	int i;

	assert_true(torch_parse(arena, version, &release));
	torch_world_init(&torch, arena, release, world);
	for (rank = 0; rank < world; rank++) {
		struct box want = stored(even, rank), got;
		for (i = 0; i < even->axes; i++)
			at[i] = layout_index(&even->layouts[i], rank);
		got = dtensor_box(&torch, even->dims, even->shape, even->axes, even->mesh,
				  even->placements, at);
		assert_null(torch.error.type);
		assert_memory_equal(got.shape, want.shape, sizeof(*got.shape) * (size_t)even->dims);
		assert_memory_equal(got.offset, want.offset,
				    sizeof(*got.offset) * (size_t)even->dims);
	}
}

/* True when three axes cut one tensor dim, which 2.6 refuses: two of the shards are strided. */
static bool cut_thrice(const struct even *even)
{
	int cuts[PARAMETER_DIMS] = { 0 }, i;

	for (i = 0; i < even->axes; i++)
		if (even->placements[i].kind != PLACE_REPLICATE &&
		    ++cuts[even->placements[i].dim] == 3)
			return true;
	return false;
}

/* Where everything divides, all three algorithms give the offsets that FSDP2 stores. */
static void even_offsets_agree(void **state)
{
	struct random random;
	int64_t number;

	(void)state;
	random_each(number, random, 2000)
	{
		struct arena arena;
		struct even even;
		int64_t world;

		arena_init(&arena);
		random_even(&random, &even);
		world = layout_size(&even.layouts[0]) * even.layouts[0].stride[0];
		if (!cut_thrice(&even))
			same_box_by_version(&arena, &even, "2.6.0", world);
		same_box_by_version(&arena, &even, "2.8.0", world);
		same_box_by_version(&arena, &even, "2.14.0", world);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		random_test(jobs_hold),
		random_test(even_offsets_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
