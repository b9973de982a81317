#ifndef CUDA_PRODUCT_H
#define CUDA_PRODUCT_H

#include "cuda/bench.h"

/*
 * A matrix product through cuBLASLt as a linear layer does it: [m, k] activations times the
 * transpose of [n, k] weights, both row-major; sums in fp32, results in bf16 (tf32: fp32).
 */
enum product_format { PRODUCT_BF16, PRODUCT_FP8, PRODUCT_TF32, PRODUCT_FORMATS };

const char *product_format_name(enum product_format format);

struct product;

/*
 * Makes the best of the algorithms that the library's heuristic names ready to run; NULL when it
 * has none for this device and format.
 */
struct product *product_new(const struct bench *bench, enum product_format format, int64_t m,
			    int64_t n, int64_t k);
void product_free(struct product *product);

struct work product_work(const struct product *product);

#endif
