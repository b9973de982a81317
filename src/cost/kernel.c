#include "cost/kernel.h"

#include <math.h>
#include <stddef.h>

/* Output tiles that libraries choose from, and what they reach of the rate of the largest. */
struct tile {
	double rows, columns, share;
};

static const struct tile tiles[] = {
	{ 256, 128, 1.0 }, { 128, 128, 0.92 }, { 128, 64, 0.75 }, { 64, 64, 0.55 }
};

double kernel_rate(const struct profile *profile, enum format_kind format)
{
	double peak16 = profile_get(profile, FIGURE_PEAK_BF16);
	double peak8 = profile_get(profile, FIGURE_PEAK_FP8);
	double peak4 = profile_get(profile, FIGURE_PEAK_FP4);

	if (format == FORMAT_FP32)
		return 1e12 * 0.9 * profile_get(profile, FIGURE_PEAK_FP32);
	if (format == FORMAT_TF32)
		return 1e12 * profile_get(profile, FIGURE_PEAK_TF32) *
		       profile_get(profile, FIGURE_GEMM16);
	if (format == FORMAT_FP4 && peak4 > 0)
		return 1e12 * peak4 * profile_get(profile, FIGURE_GEMM4);
	if (format >= FORMAT_FP8 && peak8 > 0)
		return 1e12 * peak8 * profile_get(profile, FIGURE_GEMM8);
	return 1e12 * peak16 * profile_get(profile, FIGURE_GEMM16);
}

double kernel_bandwidth(const struct profile *profile)
{
	return 1e12 * profile_get(profile, FIGURE_HBM) * profile_get(profile, FIGURE_HBM_SHARE);
}

static double latency(const struct profile *profile)
{
	return 1e-6 * profile_get(profile, FIGURE_KERNEL_LATENCY);
}

/* Time of the tiles alone, by the best tile. */
static double tiles_time(const struct profile *profile, enum format_kind format, double groups,
			 double m, double n, double k)
{
	const double units = profile_get(profile, FIGURE_SMS), rate = kernel_rate(profile, format);
	double best = INFINITY;
	size_t i;

	for (i = 0; i < sizeof(tiles) / sizeof(*tiles); i++) {
		const struct tile *tile = &tiles[i];
		double count = groups * ceil(m / tile->rows) * ceil(n / tile->columns);
		double waves = ceil(count / units);
		double time =
			waves * units * tile->rows * tile->columns * 2 * k / (rate * tile->share);
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
	bytes = 2 * groups * (m * k + k * n + m * n) / kernel_bandwidth(profile);
	return fmax(work, bytes) + latency(profile);
}

double kernel_gemm(const struct profile *profile, enum format_kind format, double m, double n,
		   double k)
{
	return kernel_grouped_gemm(profile, format, 1, m, n, k);
}

double kernel_memory(const struct profile *profile, double bytes)
{
	return bytes / kernel_bandwidth(profile);
}
