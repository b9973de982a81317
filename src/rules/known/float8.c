#include "rules/known.h"

/* clang-format off */
static const struct known rows[] = {
	{ "67", "float8 amax is reduced over all ranks instead of the data-parallel mesh: hang or wrong scales with pp or tp",
	  "", "to be decided", "https://github.com/pytorch/ao/pull/933" },
};
/* clang-format on */

const struct knowns knowns_float8 = {
	"Float8",
	rows,
	sizeof(rows) / sizeof(*rows),
};
