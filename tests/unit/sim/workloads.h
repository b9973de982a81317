#ifndef TESTS_UNIT_SIM_WORKLOADS_H
#define TESTS_UNIT_SIM_WORKLOADS_H

#include "sim/forecast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Jobs as a short native config has them: parts of it by section, without what is not said. They
 * are of one sequence of 8192 tokens on each data-parallel rank, on H100.
 */
struct asked {
	const char *framework;	 /* NULL: "megatron: core", whose date nobody tells */
	const char *model;	 /* NULL: "llama3-8b" */
	const char *parallelism; /* "tp: 2, pp: 4" */
	const char *training;	 /* behind the length, the microbatch and no recomputation */
	int world;		 /* 0: 8 */
};

/* Llama 3 8B as a map, so that layers and experts can be others. */
#define LIKE_LLAMA3_8B                                                                             \
	"arch: llama, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, vocab: 128256"

static inline const char *text_or(const char *text, const char *otherwise)
{
	return text ? text : otherwise;
}

/* A setting that `training` has is not said before. */
static inline const char *unless(const char *training, const char *key, const char *line)
{
	return strstr(training, key) ? "" : line;
}

static inline const char *text_of(struct arena *arena, const struct asked *asked)
{
	const char *training = text_or(asked->training, "");

	return arena_printf(
		arena,
		"parplan: 1\nframework: {%s}\nmodel: %s\nworld: %d\n"
		"cluster: {gpu: h100-sxm, fabric: ib, gpus_per_node: 8}\nparallelism: {%s}\n"
		"training: {%s%s%s%s}\n",
		text_or(asked->framework, "megatron: core"), text_or(asked->model, "llama3-8b"),
		asked->world ? asked->world : 8, text_or(asked->parallelism, ""),
		unless(training, "seq_len", "seq_len: 8192, "),
		unless(training, "batch_size", "micro_batch_size: 1, "),
		unless(training, "activation_checkpoint", "activation_checkpoint: {mode: none}, "),
		training);
}

static inline struct job *job_of_text(struct arena *arena, const char *path, const char *text)
{
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct findings *findings = arena_new(arena, struct findings);
	struct job *job = arena_new(arena, struct job);

	overrides->text = text;
	findings_init(findings, arena);
	if (job_read(job, arena, path, overrides, findings) || !job->readable) {
		fputs(text, stderr);
		abort();
	}
	return job;
}

static inline struct job *job_of(struct arena *arena, const struct asked *asked)
{
	return job_of_text(arena, "case.yaml", text_of(arena, asked));
}

static inline struct profile *h100(struct arena *arena)
{
	struct profile *profile = arena_new(arena, struct profile);

	profile_init(profile, arena);
	profile_gpu(profile, "h100-sxm");
	profile_fabric(profile, "ib");
	return profile;
}

/* The workload of the plan that such a job gets; a config that has none is a mistake here. */
static inline struct workload *workload_of(struct arena *arena, const struct asked *asked)
{
	struct workload *work = arena_new(arena, struct workload);
	struct job *job = job_of(arena, asked);
	const char *missing = workload_read(work, h100(arena), job, job->applied);

	if (missing) {
		fprintf(stderr, "%s\n%s\n", missing, text_of(arena, asked));
		abort();
	}
	return work;
}

/* The same in a test whose state is its arena, from members of struct asked. */
#define WORK(...) workload_of(*state, &(struct asked) { __VA_ARGS__ })

#endif
