#include "draw/chart.h"

#include <math.h>

/* The units a quantity is written in, smallest first. */
struct written {
	double unit;
	const char *name;
};

static const struct written seconds[] = { { 1e-6, "µs" }, { 1e-3, "ms" }, { 1, "s" } };

static const struct written bytes[] = { { 1, "B" },
					{ 1024, "KiB" },
					{ 1048576, "MiB" },
					{ 1073741824, "GiB" },
					{ 1099511627776, "TiB" } };

static const struct written plain[] = { { 1, "" } };

/* The largest unit of which the value has at least one. */
static struct written unit_of(enum quantity quantity, double most)
{
	const struct written *units = quantity == QUANTITY_SECONDS ? seconds
				      : quantity == QUANTITY_BYTES ? bytes
								   : plain;
	size_t count = quantity == QUANTITY_SECONDS ? sizeof(seconds) / sizeof(*seconds)
		       : quantity == QUANTITY_BYTES ? sizeof(bytes) / sizeof(*bytes)
						    : 1;

	while (count > 1 && units[count - 1].unit > most)
		count--;
	return units[count - 1];
}

struct ticks ticks_of(enum quantity quantity, double most, int at_most)
{
	static const double rounds[] = { 1, 2, 5, 10 };
	double wanted, power;
	struct written unit;
	struct ticks ticks;
	int i = 0;

	if (!(most > 0) || !isfinite(most))
		most = 1;
	unit = unit_of(quantity, most);
	wanted = most / unit.unit / (at_most > 1 ? at_most : 1);
	power = pow(10, floor(log10(wanted)));
	while (i < 3 && rounds[i] * power < wanted * (1 - 1e-9))
		i++;
	ticks = (struct ticks) { .step = rounds[i] * power * unit.unit,
				 .unit = unit.unit,
				 .name = unit.name };
	ticks.count = (int)ceil(most / ticks.step - 1e-9);
	ticks.decimals = (int)fmax(0, -floor(log10(rounds[i] * power) + 1e-9));
	return ticks;
}

char *tick_text(struct arena *arena, const struct ticks *ticks, int index)
{
	return arena_printf(arena, "%.*f", index ? ticks->decimals : 0,
			    index * ticks->step / ticks->unit);
}
