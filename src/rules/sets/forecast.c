#include "base/text.h"
#include "cost/profile.h"
#include "input/vocabulary.h"
#include "rules/facts.h"
#include "rules/raised.h"
#include "sim/forecast.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define GIB 1073741824.0

/*
 * What a step costs. These rules speak only where the config or the project's settings name the
 * device, and the forecast is made once for all of them.
 */

/* Whether the network is said that is crossed. */
static bool network_said(const struct job *job)
{
	return setting_said(fact(job, FIELD_CLUSTER_PRESET)) ||
	       setting_said(fact(job, FIELD_CLUSTER_NIC)) ||
	       setting_said(fact(job, FIELD_CLUSTER_FABRIC));
}

/* True when an error was found by a rule that forecasts nothing. */
static bool is_wrong(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->findings->list.count; i++)
		if (job->findings->list.items[i]->severity == SEVERITY_ERROR &&
		    job->findings->list.items[i]->rule->code[0] != 'E')
			return true;
	return false;
}

/*
 * The forecast of a job that will start; or NULL. Where something was read wrongly, a key misspelt
 * for example, the forecast is of another job than is meant.
 */
static const struct forecast *forecast_for(struct job *job)
{
	if ((job->applied && job->applied->error) || is_wrong(job))
		return NULL;
	return forecast_of(job);
}

/* The setting that says how many sequences a microbatch has, or NULL. */
static const struct setting *micro_setting(const struct job *job)
{
	static const enum field_id fields[] = { FIELD_MICRO_BATCH_SIZE, FIELD_PP_MICROBATCH_SIZE,
						FIELD_LOCAL_BATCH_SIZE };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const struct setting *setting = fact(job, fields[i]);
		if (fields[i] == FIELD_PP_MICROBATCH_SIZE && degree_of(job, FIELD_PP) == 1)
			continue;
		if (setting_given(setting) && setting_known(setting))
			return setting;
		if (fields[i] == FIELD_PP_MICROBATCH_SIZE)
			break; /* with a pipeline the local batch is cut by what is not said */
	}
	return NULL;
}

/*
 * The same workload in microbatches of that many sequences. Where the microbatch alone makes the
 * batch, that becomes smaller; else there are more of them.
 */
static struct workload with_micro(const struct job *job, const struct workload *work, int64_t micro)
{
	struct workload other = *work;

	if (work->pp > 1 || setting_int(&job->settings, FIELD_GLOBAL_BATCH_SIZE, 0) > 0)
		other.microbatches = work->microbatches * work->micro / micro;
	other.micro = micro;
	return other;
}

/* ---- does-not-fit ---- */

static bool fits(const struct job *job, const struct forecast *forecast,
		 const struct workload *work, double *need)
{
	struct forecast other = *forecast;

	other.memory = memory_forecast(job->arena, &forecast->profile, work);
	*need = other.memory.need / GIB;
	return forecast_fits(&other) == FITS_YES;
}

/* The largest part of a microbatch with which the job fits, or 0. */
static int64_t micro_that_fits(const struct job *job, const struct forecast *forecast, double *need)
{
	int64_t micro;

	for (micro = forecast->work.micro / 2; micro > 0; micro /= 2) {
		struct workload other = with_micro(job, &forecast->work, micro);
		if (forecast->work.micro % micro == 0 && fits(job, forecast, &other, need))
			return micro;
	}
	return 0;
}

/* "microbatches of 1 (now 2)"; or NULL where none of them fits. */
static const char *fit_by_micro(struct job *job, struct finding *finding,
				const struct forecast *forecast, double *need)
{
	const struct setting *setting = micro_setting(job);
	const int64_t micro = micro_that_fits(job, forecast, need);

	if (!micro)
		return NULL;
	if (setting && setting->integer == forecast->work.micro)
		edit_setting(job, finding, setting, micro);
	return arena_printf(job->arena, "microbatches of %" PRId64 " (now %" PRId64 ")", micro,
			    forecast->work.micro);
}

static const char *fit_by_recomputing(struct job *job, const struct forecast *forecast,
				      double *need)
{
	struct workload full = forecast->work;

	full.recompute = RECOMPUTE_FULL;
	full.recompute_said = true;
	if (full.recompute == forecast->work.recompute || !fits(job, forecast, &full, need))
		return NULL;
	return "full activation checkpointing";
}

/* Whole gradients need not wait for the last pass: "sync_each_batch: true", after micro-batches. */
static const char *fit_by_reducing(struct job *job, struct finding *finding,
				   const struct forecast *forecast, double *need)
{
	const struct setting *setting = fact(job, FIELD_REDUCE_EACH);
	struct workload each = forecast->work;
	const struct vocabulary_key *key;
	const char *word;

	each.reduces_last = false;
	key = workload_waits_whole(&forecast->work) && fits(job, forecast, &each, need)
		      ? vocabulary_key_of(job->arena, &job->document, FIELD_REDUCE_EACH)
		      : NULL;
	if (!key)
		return NULL;
	word = key->opposite ? "false" : "true";
	if (setting_given(setting) && setting->span.source == job->document.source &&
	    !finding->edits.count)
		finding_edit(job->findings, finding, setting->span, "%s", word);
	return arena_printf(job->arena, "%s: %s", key->path, word);
}

static void fix_memory(struct job *job, struct finding *finding, const struct forecast *forecast)
{
	double need, less;
	const char *way = fit_by_micro(job, finding, forecast, &need), *other;

	if (!way)
		way = fit_by_recomputing(job, forecast, &need);
	other = fit_by_reducing(job, finding, forecast, &less);
	if (way && other)
		finding_fix(job->findings, finding,
			    "with %s a rank would need %.1f GiB; with %s, %.1f", way, need, other,
			    less);
	else if (way || other)
		finding_fix(job->findings, finding, "with %s a rank would need %.1f GiB",
			    way ? way : other, way ? need : less);
}

/* What lies outside the config and may make it fit, as the end of a sentence; "" where nothing may.
 */
static const char *unless_of(const struct job *job, const struct forecast *forecast)
{
	const struct workload *work = &forecast->work;
	const char *what = "";

	if (forecast_runs_out(forecast))
		return "";
	if (work->lengths_open)
		what = arena_printf(job->arena,
				    " where sequences are %" PRId64
				    " tokens long: the data says how long they are",
				    work->seq);
	return work->sharing_open
		       ? arena_join(job->arena, what,
				    *what ? ", and what starts the job" : ": what starts the job",
				    " may say who shares the model")
		       : what;
}

static void check_fits(const struct rule *rule, struct job *job)
{
	static const enum field_id fields[] = { FIELD_LOCAL_BATCH_SIZE, FIELD_MICRO_BATCH_SIZE,
						FIELD_CLUSTER_GPU, FIELD_CLUSTER_PRESET };
	const struct forecast *forecast = forecast_for(job);
	const char *reference = "";
	struct finding *finding;
	const double *parts;

	if (!forecast || forecast->memory.need <= forecast->memory.capacity)
		return;
	parts = memory_fullest(&forecast->memory)->peak.parts;
	finding = finding_add(job->findings, rule->id, first_place(job, fields, 4),
			      "the fullest rank would need %.1f GiB, of which %s has %.1f",
			      forecast->memory.need / GIB, forecast->profile.gpu,
			      forecast->memory.capacity / GIB);
	if (!forecast_runs_out(forecast))
		finding_cap(finding, SEVERITY_NOTE);
	finding_consequence(job->findings, finding,
			    "the job runs out of memory with a probability of %s%s",
			    text_probability(job->arena, forecast->memory.probability),
			    unless_of(job, forecast));
	relate_setting(job, finding, FIELD_CLUSTER_GPU);
	if (parts[MEMORY_REFERENCE] > 0)
		reference = arena_printf(job->arena, ", %.1f of the reference model",
					 parts[MEMORY_REFERENCE] / GIB);
	finding_actual(
		job->findings, finding,
		"%.1f GiB of parameters, gradients and optimizer state%s, %.1f of activations",
		(parts[MEMORY_PARAMETERS] + parts[MEMORY_GRADIENTS] + parts[MEMORY_OPTIMIZER]) /
			GIB,
		reference,
		(parts[MEMORY_ACTIVATIONS] + parts[MEMORY_RECOMPUTED] + parts[MEMORY_LOSS]) / GIB);
	if (!job->unadvised)
		fix_memory(job, finding, forecast);
}

/* ---- bubble-large ---- */

/*
 * GPipe (section 2.3) calls the bubble of four microbatches per stage negligible: with p stages
 * that is (p - 1) / (5 p - 1), less than this for any p.
 */
#define BUBBLE_LARGE 0.2

/* A change that may lessen what a step waits for, and the forecast with it. */
struct way {
	const char *what;
	struct forecast forecast;
};

/* The job with some settings changed; false where it stops or nothing can be said of it. */
static bool try_variation(const struct job *job, struct way *way,
			  const struct variation *variations, size_t count)
{
	struct job *other = arena_new(job->arena, struct job);

	job_vary(other, job->arena, job, variations, count, 0);
	return !other->applied->error && !other->applied->later &&
	       !forecast_read(&way->forecast, other, other->applied, NULL);
}

static const char *number_text(const struct job *job, int64_t number)
{
	return arena_printf(job->arena, "%" PRId64, number);
}

static double bubble(const struct step *step)
{
	return step->total > 0 ? step->bubble / step->total : 0;
}

/* As small as it takes, or as it can be. */
static bool smaller_micro(const struct job *job, const struct forecast *forecast, struct way *way)
{
	int64_t micro = forecast->work.micro;

	if (micro % 2)
		return false;
	way->forecast = *forecast;
	do {
		micro /= 2;
		way->forecast.work = with_micro(job, &forecast->work, micro);
		forecast_run(&way->forecast, job->arena);
	} while (bubble(&way->forecast.step) > BUBBLE_LARGE && micro % 2 == 0);
	way->what = arena_printf(job->arena, "microbatches of %" PRId64 " rather than %" PRId64,
				 micro, forecast->work.micro);
	return true;
}

/* Twice as many stages, dealt out to the ranks in turn. */
static bool interleaved(const struct job *job, const struct forecast *forecast, struct way *way)
{
	const struct variation variations[] = { { FIELD_PP_SCHEDULE, "Interleaved1F1B" },
						{ FIELD_PP_VIRTUAL_STAGES, "2" } };
	const struct workload *work = &forecast->work;

	way->what = "Interleaved1F1B with two stages per rank";
	return !work->deepspeed && work->virtual_stages == 1 &&
	       !setting_given(fact(job, FIELD_PP_LAYER_SPLIT)) &&
	       work->model->layers >= 2 * work->pp && try_variation(job, way, variations, 2) &&
	       !way->forecast.work.refused && way->forecast.work.virtual_stages == 2;
}

/* The ranks of the pipeline see samples of their own instead, where the model fits so. */
static bool no_pipeline(const struct job *job, const struct forecast *forecast, struct way *way)
{
	const struct workload *work = &forecast->work;
	const struct variation variations[] = {
		{ FIELD_PP, "1" },
		{ work->zero == ZERO_PARAMETERS ? FIELD_DP_SHARD : FIELD_DP_REPLICATE, "-1" },
		{ FIELD_MICRO_BATCH_SIZE, number_text(job, work->micro) },
		{ FIELD_GLOBAL_BATCH_SIZE,
		  number_text(job, work->microbatches * work->micro * work->dp) }
	};

	if (work->microbatches % work->pp || !try_variation(job, way, variations, 4) ||
	    forecast_fits(&way->forecast) != FITS_YES)
		return false;
	way->what = arena_printf(job->arena, "pp 1, which fits (%.0f GiB)",
				 way->forecast.memory.device / GIB);
	return true;
}

/* Lists the ways that make the job faster with a smaller bubble; edits what the first one names. */
static void fix_bubble(struct job *job, struct finding *finding, const struct forecast *forecast)
{
	static bool (*const ways[])(const struct job *, const struct forecast *,
				    struct way *) = { smaller_micro, interleaved, no_pipeline };
	const struct setting *micro = micro_setting(job);
	const char *text = "";
	struct way way;
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (!ways[i](job, forecast, &way) || way.forecast.tokens <= forecast->tokens ||
		    bubble(&way.forecast.step) >= bubble(&forecast->step))
			continue;
		text = arena_printf(
			job->arena, "%s%s%s: %.0f %% waiting, %.2g times the tokens per second",
			text, *text ? "; " : "", way.what, 100 * bubble(&way.forecast.step),
			way.forecast.tokens / forecast->tokens);
		if (ways[i] == smaller_micro && bubble(&way.forecast.step) <= BUBBLE_LARGE &&
		    micro && micro->integer == forecast->work.micro)
			edit_setting(job, finding, micro, way.forecast.work.micro);
	}
	if (*text)
		finding_fix(job->findings, finding, "%s", text);
}

static void check_bubble(const struct rule *rule, struct job *job)
{
	const struct forecast *forecast = degree_of(job, FIELD_PP) > 1 ? forecast_for(job) : NULL;
	struct finding *finding;

	if (!forecast || forecast->work.pp < 2 || forecast->work.refused ||
	    bubble(&forecast->step) <= BUBBLE_LARGE)
		return;
	finding = finding_add(job->findings, rule->id, fact(job, FIELD_PP)->span,
			      "pipeline ranks wait for %.0f %% of a step: %" PRId64
			      " microbatches over %" PRId64 " stages under %s",
			      100 * bubble(&forecast->step), forecast->work.microbatches,
			      forecast->work.pp * forecast->work.virtual_stages,
			      forecast->work.schedule->name);
	relate_setting(job, finding, FIELD_PP_SCHEDULE);
	relate_setting(job, finding, FIELD_LOCAL_BATCH_SIZE);
	relate_setting(job, finding, FIELD_GLOBAL_BATCH_SIZE);
	if (!job->unadvised)
		fix_bubble(job, finding, forecast);
}

/* ---- link-bound ---- */

/* One kind of exposed communication, and the degree it is of. */
struct exposure {
	const char *what;
	enum field_id field;
	double seconds;
};

static struct exposure largest(const struct step *step)
{
	const struct exposure all[] = {
		{ "tensor parallelism", FIELD_TP, step->tensor },
		{ "context parallelism", FIELD_CP, step->context },
		{ "expert parallelism", FIELD_EP, step->expert },
		{ "data parallelism", FIELD_DP_SHARD, step->data },
	};
	struct exposure best = all[0];
	size_t i;

	for (i = 1; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].seconds > best.seconds)
			best = all[i];
	return best;
}

static double exposed(const struct step *step)
{
	return step->tensor + step->context + step->expert + step->data;
}

/* Tensor parallelism within a node, and parameters cut within one. */
static bool stay_inside(const struct job *job, const struct forecast *forecast, enum field_id field,
			struct way *way)
{
	const struct workload *work = &forecast->work;
	const int64_t node = work->gpus_per_node, shard = node / work->tp;
	struct variation variations[2];

	if (field == FIELD_TP && work->tp > node && work->tp % node == 0) {
		variations[0] = (struct variation) { FIELD_TP, number_text(job, node) };
		variations[1] = (struct variation) {
			work->zero == ZERO_PARAMETERS ? FIELD_DP_SHARD : FIELD_DP_REPLICATE, "-1"
		};
		way->what = arena_printf(job->arena, "tp %" PRId64, node);
	} else if (field == FIELD_DP_SHARD && work->zero == ZERO_PARAMETERS && work->cp == 1 &&
		   work->data[DENSE].ranks * work->tp > node && node % work->tp == 0 &&
		   work->data[DENSE].ranks % shard == 0) {
		variations[0] = (struct variation) { FIELD_DP_SHARD, number_text(job, shard) };
		variations[1] = (struct variation) { FIELD_DP_REPLICATE, "-1" };
		way->what =
			arena_printf(job->arena, "dp_shard %" PRId64 " with dp_replicate %" PRId64,
				     shard, work->dp / shard);
	} else {
		return false;
	}
	return try_variation(job, way, variations, 2);
}

static void check_links(const struct rule *rule, struct job *job)
{
	static const enum field_id none[] = { FIELD_CLUSTER_NIC, FIELD_CLUSTER_GPU };
	const bool crossed = job->topology ? job->topology->used > 1 : true;
	const struct forecast *forecast = crossed && !network_said(job) ? NULL : forecast_for(job);
	struct exposure most;
	struct finding *finding;
	struct way way;

	if (!forecast || exposed(&forecast->step) <= forecast->step.compute)
		return;
	most = largest(&forecast->step);
	finding = finding_add(
		job->findings, rule->id,
		setting_given(fact(job, most.field)) ? fact(job, most.field)->span
						     : first_place(job, none, 2),
		"exposed collectives take %.0f %% of a step, computing %.0f %%; most of it is for "
		"%s",
		100 * exposed(&forecast->step) / forecast->step.total,
		100 * forecast->step.compute / forecast->step.total, most.what);
	relate_setting(job, finding, FIELD_CLUSTER_NIC);
	relate_setting(job, finding, FIELD_CLUSTER_GPU);
	if (!job->unadvised && stay_inside(job, forecast, most.field, &way) &&
	    forecast_fits(&way.forecast) == FITS_YES && way.forecast.tokens > forecast->tokens)
		finding_fix(job->findings, finding,
			    "%s stays inside nodes: %.2g times the tokens per second, %.0f GiB on "
			    "the fullest rank",
			    way.what, way.forecast.tokens / forecast->tokens,
			    way.forecast.memory.device / GIB);
}

static void check_device(const struct rule *rule, struct job *job)
{
	const struct setting *gpu = fact(job, FIELD_CLUSTER_GPU);
	struct profile profile;
	struct finding *finding;
	const char *near;

	profile_init(&profile, job->arena);
	if (!setting_given(gpu) || !setting_known(gpu) || profile_gpu(&profile, gpu->text))
		return;
	near = profile_gpu_nearest(job->arena, gpu->text);
	finding = finding_add(job->findings, rule->id, gpu->span,
			      "no device is called '%.60s': memory and time are not judged",
			      gpu->text);
	if (!near)
		return;
	finding_fix(job->findings, finding, "did you mean %s?", near);
	if (!strchr(near, ' ') && gpu->span.source == job->document.source)
		finding_edit(job->findings, finding, gpu->span, "%s", near);
}

/* ---- frozen-weights ---- */

static void check_frozen(const struct rule *rule, struct job *job)
{
	static const enum field_id fields[] = { FIELD_TUNER, FIELD_CLUSTER_GPU,
						FIELD_CLUSTER_PRESET };
	const char *frozen = workload_frozen(job);
	struct finding *finding;

	if (!frozen)
		return;
	finding = finding_add(job->findings, rule->id, first_place(job, fields, 3),
			      "%s: memory and time are not judged", frozen);
	finding_fix(job->findings, finding,
		    "--set training.tuner=full judges them as if all weights were trained");
}

/* clang-format off */
static const struct rule rules[] = {
	{ &(const struct rule_id){
		.name = "does-not-fit",
		.code = "E101",
		.severity = SEVERITY_ERROR,
		.evidence = EVIDENCE_RUN,
		.summary = "does not fit: the forecast memory is more than the device has",
		.explanation =
			"`parplan sim` adds up what the fullest rank holds at its peak: state, "
			"gathered parameters, activations of the microbatches in flight, the "
			"loss and the memory outside the allocator, but not what the allocator "
			"caches: it gives that back before it gives up. "
			"parplan reports this only when the config or .parplan.yaml names the "
			"device: as an error when the job runs out of memory with a probability "
			"of 99 % or more, whatever the config leaves open; else as a note. "
			"It is a note, too, where it fits if sequences are shorter, which are not "
			"packed nor padded to the greatest length; where what starts the job may "
			"say who shares the model, and is not given; and where the config asks for "
			"what no forecast counts. "
			"`parplan sim` exits 1 where this is an error.",
		.remedy = "Smaller microbatches, activation checkpointing, gradients that FSDP "
			  "reduces after each pass of a step, or more ranks that share the "
			  "parameters; `parplan sim` shows the parts.",
		.source = "docs/accuracy.md: measured peaks, and runs that fitted or did not",
	  },
	  NEEDS_WORLD | NEEDS_MODEL | NEEDS_DEVICE, check_fits },
	{ &(const struct rule_id){
		.name = "bubble-large",
		.code = "E102",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "pipeline ranks wait for more than a fifth of a step",
		.explanation =
			"With m microbatches over p stages a plain pipeline waits for (p - 1) / "
			"(m + p - 1) of a step, and longer where stages are uneven. GPipe's "
			"authors call four microbatches per stage enough, which is less than a "
			"fifth; parplan takes the share from the simulated schedule. It reports "
			"this only when the config or .parplan.yaml names the device.",
		.remedy = "More microbatches in a step (smaller ones, or a larger batch), an "
			  "interleaved or zero-bubble schedule, or fewer stages. expect: "
			  "{max_bubble: 0.2} turns this into an error.",
		.source = "https://arxiv.org/abs/1811.06965 (GPipe), section 2.3",
	  },
	  NEEDS_WORLD | NEEDS_MODEL | NEEDS_DEVICE, check_bubble },
	{ &(const struct rule_id){
		.name = "link-bound",
		.code = "E103",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "exposed collectives take longer than computing",
		.explanation =
			"The forecast puts every collective on the links that its group crosses "
			"and includes the framework's overlap. parplan reports this only when the "
			"config or .parplan.yaml names the device and, between nodes, the "
			"network.",
		.remedy = "Keep the axis that communicates most inside a node, give every "
			  "rank more to compute (longer or more sequences in a microbatch), or "
			  "shard within nodes and replicate over them.",
		.source = "`parplan sim`, docs/accuracy.md",
	  },
	  NEEDS_WORLD | NEEDS_MODEL | NEEDS_DEVICE, check_links },
	{ &(const struct rule_id){
		.name = "unknown-device",
		.code = "E104",
		.severity = SEVERITY_WARNING,
		.evidence = EVIDENCE_RUN,
		.summary = "no preset has this device's name",
		.explanation =
			"A device is known by the name that its driver or its maker gives it. A name "
			"that goes on in another way (H100-NVL) is another device, whose memory and "
			"speed nobody has written down, so no forecast is made and rules that compare "
			"with one are skipped.",
		.remedy = "Use a name that `parplan presets` lists, or give the numbers in a file: "
			  "--profile FILE.",
		.source = "parplan presets",
	  },
	  NEEDS_NOTHING, check_device },
	{ &(const struct rule_id){
		.name = "frozen-weights",
		.code = "E105",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "only part of the weights is trained",
		.explanation =
			"Weights that LoRA, its relatives or a frozen part keep as they are have no "
			"gradients and no optimizer state, and their backward pass is shorter. "
			"parplan forecasts steps that train all weights and makes no forecast of "
			"others; it says so where the config or .parplan.yaml names the device.",
		.remedy = "Judge the memory by a run. An upper bound for it is the job that trains all "
			  "weights: --set training.tuner=full.",
		.source = "https://arxiv.org/abs/2106.09685 (LoRA), section 4.2",
	  },
	  NEEDS_WORLD | NEEDS_MODEL | NEEDS_DEVICE, check_frozen },
};
/* clang-format on */

const struct ruleset ruleset_forecast = {
	"forecast",
	"What a step costs",
	rules,
	sizeof(rules) / sizeof(*rules),
};
