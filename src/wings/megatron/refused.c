#include "base/text.h"
#include "input/keys.h"
#include "wings/megatron/keys.h"

#include <string.h>

/* Flags that Megatron-LM's parser refuses: it takes no beginnings of flags (allow_abbrev=False,
 * since cf595489, 2020-04-27), and stops at what it does not know. */

static const char *const known[] = {
#include "wings/megatron/flags.def"
};

enum { KNOWN = sizeof(known) / sizeof(*known) };

static bool is_known(const char *name)
{
	size_t i;

	for (i = 0; i < KNOWN; i++)
		if (!strcmp(known[i], name))
			return true;
	return false;
}

static void refuse(struct decoder *decoder, const struct node *flag, const char *near,
		   const char *program)
{
	struct finding *finding;
	const char *slash = strrchr(program, '/');

	finding = finding_add(decoder->findings, &rule_unknown_flag, flag->key_span,
			      "Megatron-LM has no flag %.60s", flag->key);
	finding->speaker = "Megatron-LM";
	finding_quote(decoder->findings, finding, "%s: error: unrecognized arguments: %s",
		      slash ? slash + 1 : program, flag->key);
	finding_fix(decoder->findings, finding, "did you mean --%s?", near);
	keys_rename(decoder, finding, flag, near);
}

void megatron_refuse(struct decoder *decoder, const struct node *map, const char *program)
{
	enum { LETTERS = 2 };
	const struct node *flag;
	const char *name, *near;

	for (flag = map->first; decoder->findings && flag; flag = flag->next) {
		name = flag->key + strspn(flag->key, "-");
		if (!text_starts(flag->key, "--") || strlen(name) <= 2 * LETTERS || is_known(name))
			continue;
		near = text_nearest(name, known, KNOWN);
		if (near && text_distance(name, near, LETTERS) <= LETTERS)
			refuse(decoder, flag, near, program);
	}
}
