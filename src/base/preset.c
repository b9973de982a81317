#include "base/preset.h"

#include <stddef.h>
#include <string.h>

const char *preset_text(const char *path)
{
	const struct preset *preset;

	for (preset = presets; preset->path; preset++)
		if (!strcmp(preset->path, path))
			return preset->text;
	return NULL;
}
