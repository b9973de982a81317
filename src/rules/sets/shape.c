#include "base/number.h"
#include "base/text.h"
#include "rules/advice.h"
#include "rules/axes.h"
#include "rules/facts.h"
#include "rules/pinned.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <string.h>

/* The shape of the model against pp and cp, in frameworks without a model of their own. */

/* ---- layers over pp ---- */

/* Layers of the first and of the last stage that leave the others whole; 0: none do. */
struct outer {
	int64_t first, last;
};

/* Those nearest to an even split: 46 over 4 are 11, 12, 12, 11, and 61 over 8 are 6, 8 six
 * times, 7. */
static struct outer outer_layers(int64_t layers, int64_t pp)
{
	const int64_t even = layers / pp;
	int64_t away, at;

	for (away = 0; pp > 2 && away < even; away++)
		for (at = -away; at <= away; at++) {
			const int64_t rest = away - (at < 0 ? -at : at);
			struct outer outer = { even + at, even - rest };
			int64_t between = layers - outer.first - outer.last;
			if (between > 0 && between % (pp - 2) == 0)
				return outer;
			outer.last = even + rest;
			between = layers - outer.first - outer.last;
			if (between > 0 && between % (pp - 2) == 0)
				return outer;
		}
	return (struct outer) { 0 };
}

/* How the file says that layers are split: EVENLY where it asks for that, UNSAID where only a
 * recipe or flags could tell. */
enum split { UNSAID, EVENLY, OTHERWISE };

static enum split split_of(const struct job *job)
{
	const struct setting *split = fact(job, FIELD_PP_LAYER_SPLIT);

	if (setting_known(fact(job, FIELD_PP_LAYERS_PER_STAGE)) ||
	    setting_known(fact(job, FIELD_PP_STAGES)) || split->invalid ||
	    setting_known(fact(job, FIELD_PP_FIRST_STAGE_LAYERS)) ||
	    setting_known(fact(job, FIELD_PP_LAST_STAGE_LAYERS)))
		return OTHERWISE;
	if (setting_known(split))
		return strcmp(split->text, "even") != 0 ? OTHERWISE : EVENLY;
	return job_says_all(job) ? EVENLY : UNSAID;
}

static void fix_layers(struct job *job, struct finding *finding, int64_t layers, int64_t pp)
{
	const struct outer outer = outer_layers(layers, pp);
	const char *list = divisors_text(job->arena, layers), *key = axis_key(job, FIELD_PP);
	const char *said = split_of(job) == UNSAID
				   ? "; where the recipe splits them otherwise, say so: "
				     "pipeline.layer_split"
				   : "";

	if (outer.first && strcmp(key, "pp") != 0 && !text_starts(key, "--"))
		finding_fix(job->findings, finding,
			    "use %s %s, or %" PRId64 " layers in the first stage and %" PRId64
			    " in the last (%" PRId64 " in each between)%s",
			    key, list, outer.first, outer.last,
			    (layers - outer.first - outer.last) / (pp - 2), said);
	else if (outer.first)
		finding_fix(job->findings, finding,
			    "use %s %s, or --decoder-first-pipeline-num-layers %" PRId64
			    " and --decoder-last-pipeline-num-layers %" PRId64 " (%" PRId64
			    " in each stage between)%s",
			    key, list, outer.first, outer.last,
			    (layers - outer.first - outer.last) / (pp - 2), said);
	else
		finding_fix(job->findings, finding, "use %s %s%s", key, list, said);
}

/* " of llama3-8b", where the model is known. */
static const char *of_model(const struct job *job)
{
	return job->model ? arena_printf(job->arena, " of %s", model_called(job->model)) : "";
}

/* What ends the plan, by the framework that the config names; else its words for the numbers. */
static void quote_stages(const struct rule *rule, struct job *job, struct finding *finding,
			 const char *about)
{
	const struct exception_name values[] = { TELL("when", "When"), TELL_ABOUT(about),
						 TELL_END };

	if (!raised(rule, job)) {
		quote_told(rule, job, finding, values);
		return;
	}
	quote_raised(job, finding);
	finding->speaker = speaker(job, runs_megatron(job));
}

static void check_layers(const struct rule *rule, struct job *job)
{
	const int64_t pp = degree_of(job, FIELD_PP),
		      layers = setting_int(&job->settings, FIELD_MODEL_LAYERS, 0);
	const int64_t counted = layers + setting_int(&job->settings, FIELD_PP_FIRST_STAGE_LESS, 0) +
				setting_int(&job->settings, FIELD_PP_LAST_STAGE_LESS, 0);
	const char *name = runs_megatron(job);
	struct finding *finding;

	if (!name || pp < 2 || layers < 1 || counted % pp == 0 || split_of(job) == OTHERWISE ||
	    job_does(job, HABIT_WEIGHS_LAYERS))
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_PP)->span,
			      "pp %" PRId64 " does not divide the %" PRId64 " layers%s%s: %" PRId64
			      " mod %" PRId64 " = %" PRId64,
			      pp, layers, of_model(job),
			      counted != layers ? ", which count with embedding and output as more"
						: "",
			      counted, pp, counted % pp);
	relate_setting(job, finding, FIELD_MODEL_LAYERS);
	if (split_of(job) == UNSAID) {
		finding_cap(finding, SEVERITY_NOTE);
		finding_actual(job->findings, finding,
			       "an even split stops %s; the recipe or a flag may split otherwise",
			       name);
	} else {
		quote_stages(rule, job, finding, "Number of layers");
	}
	fix_layers(job, finding, counted, pp);
}

/* Where the stages on each rank come from. */
static struct span place_of_stages(const struct job *job)
{
	static const enum field_id fields[] = { FIELD_PP_VIRTUAL_STAGES, FIELD_PP_LAYERS_PER_STAGE,
						FIELD_PP_LAYER_SPLIT };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (setting_known(fact(job, fields[i])) && span_known(fact(job, fields[i])->span))
			return fact(job, fields[i])->span;
	return fact(job, FIELD_PP)->span;
}

static void check_interleaved(const struct rule *rule, struct job *job)
{
	const int64_t pp = degree_of(job, FIELD_PP);
	const int64_t stages = virtual_stages_of(job, pp);
	const bool overlaps = setting_bool(&job->settings, FIELD_OVERLAP_P2P, true);
	const bool old = raised(rule, job) && pp == 2 && overlaps;
	const int64_t least = overlaps && !old ? 2 : 3;
	struct finding *finding;

	if (stages < 2 || pp >= least)
		return;
	finding =
		finding_add(job->findings, rule->id, place_of_stages(job),
			    "%" PRId64 " stages on each rank make an interleaved schedule, which "
			    "wants pp %" PRId64 " or more%s, not %" PRId64,
			    stages, least, overlaps ? "" : " without overlapped p2p transfers", pp);
	relate_setting(job, finding, FIELD_PP);
	relate_setting(job, finding, FIELD_OVERLAP_P2P);
	quote_stages(rule, job, finding, overlaps ? "is used, pipeline" : "p2p");
	if (old)
		finding_fix(job->findings, finding,
			    "use pp 3 or more, or one stage on each rank; Megatron-LM takes pp 2 "
			    "since 2024-05-31");
	else
		finding_fix(job->findings, finding,
			    overlaps ? "use pp 2 or more, or one stage on each rank"
				     : "use pp 3 or more, or overlap.p2p: true, or one stage on "
				       "each rank");
}

/* ---- heads over cp ---- */

/* Heads of keys are repeated for more ranks, where Ulysses is an axis of its own. */
static bool cuts_heads(const struct job *job, enum field_id axis, int64_t heads, int64_t kv)
{
	const bool repeats = axis == FIELD_SP || job_does(job, HABIT_REPEATS_KEYS);
	const int64_t ranks = degree_of(job, axis);

	if (ranks < 2 || heads < 1 || kv < 1)
		return true;
	return heads % ranks == 0 && (kv % ranks == 0 || (repeats && ranks % kv == 0));
}

static void check_heads(const struct rule *rule, struct job *job, enum field_id axis)
{
	const struct model *model = job->model;
	const int64_t ranks = degree_of(job, axis), heads = model ? model->heads : 0;
	const int64_t kv = !model ? 0 : model->kv_lora ? heads : model->kv_heads;
	const char *name = axis == FIELD_SP ? "sp" : "cp";
	struct finding *finding;
	bool of_kv;

	if (cuts_heads(job, axis, heads, kv))
		return;
	of_kv = heads % ranks == 0;
	finding = finding_add(
		job->findings, rule->id, fact(job, axis)->span,
		"%s %" PRId64 " does not divide %s %" PRId64 " of %s: %" PRId64 " mod %" PRId64
		" = %" PRId64 "; Ulysses gives each %s rank whole heads",
		name, ranks, of_kv ? "kv_heads" : "heads", of_kv ? kv : heads, model_called(model),
		of_kv ? kv : heads, ranks, (of_kv ? kv : heads) % ranks, name);
	if (axis == FIELD_CP)
		relate_setting(job, finding, FIELD_CP_METHOD);
	relate_setting(job, finding, FIELD_MODEL_KV_HEADS);
	finding_fix(job->findings, finding, "use %s %s%s", name,
		    divisors_text(job->arena, common_divisor(heads, kv)),
		    axis == FIELD_CP ? ", or cp_method: ring" : "");
	edit_setting(job, finding, fact(job, axis),
		     divisor_up_to(common_divisor(heads, kv), ranks));
}

static void check_ulysses(const struct rule *rule, struct job *job)
{
	const char *method = setting_text(&job->settings, FIELD_CP_METHOD, "");

	if (!strcmp(method, "ulysses"))
		check_heads(rule, job, FIELD_CP);
	if (strcmp(method, "ring") != 0 && !job_does(job, HABIT_RING_BEYOND))
		check_heads(rule, job, FIELD_SP);
}

/* ---- packed sequences ---- */

static void check_packing(const struct rule *rule, struct job *job)
{
	const struct setting *packing = fact(job, FIELD_PACKING);
	const int64_t cp = degree_of(job, FIELD_CP), unit = multiply(2, cp);
	const int64_t padded = setting_int(&job->settings, FIELD_PAD_TO_MULTIPLE, 0);
	struct finding *finding;

	if (!setting_bool(&job->settings, FIELD_PACKING, false) || cp < 2 ||
	    job_does(job, HABIT_CUTS_PACK) ||
	    !strcmp(setting_text(&job->settings, FIELD_CP_METHOD, "ring"), "ulysses") ||
	    (padded > 0 && padded % unit == 0))
		return;
	finding = finding_add(
		job->findings, rule->id, packing->span,
		"packed documents %s, but cp %" PRId64 " cuts each into 2 * %" PRId64 " = %" PRId64
		" chunks",
		padded > 0 ? arena_printf(job->arena, "are padded to multiples of %" PRId64, padded)
			   : "keep their own lengths",
		cp, cp, unit);
	if (!job_does(job,
		      HABIT_ALIGNED_DOCUMENTS)) /* others pad by themselves, or cut all at once */
		finding_cap(finding, SEVERITY_NOTE);
	relate_setting(job, finding, FIELD_CP);
	relate_setting(job, finding, FIELD_PAD_TO_MULTIPLE);
	finding_fix(job->findings, finding,
		    "pad each document to a multiple of 2 * cp: "
		    "pad_to_multiple_of: %" PRId64,
		    unit);
	edit_setting(job, finding, fact(job, FIELD_PAD_TO_MULTIPLE), unit);
}

/* A framework's own file that does not turn it on leaves it off; elsewhere it is not known. */
static bool lacks_flash(const struct job *job, const struct setting *flash)
{
	if (setting_known(flash))
		return !flash->boolean;
	return !flash->unresolved && !setting_unresolved(&job->settings, FIELD_KERNELS) &&
	       job_says_all(job);
}

static void report_flash(const struct rule *rule, struct job *job, const struct setting *flash)
{
	const struct setting *kernels = fact(job, FIELD_KERNELS), *cp = fact(job, FIELD_CP);
	struct finding *finding;

	finding = finding_add(job->findings, rule->id,
			      setting_known(flash)     ? flash->span
			      : setting_known(kernels) ? kernels->span
						       : cp->span,
			      "cp %" PRId64 " works with flash attention only, which %s",
			      degree_of(job, FIELD_CP),
			      setting_known(flash) ? "is off" : "nothing turns on");
	relate_setting(job, finding, FIELD_CP);
	quote_told(rule, job, finding,
		   (const struct exception_name[]) { TELL_ABOUT("flash attention"), TELL_END });
	finding_fix(job->findings, finding, "set %s, or cp 1",
		    setting_known(kernels) ? "attn_implementation: flash_attention_2"
					   : "flash_attention: true");
}

/* Ring attention by a kernel that takes one packed sequence at a time. */
static void check_ring(const struct rule *rule, struct job *job)
{
	const struct setting *kernel = fact(job, FIELD_FLASH_ATTENTION);
	const struct setting *micro = fact(job, FIELD_MICRO_BATCH_SIZE);
	const struct version *ring = job_does(job, HABIT_RING_KERNEL);
	const int64_t cp = degree_of(job, FIELD_CP);
	struct finding *finding;

	if (!ring || cp < 2)
		return;
	if (lacks_flash(job, kernel))
		report_flash(rule, job, kernel);
	if (setting_bool(&job->settings, FIELD_PACKING, false) && setting_known(micro) &&
	    micro->integer > 1) {
		finding = finding_add(job->findings, rule->id, micro->span,
				      "micro batch %" PRId64 " with packing and cp %" PRId64
				      ": %s's ring attention takes one packed sequence at a "
				      "time",
				      micro->integer, cp, ring->framework);
		relate_setting(job, finding, FIELD_PACKING);
		relate_setting(job, finding, FIELD_CP);
		quote_told(rule, job, finding,
			   (const struct exception_name[]) { TELL_ABOUT("micro_batch_size"),
							     TELL_END });
		finding_fix(job->findings, finding,
			    "use micro_batch_size 1 and %" PRId64 " times the accumulation",
			    micro->integer);
		edit_setting(job, finding, micro, 1);
	}
}

static void check_alone(const struct rule *rule, struct job *job)
{
	struct finding *finding;

	if (degree_of(job, FIELD_CP) < 2 || !job_attends_alone(job))
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_CP)->span,
			      "cp %" PRId64
			      " cuts each sequence, but this attention exchanges no keys "
			      "and values: each rank attends to its own slice alone",
			      degree_of(job, FIELD_CP));
	relate_setting(job, finding, FIELD_KERNELS);
	finding_actual(job->findings, finding,
		       "the job runs, and the model never sees a whole sequence");
	finding_fix(job->findings, finding,
		    "use an attention that goes round the ranks of a model that has it, as "
		    "_attn_implementation: llama3_ring_attention with is_qwen2_config, or cp 1");
}

#define ARGUMENTS "Megatron-LM@d98e8a64 training/arguments.py"

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "layers-divisibility",
		.code = "P131",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "Megatron: pp does not divide the number of layers",
		.explanation =
			"By default Megatron gives every stage the same number of layers, and "
			"asserts this after all ranks have started. If the config does not say "
			"how layers are split (layer_split: even, a list, a layout), a recipe may "
			"do so, and this is a note.",
		.remedy = "Use a divisor, or give the first and last stage numbers of their own.",
		.source = ARGUMENTS ":998; https://github.com/modelscope/ms-swift/issues/5737",
	  },
	  NEEDS_OTHER, check_layers },
	{ &(const struct rule_id){
		.name = "interleaved-stages",
		.code = "P132",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "Megatron: an interleaved schedule over too few pipeline ranks",
		.explanation =
			"Several stages on each rank need pp of at least 2, and of 3 where p2p "
			"transfers are not overlapped: two ranks would send to each other twice at "
			"once. Before 2024-05-31 (3ee489d9) Megatron wanted 3 in any case.",
		.remedy = "Raise pp, overlap the transfers, or use one stage on each rank.",
		.source = ARGUMENTS ":1007; https://github.com/NVIDIA/Megatron-LM/issues/750",
	  },
	  NEEDS_OTHER, check_interleaved },
	{ &(const struct rule_id){
		.name = "ulysses-heads",
		.code = "T121",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "Ulysses: its ranks do not divide the attention heads",
		.explanation =
			"Ulysses exchanges tokens for heads, so that every rank has all tokens of some "
			"heads: cp must divide heads and key/value heads. DeepSpeed's sp must divide "
			"heads; of fewer key/value heads than ranks each is repeated as often for all. "
			"Some versions pad heads, others stop with a shape error in the first forward "
			"pass; for transformers' models DeepSpeed raises a ValueError "
			"(runtime/sequence_parallel/ulysses_sp.py).",
		.remedy = "Use a divisor of both numbers of heads, or ring attention.",
		.source = "https://github.com/hiyouga/LlamaFactory/pull/10794",
	  },
	  NEEDS_NOTHING, check_ulysses },
	{ &(const struct rule_id){
		.name = "packing-alignment",
		.code = "T122",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_REPORTED,
		.summary = "packed documents are not aligned to the chunks of context parallelism",
		.explanation =
			"Context parallelism with load balancing cuts each packed document into 2 * "
			"cp chunks. Documents of other lengths are cut wrongly, or an assertion "
			"stops the job once the data has been prepared.",
		.remedy = "Pad each document to a multiple of 2 * cp.",
		.source = "https://github.com/hiyouga/LlamaFactory/issues/10108",
	  },
	  NEEDS_NOTHING, check_packing },
	{ &(const struct rule_id){
		.name = "ring-attention",
		.code = "T123",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "axolotl: context parallelism without what its ring attention needs",
		.explanation =
			"axolotl's context parallelism is ring-flash-attn: it needs flash attention "
			"and, with packing, a micro batch of 1. Both are checked late.",
		.remedy = "Switch flash attention on, and use micro batches of 1.",
		.source = "axolotl@067b021c utils/schemas/validation.py:1655",
	  },
	  NEEDS_OTHER, check_ring },
	{ &(const struct rule_id){
		.name = "cp-attends-alone",
		.code = "T124",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_READ,
		.summary = "nanotron: context parallelism with an attention that does not exchange",
		.explanation =
			"nanotron cuts the sequences of every model over cp, but only the ring "
			"attentions of its Qwen model exchange keys and values. With any other, "
			"each rank attends to its own slice, without a message.",
		.remedy = "Use a ring attention of a model that has it, or cp 1.",
		.source = "nanotron@2411b022 data/clm_collator.py:71, models/qwen.py:84-125, "
			  "models/llama.py",
	  },
	  NEEDS_OTHER, check_alone },
};
/* clang-format on */

const struct ruleset ruleset_shape = {
	"shape",
	"Layers, heads and documents in other frameworks",
	rules,
	sizeof(rules) / sizeof(*rules),
};
