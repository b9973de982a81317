#include "cuda/bench.h"

#include "base/die.h"
#include "cuda/product.h"
#include "plan/model.h"

/* Rates of matrix products: squares, and the linear layers of a model preset. */
struct request {
	struct bench_request bench;
	const char *model;
	int64_t tokens;
};

struct shape {
	const char *what;
	int64_t m, n, k; /* tokens, outputs, inputs */
};

enum { SHAPES = 24 };

static void add(struct shape *shapes, int *count, const char *what, int64_t m, int64_t n, int64_t k)
{
	if (*count < SHAPES && m > 0 && n > 0 && k > 0)
		shapes[(*count)++] = (struct shape) { what, m, n, k };
}

static void add_model(struct shape *shapes, int *count, const struct model *model, int64_t tokens)
{
	const int64_t heads = model->heads * model->head_dim;

	add(shapes, count, "qkv", tokens, heads + 2 * model->kv_heads * model->head_dim,
	    model->hidden);
	add(shapes, count, "attention out", tokens, model->hidden, heads);
	add(shapes, count, "mlp in", tokens, model->gated_mlp ? 2 * model->ffn : model->ffn,
	    model->hidden);
	add(shapes, count, "mlp out", tokens, model->hidden, model->ffn);
	add(shapes, count, "expert in", tokens, 2 * model->expert_ffn, model->hidden);
	add(shapes, count, "expert out", tokens, model->hidden, model->expert_ffn);
	add(shapes, count, "logits", tokens, model->vocab, model->hidden);
}

static void put(struct bench *bench, enum product_format format, const struct shape *shape)
{
	const double work = 2.0 * (double)shape->m * (double)shape->n * (double)shape->k;
	struct product *product = product_new(bench, format, shape->m, shape->n, shape->k);
	struct spread spread;

	if (!product)
		return;
	spread = bench_time(bench, product_work(product),
			    bench_units(bench, product_work(product), 50));
	product_free(product);
	bench_row(bench, "format", product_format_name(format));
	json_string(bench->json, "what", shape->what);
	json_int(bench->json, "m", shape->m);
	json_int(bench->json, "n", shape->n);
	json_int(bench->json, "k", shape->k);
	json_double(bench->json, "tflops", work / spread.median / 1e6);
	bench_row_end(bench, spread);
	bench_say(bench, "# %-5s %-14s %8lld %8lld %8lld %12.2f %9.1f\n",
		  product_format_name(format), shape->what, (long long)shape->m,
		  (long long)shape->n, (long long)shape->k, spread.median,
		  work / spread.median / 1e6);
}

static void run(struct bench *bench, const void *data)
{
	static const int64_t squares[] = { 1024, 2048, 4096, 8192, 16384 };
	static const int64_t few[] = { 16, 128, 512 };
	const struct request *request = data;
	const char *name = request->model ? request->model : "llama3-8b";
	const struct model *model = model_of_preset(bench->arena, name);
	const int64_t tokens = request->tokens ? request->tokens : 8192;
	struct shape shapes[SHAPES];
	int count = 0, i, format;

	if (!model)
		die("cudabench: no model is called '%s' (parplan presets)", name);
	for (i = 0; i < (int)(sizeof(squares) / sizeof(*squares)); i++)
		add(shapes, &count, "square", squares[i], squares[i], squares[i]);
	for (i = 0; i < (int)(sizeof(few) / sizeof(*few)); i++)
		add(shapes, &count, "few tokens", few[i], model->hidden, model->hidden);
	add_model(shapes, &count, model, tokens);
	bench_say(bench, "# gemm, layers of %s: format, what, m, n, k, us, TFLOP/s\n", name);
	bench_begin(bench, "gemm", "cuda_event");
	for (format = 0; format < PRODUCT_FORMATS; format++)
		for (i = 0; i < count; i++)
			put(bench, (enum product_format)format, &shapes[i]);
	bench_end(bench);
}

static const struct opt options[] = {
	BENCH_OPTIONS(struct request),
	{ OPT_TEXT, 0, "model", "PRESET", NULL, "whose layers (default llama3-8b)",
	  offsetof(struct request, model) },
	{ OPT_COUNT, 0, "tokens", "N", NULL, "tokens that a layer sees (default 8192)",
	  offsetof(struct request, tokens) },
	{ .kind = OPT_END },
};

const struct measurement_row measure_gemm = {
	.name = "gemm",
	.summary = "rates of matrix products in bf16, fp8 and tf32: squares, a model's layers",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
