#ifndef TESTS_UNIT_CONFIG_H
#define TESTS_UNIT_CONFIG_H

#include "framework/version.h"
#include "input/document.h"
#include "input/launch/launch.h"
#include "input/setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One config text read into settings, as job_read does it, and what was found. */
struct config {
	struct arena arena;
	struct findings findings;
	struct overrides overrides;
	struct document document;
	struct versions versions;
	struct settings settings;
};

/* Words between '|' become what follows "--". */
static inline void config_words(struct config *config, const char *words)
{
	while (*words) {
		size_t length = strcspn(words, "|");
		vec_push(&config->arena, &config->overrides.words,
			 arena_strndup(&config->arena, words, length));
		words += length + (words[length] == '|');
	}
}

static inline void config_settle(struct config *config)
{
	const struct dialect *dialect = config->document.dialect;
	const struct version *version;

	settings_init(&config->settings);
	if (!dialect)
		return;
	versions_resolve(&config->versions, &config->document, &config->findings);
	version = dialect->framework ? versions_find(&config->versions, dialect->framework) : NULL;
	dialect->settle(&config->document, version ? version->when : MOMENT_LATEST,
			&config->settings, &config->findings);
	launch_settle(config->document.launch, &config->arena, &config->settings);
}

/*
 * Reads `text` from a file with that suffix, judged by torchtitan `version` (NULL: unpinned). A
 * NULL text is no file at all.
 */
static inline void config_read(struct config *config, const char *text, const char *suffix,
			       const char *version, const char *words)
{
	struct pin pin = { .framework = "torchtitan", .version = version, .origin = ORIGIN_SET };
	char folder[] = "/tmp/parplan-unit-XXXXXX";
	const char *path = NULL;
	FILE *file;

	memset(config, 0, sizeof(*config));
	arena_init(&config->arena);
	findings_init(&config->findings, &config->arena);
	if (version)
		vec_push(&config->arena, &config->overrides.pins, pin);
	config_words(config, words);
	if (text) {
		if (!mkdtemp(folder))
			abort();
		path = arena_printf(&config->arena, "%s/config%s", folder, suffix);
		file = fopen(path, "w");
		if (!file || fputs(text, file) < 0 || fclose(file))
			abort();
	}
	if (document_read(&config->document, &config->arena, path, &config->overrides,
			  &config->findings))
		abort();
	config_settle(config);
	if (path) {
		unlink(path);
		rmdir(folder);
	}
}

static inline void config_release(struct config *config)
{
	arena_release(&config->arena);
}

static inline const struct setting *config_setting(struct config *config, enum field_id field)
{
	return settings_of(&config->settings, field);
}

/* The first finding of that rule, or NULL. */
static inline const struct finding *config_finding(const struct config *config, const char *rule)
{
	size_t i;

	for (i = 0; i < config->findings.list.count; i++)
		if (!strcmp(config->findings.list.items[i]->rule->name, rule))
			return config->findings.list.items[i];
	return NULL;
}

#endif
