/*
 * The jobs of testdata/evidence/jobs: the verdict on all that each of them left, and on parts of
 * it. Evidence that is left out may leave a verdict open; it never makes a run wrong that was
 * right.
 */
#include "base/io.h"
#include "evidence/folder.h"
#include "evidence/observed/verdict.h"
#include "unit/random.h"
#include "unit/rules/judged.h"

#include <glob.h>

#define JOBS "testdata/evidence/jobs/"

struct sample {
	const char *config, *verdict, *name;
	struct folder evidence;
};

static const char *text_of(struct arena *of, const char *folder, const char *name)
{
	struct io_text text = io_read(of, arena_join(of, folder, "/", name), 1 << 20);

	assert_non_null(text.text);
	return text.text;
}

/* Files of a folder and of those in it. */
static void gather(struct arena *of, const char *pattern, struct sample *sample)
{
	glob_t found;
	size_t i;

	if (glob(arena_join(of, sample->name, "/", pattern), GLOB_PERIOD, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		if (folder_is(path) || text_ends(path, "/config.yaml") ||
		    text_ends(path, "/verdict"))
			continue;
		vec_push(of, &sample->evidence.files, arena_strdup(of, path));
	}
	globfree(&found);
}

static struct sample sample_of(struct arena *of, const char *folder)
{
	struct sample sample = { .name = arena_strdup(of, folder) };

	sample.config = text_of(of, folder, "config.yaml");
	sample.verdict = text_of(of, folder, "verdict");
	gather(of, "*", &sample);
	gather(of, "*/*", &sample);
	assert_true(sample.evidence.files.count > 0);
	return sample;
}

/* The verdict on files whose bit is set. */
static struct verdict judged(struct arena *of, const struct sample *sample, uint64_t files)
{
	struct job *job = job_of(of, sample->config, NULL);
	struct observed *observed = arena_new(of, struct observed);
	struct capture *capture = arena_new(of, struct capture);
	size_t i;

	evidence_init(capture, of);
	for (i = 0; i < sample->evidence.files.count; i++)
		if (files >> i & 1)
			assert_null(evidence_read(capture, sample->evidence.files.items[i]));
	assert_null(verdict_refuses(job));
	*observed = observed_of(of, capture, job->intended);
	return verdict_of(of, job, observed);
}

/* "mismatch WRONG_DEGREE", "match". */
static const char *words_of(struct arena *of, const struct verdict *verdict)
{
	if (verdict->kind != VERDICT_MISMATCH)
		return verdict_name(verdict->kind);
	return arena_join(of, verdict_name(verdict->kind), " ", verdict->code);
}

static void whole(struct arena *of, const struct sample *sample)
{
	const struct verdict verdict = judged(of, sample, UINT64_MAX);
	const char *words = words_of(of, &verdict);

	if (strncmp(words, sample->verdict, strlen(words)) != 0 ||
	    sample->verdict[strlen(words)] != '\n')
		fail_msg("%s: %s (%s), not %s", sample->name, words, verdict.text, sample->verdict);
}

static const char *list(struct arena *of, const struct sample *sample, uint64_t files)
{
	const char *text = sample->name;
	size_t i;

	for (i = 0; i < sample->evidence.files.count; i++)
		if (files >> i & 1)
			text = arena_join(of, text, "\n  ",
					  sample->evidence.files.items[i] + strlen(sample->name));
	return text;
}

/* Ranks disagree only where those that do are heard. */
static void part(struct arena *of, const struct sample *sample, uint64_t files)
{
	const bool wrong = !strncmp(sample->verdict, "mismatch", 8);
	struct verdict verdict;

	random_case_text = list(of, sample, files);
	verdict = judged(of, sample, files);
	if (verdict.kind == VERDICT_MISMATCH && !wrong)
		fail_msg("%s: %s (%s) of a part", sample->name, words_of(of, &verdict),
			 verdict.text);
	if (verdict.kind == VERDICT_MATCH && wrong && !strstr(sample->verdict, "DISAGREEMENT"))
		fail_msg("%s: a match of a part", sample->name);
}

static void each(void (*check)(struct arena *of, const struct sample *sample,
			       struct random *random),
		 struct random *random)
{
	struct arena of;
	struct sample sample;
	glob_t found;
	size_t i;

	assert_int_equal(glob(JOBS "*", 0, NULL, &found), 0);
	for (i = 0; i < found.gl_pathc; i++) {
		arena_init(&of);
		sample = sample_of(&of, found.gl_pathv[i]);
		assert_true(sample.evidence.files.count < 64);
		check(&of, &sample, random);
		arena_release(&of);
	}
	globfree(&found);
}

static void check_whole(struct arena *of, const struct sample *sample, struct random *random)
{
	(void)random;
	whole(of, sample);
}

static void check_part(struct arena *of, const struct sample *sample, struct random *random)
{
	const uint64_t all = (UINT64_C(1) << sample->evidence.files.count) - 1;
	uint64_t files = random_next(random) & all;

	/* Few files as often as many. */
	if (random_once(random, 2))
		files &= random_next(random) & random_next(random);
	part(of, sample, files);
}

static void check_singles(struct arena *of, const struct sample *sample, struct random *random)
{
	size_t i;

	(void)random;
	for (i = 0; i < sample->evidence.files.count; i++)
		part(of, sample, UINT64_C(1) << i);
}

static void wholes(void **state)
{
	(void)state;
	each(check_whole, NULL);
}

static void parts(void **state)
{
	struct random random;
	int64_t number;

	(void)state;
	random_each(number, random, 20) each(check_part, &random);
}

static void singles(void **state)
{
	(void)state;
	each(check_singles, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wholes),
		cmocka_unit_test(singles),
		random_test(parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
