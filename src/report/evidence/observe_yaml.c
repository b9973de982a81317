#include "report/evidence/verify.h"

#include <inttypes.h>

/* Axes that no call shows are left open; dp_shard takes what the others leave of the world. */
static void put_axis(const struct observed *observed, enum role role, struct buf *out)
{
	const struct seen_axis *axis = &observed->axes.axis[role];

	if (axis->degree && axis->family >= 0)
		buf_printf(out, "  %s: %" PRId64 " # seen\n", role_name(role), axis->degree);
	else if (axis->degree)
		buf_printf(out, "  %s: %" PRId64 "\n", role_name(role), axis->degree);
	else if (role == ROLE_SHARD)
		buf_printf(out, "  %s: -1 # not seen: the rest\n", role_name(role));
	else if (role != ROLE_EP)
		buf_printf(out, "  # %s: not seen\n", role_name(role));
}

void report_observed_yaml(const struct observed *observed, struct buf *out)
{
	int role;

	buf_text(out, "# What the evidence shows of a run, as a config.\nparplan: 1\n");
	if (observed->families.world)
		buf_printf(out, "world: %" PRId64 "\n", observed->families.world);
	buf_text(out, "parallelism:\n");
	for (role = 0; role < ROLES; role++)
		put_axis(observed, (enum role)role, out);
}
