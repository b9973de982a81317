#ifndef CUDA_KERNELS_H
#define CUDA_KERNELS_H

#include <stddef.h>

/*
 * Kernels that no library has, in plain C. Launches are asynchronous; what they return is a
 * cudaError_t.
 */
struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel of one thread that does nothing. */
int kernel_empty(struct CUstream_st *stream);

/* Numbers in [-1, 1) that depend on the index alone: bf16, fp32, or fp8 (e4m3) bit patterns. */
int kernel_fill_bf16(void *to, size_t count, struct CUstream_st *stream);
int kernel_fill_fp32(void *to, size_t count, struct CUstream_st *stream);
int kernel_fill_fp8(void *to, size_t count, struct CUstream_st *stream);

/* c = a + b, 16 bytes a load; `bytes` of each, a multiple of 16. bf16 is added up in fp32. */
int kernel_add_fp32(void *c, const void *a, const void *b, size_t bytes,
		    struct CUstream_st *stream);
int kernel_add_bf16(void *c, const void *a, const void *b, size_t bytes,
		    struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
