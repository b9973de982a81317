#include "cuda/product.h"

#include "base/die.h"

#include <cublasLt.h>
#include <cuda_runtime.h>
#include <math.h>

enum { ALGORITHMS = 4, WORKSPACE = 64 << 20 };

struct product {
	cublasLtHandle_t library;
	cublasLtMatmulDesc_t description;
	cublasLtMatrixLayout_t weights, inputs, outputs;
	cublasLtMatmulAlgo_t algorithm;
	void *a, *b, *d, *workspace;
};

static const struct format {
	const char *name;
	cudaDataType_t in, out;
	cublasComputeType_t compute;
	enum content content;
	int bytes_in, bytes_out;
	int capability; /* from which on devices have it */
} formats[PRODUCT_FORMATS] = {
	[PRODUCT_BF16] = { "bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CONTENT_BF16, 2, 2,
			   80 },
#if CUDART_VERSION >= 11080 && CUBLAS_VER_MAJOR >= 12
	[PRODUCT_FP8] = { "fp8", CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CONTENT_FP8, 1, 2,
			  89 },
#else
	[PRODUCT_FP8] = { .name = "fp8", .capability = 0x7fffffff },
#endif
	[PRODUCT_TF32] = { "tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32,
			   CONTENT_FP32, 4, 4, 80 },
};

const char *product_format_name(enum product_format format)
{
	return formats[format].name;
}

static void check(cublasStatus_t status, const char *call)
{
	if (status != CUBLAS_STATUS_SUCCESS)
		die("cudabench: %s: %s", call, cublasLtGetStatusString(status));
}
#define BLAS(call) check(call, #call)

/* Row-major [rows, columns] is column-major [columns, rows] to the library. */
static cublasLtMatrixLayout_t layout(cudaDataType_t type, int64_t rows, int64_t columns)
{
	cublasLtMatrixLayout_t made;

	BLAS(cublasLtMatrixLayoutCreate(&made, type, (uint64_t)columns, (uint64_t)rows, columns));
	return made;
}

static void describe(struct product *product, const struct format *format, int64_t m, int64_t n,
		     int64_t k)
{
	const cublasOperation_t transposed = CUBLAS_OP_T;

	BLAS(cublasLtMatmulDescCreate(&product->description, format->compute, CUDA_R_32F));
	BLAS(cublasLtMatmulDescSetAttribute(product->description, CUBLASLT_MATMUL_DESC_TRANSA,
					    &transposed, sizeof(transposed)));
#if CUDART_VERSION >= 11080
	/* As training does it forward: sums of fp8 products stay in the tensor cores' own format.
	 */
	if (format->content == CONTENT_FP8) {
		const int8_t fast = 1;
		BLAS(cublasLtMatmulDescSetAttribute(product->description,
						    CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast,
						    sizeof(fast)));
	}
#endif
	product->weights = layout(format->in, n, k);
	product->inputs = layout(format->in, m, k);
	product->outputs = layout(format->out, m, n);
}

static void multiply(const void *data, struct CUstream_st *stream)
{
	const struct product *product = data;
	const float one = 1, zero = 0;

	BLAS(cublasLtMatmul(product->library, product->description, &one, product->a,
			    product->weights, product->b, product->inputs, &zero, product->d,
			    product->outputs, product->d, product->outputs, &product->algorithm,
			    product->workspace, WORKSPACE, stream));
}

struct work product_work(const struct product *product)
{
	return (struct work) { multiply, product };
}

/* The fastest of what the heuristic offers; false when that is nothing. */
static bool choose(const struct bench *bench, struct product *product)
{
	const uint64_t workspace = WORKSPACE;
	cublasLtMatmulHeuristicResult_t results[ALGORITHMS];
	cublasLtMatmulPreference_t preference;
	double best = HUGE_VAL;
	int found = 0, i, chosen = 0;

	BLAS(cublasLtMatmulPreferenceCreate(&preference));
	BLAS(cublasLtMatmulPreferenceSetAttribute(preference,
						  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
						  &workspace, sizeof(workspace)));
	if (cublasLtMatmulAlgoGetHeuristic(product->library, product->description, product->weights,
					   product->inputs, product->outputs, product->outputs,
					   preference, ALGORITHMS, results,
					   &found) != CUBLAS_STATUS_SUCCESS)
		found = 0;
	BLAS(cublasLtMatmulPreferenceDestroy(preference));
	for (i = 0; i < found; i++) {
		struct bench brief = *bench;
		double time;
		if (results[i].state != CUBLAS_STATUS_SUCCESS)
			continue;
		brief.repeats = 3;
		product->algorithm = results[i].algo;
		time = bench_time(&brief, product_work(product), 3).median;
		if (time < best) {
			best = time;
			chosen = i;
		}
	}
	if (best < HUGE_VAL)
		product->algorithm = results[chosen].algo;
	return best < HUGE_VAL;
}

struct product *product_new(const struct bench *bench, enum product_format format, int64_t m,
			    int64_t n, int64_t k)
{
	const struct format *row = &formats[format];
	const size_t in = (size_t)row->bytes_in, out = (size_t)row->bytes_out;
	struct product *product;

	if (bench->capability < row->capability ||
	    ((size_t)(m * k) + (size_t)(n * k)) * in + (size_t)(m * n) * out + WORKSPACE >
		    bench_free_bytes())
		return NULL;
	product = arena_new(bench->arena, struct product);
	BLAS(cublasLtCreate(&product->library));
	describe(product, row, m, n, k);
	product->a = bench_memory((size_t)(n * k) * in, row->content);
	product->b = bench_memory((size_t)(m * k) * in, row->content);
	product->d = bench_memory((size_t)(m * n) * out, CONTENT_ZERO);
	product->workspace = bench_memory(WORKSPACE, CONTENT_ZERO);
	if (choose(bench, product))
		return product;
	product_free(product);
	return NULL;
}

void product_free(struct product *product)
{
	bench_free(product->a);
	bench_free(product->b);
	bench_free(product->d);
	bench_free(product->workspace);
	BLAS(cublasLtMatrixLayoutDestroy(product->weights));
	BLAS(cublasLtMatrixLayoutDestroy(product->inputs));
	BLAS(cublasLtMatrixLayoutDestroy(product->outputs));
	BLAS(cublasLtMatmulDescDestroy(product->description));
	BLAS(cublasLtDestroy(product->library));
}
