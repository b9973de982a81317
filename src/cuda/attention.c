#include "cuda/bench.h"

#include "base/die.h"

/*
 * The attention core through cuDNN's graph API, as one operation (cuDNN 9.13 and later; backward
 * from 9.19, the first whose headers this was compiled with): every token sees every other.
 */
struct request {
	struct bench_request bench;
	int64_t heads, head_size, tokens;
};

#if defined(HAVE_CUDNN)
#include <cudnn.h>
#endif

#if defined(HAVE_CUDNN) && CUDNN_VERSION >= 91300

#include <math.h>

enum { CONFIGS = 8, TENSORS = 12 };

/* Tensors by their names in the graph. */
enum tensor_id { Q = 1, K, V, O, STATS, SCALE, DQ, DK, DV, DO, IDS };

struct attention {
	cudnnHandle_t handle;
	int64_t batch, heads, tokens, size;
	cudnnBackendDescriptor_t tensors[IDS];
	void *memory[IDS];
	float scale;
};

/* An operation that is ready to run. */
struct plan {
	cudnnHandle_t handle;
	cudnnBackendDescriptor_t plan, variant;
	void *workspace;
};

static void check(cudnnStatus_t status, const char *call)
{
	if (status != CUDNN_STATUS_SUCCESS)
		die("cudabench: %s: %s", call, cudnnGetErrorString(status));
}
#define DNN(call) check(call, #call)

static cudnnBackendDescriptor_t create(cudnnBackendDescriptorType_t type)
{
	cudnnBackendDescriptor_t made;

	DNN(cudnnBackendCreateDescriptor(type, &made));
	return made;
}

static void set(cudnnBackendDescriptor_t to, cudnnBackendAttributeName_t name,
		cudnnBackendAttributeType_t type, int64_t count, const void *values)
{
	DNN(cudnnBackendSetAttribute(to, name, type, count, values));
}

/* Four dimensions, packed in their order. */
static cudnnBackendDescriptor_t tensor(enum tensor_id id, cudnnDataType_t type,
				       const int64_t sizes[4])
{
	const int64_t strides[4] = { sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3],
				     1 };
	const int64_t name = id, alignment = 16;
	const bool by_value = id == SCALE;
	cudnnBackendDescriptor_t made = create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);

	set(made, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &name);
	set(made, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
	set(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, sizes);
	set(made, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
	set(made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
	if (by_value)
		set(made, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
	DNN(cudnnBackendFinalize(made));
	return made;
}

static void make_tensors(struct attention *attention)
{
	const int64_t whole[4] = { attention->batch, attention->heads, attention->tokens,
				   attention->size };
	const int64_t stats[4] = { attention->batch, attention->heads, attention->tokens, 1 };
	const int64_t one[4] = { 1, 1, 1, 1 };
	const size_t count = (size_t)(whole[0] * whole[1] * whole[2]);
	int id;

	for (id = Q; id < IDS; id++) {
		if (id == SCALE) {
			attention->tensors[id] = tensor(SCALE, CUDNN_DATA_FLOAT, one);
			attention->memory[id] = &attention->scale;
		} else if (id == STATS) {
			attention->tensors[id] = tensor(STATS, CUDNN_DATA_FLOAT, stats);
			attention->memory[id] = bench_memory(4 * count, CONTENT_ZERO);
		} else {
			attention->tensors[id] =
				tensor((enum tensor_id)id, CUDNN_DATA_BFLOAT16, whole);
			attention->memory[id] =
				bench_memory(2 * count * (size_t)attention->size, CONTENT_BF16);
		}
	}
	attention->scale = 1 / sqrtf((float)attention->size);
}

static void free_tensors(struct attention *attention)
{
	int id;

	for (id = Q; id < IDS; id++) {
		DNN(cudnnBackendDestroyDescriptor(attention->tensors[id]));
		if (id != SCALE)
			bench_free(attention->memory[id]);
	}
}

/* An operation's attribute and the tensor that it is. */
struct wire {
	cudnnBackendAttributeName_t name;
	enum tensor_id id;
};

static const struct wire forward[] = {
	{ CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, Q },
	{ CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, K },
	{ CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, V },
	{ CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, O },
	{ CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, STATS },
	{ CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, SCALE },
};

#if CUDNN_VERSION >= 91900
static const struct wire backward[] = {
	{ CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC, Q },
	{ CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC, K },
	{ CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC, V },
	{ CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC, O },
	{ CUDNN_ATTR_OPERATION_SDPA_BWD_STATSDESC, STATS },
	{ CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC, SCALE },
	{ CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC, DQ },
	{ CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC, DK },
	{ CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC, DV },
	{ CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC, DO },
};
#endif

/* The operation, and the graph that it alone is; false when cuDNN does not take it. */
static bool make_graph(const struct attention *attention, cudnnBackendDescriptorType_t type,
		       const struct wire *wires, int count, cudnnBackendDescriptor_t *graph)
{
	cudnnBackendDescriptor_t operation = create(type);
	int i;

	for (i = 0; i < count; i++)
		set(operation, wires[i].name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
		    &attention->tensors[wires[i].id]);
	if (cudnnBackendFinalize(operation) != CUDNN_STATUS_SUCCESS)
		return false;
	*graph = create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
	set(*graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &attention->handle);
	set(*graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &operation);
	return cudnnBackendFinalize(*graph) == CUDNN_STATUS_SUCCESS;
}

/* A plan for the first of the heuristic's engines that can be made ready; false when none can. */
static bool make_plan(const struct attention *attention, cudnnBackendDescriptor_t graph,
		      struct plan *plan)
{
	cudnnBackendDescriptor_t heuristic = create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
	cudnnBackendDescriptor_t configs[CONFIGS];
	cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
	int64_t found = 0, i;

	for (i = 0; i < CONFIGS; i++)
		configs[i] = create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
	set(heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
	    &graph);
	set(heuristic, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
	if (cudnnBackendFinalize(heuristic) != CUDNN_STATUS_SUCCESS ||
	    cudnnBackendGetAttribute(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS,
				     CUDNN_TYPE_BACKEND_DESCRIPTOR, CONFIGS, &found,
				     configs) != CUDNN_STATUS_SUCCESS)
		return false;
	for (i = 0; i < found && i < CONFIGS; i++) {
		plan->plan = create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
		set(plan->plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1,
		    &attention->handle);
		set(plan->plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
		    CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &configs[i]);
		if (cudnnBackendFinalize(plan->plan) == CUDNN_STATUS_SUCCESS)
			return true;
		DNN(cudnnBackendDestroyDescriptor(plan->plan));
	}
	return false;
}

/* The memory that a plan runs on. */
static void bind(const struct attention *attention, const struct wire *wires, int count,
		 struct plan *plan)
{
	int64_t names[TENSORS], bytes = 0, got;
	void *pointers[TENSORS];
	int i;

	DNN(cudnnBackendGetAttribute(plan->plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
				     CUDNN_TYPE_INT64, 1, &got, &bytes));
	plan->handle = attention->handle;
	plan->workspace = bench_memory(bytes > 0 ? (size_t)bytes : 16, CONTENT_ZERO);
	for (i = 0; i < count; i++) {
		names[i] = wires[i].id;
		pointers[i] = attention->memory[wires[i].id];
	}
	plan->variant = create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
	set(plan->variant, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, names);
	set(plan->variant, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count,
	    pointers);
	set(plan->variant, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
	    &plan->workspace);
	DNN(cudnnBackendFinalize(plan->variant));
}

static void execute(const void *data, struct CUstream_st *stream)
{
	const struct plan *plan = data;

	DNN(cudnnSetStream(plan->handle, stream));
	DNN(cudnnBackendExecute(plan->handle, plan->plan, plan->variant));
}

/* Two products forward, five backward, of 2 x tokens x tokens x size operations a head each. */
static void put(struct bench *bench, const char *pass, const struct attention *attention,
		const struct plan *plan, double products)
{
	const struct work work = { execute, plan };
	const struct spread spread = bench_time(bench, work, bench_units(bench, work, 50));
	const double rate = products * 2 * (double)(attention->batch * attention->heads) *
			    (double)attention->tokens * (double)attention->tokens *
			    (double)attention->size / spread.median / 1e6;

	bench_row(bench, "pass", pass);
	json_bool(bench->json, "causal", false);
	json_int(bench->json, "batch", attention->batch);
	json_int(bench->json, "heads", attention->heads);
	json_int(bench->json, "sequence", attention->tokens);
	json_int(bench->json, "head_size", attention->size);
	json_double(bench->json, "tflops", rate);
	bench_row_end(bench, spread);
	bench_say(bench, "# %-9s %8lld %12.2f %9.1f\n", pass, (long long)attention->tokens,
		  spread.median, rate);
}

static void measure(struct bench *bench, const struct attention *attention, const char *pass,
		    cudnnBackendDescriptorType_t type, const struct wire *wires, int count,
		    double products)
{
	cudnnBackendDescriptor_t graph;
	struct plan plan;

	if (!make_graph(attention, type, wires, count, &graph) ||
	    !make_plan(attention, graph, &plan)) {
		bench_say(bench, "# %-9s %8lld: cuDNN has no kernel for it\n", pass,
			  (long long)attention->tokens);
		return;
	}
	bind(attention, wires, count, &plan);
	put(bench, pass, attention, &plan, products);
	DNN(cudnnBackendDestroyDescriptor(plan.variant));
	DNN(cudnnBackendDestroyDescriptor(plan.plan));
	bench_free(plan.workspace);
}

static void measure_length(struct bench *bench, struct attention *attention)
{
	make_tensors(attention);
	measure(bench, attention, "forward", CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, forward,
		sizeof(forward) / sizeof(*forward), 2);
#if CUDNN_VERSION >= 91900
	measure(bench, attention, "backward", CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR, backward,
		sizeof(backward) / sizeof(*backward), 5);
#endif
	free_tensors(attention);
}

static void run(struct bench *bench, const void *data)
{
	const struct request *request = data;
	const int64_t most = request->tokens ? request->tokens : 16384;
	struct attention attention = { .heads = request->heads ? request->heads : 32,
				       .size = request->head_size ? request->head_size : 128 };

	DNN(cudnnCreate(&attention.handle));
	bench_say(bench, "# attention, all tokens seen: pass, tokens, us, TFLOP/s\n");
	bench_begin(bench, "attention", "cuda_event");
	for (attention.tokens = 1024; attention.tokens <= most; attention.tokens *= 2) {
		attention.batch = most / attention.tokens;
		measure_length(bench, &attention);
	}
	bench_end(bench);
	DNN(cudnnDestroy(attention.handle));
}

#else

static void run(struct bench *bench, const void *data)
{
	(void)data;
	bench_say(bench, "# attention: left out, this was built without cuDNN 9.13 or later\n\n");
}

#endif

static const struct opt options[] = {
	BENCH_OPTIONS(struct request),
	{ OPT_COUNT, 0, "heads", "N", NULL, "heads (default 32)", offsetof(struct request, heads) },
	{ OPT_COUNT, 0, "head-size", "N", NULL, "numbers per head (default 128)",
	  offsetof(struct request, head_size) },
	{ OPT_COUNT, 0, "tokens", "N", NULL, "longest sequence, and tokens altogether (16384)",
	  offsetof(struct request, tokens) },
	{ .kind = OPT_END },
};

const struct measurement_row measure_attention = {
	.name = "attention",
	.summary = "rates of the attention core through cuDNN, by length",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
