#include "cost/kernel.h"

#include "cost/units.h"

#include <math.h>
#include <stddef.h>

/* Output tiles that libraries choose from, and what they reach of the rate of the largest. */
static const struct {
	double rows, columns;
	enum figure_id share; /* FIGURE_COUNT: all of it */
} tiles[] = { { 256, 128, FIGURE_COUNT },
	      { 128, 128, FIGURE_TILE_128 },
	      { 128, 64, FIGURE_TILE_64 },
	      { 64, 64, FIGURE_TILE_64_64 } };

/* Operations per second that the power limit allows; a peak of 0 is no rate at all. */
static double powered(const struct profile *profile, double energy)
{
	double watts = profile_get(profile, FIGURE_POWER);

	return watts > 0 && energy > 0 ? watts / (PICO * energy) : HUGE_VAL;
}

static double rate16(const struct profile *profile)
{
	double best = TERA * profile_get(profile, FIGURE_PEAK_BF16) *
		      profile_get(profile, FIGURE_GEMM16) *
		      profile_get(profile, FIGURE_SUSTAINED16);

	return fmin(best, powered(profile, profile_get(profile, FIGURE_ENERGY16)));
}

static double rate_narrow(const struct profile *profile, enum figure_id peak, enum figure_id share,
			  double energy)
{
	double best = TERA * profile_get(profile, peak) * profile_get(profile, share) *
		      profile_get(profile, FIGURE_SUSTAINED8);

	return fmin(best, powered(profile, energy));
}

double kernel_rate(const struct profile *profile, enum format_kind format)
{
	double energy = profile_get(profile, FIGURE_ENERGY8);

	if (format == FORMAT_FP32)
		return TERA * profile_get(profile, FIGURE_PEAK_FP32) *
		       profile_get(profile, FIGURE_SUSTAINED32);
	if (format == FORMAT_TF32)
		return TERA * profile_get(profile, FIGURE_PEAK_TF32) *
		       profile_get(profile, FIGURE_GEMM16);
	if (format == FORMAT_FP4 && profile_get(profile, FIGURE_PEAK_FP4) > 0)
		return rate_narrow(profile, FIGURE_PEAK_FP4, FIGURE_GEMM4, energy / 2);
	if (format >= FORMAT_FP8 && profile_get(profile, FIGURE_PEAK_FP8) > 0)
		return rate_narrow(profile, FIGURE_PEAK_FP8, FIGURE_GEMM8, energy);
	return rate16(profile);
}

/* Bytes per second that elementwise kernels reach. */
static double bandwidth(const struct profile *profile)
{
	return TERA * profile_get(profile, FIGURE_HBM) * profile_get(profile, FIGURE_HBM_SHARE);
}

static double latency(const struct profile *profile)
{
	return MICRO * profile_get(profile, FIGURE_KERNEL_LATENCY);
}

/* Time of the tiles alone, by the best tile; each fills its pipeline and writes its result out. */
static double tiles_time(const struct profile *profile, enum format_kind format, double groups,
			 double m, double n, double k)
{
	const double units = profile_get(profile, FIGURE_SMS), rate = kernel_rate(profile, format);
	const double inner = k + profile_get(profile, FIGURE_TILE_START);
	double best = HUGE_VAL;
	size_t i;

	for (i = 0; i < sizeof(tiles) / sizeof(*tiles); i++) {
		const double rows = tiles[i].rows, columns = tiles[i].columns;
		double count = groups * ceil(m / rows) * ceil(n / columns);
		double waves = ceil(count / units), share = 1, time;

		if (tiles[i].share != FIGURE_COUNT)
			share = profile_get(profile, tiles[i].share);
		time = waves * units * rows * columns * 2 * inner / (rate * share);
		best = time < best ? time : best;
	}
	return best;
}

double kernel_grouped_gemm(const struct profile *profile, enum format_kind format, double groups,
			   double m, double n, double k)
{
	double work, bytes;

	if (groups <= 0 || m <= 0 || n <= 0 || k <= 0)
		return 0;
	work = tiles_time(profile, format, groups, m, n, k);
	bytes = (format <= FORMAT_TF32 ? 4 : 2) * groups * (m * k + k * n + m * n) /
		bandwidth(profile);
	return fmax(work, bytes) + latency(profile);
}

double kernel_gemm(const struct profile *profile, enum format_kind format, double m, double n,
		   double k)
{
	return kernel_grouped_gemm(profile, format, 1, m, n, k);
}

double kernel_memory(const struct profile *profile, double bytes)
{
	return bytes / bandwidth(profile);
}
