#include "cuda/kernels.h"

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

enum { THREADS = 256, BLOCKS = 2048 };

__global__ static void empty(void)
{
}

/* Bits that look random: the finalizer of MurmurHash3. */
__device__ static uint32_t bits_of(size_t index)
{
	uint32_t x = (uint32_t)index ^ (uint32_t)(index >> 32);

	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}

__device__ static float number_of(size_t index)
{
	return (float)(int32_t)bits_of(index) / 2147483648.0f;
}

__device__ static size_t first(void)
{
	return blockIdx.x * (size_t)blockDim.x + threadIdx.x;
}

__device__ static size_t stride(void)
{
	return gridDim.x * (size_t)blockDim.x;
}

__global__ static void fill_bf16(__nv_bfloat16 *to, size_t count)
{
	size_t i;

	for (i = first(); i < count; i += stride())
		to[i] = __float2bfloat16(number_of(i));
}

__global__ static void fill_fp32(float *to, size_t count)
{
	size_t i;

	for (i = first(); i < count; i += stride())
		to[i] = number_of(i);
}

/* e4m3 with exponents below that of 1: sign, 3 bits of exponent (0 to 6 of 15), 3 of mantissa. */
__global__ static void fill_fp8(uint8_t *to, size_t count)
{
	size_t i;

	for (i = first(); i < count; i += stride()) {
		uint32_t bits = bits_of(i);
		to[i] = (uint8_t)((bits & 0x87) | (bits >> 8) % 7 << 3);
	}
}

__global__ static void add_fp32(float4 *c, const float4 *a, const float4 *b, size_t count)
{
	size_t i;

	for (i = first(); i < count; i += stride()) {
		float4 x = a[i], y = b[i];
		c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
	}
}

__global__ static void add_bf16(uint4 *c, const uint4 *a, const uint4 *b, size_t count)
{
	size_t i;
	int j;

	for (i = first(); i < count; i += stride()) {
		uint4 x = a[i], y = b[i], z;
		const __nv_bfloat16 *left = (const __nv_bfloat16 *)&x;
		const __nv_bfloat16 *right = (const __nv_bfloat16 *)&y;
		__nv_bfloat16 *sum = (__nv_bfloat16 *)&z;
		for (j = 0; j < 8; j++)
			sum[j] = __float2bfloat16(__bfloat162float(left[j]) +
						  __bfloat162float(right[j]));
		c[i] = z;
	}
}

extern "C" {

int kernel_empty(struct CUstream_st *stream)
{
	empty<<<1, 1, 0, stream>>>();
	return (int)cudaGetLastError();
}

int kernel_fill_bf16(void *to, size_t count, struct CUstream_st *stream)
{
	fill_bf16<<<BLOCKS, THREADS, 0, stream>>>((__nv_bfloat16 *)to, count);
	return (int)cudaGetLastError();
}

int kernel_fill_fp32(void *to, size_t count, struct CUstream_st *stream)
{
	fill_fp32<<<BLOCKS, THREADS, 0, stream>>>((float *)to, count);
	return (int)cudaGetLastError();
}

int kernel_fill_fp8(void *to, size_t count, struct CUstream_st *stream)
{
	fill_fp8<<<BLOCKS, THREADS, 0, stream>>>((uint8_t *)to, count);
	return (int)cudaGetLastError();
}

int kernel_add_fp32(void *c, const void *a, const void *b, size_t bytes, struct CUstream_st *stream)
{
	add_fp32<<<BLOCKS, THREADS, 0, stream>>>((float4 *)c, (const float4 *)a, (const float4 *)b,
						 bytes / sizeof(float4));
	return (int)cudaGetLastError();
}

int kernel_add_bf16(void *c, const void *a, const void *b, size_t bytes, struct CUstream_st *stream)
{
	add_bf16<<<BLOCKS, THREADS, 0, stream>>>((uint4 *)c, (const uint4 *)a, (const uint4 *)b,
						 bytes / sizeof(uint4));
	return (int)cudaGetLastError();
}
}
