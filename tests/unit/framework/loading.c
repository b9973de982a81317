#include "framework/loading.h"

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

/* "4-7" or "4-7 x 0-31": the part of a box in each dim that is not whole; "all". */
static const char *part_text(struct arena *arena, const struct reading *reading,
			     const int64_t *shape)
{
	const char *text = "";
	int i;

	for (i = 0; i < reading->part.dims; i++) {
		if (i && reading->part.shape[i] == shape[i])
			continue;
		text = arena_printf(arena, "%s%s%" PRId64 "-%" PRId64, text, *text ? " x " : "",
				    reading->part.offset[i],
				    reading->part.offset[i] + reading->part.shape[i] - 1);
	}
	return text;
}

/* What a rank reads of a tensor: "__2_0 8-11 at 0, __3_0 12-15 at 4". */
static const char *reads(struct loading *loading, int64_t rank, const char *key)
{
	struct arena *arena = loading->loader.arena;
	struct readings readings;
	const char *text = "", *file;
	size_t i;

	reshard_list(&readings, arena, &loading->loader, rank);
	for (i = 0; i < readings.list.count; i++) {
		const struct reading *reading = &readings.list.items[i];
		const struct spread *spread = loading->saved.spreads.items[reading->tensor->spread];
		if (strcmp(reading->tensor->key, key) != 0)
			continue;
		file = loading->saved.files.items[reading->tensor->file[reading->box]];
		text = arena_printf(arena, "%s%s%.*s %s at %" PRId64, text, *text ? ", " : "",
				    (int)(strlen(file) - strlen(".distcp")), file,
				    part_text(arena, reading, spread->shape), reading->dest[0]);
	}
	return text;
}

static struct loading *load(struct arena *arena, const char *text)
{
	struct loading *loading = arena_new(arena, struct loading);
	struct job *job = read_job(arena, text);

	assert_null(job->applied->error);
	loading_of(loading, job);
	assert_null(loading->trouble);
	return loading;
}

#define SMALL(world, degrees, resume)                                                              \
	"parplan: 1\nframework: {torch: 2.9.0}\nworld: " #world                                    \
	"\nmodel: {arch: llama, layers: 1, hidden: 64, heads: 8, kv_heads: 4, ffn: 128, "          \
	"vocab: 256}\nparallelism: {" degrees "}\ncheckpoint: {resume: {" resume "}}\n"

#define WQ "layers.0.attention.wq.weight" /* 64 x 64 */
#define WK "layers.0.attention.wk.weight" /* 32 x 64 */
#define WO "layers.0.attention.wo.weight" /* 64 x 64 */

/* Each worked out by hand, from the sizes above and where FSDP2 puts rows (docs/reshard.md). */
static void worked_cases(void **state)
{
	static const struct {
		const char *text;
		int64_t rank;
		const char *key, *want;
	} cases[] = {
		/*
		 * FSDP 16 to HSDP 2x8: 4 rows per file, 8 rows per rank. Rank 9 is shard 1 of
		 * the second replica: rows 8 to 15, the files of ranks 2 and 3.
		 */
		{ SMALL(16, "dp_replicate: 2, dp_shard: 8", "dp_shard: 16"), 9, WQ,
		  "__2_0 8-11 at 0, __3_0 12-15 at 4" },
		{ SMALL(16, "dp_replicate: 2, dp_shard: 8", "dp_shard: 16"), 1, WQ,
		  "__2_0 8-11 at 0, __3_0 12-15 at 4" },
		/*
		 * And back: 4 rows per rank, out of 8 per file. Rank 5 has rows 20 to 23, in shard
		 * 2 (rows 16 to 23), which rank 10 wrote (see which_replica_writes).
		 */
		{ SMALL(16, "dp_shard: 16", "dp_replicate: 2, dp_shard: 8"), 5, WQ,
		  "__10_0 20-23 at 0" },
		/* 8 to 16: the same rows, but there is one writer of shard 2. */
		{ SMALL(16, "dp_shard: 16", "dp_shard: 8"), 5, WQ, "__2_0 20-23 at 0" },
		/* 16 to 8: rank 7 has rows 56 to 63. */
		{ SMALL(8, "dp_shard: 8", "dp_shard: 16"), 7, WQ,
		  "__14_0 56-59 at 0, __15_0 60-63 at 4" },
		/*
		 * tp 1 to 2: tp halves 64 rows, FSDP halves what is left. Rank 1 is (dp 0, tp 1):
		 * rows 32 to 47. Of wo tp cuts columns: rank 1 has rows 0 to 31, columns 32 to 63,
		 * and both files hold all columns.
		 */
		{ SMALL(4, "dp_shard: 2, tp: 2", "dp_shard: 4"), 1, WQ, "__2_0 32-47 at 0" },
		{ SMALL(4, "dp_shard: 2, tp: 2", "dp_shard: 4"), 2, WQ, "__1_0 16-31 at 0" },
		{ SMALL(4, "dp_shard: 2, tp: 2", "dp_shard: 4"), 1, WO,
		  "__0_0 0-15 x 32-63 at 0, __1_0 16-31 x 32-63 at 16" },
		/*
		 * tp 2 to 4 with 4 key/value heads: 32 rows of wk, 8 per tp rank now. Rank (d, t)
		 * = 2d + t wrote rows 16t + 8d; rank 1 wants rows 8 to 15: d 1, t 0, file 2.
		 */
		{ SMALL(4, "dp_shard: 1, tp: 4", "dp_shard: 2, tp: 2"), 1, WK, "__2_0 8-15 at 0" },
		{ SMALL(4, "dp_shard: 1, tp: 4", "dp_shard: 2, tp: 2"), 2, WK, "__1_0 16-23 at 0" },
		/* cp 1 to 2: FSDP shards over dp_shard x cp, 8 rows per rank out of 16. */
		{ SMALL(8, "dp_shard: 4, cp: 2", "dp_shard: 4"), 5, WQ, "__2_0 40-47 at 0" },
		/* One rank reads everything. */
		{ SMALL(1, "dp_shard: 1", "dp_shard: 4"), 0, WQ,
		  "__0_0 0-15 at 0, __1_0 16-31 at 16, __2_0 32-47 at 32, __3_0 48-63 at 48" },
		{ SMALL(1, "dp_shard: 1", "dp_shard: 4"), 0, WQ " exp_avg",
		  "__0_0 0-15 at 0, __1_0 16-31 at 16, __2_0 32-47 at 32, __3_0 48-63 at 48" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena arena;
		arena_init(&arena);
		assert_string_equal(reads(load(&arena, cases[i].text), cases[i].rank, cases[i].key),
				    cases[i].want);
		arena_release(&arena);
	}
}

/*
 * 257 rows over 8 ranks are 33 each and 26 for the last; over 4 they are 65, 65, 65, 62. Rank 1 has
 * rows 65 to 129: the last row of file 1 (33 to 65), file 2 (66 to 98), most of file 3 (99 to 131).
 */
static void uneven_vocabulary(void **state)
{
	struct loading *loading;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	loading = load(&arena, "parplan: 1\nframework: {torch: 2.9.0}\nworld: 4\n"
			       "model: {arch: llama, layers: 1, hidden: 64, heads: 8, ffn: 128, "
			       "vocab: 257}\ncheckpoint: {resume: {dp_shard: 8}}\n");
	assert_string_equal(reads(loading, 1, "output.weight"),
			    "__1_0 65-65 at 0, __2_0 66-98 at 1, __3_0 99-129 at 34");
	assert_string_equal(reads(loading, 3, "output.weight"),
			    "__5_0 195-197 at 0, __6_0 198-230 at 3, __7_0 231-256 at 36");
	arena_release(&arena);
}

/*
 * TorchTitan, 8 layers over 4 stages of 2 ranks. The embedding and the output count for one layer
 * each, 10 in all: 3 + 3 + 2 + 2, so that rank 2, the first of the second stage, has layers 2, 3
 * and 4. FSDP halves 4096 rows of wq, which 8 ranks wrote, 512 each.
 */
static void pipeline(void **state)
{
	static const char text[] = "parplan: 1\nframework: {torchtitan: v0.2.0}\nworld: 8\n"
				   "model: {preset: llama3-8b, layers: 8}\n"
				   "parallelism: {dp_shard: 2, pp: 4}\n"
				   "training: {local_batch_size: 8}\ncheckpoint: {resume: "
				   "{dp_shard: 8}, exclude_from_loading: [dataloader]}\n";
	struct loading *loading;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	loading = load(&arena, text);
	assert_string_equal(reads(loading, 2, "layers.1.attention.wq.weight"), "");
	assert_string_equal(reads(loading, 2, "layers.2.attention.wq.weight"),
			    "__0_0 0-511 at 0, __1_0 512-1023 at 512, __2_0 1024-1535 at 1024, "
			    "__3_0 1536-2047 at 1536");
	assert_string_equal(
		reads(loading, 3, "layers.4.attention.wq.weight"),
		"__4_0 2048-2559 at 0, __5_0 2560-3071 at 512, __6_0 3072-3583 at 1024, "
		"__7_0 3584-4095 at 1536");
	assert_string_equal(reads(loading, 2, "layers.5.attention.wq.weight"), "");
	/* 3 layers of 9 weights, each with 2 moments, 4 chunks each */
	assert_int_equal(loading->reshard.load[2].chunks, 3 * 9 * 3 * 4);
	arena_release(&arena);
}

/*
 * 64 experts over 8 ranks. ep 2: rank r holds experts 32 (r mod 2) + 8 (r / 2) and the 7 behind
 * them; ep 4: 16 (r mod 4) + 8 (r / 4). Rank 5 wants 24 to 31: r mod 2 = 0, r / 2 = 3, file 6.
 */
static void experts(void **state)
{
	static const char text[] =
		"parplan: 1\nframework: {torchtitan: v0.2.0}\nworld: 8\n"
		"model: qwen3-debugmodel_moe\nparallelism: {dp_shard: 8, ep: 4}\n"
		"checkpoint: {resume: {dp_shard: 8, ep: 2}}\n";
	struct loading *loading;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	loading = load(&arena, text);
	assert_string_equal(reads(loading, 5, "layers.0.moe.experts.w1"), "__6_0 24-31 at 0");
	/* what is not an expert stays where it is: 2048 / 8 rows of wq */
	assert_string_equal(reads(loading, 5, "layers.0.attention.wq.weight"),
			    "__5_0 1280-1535 at 0");
	arena_release(&arena);
}

/*
 * HSDP 2x8 under the rule of the smallest plan. Bytes of one shard in the order of the model:
 * tok_embeddings 8192, wq 2048, wk 1024, wv 1024, wo 2048, w1 4096, w2 4096, w3 4096, three norms
 * of 32, output 8192. Of ranks 2 and 10, which weigh alike, 2 takes tok_embeddings; 10 takes wq,
 * wk, wv, wo and w1 (10240 by then); 2 takes w2 (12288); 10 takes w3 (14336); 2 takes the rest.
 *
 * Shard 4 is decided by what came before: rank 0 has placed 12 steps of 4 bytes on ranks 1 to 7 and
 * 9 to 13 and 144 entries of weight 1, the first 8 on ranks 14 and 15, then 9 rounds over 14 ranks
 * and 10 more on ranks 1 to 7 and 9 to 11. So rank 4 has 14 and rank 12 has 13: 12 goes first.
 */
static void which_replica_writes(void **state)
{
	struct loading *loading;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	loading = load(&arena, SMALL(8, "dp_shard: 8", "dp_replicate: 2, dp_shard: 8"));
	assert_string_equal(reads(loading, 2, "tok_embeddings.weight"), "__2_0 64-95 at 0");
	assert_string_equal(reads(loading, 2, WQ), "__10_0 16-23 at 0");
	assert_string_equal(reads(loading, 2, WO), "__10_0 16-23 at 0");
	assert_string_equal(reads(loading, 2, "layers.0.feed_forward.w2.weight"),
			    "__2_0 16-23 at 0");
	assert_string_equal(reads(loading, 2, "layers.0.feed_forward.w3.weight"),
			    "__10_0 32-47 at 0");
	assert_string_equal(reads(loading, 2, "norm.weight"), "__2_0 16-23 at 0");
	assert_string_equal(reads(loading, 4, "tok_embeddings.weight"), "__12_0 128-159 at 0");
	assert_string_equal(reads(loading, 4, WQ), "__4_0 32-39 at 0");
	/* PyTorch 2.2 always takes the lowest rank */
	loading = load(&arena,
		       "parplan: 1\nframework: {torch: 2.2.2}\nworld: 8\nmodel: {arch: llama, "
		       "layers: 1, hidden: 64, heads: 8, kv_heads: 4, ffn: 128, vocab: 256}\n"
		       "checkpoint: {resume: {dp_replicate: 2, dp_shard: 8}}\n");
	assert_string_equal(reads(loading, 2, WQ), "__2_0 16-23 at 0");
	arena_release(&arena);
}

/*
 * FSDP 8 to 16, 69,824 elements in all (tok_embeddings and output 16,384 each, wq and wo 4,096, wk
 * and wv 2,048, w1 to w3 8,192, norms 3 x 64), 4 bytes each, thrice with both moments. Every rank
 * needs a sixteenth and reads the eighth that holds it.
 */
static void bytes_add_up(void **state)
{
	const int64_t bytes = 3 * 4 * (2 * 16384 + 2 * 4096 + 2 * 2048 + 3 * 8192 + 3 * 64);
	struct loading *loading;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	loading = load(&arena, SMALL(16, "dp_shard: 16", "dp_shard: 8"));
	assert_int_equal(saved_bytes(&loading->saved), bytes);
	assert_int_equal(saved_chunks(&loading->saved), 8 * 12 * 3);
	assert_int_equal(loading->reshard.distinct, bytes);
	assert_int_equal(loading->reshard.total.needed, bytes);
	assert_int_equal(loading->reshard.total.read, 2 * bytes);
	assert_int_equal(loading->reshard.load[3].needed, bytes / 16);
	assert_int_equal(loading->reshard.load[3].read, bytes / 8);
	assert_int_equal(loading->reshard.load[3].chunks, 12 * 3);
	/* steps and entries of parameter groups lie scattered over the seven other files */
	assert_int_equal(loading->reshard.load[0].files, 8);
	assert_int_equal(loading->reshard.opened, 8);
	assert_int_equal(loading->reshard.uncovered, 0);
	arena_release(&arena);
}

static void what_is_left_out_is_not_read(void **state)
{
	struct loading *loading;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	loading = load(&arena,
		       "parplan: 1\nframework: {torchtitan: v0.2.0}\nworld: 8\n"
		       "model: {preset: llama3-8b, layers: 1}\ncheckpoint: {resume: {dp_shard: 8},"
		       " exclude_from_loading: [optimizer, lr_scheduler, dataloader]}\n");
	assert_string_equal(reads(loading, 3, "layers.0.attention.wq.weight exp_avg"), "");
	assert_string_equal(reads(loading, 3, "layers.0.attention.wq.weight"),
			    "__3_0 1536-2047 at 0");
	/* its own file, and train_state.step in that of rank 0 */
	assert_int_equal(loading->reshard.load[3].files, 2);
	assert_int_equal(loading->reshard.load[0].files, 1);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_cases),
		cmocka_unit_test(uneven_vocabulary),
		cmocka_unit_test(pipeline),
		cmocka_unit_test(experts),
		cmocka_unit_test(which_replica_writes),
		cmocka_unit_test(bytes_add_up),
		cmocka_unit_test(what_is_left_out_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
