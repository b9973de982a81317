#include "framework/timeline.h"

#include "base/text.h"

#include <string.h>

/* Days of the last commit that core_rX.Y.0 shares with main (git merge-base core_vX.Y.Z main). */
static const struct {
	const char *minor;
	moment_t day;
} releases[] = {
	{ "0.4", 20231117 },  { "0.5", 20240206 },  { "0.6", 20240403 },  { "0.7", 20240504 },
	{ "0.8", 20240705 },  { "0.9", 20240908 },  { "0.10", 20241207 }, { "0.11", 20250212 },
	{ "0.12", 20250404 }, { "0.13", 20250616 }, { "0.14", 20250818 }, { "0.15", 20251020 },
	{ "0.16", 20260202 }, { "0.17", 20260331 }, { "0.18", 20260601 }, { "0.19", 20260728 },
};

/* When the branch of "core_v0.16.1", "core_r0.16.0", "v0.16.1" or "0.16" left main. */
static moment_t release(const char *text)
{
	size_t i, length;

	if (text_starts(text, "core_"))
		text += strlen("core_");
	text += *text == 'v' || *text == 'r';
	for (i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		length = strlen(releases[i].minor);
		if (text_starts(text, releases[i].minor) && (!text[length] || text[length] == '.'))
			return releases[i].day * 100 + 99;
	}
	return 0;
}

static const struct commit commits[] = {
#define C(prefix, when) { 0x##prefix, when },
#include "wings/megatron/commits.def"
#undef C
};

const struct timeline timeline_megatron = {
	.framework = "megatron",
	.commits = commits,
	.commit_count = sizeof(commits) / sizeof(*commits),
	.release = release,
};
