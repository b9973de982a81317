#include "cli/candidates.h"
#include "draw/figure.h"

void candidates_of_figures(struct arena *arena, struct buf *out)
{
	const struct figure *const *figure;

	(void)arena;
	for (figure = figures; *figure; figure++)
		buf_printf(out, " %s", (*figure)->name);
}
