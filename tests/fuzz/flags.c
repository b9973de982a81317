/*
 * Words after "--", one per line of the input, never crash, hang or leak the reading of a command
 * line, in any era of TorchTitan's; the first byte picks the era and whether there is a tree.
 */
#include "tree.h"

#include "input/document.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "input/setting.h"

#include <stdlib.h>
#include <string.h>

static const moment_t eras[] = { 2024050100, 2025030100, 2025061750,
				 2025101750, 2026022050, 2026082150 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct dialect *titan(void)
{
	const struct dialect *const *dialect = dialects;

	while (strcmp((*dialect)->name, "torchtitan") != 0)
		dialect++;
	return *dialect;
}

static void add_words(struct arena *arena, struct overrides *overrides, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		vec_push(arena, &overrides->words, arena_strndup(arena, text, length));
		text += length + (text[length] == '\n');
	}
}

static void check_spans(const struct launch *launch)
{
	size_t i;

	for (i = 0; i < launch->flags.count; i++)
		if (launch->flags.items[i].name_span.source != launch->source ||
		    launch->flags.items[i].span.line < launch->flags.items[i].name_span.line)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct overrides overrides = { 0 };
	struct document document = { 0 };
	struct findings findings;
	struct settings settings;
	struct arena arena;
	size_t i;
	int times;

	if (size < 2)
		return 0;
	arena_init(&arena);
	findings_init(&findings, &arena);
	add_words(&arena, &overrides, arena_strndup(&arena, (const char *)data + 1, size - 1));
	document.arena = &arena;
	document.overrides = &overrides;
	document.source = source_new(&arena, "<command line>", "", 0);
	document.root = node_container(&arena, NODE_MAP, source_span(document.source, 0, 0));
	document.launch = launch_parse(&arena, &overrides);
	if (document.launch)
		check_spans(document.launch);
	titan()->detect(&document);
	for (times = 0; times < 2; times++) { /* flags are taken out of the tree in between */
		moment_t when = eras[(data[0] + times) % (int)(sizeof(eras) / sizeof(eras[0]))];
		settings_init(&settings);
		titan()->unknown_keys(&document, when);
		titan()->settle(&document, when, &settings, &findings);
	}
	check_tree(document.root, 0);
	findings_sort(&findings);
	for (i = 0; i < findings.list.count; i++)
		check_finding(findings.list.items[i]);
	arena_release(&arena);
	return 0;
}
