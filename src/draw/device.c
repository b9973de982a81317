#include "draw/device.h"

#include <string.h>

static const struct device *const devices[] = { &device_svg, &device_png,  &device_pdf,
						&device_dot, &device_text, NULL };

const struct device *device_find(const char *name)
{
	const struct device *const *device;

	for (device = devices; *device; device++)
		if (!strcmp((*device)->name, name))
			return *device;
	return NULL;
}

const struct device *device_of_path(const char *path)
{
	const char *dot = strrchr(path, '.');

	if (!dot || strchr(dot, '/'))
		return NULL;
	if (!strcmp(dot, ".gv"))
		return &device_dot;
	if (!strcmp(dot, ".txt"))
		return &device_text;
	return device_find(dot + 1);
}

struct palette look_palette(const struct look *look)
{
	return look->theme == THEME_DARK ? palette_dark() : palette_light();
}
