#include "base/number.h"
#include "base/text.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/*
 * Which layers become float8, and what their shapes must be once tensor parallelism and FSDP have
 * cut them.
 */

enum { FLOAT8_UNIT = 16, SURELY_ROWS = 4096, SURELY_COLUMNS = 2048 };

static bool is_float8(const struct job *job)
{
	bool listed = setting_lists(&job->settings, FIELD_CONVERTERS, "float8") ||
		      setting_lists(&job->settings, FIELD_CONVERTERS, "quantize.linear.float8");

	return setting_bool(&job->settings, FIELD_FLOAT8_ENABLED, listed);
}

/* Emulation multiplies in float32, where any size will do. */
static bool float8_on(const struct job *job)
{
	return is_float8(job) && !setting_bool(&job->settings, FIELD_FLOAT8_EMULATE, false);
}

/* True when a word of filter_fqns is part of the module's name; "auto_filter_small_kn" is a mode.
 */
static bool filtered(const struct job *job, const char *fqn)
{
	const struct setting *filter = fact(job, FIELD_FLOAT8_FILTER);
	const struct node *item;

	if (!setting_known(filter) || !filter->node)
		return false;
	for (item = filter->node->first; item; item = item->next)
		if (item->kind == NODE_SCALAR && *item->text && strstr(fqn, item->text))
			return true;
	return false;
}

/*
 * True for a weight whose sizes TorchTitan, or its user, lets through: until filter_fqns came
 * (785c34c99) all but the output, later what holds multiples of 16 before tp cuts it
 * (torchtitan@f7084fc78 components/quantization/float8.py, _module_filter_fn). Scripts of one's own
 * mostly leave the output out, too.
 */
static bool sizes_pass(const struct job *job, const struct parameter *parameter)
{
	const int64_t rows = parameter->shape[0], columns = parameter->shape[1];
	const bool titan = trainer_of(job);
	const bool early = job_does(job, HABIT_FLOAT8_ALL_SIZES);

	if ((early || !titan) &&
	    (!strcmp(parameter->fqn, "output.weight") || !strcmp(parameter->fqn, "lm_head.weight")))
		return false;
	if (!early && (rows % FLOAT8_UNIT || columns % FLOAT8_UNIT))
		return false;
	return !setting_lists(&job->settings, FIELD_FLOAT8_FILTER, "auto_filter_small_kn") ||
	       (rows > SURELY_ROWS && columns > SURELY_COLUMNS);
}

/* True for what becomes a Float8Linear. */
static bool converted(const struct job *job, const struct parameter *parameter)
{
	return parameter->dims == 2 && !parameter->expert && text_ends(parameter->fqn, ".weight") &&
	       !strstr(parameter->fqn, "embeddings") && sizes_pass(job, parameter) &&
	       !filtered(job, parameter->fqn);
}

/* A float8 weight as one tp rank multiplies with it, and as FSDP cuts that. */
struct weight {
	const struct sharded *sharded;
	int64_t rows, columns; /* after tensor parallelism */
	int64_t shards;	       /* FSDP's cut of the rows; 1: none */
};

static bool is_cut(const struct mesh_dim *dim)
{
	return dim->placement.kind == PLACE_SHARD || dim->placement.kind == PLACE_STRIDED_SHARD;
}

/* False when the parameter is no float8 weight. */
static bool weight_of(const struct job *job, const struct sharded *sharded, struct weight *w)
{
	int i;

	if (!converted(job, sharded->parameter))
		return false;
	*w = (struct weight) { .sharded = sharded,
			       .rows = sharded->parameter->shape[0],
			       .columns = sharded->parameter->shape[1],
			       .shards = 1 };
	for (i = 0; i < sharded->dims; i++) {
		const struct mesh_dim *dim = &sharded->dim[i];
		const int64_t parts = layout_size(dim->layout);

		if (!is_cut(dim))
			continue;
		if (strcmp(dim->name, "tp") != 0)
			w->shards = parts;
		else if (dim->placement.dim == 0)
			w->rows = (w->rows + parts - 1) / parts;
		else
			w->columns = (w->columns + parts - 1) / parts;
	}
	return true;
}

/* The first float8 weight that fails a test, and how many more do; false when none does. */
static bool first_bad(const struct job *job, bool (*bad)(const struct weight *),
		      struct weight *first, int64_t *more)
{
	const struct plan *plan = job->applied;
	struct weight w;
	size_t i;

	*more = -1;
	for (i = 0; !plan->stages_assumed && i < plan->parameters.count; i++)
		if (weight_of(job, &plan->parameters.items[i], &w) && bad(&w)) {
			if (*more < 0)
				*first = w;
			++*more;
		}
	return *more >= 0;
}

static const char *and_more(struct job *job, int64_t more)
{
	return more ? arena_printf(job->arena, " (and %" PRId64 " more)", more) : "";
}

/* The end of the module's name, by which filter_fqns would leave it out: "feed_forward.w1". */
static const char *filter_word(struct job *job, const struct weight *w)
{
	const char *fqn = w->sharded->parameter->fqn;
	char *name = arena_strndup(job->arena, fqn, strlen(fqn) - strlen(".weight"));
	char *at = name + strlen(name);
	int dots = 0;

	while (at > name && (dots += at[-1] == '.') < 2)
		at--;
	return at;
}

/* ---- multiples of 16 ---- */

static bool not_sixteen(const struct weight *w)
{
	return w->rows % FLOAT8_UNIT || w->columns % FLOAT8_UNIT;
}

/* The words of at::_scaled_mm in the forward pass: mat1 is the input, mat2 the weight. */
static void quote_scaled_mm(struct job *job, struct finding *finding, const struct weight *w)
{
	if (w->columns % FLOAT8_UNIT)
		finding_quote(job->findings, finding,
			      "RuntimeError: Expected trailing dimension of mat1 to be divisible "
			      "by 16 but got mat1 shape: ({tokens}x%" PRId64 ").",
			      w->columns);
	else
		finding_quote(job->findings, finding,
			      "RuntimeError: mat2 shape (%" PRId64 "x%" PRId64
			      ") must be divisible by 16",
			      w->columns, w->rows);
	finding->speaker = speaker(job, "torch");
}

/* True when every float8 weight that tp cuts keeps multiples of 16 under another tp. */
static bool sixteen_under(const struct job *job, int64_t tp)
{
	const struct plan *plan = job->applied;
	struct weight w;
	size_t i;

	for (i = 0; i < plan->parameters.count; i++) {
		const struct parameter *parameter = plan->parameters.items[i].parameter;

		if (!weight_of(job, &plan->parameters.items[i], &w))
			continue;
		if ((w.rows < parameter->shape[0] && parameter->shape[0] / FLOAT8_UNIT % tp) ||
		    (w.columns < parameter->shape[1] && parameter->shape[1] / FLOAT8_UNIT % tp))
			return false;
	}
	return true;
}

/* The largest smaller tp that divides this one and keeps multiples of 16; 1 at the worst. */
static int64_t smaller_tp(const struct job *job)
{
	const int64_t tp = degree_of(job, FIELD_TP);
	int64_t fits = divisor_up_to(tp, tp - 1);

	while (fits > 1 && !sixteen_under(job, fits))
		fits = divisor_up_to(tp, fits - 1);
	return fits;
}

static void check_sixteen(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	struct weight w;
	int64_t more;

	if (!float8_on(job) || degree_of(job, FIELD_TP) < 2 ||
	    !first_bad(job, not_sixteen, &w, &more))
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_TP)->span,
			      "tp %" PRId64 " cuts %s%s to %" PRId64 " x %" PRId64
			      " on each rank; float8 wants multiples of 16",
			      degree_of(job, FIELD_TP), w.sharded->parameter->fqn,
			      and_more(job, more), w.rows, w.columns);
	relate_setting(job, finding, FIELD_FLOAT8_ENABLED);
	quote_scaled_mm(job, finding, &w);
	finding_fix(job->findings, finding,
		    "leave it in bfloat16, filter_fqns = [\"%s\"], or use tp %" PRId64,
		    filter_word(job, &w), smaller_tp(job));
	if (!trainer_of(job))
		finding_cap(finding, SEVERITY_WARNING);
}

/* Tokens that one rank multiplies in a forward pass; 0 when the config does not say. */
static int64_t tokens_of(const struct job *job)
{
	const int64_t batch = setting_int(&job->settings,
					  degree_of(job, FIELD_PP) > 1 ? FIELD_PP_MICROBATCH_SIZE
								       : FIELD_LOCAL_BATCH_SIZE,
					  0);

	return multiply(batch, setting_int(&job->settings, FIELD_SEQ_LEN, 0)) /
	       degree_of(job, FIELD_CP);
}

static bool any_weight(const struct weight *w)
{
	return w->rows > 0;
}

/* The gradient of a weight is gradient^T x input: its inner size is the tokens. */
static void check_tokens(const struct rule *rule, struct job *job)
{
	const char *recipe = setting_text(&job->settings, FIELD_FLOAT8_RECIPE, "tensorwise");
	const int64_t tokens = tokens_of(job);
	const struct setting *length = fact(job, FIELD_SEQ_LEN);
	struct finding *finding;
	struct weight w;
	int64_t more;

	if (!float8_on(job) || tokens < 1 || tokens % FLOAT8_UNIT == 0 ||
	    !strcmp(recipe, "rowwise_with_gw_hp") || job_does(job, HABIT_COUNTS_TOKENS) ||
	    !trainer_of(job) || !first_bad(job, any_weight, &w, &more))
		return;
	finding =
		finding_add(job->findings, rule->id, length->span,
			    "%" PRId64 " tokens in a forward pass are not a multiple of 16, which "
			    "float8 needs to compute gradients of weights",
			    tokens);
	relate_setting(job, finding, FIELD_LOCAL_BATCH_SIZE);
	finding_quote(job->findings, finding,
		      "RuntimeError: Expected trailing dimension of mat1 to be divisible by 16 but "
		      "got mat1 shape: (%" PRId64 "x%" PRId64 ").",
		      w.rows, tokens);
	finding->speaker = speaker(job, "torch");
	finding_fix(job->findings, finding, "use a sequence length of %s",
		    multiples_around(job->arena, length->integer,
				     multiply(FLOAT8_UNIT, degree_of(job, FIELD_CP))));
	edit_setting(
		job, finding, length,
		nearest_multiple(length->integer, multiply(FLOAT8_UNIT, degree_of(job, FIELD_CP))));
}

/* ---- float8 all-gather of uneven shards ---- */

static bool uneven(const struct weight *w)
{
	return w->shards > 1 && w->rows % w->shards;
}

/* ceil(rows / shards) rows each: the last ranks get none. */
static bool leaves_empty(const struct weight *w)
{
	const int64_t each = (w->rows + w->shards - 1) / w->shards;

	return w->shards > 1 && multiply(each, w->shards - 1) >= w->rows;
}

static bool uneven_but_full(const struct weight *w)
{
	return uneven(w) && !leaves_empty(w);
}

/* TorchTitan gathers in float8 where dp_shard is above 1, and with tensorwise scales only. */
static bool gathers_float8(const struct job *job)
{
	const char *recipe = setting_text(&job->settings, FIELD_FLOAT8_RECIPE, "tensorwise");
	const enum strategy strategy = job->applied->dense.strategy;

	return is_float8(job) &&
	       setting_bool(&job->settings, FIELD_FLOAT8_FSDP_ALL_GATHER, false) &&
	       !strcmp(recipe, "tensorwise") && strategy != STRATEGY_NONE &&
	       strategy != STRATEGY_DDP && degree_of(job, FIELD_DP_SHARD) > 1;
}

/* PyTorch up to 2.5 refuses uneven shards of such tensors itself. */
static bool quote_refusal(struct job *job, struct finding *finding, const struct weight *w)
{
	const struct sharding *dense = &job->applied->dense;
	const int64_t replicas =
		dense->strategy == STRATEGY_HSDP ? layout_size(&dense->replicate) : 1;
	struct torch_release torch;

	if (!torch_release_of(job, &torch) || torch_has(&torch, TORCH_UNEVEN_EXTENSIONS))
		return false;
	finding_quote(job->findings, finding,
		      "NotImplementedError: FSDP all-gather extensions require even sharding on "
		      "dim-0. torch.Size([%" PRId64 ", %" PRId64
		      "]) is not divisible by FSDP world size %" PRId64 ".",
		      w->rows, w->columns, multiply(w->shards, replicas));
	finding->speaker = speaker(job, "torch");
	return true;
}

static void quote_storage(struct job *job, struct finding *finding, const struct weight *w)
{
	const int64_t each = (w->rows + w->shards - 1) / w->shards;
	const int64_t last = w->rows - multiply(each, w->shards - 1);

	finding_quote(job->findings, finding,
		      "RuntimeError: setStorage: sizes [%" PRId64 ", %" PRId64
		      "], strides [%" PRId64 ", 1], storage offset 0, and itemsize 1 requiring a "
		      "storage size of %" PRId64 " are out of bounds for storage of size %" PRId64,
		      w->rows, w->columns, w->columns, multiply(w->rows, w->columns),
		      multiply(multiply(last, w->shards), w->columns));
	finding->speaker = speaker(job, "torch");
}

static void fix_gather(struct job *job, struct finding *finding, const struct weight *w)
{
	const struct setting *gather = fact(job, FIELD_FLOAT8_FSDP_ALL_GATHER);

	relate_setting(job, finding, FIELD_DP_SHARD);
	finding_fix(
		job->findings, finding,
		"gather in bfloat16, leave the layer out, filter_fqns = [\"%s\"], or shard over "
		"a divisor of %" PRId64 " ranks",
		filter_word(job, w), w->rows);
	if (gather->origin == ORIGIN_GIVEN && gather->span.source == job->document.source)
		finding_edit(job->findings, finding, gather->span, "false");
}

static void check_uneven(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	struct weight w;
	int64_t more;

	if (!gathers_float8(job) || !first_bad(job, uneven_but_full, &w, &more))
		return;
	finding =
		finding_add(job->findings, rule->id, fact(job, FIELD_FLOAT8_FSDP_ALL_GATHER)->span,
			    "%" PRId64 " shards do not divide the %" PRId64
			    " rows of %s%s: a float8 all-gather does not pad",
			    w.shards, w.rows, w.sharded->parameter->fqn, and_more(job, more));
	if (!quote_refusal(job, finding, &w))
		quote_storage(job, finding, &w);
	if (!trainer_of(job))
		finding_cap(finding, SEVERITY_WARNING);
	fix_gather(job, finding, &w);
}

static void check_empty(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	struct weight w;
	int64_t more;

	if (!gathers_float8(job) || !first_bad(job, leaves_empty, &w, &more))
		return;
	finding =
		finding_add(job->findings, rule->id, fact(job, FIELD_FLOAT8_FSDP_ALL_GATHER)->span,
			    "%" PRId64 " rows of %s%s over %" PRId64
			    " shards leave some ranks without any, and there is no scale of "
			    "nothing",
			    w.rows, w.sharded->parameter->fqn, and_more(job, more), w.shards);
	if (!quote_refusal(job, finding, &w)) {
		finding_quote(job->findings, finding,
			      "RuntimeError: max(): Expected reduction dim to be specified for "
			      "input.numel() == 0. Specify the reduction dim with the 'dim' "
			      "argument.");
		finding->speaker = speaker(job, "torch");
	}
	if (!trainer_of(job))
		finding_cap(finding, SEVERITY_WARNING);
	fix_gather(job, finding, &w);
}

static const struct saying sixteen_says[] = {
	{ "torch",
	  "RuntimeError: Expected trailing dimension of mat1 to be divisible by 16 but got "
	  "mat1 shape: ({m}x{k})." },
	{ "torch", "RuntimeError: mat2 shape ({k}x{n}) must be divisible by 16" },
	{ NULL, NULL },
};

static const struct saying uneven_says[] = {
	{ "torch 2.6 and later",
	  "RuntimeError: setStorage: sizes [{rows}, {columns}], strides [{columns}, 1], storage "
	  "offset 0, and itemsize 1 requiring a storage size of {n} are out of bounds for storage "
	  "of size {n}" },
	{ "torch 2.4 and 2.5", "NotImplementedError: FSDP all-gather extensions require even "
			       "sharding on dim-0. {size} is "
			       "not divisible by FSDP world size {n}." },
	{ NULL, NULL },
};

static const struct saying empty_says[] = {
	{ "torch 2.6 and later",
	  "RuntimeError: max(): Expected reduction dim to be specified for input.numel() == 0. "
	  "Specify the reduction dim with the 'dim' argument." },
	{ NULL, NULL },
};

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "float8-multiple-of-16",
		.code = "F121",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "tp cuts a float8 layer to a size that is not a multiple of 16",
		.explanation =
			"Float8 matrix products want inner and outer sizes that are multiples of "
			"16. TorchTitan leaves a layer in bfloat16 if its whole weight does not "
			"have such sizes, but it checks before tensor parallelism cuts the "
			"weight: tp then divides the columns of wo and w2, and the rows of the "
			"others.",
		.remedy = "Leave the layer out by filter_fqns, or use a smaller tp.",
		.source = "https://github.com/pytorch/ao/issues/571",
		.says = sixteen_says,
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_sixteen },
	{ &(const struct rule_id){
		.name = "float8-tokens",
		.code = "F122",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "float8 gradients need a number of tokens that is a multiple of 16",
		.explanation =
			"The gradient of a weight sums over the tokens of a forward pass, which "
			"is local batch * sequence length / cp. So the number of tokens is an "
			"inner size, too. The recipe rowwise_with_gw_hp computes it in bfloat16.",
		.remedy = "Use a sequence length that is a multiple of 16 * cp.",
		.source = "torch aten/src/ATen/native/cuda/Blas.cpp, _scaled_mm",
		.says = sixteen_says,
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_tokens },
	{ &(const struct rule_id){
		.name = "float8-uneven-shards",
		.code = "F123",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "a float8 all-gather gets shards of different sizes",
		.explanation =
			"FSDP pads the last shard of a weight, but a tensor with an all-gather of "
			"its own must pad itself, and torchao's does not: the last rank gathers "
			"into a buffer that is too small, the others wait. PyTorch up to 2.5 "
			"refuses the weight when fully_shard is called.",
		.remedy = "Gather in bfloat16, or shard over a divisor of the rows.",
		.source = "https://github.com/pytorch/ao/pull/3983",
		.says = uneven_says,
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_uneven },
	{ &(const struct rule_id){
		.name = "float8-empty-shards",
		.code = "F124",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "some ranks hold no row of a weight with float8 all-gather",
		.explanation =
			"Each rank scales by the largest value of its shard. A weight with fewer "
			"rows than shards, or slightly more, leaves some ranks without rows, and "
			"the maximum of an empty tensor is an exception.",
		.remedy = "Gather in bfloat16, or shard over fewer ranks.",
		.source = "https://github.com/pytorch/ao/issues/3982",
		.says = empty_says,
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_empty },
};
/* clang-format on */

const struct ruleset ruleset_float8_shapes = {
	"float8-shapes",
	"Float8: sizes of layers and shards",
	rules,
	sizeof(rules) / sizeof(*rules),
};
