/*
 * Baselines: reading never crashes, hangs or leaks; what cannot be read is said why; what can be
 * is applied to a config, and its stale entries have places in it.
 */
#include "tree.h"

#include "rules/baseline.h"
#include "rules/judge.h"

#include <string.h>

static void use(struct baseline *baseline, struct arena *arena)
{
	static const char config[] = "parplan: 1\nworld: 8\nparallelism: {dp_shard: 4, tp: 4}\n";
	struct overrides overrides = { .text = config };
	struct levels none = { 0 };
	struct skips skips = { 0 };
	struct findings findings, stale;
	struct job job;
	size_t i;

	findings_init(&findings, arena);
	findings_init(&stale, arena);
	if (job_read(&job, arena, "a.yaml", &overrides, &findings))
		bug("a config cannot be read");
	judge(&none, &job, &skips);
	baseline_filter(baseline, &job, "a.yaml", &skips);
	baseline_stale(baseline, &stale);
	for (i = 0; i < stale.list.count; i++)
		check_span(stale.list.items[i]->span);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct baseline baseline;
	struct arena arena;
	const char *wrong;
	char *text;

	arena_init(&arena);
	text = arena_alloc(&arena, size + 1);
	memcpy(text, data, size);
	wrong = baseline_read(&baseline, &arena, "base.json", text, size);
	if (wrong && strncmp(wrong, "base.json:", 10) != 0)
		bug("%s", wrong);
	if (!wrong)
		use(&baseline, &arena);
	arena_release(&arena);
	return 0;
}
