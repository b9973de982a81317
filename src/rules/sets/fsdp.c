#include "framework/resume.h"
#include "framework/torch/noted.h"
#include "base/number.h"
#include "base/text.h"
#include "framework/torch/fsdp.h"
#include "framework/torch/reshard.h"
#include "input/node.h"
#include "input/field.h"
#include "plan/compare.h"
#include "rules/advice.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* Parameters that FSDP, or FSDP after tensor parallelism, cuts unevenly; and how it gathers them.
 */

/* ---- tensor parallelism alone, and FSDP of the first generation ---- */

/* The first parameter that tensor parallelism cuts unevenly; `size`: of the dim it cuts. */
static const struct sharded *uneven_tensor(const struct job *job, int64_t *size)
{
	int64_t tp = degree_of(job, FIELD_TP);
	size_t i;

	if (job->applied->stages_assumed)
		return NULL;
	for (i = 0; i < job->applied->parameters.count; i++) {
		const struct sharded *sharded = &job->applied->parameters.items[i];
		const struct mesh_dim *last =
			sharded->dims ? &sharded->dim[sharded->dims - 1] : NULL;
		if (!last || last->placement.kind != PLACE_SHARD ||
		    layout_size(last->layout) != tp || sharded->parameter->expert)
			continue;
		*size = sharded->parameter->shape[last->placement.dim];
		if (*size % tp)
			return sharded;
	}
	return NULL;
}

static void check_flat_uneven(const struct rule *rule, struct job *job)
{
	int64_t tp = degree_of(job, FIELD_TP), size = 0;
	const struct sharded *sharded;
	struct finding *finding;

	if (!wrap_is_flat(&job->settings) || tp < 2)
		return;
	sharded = uneven_tensor(job, &size);
	if (!sharded)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_FSDP_VERSION)->span,
			      "FSDP1 takes all parts that tp %" PRId64 " cuts of %s (%" PRId64
			      ") for equal: its shards overlap when they are saved",
			      tp, sharded->parameter->fqn, size);
	relate_setting(job, finding, FIELD_TP);
	finding_fix(job->findings, finding, "use FSDP2 (fully_shard), or pad the size to %" PRId64,
		    round_up(size, tp));
	edit_setting(job, finding, fact(job, FIELD_FSDP_VERSION), 2);
}

static void check_flat_alone(const struct rule *rule, struct job *job)
{
	int64_t replicas = degree_of(job, FIELD_DP_REPLICATE);
	const struct setting *shard = fact(job, FIELD_DP_SHARD);
	struct finding *finding;

	if (!strcasecmp(setting_text(&job->settings, FIELD_SHARDING_MODE, ""), "no_shard"))
		return; /* FSDP1's own word for DDP: gradients are reduced over all */
	if (!wrap_is_flat(&job->settings) || replicas < 2 || !setting_known(shard) ||
	    degree_of(job, FIELD_DP_SHARD) != 1)
		return;
	finding = finding_add(
		job->findings, rule->id,
		span_known(shard->span) ? shard->span : fact(job, FIELD_FSDP_VERSION)->span,
		"FSDP1 over %" PRId64 " replicas with shard groups of one rank: "
		"it reduces gradients over one rank, and every replica trains on its own",
		replicas);
	relate_setting(job, finding, FIELD_DP_REPLICATE);
	relate_setting(job, finding, FIELD_FSDP_VERSION);
	finding_fix(job->findings, finding, "use DDP or FSDP2, or share over 2 ranks and more");
}

static void check_old_uneven(const struct rule *rule, struct job *job)
{
	int64_t tp = degree_of(job, FIELD_TP), size = 0;
	const struct sharded *sharded;
	struct torch_release torch;
	struct finding *finding;

	if (!torch_release_of(job, &torch) || torch_has(&torch, TORCH_UNEVEN_STRIDES) || tp < 2)
		return;
	sharded = uneven_tensor(job, &size);
	if (!sharded)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_TP)->span,
			      "tp %" PRId64
			      " does not divide %s, which it cuts along a dim of %" PRId64
			      ": operators of torch %s on uneven shards have been reported "
			      "to fail or to give wrong strides",
			      tp, sharded->parameter->fqn, size, torch.label);
	finding_fix(job->findings, finding,
		    "pad the size to %" PRId64 ", or use torch 2.4 or later", round_up(size, tp));
	edit_torch(job, finding, "2.4.0");
}

/* ---- reshard_after_forward as a number of ranks ---- */

/* The number, or 0 when it is a word. */
static int64_t reshard_ranks(const struct job *job)
{
	const struct setting *setting = fact(job, FIELD_RESHARD_AFTER_FORWARD);
	int64_t ranks;

	return setting_known(setting) && text_to_int(setting->text, &ranks) ? ranks : 0;
}

static int64_t shard_ranks(const struct job *job)
{
	enum strategy strategy = job->applied->dense.strategy;

	return strategy == STRATEGY_FSDP || strategy == STRATEGY_HSDP
		       ? layout_size(&job->applied->dense.shard)
		       : 0;
}

static void refuse_number(const struct rule *rule, struct job *job)
{
	const struct setting *setting = fact(job, FIELD_RESHARD_AFTER_FORWARD);
	struct finding *finding;

	finding = finding_add(job->findings, rule->id, setting->span,
			      "TorchTitan takes default, always or never, no number of ranks");
	quote_told(rule, job, finding,
		   (const struct exception_name[]) { TELL("policy", setting->text), TELL_END });
	finding_fix(job->findings, finding, "write always, or never");
	if (setting->origin == ORIGIN_GIVEN && setting->span.source == job->document.source)
		finding_edit(job->findings, finding, setting->span, "always");
}

static void check_factor(const struct rule *rule, struct job *job)
{
	const struct setting *setting = fact(job, FIELD_RESHARD_AFTER_FORWARD);
	int64_t ranks = reshard_ranks(job), shard = shard_ranks(job);
	struct finding *finding;

	if (ranks && trainer_of(job)) {
		refuse_number(rule, job);
		return;
	}
	if (!ranks || !shard || (ranks <= shard && shard % ranks == 0))
		return;
	finding = finding_add(job->findings, rule->id, setting->span,
			      "reshard_after_forward %" PRId64 " does not divide the %" PRId64
			      " ranks that share parameters",
			      ranks, shard);
	relate_setting(job, finding, FIELD_DP_SHARD);
	finding_quote(job->findings, finding,
		      "ValueError: If passing reshard_after_forward as an int, it should be a "
		      "factor of %" PRId64 ", not %" PRId64,
		      shard, ranks);
	finding->speaker = speaker(job, "torch");
	finding_fix(job->findings, finding, "use %s (1 keeps everything gathered)",
		    divisors_text(job->arena, shard));
	edit_setting(job, finding, setting, divisor_up_to(shard, ranks));
}

/* fully_shard gets DTensors: tensor parallelism made them, even over one rank. */
static bool wraps_tensors(const struct job *job)
{
	const struct node *block = fact(job, FIELD_MESH)->node;

	return degree_of(job, FIELD_TP) > 1 || (block && node_member(block, "tensor_parallel"));
}

static void check_reshard_tensor(const struct rule *rule, struct job *job)
{
	const struct setting *setting = fact(job, FIELD_RESHARD_AFTER_FORWARD);
	int64_t ranks = reshard_ranks(job), shard = shard_ranks(job);
	struct torch_release torch;
	struct finding *finding;

	if (ranks < 2 || ranks >= shard || shard % ranks || !wraps_tensors(job) || trainer_of(job))
		return;
	if (!torch_release_of(job, &torch))
		torch = torch_latest();
	finding =
		finding_add(job->findings, rule->id, setting->span,
			    "reshard_after_forward %" PRId64 " with tensor parallelism: the first "
			    "forward pass stops when a block is cut again",
			    ranks);
	relate_setting(job, finding, FIELD_TP);
	finding_quote(job->findings, finding, "NotImplementedError: %s",
		      reshard_tensor_text(&torch));
	finding->speaker = speaker(job, "torch");
	finding_fix(job->findings, finding, "write always, or never");
	if (setting->origin == ORIGIN_GIVEN && setting->span.source == job->document.source)
		finding_edit(job->findings, finding, setting->span, "always");
}

#define PYTORCH "https://github.com/pytorch/pytorch/"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "fsdp1-uneven-tensor-parallel",
		.code = "S102",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "FSDP1 with tensor parallelism saves uneven parts at wrong offsets",
		.explanation =
			"FullyShardedDataParallel computes the offset of a part by dividing the "
			"size by tp and rounding down, but DTensor cuts by rounding up. For 7 "
			"rows over 3 ranks it records parts at 0, 2 and 4 with 3 rows each: they "
			"overlap, and saving stops. Up to 2.7 an empty part also shares its "
			"offset with one that is not, and may replace it. Seen on a 2.14 nightly.",
		.remedy = "Use FSDP2, or pad the size to a multiple of tp.",
		.source = PYTORCH "pull/188947",
		.says = (const struct saying[]){
			{ "torch", "ValueError: Shards {shards} overlap" },
			{ NULL, NULL } },
	  },
	  NEEDS_APPLIED, check_flat_uneven },
	{ &(const struct rule_id){
		.name = "fsdp1-shard-of-one",
		.code = "S103",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "FSDP1 with replicas and shard groups of one rank: no gradient sync",
		.explanation =
			"HYBRID_SHARD over a shard group of one rank becomes NO_SHARD, but FSDP1 "
			"still reduces gradients over that one rank only. Nothing fails; the "
			"replicas drift apart. It will not be fixed in FSDP1.",
		.remedy = "Use DDP or FSDP2.",
		.source = "https://github.com/verl-project/verl/issues/7493",
	  },
	  NEEDS_APPLIED, check_flat_alone },
	{ &(const struct rule_id){
		.name = "reshard-not-a-factor",
		.code = "S104",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "reshard_after_forward does not divide the size of the shard axis",
		.explanation =
			"A number says over how many neighbouring ranks a block stays sharded "
			"after forward. It must divide the size of the shard axis (without "
			"replicas); 1 means never, the whole size means always. TorchTitan takes "
			"words only.",
		.remedy = "Use a factor of dp_shard * cp.",
		.source = "torch@v2.8.0 distributed/fsdp/_fully_shard/_fsdp_init.py:38",
		.says = (const struct saying[]){
			{ "torch", "ValueError: If passing reshard_after_forward as an int, it should be a factor of {n}, not {n}" },
			{ NULL, NULL } },
	  },
	  NEEDS_WORLD | NEEDS_APPLIED, check_factor },
	{ &(const struct rule_id){
		.name = "reshard-number-with-tp",
		.code = "S105",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "reshard_after_forward as a number with tensor parallelism",
		.explanation =
			"PyTorch does not implement resharding over a smaller group for DTensors. "
			"fully_shard accepts it; the first forward pass stops.",
		.remedy = "Use true or false.",
		.source = "torch@v2.8.0 distributed/fsdp/_fully_shard/_fsdp_param.py:546",
		.says = (const struct saying[]){
			{ "torch <= 2.11", "NotImplementedError: Resharding to smaller mesh with TP is not supported yet" },
			{ "torch >= 2.12", "NotImplementedError: Resharding to smaller mesh is not supported for DTensor parameters yet" },
			{ NULL, NULL } },
	  },
	  NEEDS_APPLIED, check_reshard_tensor },
	{ &(const struct rule_id){
		.name = "uneven-tensor-parallel",
		.code = "S117",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "uneven tensor-parallel shards before PyTorch 2.4",
		.explanation =
			"Up to 2.3 views and redistributions of unevenly cut DTensors failed, "
			"and the short shards had the strides of the long ones.",
		.remedy = "Use a tp that divides the size, or PyTorch 2.4 and later.",
		.source = PYTORCH "issues/118836",
	  },
	  NEEDS_APPLIED, check_old_uneven },
};
/* clang-format on */

const struct ruleset ruleset_fsdp = {
	"fsdp",
	"FSDP: what is cut, and gathered again",
	rules,
	sizeof(rules) / sizeof(*rules),
};
