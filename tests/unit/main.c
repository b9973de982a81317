/*
 * All unit programs in one, which is linked once: build/release/unit/FLOOR/NAME leads to it, and
 * what it is called by says which of them it is. The main of each is named after it (Makefile).
 */
#include <stdio.h>
#include <string.h>

#define X(name) int unit_##name(void);
#include "units.inc"
#undef X

static const struct unit {
	const char *name;
	int (*run)(void);
} units[] = {
#define X(name) { #name, unit_##name },
#include "units.inc"
#undef X
};

/* A path's words joined as in a name: plan/lost_ranks is plan_lost_ranks. */
static int is_called(const char *path, const char *name)
{
	while (*path && (*path == *name || (*path == '/' && *name == '_')))
		path++, name++;
	return !*path && !*name;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : argv[0], *at;
	size_t i;

	while ((at = strstr(path, "/unit/")))
		path = at + strlen("/unit/");
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (is_called(path, units[i].name))
			return units[i].run();
	fprintf(stderr, "there is no unit program '%s'\n", path);
	return 2;
}
