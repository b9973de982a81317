#include "rules/judged.h"

#include "judged.h"

/* How much of a job was judged, over all rules there are. */

#define TITAN "parplan: 1\nframework: {torchtitan: v0.2.0, torch: 2.9.0}\n"

static struct judged judged_text_of(struct arena *arena, const char *text)
{
	struct job *job = job_of(arena, text, NULL);

	side_judged(arena, job);
	return judged_of(job);
}

static bool lacks(const struct judged *judged, const char *name)
{
	size_t i;

	for (i = 0; i < judged->unknown.count; i++)
		if (!strcmp(judged->unknown.items[i], name))
			return true;
	return false;
}

static const struct judged_open *open_of(const struct judged *judged, const struct rule *rule)
{
	size_t i;

	for (i = 0; i < judged->open.count; i++)
		if (judged->open.items[i].rule == rule)
			return &judged->open.items[i];
	return NULL;
}

/* Hosts, cluster, device, checkpoint and expectations are nobody's duty. */
static void wants_no_more_than_it_must(void **state)
{
	static const char *const texts[] = {
		TITAN "world: 16\nmodel: llama3-8b\nparallelism: {dp_shard: 16}\n",
		TITAN "world: 64\nmodel: llama3-8b\nparallelism: {dp_shard: 8, tp: 4, pp: 2}\n",
		("parplan: 1\nframework: {megatron: latest}\nworld: 16\nmodel: llama3-8b\n"
		 "parallelism: {tp: 2, pp: 1, cp: 1, ep: 1}\n"),
	};
	size_t i, k;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct judged judged = judged_text_of(*state, texts[i]);
		for (k = 0; k < judged.open.count; k++)
			if (!judged.open.items[k].optional)
				fail_msg("%s\n%s needs %s", texts[i],
					 judged.open.items[k].rule->id->name,
					 judged.open.items[k].needs);
		assert_int_equal(judged.status, JUDGED);
		assert_int_equal(judged.unknown.count, 0);
		assert_true(judged.optional > 0);
	}
}

/* Of every rule: undecided is one that can be more than a note and lacks what somebody has to give.
 */
static void tells_undecided_from_optional(void **state)
{
	static const char *const texts[] = {
		TITAN,
		TITAN "world: 16\n",
		TITAN "model: llama3-8b\n",
		TITAN "model: llama3-8b\ncluster: {gpus_per_node: 8, gpu: h100-sxm}\n",
	};
	const unsigned int owed = NEEDS_WORLD | NEEDS_MODEL;
	const struct rule *rule;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct job *job = job_of(*state, texts[i], NULL);
		const struct judged judged = judged_of(job);
		size_t undecided = 0;
		for (rule = rule_next(NULL); rule; rule = rule_next(rule)) {
			const struct judged_open *open = open_of(&judged, rule);
			if (!open)
				continue;
			undecided += !open->optional;
			assert_true(*open->needs != '\0');
			if (open->optional)
				assert_true(rule->id->severity == SEVERITY_NOTE ||
					    needs_lacking(rule->needs & NEEDS_OPTIONAL, job));
			else
				assert_true(needs_lacking(rule->needs & owed, job) &&
					    rule->id->severity > SEVERITY_NOTE);
		}
		assert_int_equal(undecided, judged.undecided);
		assert_int_equal(judged.status, undecided ? JUDGED_PARTLY : JUDGED);
	}
}

static void names_what_is_missing(void **state)
{
	struct judged judged = judged_text_of(*state, TITAN "model: llama3-8b\n");

	assert_int_equal(judged.status, JUDGED_PARTLY);
	assert_true(lacks(&judged, "world") && !lacks(&judged, "model"));
	judged = judged_text_of(*state, TITAN "world: 8\n");
	assert_int_equal(judged.status, JUDGED_PARTLY);
	assert_true(lacks(&judged, "model") && !lacks(&judged, "world"));
	judged = judged_text_of(*state, TITAN "world: 8\nmodel: llama3-8b\n"
					      "parallelism: {tp: unknown}\n");
	assert_int_equal(judged.status, JUDGED_PARTLY);
	assert_true(lacks(&judged, "tp"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(wants_no_more_than_it_must),
		TEST(tells_undecided_from_optional),
		TEST(names_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
