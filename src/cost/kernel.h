#ifndef COST_KERNEL_H
#define COST_KERNEL_H

#include "cost/profile.h"

/* Times of single kernels on one device, in seconds. */

/* In which format matrix products are computed. */
enum format_kind { FORMAT_FP32, FORMAT_TF32, FORMAT_BF16, FORMAT_FP16, FORMAT_FP8, FORMAT_FP4 };

/* Operations per second that large products of a format reach; falls back to bf16 where the device
 * has no such cores. */
double kernel_rate(const struct profile *profile, enum format_kind format);

/*
 * A product [m, k] x [k, n]: tiles in whole waves over the multiprocessors, or the time to move
 * its matrices, whichever is longer, and the kernel's latency.
 */
double kernel_gemm(const struct profile *profile, enum format_kind format, double m, double n,
		   double k);

/* `groups` such products in one launch, each of its own m rows. */
double kernel_grouped_gemm(const struct profile *profile, enum format_kind format, double groups,
			   double m, double n, double k);

/* A kernel that moves `bytes` (read and written). */
double kernel_memory(const struct profile *profile, double bytes);

#endif
