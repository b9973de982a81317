#include "framework/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/*
 * What is said of a key that axolotl does not read, by hand after its schemas: lines that are added
 * to a config, the level and rule of what is found ("" for nothing), and a part of its way out.
 */
#define HOUSE "plugins: [house.Plugin]\n"
#define LIGER "plugins: [axolotl.integrations.liger.LigerPlugin]\n"

static const struct {
	const char *lines, *rule;
	enum severity severity;
	const char *fix;
} cases[] = {
	{ "rl: dpo\n", "", 0, "" },
	{ "rlhf: dpo\n", "unknown-key", SEVERITY_WARNING, "rl" },
	{ "rlhf: dpo\nrl: dpo\n", "unknown-key", SEVERITY_NOTE, "remove it" },
	{ "gradient_checkpointing: true\n", "", 0, "" },
	{ "gradient_checkpoint: true\n", "misspelt-key", SEVERITY_WARNING,
	  "gradient_checkpointing" },
	{ "flash_attn: true\n", "unknown-key", SEVERITY_WARNING, "flash_attention" },
	{ "flash_attn: false\n", "", 0, "" },
	{ "flash_attn: fa2\n", "unknown-key", SEVERITY_WARNING, "true or false" },
	{ "lora_rank: 8\n", "unknown-key", SEVERITY_WARNING, "lora_r" },
	{ "max_seq_length: 8\n", "unknown-key", SEVERITY_NOTE, "remove it" },
	{ "pp_size: 2\n", "unknown-key", SEVERITY_WARNING, "no pipeline" },
	{ "nobody_has_this: 2\n", "unknown-key", SEVERITY_NOTE, "remove it" },
	{ "nobody_has_this:\n", "", 0, "" },
	{ "gradient_checkpoint:\n", "misspelt-key", SEVERITY_NOTE, "gradient_checkpointing" },
	{ "bnb_4bit_quant_type: nf4\n", "unknown-key", SEVERITY_NOTE, "below bnb_config_kwargs" },
	/* names of four letters are near to too much */
	{ "seet: 2\n", "unknown-key", SEVERITY_NOTE, "remove it" },
	/* of earlier versions */
	{ "noisy_embedding_alpha: 1\n", "", 0, "" },
	{ "xpos_rope: true\n", "renamed-key", SEVERITY_NOTE, "remove it" },
	{ "xpos_rope:\n", "", 0, "" },
	{ "trl: {vllm_device: auto}\n", "renamed-key", SEVERITY_NOTE, "remove it" },
	{ "model_type: AutoModelForCausalLM\n", "", 0, "" },
	/* maps */
	{ "trl: {beta: 0.1}\n", "", 0, "" },
	{ "trl: {betas: 0.1}\n", "misspelt-key", SEVERITY_WARNING, "beta" },
	{ "vllm_mode: server\n", "unknown-key", SEVERITY_WARNING, "below trl" },
	{ "test_datasets: [{path: a, spilt: b}]\n", "misspelt-key", SEVERITY_WARNING, "split" },
	{ "gradient_checkpointing_kwargs: {anything: 1}\n", "", 0, "" },
	/* plugins */
	{ LIGER "liger_rope: true\n", "", 0, "" },
	{ "plugins: [liger.LigerPlugin]\nliger_rope: true\n", "", 0, "" },
	{ "liger_rope: true\n", "unknown-key", SEVERITY_WARNING, "integrations.liger.LigerPlugin" },
	{ "liger_rope: false\n", "", 0, "" },
	{ HOUSE "rlhf: dpo\n", "unknown-key", SEVERITY_NOTE, "rl is meant" },
	{ HOUSE "nobody_has_this: 2\n", "unknown-key", SEVERITY_NOTE, "misspelt" },
	/* no keys on purpose */
	{ "_a: 1\nx-b: {c: 2}\n.d: 3\n", "", 0, "" },
};

static bool is_looked_for(const struct finding *finding)
{
	static const char *const rules[] = { "unknown-key", "misspelt-key", "renamed-key" };
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (!strcmp(finding->rule->name, rules[i]))
			return true;
	return false;
}

/* The one finding of these rules, or NULL. */
static const struct finding *found(const struct findings *findings)
{
	const struct finding *one = NULL;
	size_t i;

	for (i = 0; i < findings->list.count; i++) {
		const struct finding *finding = findings->list.items[i];
		if (!is_looked_for(finding))
			continue;
		assert_null(one);
		one = finding;
	}
	return one;
}

static void ignored(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena;
		struct findings findings;
		struct overrides overrides = { .world = 8 };
		const struct finding *finding;
		struct job job;

		arena_init(&arena);
		findings_init(&findings, &arena);
		overrides.text = arena_printf(&arena,
					      "base_model: Qwen/Qwen3-0.6B\ndatasets: []\n"
					      "sequence_len: 8\n%s",
					      cases[i].lines);
		assert_null(job_read(&job, &arena, "axolotl.yaml", &overrides, &findings));
		finding = found(&findings);
		if (strcmp(finding ? finding->rule->name : "", cases[i].rule) != 0)
			fail_msg("%s: %s", cases[i].lines, finding ? finding->message : "nothing");
		if (finding && finding->severity != cases[i].severity)
			fail_msg("%s: severity %d", cases[i].lines, (int)finding->severity);
		if (finding && !strstr(finding->fix, cases[i].fix))
			fail_msg("%s: %s", cases[i].lines, finding->fix);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(ignored) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
