#include "framework/conversion.h"

#include "base/number.h"
#include "base/text.h"
#include "framework/wing.h"
#include "input/axis.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define X(name) extern const struct target target_##name;
#include "targets.inc"
#undef X

const struct target *const targets[] = {
#define X(name) &target_##name,
#include "targets.inc"
#undef X
	NULL,
};

const struct rule_id rule_lost_in_conversion = {
	.name = "lost-in-conversion",
	.code = "K020",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "the target framework has no key for a setting",
	.explanation =
		"`parplan convert --to` writes only what the target's config can express. The "
		"setting named here is missing from the output: a job run from the output differs "
		"from the original one, or does not start.",
	.remedy = "Set it in another way in the target framework, or drop it.",
	.source = "the keys of pytorch/torchtitan@v0.2.2, NVIDIA/Megatron-LM@d98e8a64, "
		  "huggingface/accelerate@16cb6eb8, pytorch/torchtune@bd2a0fc7",
};

const struct target *target_find(const char *name)
{
	const struct target *const *target;

	for (target = targets; *target; target++)
		if (!strcmp((*target)->name, name))
			return *target;
	return NULL;
}

const struct setting *conversion_take(struct conversion *conversion, enum field_id id)
{
	const struct setting *setting = &conversion->said.items[id];

	if (conversion->taken[id] || !setting_known(setting))
		return NULL;
	conversion->taken[id] = true;
	return setting;
}

static int64_t intended(const struct degrees *degrees, enum field_id id)
{
	switch (id) {
	case FIELD_DP_REPLICATE:
		return degrees->dp_replicate;
	case FIELD_DP_SHARD:
		return degrees->dp_shard;
	case FIELD_CP:
		return degrees->cp;
	case FIELD_TP:
		return degrees->tp;
	case FIELD_PP:
		return degrees->pp;
	case FIELD_EP:
		return degrees->ep;
	default:
		return degrees->etp;
	}
}

int64_t conversion_degree(struct conversion *conversion, enum field_id id)
{
	const struct job *job = conversion->job;
	int64_t degree = intended(&job->intended->degrees, id);

	if (job->applied && job->applied->error &&
	    !job->intended->meshes.count) /* they do not make the world */
		degree = setting_int(&conversion->said, id, degree);
	conversion->taken[id] = true;
	if (id == FIELD_DP_SHARD || id == FIELD_DP_REPLICATE)
		conversion->taken[FIELD_DP] = true; /* they make it */
	if (setting_unresolved(&conversion->said, id)) {
		conversion_lost(conversion, id, "%s is not known: %.80s", field_of(id)->key,
				conversion->said.items[id].unresolved);
		conversion->said.items[id].origin = ORIGIN_UNSET;
		return 0;
	}
	return degree ? degree : 1;
}

void conversion_lost(struct conversion *conversion, enum field_id id, const char *format, ...)
{
	const struct setting *setting = &conversion->said.items[id];
	const char *message;
	va_list args;

	va_start(args, format);
	message = arena_vprintf(conversion->arena, format, args);
	va_end(args);
	conversion->taken[id] = true;
	finding_add(conversion->findings, &rule_lost_in_conversion, setting->span, "%s", message);
}

/* The setting's word in the target's words; NULL after a finding when it has none. */
static const char *word_of(struct conversion *conversion, const struct setting *setting,
			   const char *words)
{
	const char *at;

	for (at = words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
		size_t name = strcspn(at, "="), length = strcspn(at, "|");
		if (strlen(setting->text) == name && !strncmp(at, setting->text, name))
			return arena_strndup(conversion->arena, at + name + 1, length - name - 1);
	}
	conversion_lost(conversion, setting->field, "no key takes %s=%.80s",
			field_of(setting->field)->key, setting->text);
	if (setting->field == FIELD_AC_MODE)
		conversion->taken[FIELD_AC_OPTION] = true;
	return NULL;
}

/* Off, one, none: a framework without the key does the same. */
static bool is_nothing(const struct setting *setting)
{
	static const char *const words[] = { "none",  "never", "default", "no", "disabled",
					     "false", "0",     "1",	  "-1", "" };
	size_t i;

	if (field_of(setting->field)->type == FIELD_BOOL)
		return !setting->boolean;
	if (field_of(setting->field)->type == FIELD_REAL) /* a share or a bound */
		return setting->number == 0;
	if (setting->field == FIELD_AC_METHOD && !strcmp(setting->text, "uniform"))
		return true; /* all layers, one by one, as those do that know no methods */
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(setting->text, words[i]))
			return true;
	return false;
}

/* A default that says that something is off is left out. */
static bool is_idle(const struct setting *setting)
{
	return setting->origin == ORIGIN_DEFAULT && is_nothing(setting);
}

/* "30_000" is YAML's own way to write 30000. */
const char *conversion_word(struct conversion *conversion, const struct setting *setting)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_.,/:+-";

	if (field_of(setting->field)->type == FIELD_INT)
		return arena_printf(conversion->arena, "%" PRId64, setting->integer);
	if (!setting->text[strspn(setting->text, letters)])
		return setting->text;
	conversion_lost(conversion, setting->field, "%s=%.80s is no plain word",
			field_of(setting->field)->key, setting->text);
	return NULL;
}

void conversion_rows(struct conversion *conversion, const struct target_row *rows, size_t count,
		     target_line *line, struct buf *out)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct setting *setting = conversion_take(conversion, rows[i].field);
		const char *value = !setting || is_idle(setting) ? NULL
				    : rows[i].words ? word_of(conversion, setting, rows[i].words)
						    : conversion_word(conversion, setting);
		if (value)
			line(conversion, rows[i].key, value, rows[i].field, out);
	}
}

/* For a comment, which a line break would end. */
const char *conversion_file(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	return text_on_line(arena, slash ? slash + 1 : path);
}

/* Where somebody wrote it, or what it follows from. */
static void put_place(struct arena *arena, const struct setting *setting, struct buf *out)
{
	const char *path = setting->span.source->path;

	if (*path == '<' && strcmp(path, "<stdin>") != 0) /* "<--set>" */
		buf_printf(out, "%.*s", (int)strcspn(path + 1, ">"), path + 1);
	else
		buf_printf(out, "%s:%u", conversion_file(arena, path),
			   (unsigned int)setting->span.line);
	if (setting->spelling)
		buf_printf(out, " %s", text_on_line(arena, setting->spelling));
}

void conversion_where(const struct job *job, const struct setting *setting, struct buf *out)
{
	const bool derived = setting->origin == ORIGIN_DERIVED;
	const bool own = derived || setting->origin == ORIGIN_DEFAULT;

	if (own)
		buf_text(out, derived ? "derived" : "default");
	if (own && setting->note)
		buf_printf(out, " (%s)", text_on_line(job->arena, setting->note));
	if (span_known(setting->span)) {
		buf_text(out, own ? ", " : "");
		put_place(job->arena, setting, out);
	} else if (!own) {
		buf_text(out, setting_where(job->arena, setting));
	}
	if (setting->origin == ORIGIN_GIVEN && setting->note)
		buf_printf(out, " (%s)", text_on_line(job->arena, setting->note));
}

void conversion_origin(const struct conversion *conversion, enum field_id id, struct buf *out)
{
	if (id != FIELD_COUNT && setting_known(&conversion->said.items[id])) {
		buf_text(out, "  # ");
		conversion_where(conversion->job, &conversion->said.items[id], out);
	}
	buf_char(out, '\n');
}

enum field_id conversion_model_from(const struct conversion *conversion)
{
	return setting_known(&conversion->said.items[FIELD_MODEL_PRESET]) ? FIELD_MODEL_PRESET
									  : FIELD_MODEL_LAYERS;
}

/* True when the preset has the sizes of the model, but for the vocabulary. */
static bool has_sizes(struct arena *arena, const char *name, const struct model *model,
		      int64_t *vocab)
{
	struct settings *settings = arena_new(arena, struct settings);
	const struct {
		enum field_id field;
		int64_t size;
	} sizes[] = {
		{ FIELD_MODEL_LAYERS, model->layers },
		{ FIELD_MODEL_HIDDEN, model->hidden },
		{ FIELD_MODEL_HEADS, model->heads },
		{ FIELD_MODEL_KV_HEADS, model->kv_heads },
		{ FIELD_MODEL_HEAD_DIM, model->head_dim },
		{ FIELD_MODEL_FFN, model->ffn },
		{ FIELD_MODEL_MOE_TOPK, model->topk },
		{ FIELD_MODEL_MOE_EXPERT_FFN, model->expert_ffn },
	};
	size_t i;

	settings_init(settings);
	if (!model_preset_apply(arena, settings, name) ||
	    setting_int(settings, FIELD_MODEL_MOE_EXPERTS, 0) != model->experts ||
	    setting_int(settings, FIELD_MODEL_MLA_KV_LORA, 0) != model->kv_lora)
		return false;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (setting_int(settings, sizes[i].field, sizes[i].size) != sizes[i].size)
			return false;
	*vocab = setting_int(settings, FIELD_MODEL_VOCAB, 0);
	return true;
}

const char *conversion_preset(struct conversion *conversion,
			      bool (*fits)(struct arena *arena, const char *name))
{
	const struct setting *named = conversion_take(conversion, FIELD_MODEL_PRESET);
	const struct model *model = conversion->job->model;
	const char *const *name, *best = NULL;
	int64_t vocab, off, least = INT64_MAX;

	if (named || !model)
		return named ? named->text : NULL;
	for (name = model_presets(conversion->arena); *name; name++) {
		if (strstr(*name, "-before-") || !fits(conversion->arena, *name) ||
		    !has_sizes(conversion->arena, *name, model, &vocab))
			continue;
		off = vocab > model->vocab ? vocab - model->vocab : model->vocab - vocab;
		if (off < least) {
			best = *name;
			least = off;
		}
	}
	return best;
}

void conversion_no_pipeline(struct conversion *conversion, const char *framework)
{
	int id;

	if (conversion_degree(conversion, FIELD_PP) > 1)
		conversion_lost(conversion, FIELD_PP, "%s has no pipeline parallelism", framework);
	for (id = FIELD_PP_SCHEDULE; id <= FIELD_PP_LAYER_SPLIT; id++)
		if (id != FIELD_PP_MICROBATCH_SIZE)
			conversion->taken[id] = true;
}

void conversion_head(const struct conversion *conversion, const char *what, struct buf *out)
{
	const struct document *document = &conversion->job->document;

	buf_printf(out, "# %s, made from %s (%s).\n", what,
		   conversion_file(conversion->job->arena, document->source->path),
		   document->dialect->name);
}

/* How the source names its ways, who starts it, what it should come to: nothing to carry over. */
static bool is_about_the_source(enum field_id id)
{
	static const enum field_id fields[] = { FIELD_ENGINE,	    FIELD_SHARDING_MODE,
						FIELD_ZERO_STAGE,   FIELD_ZERO_CONFIG,
						FIELD_FSDP_VERSION, FIELD_EXPECT,
						FIELD_WORLD,	    FIELD_MODEL_PRESET };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i] == id)
			return true;
	return (id >= FIELD_CLUSTER_PRESET && id <= FIELD_LAUNCH_RDZV_ENDPOINT) ||
	       (id >= FIELD_MODEL_ARCH && id <= FIELD_MODEL_MLA_V_DIM);
}

/* What changes how fast a job is and not who holds what: the target has ways of its own. */
static bool is_tuning(enum field_id id)
{
	static const enum field_id fields[] = { FIELD_SEQUENCE_PARALLEL,
						FIELD_FLASH_ATTENTION,
						FIELD_OVERLAP_TP,
						FIELD_OVERLAP_GRAD_REDUCE,
						FIELD_OVERLAP_PARAM_GATHER,
						FIELD_OVERLAP_P2P,
						FIELD_OPTIMIZER_DISTRIBUTED,
						FIELD_OPTIMIZER_IMPLEMENTATION,
						FIELD_EXPERT_DISPATCHER,
						FIELD_KERNELS,
						FIELD_BACKEND };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i] == id)
			return true;
	return false;
}

static bool is_elsewhere(const struct target *target, enum field_id id)
{
	const enum field_id *field;

	for (field = target->elsewhere; *field != FIELD_COUNT; field++)
		if (*field == id)
			return true;
	return false;
}

/* Settings that one note is about: their keys and values, and the first of them. */
struct mentioned {
	const struct setting *first;
	const char *names;
};

static void mention(struct conversion *conversion, struct mentioned *all, enum field_id id)
{
	const struct setting *setting = conversion_take(conversion, id);

	if (!setting || setting->origin == ORIGIN_DEFAULT)
		return;
	all->first = all->first ? all->first : setting;
	all->names = arena_printf(conversion->arena, "%s%s%s=%.40s", all->names ? all->names : "",
				  all->names ? ", " : "", field_of(id)->key, setting->text);
}

/* One note for all that the target's file is not the place for. */
static void report_elsewhere(struct conversion *conversion, const struct target *target)
{
	struct mentioned all = { NULL, NULL };
	const enum field_id *field;

	for (field = target->elsewhere; *field != FIELD_COUNT; field++)
		mention(conversion, &all, *field);
	if (all.names)
		finding_cap(finding_add(conversion->findings, &rule_lost_in_conversion,
					all.first->span, "%s leaves to %s: %s", target->name,
					target->where, all.names),
			    SEVERITY_NOTE);
}

/* And one for all that it tunes in ways of its own. */
static void report_tuning(struct conversion *conversion, const struct target *target)
{
	struct mentioned all = { NULL, NULL };
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (is_tuning((enum field_id)id) && setting_known(&conversion->said.items[id]) &&
		    !is_nothing(&conversion->said.items[id]))
			mention(conversion, &all, (enum field_id)id);
	if (all.names)
		finding_cap(finding_add(conversion->findings, &rule_lost_in_conversion,
					all.first->span,
					"%s has no key for what makes a job faster or slower: %s",
					target->name, all.names),
			    SEVERITY_NOTE);
}

static void report_rest(struct conversion *conversion, const struct target *target)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const struct setting *setting = &conversion->said.items[id];
		if (setting->unresolved && !conversion->taken[id])
			conversion_lost(conversion, (enum field_id)id,
					"%s is not known: %.80s; give it with --set '%s=VALUE'",
					field_of((enum field_id)id)->key, setting->unresolved,
					setting->spelling);
		if (conversion->taken[id] || !setting_known(setting) ||
		    setting->origin == ORIGIN_DEFAULT || is_nothing(setting) ||
		    is_about_the_source((enum field_id)id) || is_tuning((enum field_id)id) ||
		    is_elsewhere(target, (enum field_id)id))
			continue;
		conversion_lost(conversion, (enum field_id)id, "%s has no key for %s: %.80s",
				target->name, field_of((enum field_id)id)->key, setting->text);
	}
}

/* Where the source's framework lays out its ranks in other degrees than asked for. */
static void report_own_ways(const struct job *job, struct findings *findings)
{
	const struct degrees *asked = &job->intended->degrees, *got = &job->applied->degrees;
	const struct setting *shard = &job->settings.items[FIELD_DP_SHARD];

	if (job->applied->error || !job->world || got->dp_shard < 1 || got->dp_replicate < 1 ||
	    (got->dp_shard == asked->dp_shard && got->dp_replicate == asked->dp_replicate))
		return;
	finding_add(findings, &rule_lost_in_conversion, shard->span,
		    "%s makes dp_replicate %" PRId64 " and dp_shard %" PRId64
		    " of it by rules of its own; the native config asks for %" PRId64
		    " and %" PRId64,
		    job->document.dialect->name, got->dp_replicate, got->dp_shard,
		    asked->dp_replicate, asked->dp_shard);
}

void convert_native_losses(const struct job *job, const struct settings *said,
			   struct findings *findings)
{
	int id;

	report_own_ways(job, findings);
	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (said->items[id].unresolved)
			finding_add(findings, &rule_lost_in_conversion, said->items[id].span,
				    "%s is not known: %.80s; it is written as unknown, and "
				    "--set '%s=VALUE' gives it",
				    field_of((enum field_id)id)->key, said->items[id].unresolved,
				    said->items[id].spelling);
}

/* Degrees that the target makes of what was written, where they are others than meant. */
static void compare_degrees(struct conversion *conversion, const struct target *target,
			    const struct job *back)
{
	const struct job *job = conversion->job;
	int i;

	for (i = AXIS_DP_REPLICATE; i <= AXIS_EP; i++) {
		const int64_t meant = intended(&job->applied->degrees, axes[i]);
		const int64_t got = intended(&back->intended->degrees, axes[i]);
		if (meant > 0 && got > 0 && meant != got)
			conversion_lost(conversion, axes[i],
					"%s is %" PRId64 " here, and %s makes it %" PRId64
					" of what is written",
					axis_name(axes[i]), meant, target->name, got);
	}
}

static const struct plan_error *stop_of(const struct job *job)
{
	return job->applied->error ? job->applied->error : job->applied->later;
}

/* Reads what was written as the target does: what it refuses or means otherwise is lost. */
static void read_back(struct conversion *conversion, const struct target *target,
		      const struct buf *out)
{
	const struct job *job = conversion->job;
	struct overrides overrides = { .text = out->data, .world = job->world };
	struct findings findings;
	struct job back;

	findings_init(&findings, job->arena);
	if (stop_of(job) || !target->file ||
	    job_read(&back, job->arena, target->file, &overrides, &findings) || !back.readable)
		return;
	if (stop_of(&back) && !conversion->refused)
		finding_add(conversion->findings, &rule_lost_in_conversion,
			    source_span(job->document.source, 0, 0),
			    "%s will not start with what is written: %s", target->name,
			    stop_of(&back)->message);
	else if (!stop_of(&back))
		compare_degrees(conversion, target, &back);
}

void convert(const struct job *job, const struct target *target, struct findings *findings,
	     struct buf *out)
{
	struct conversion *conversion = arena_new(job->arena, struct conversion);

	conversion->arena = job->arena;
	conversion->job = job;
	conversion->findings = findings;
	job_said(job, &conversion->said);
	target->write(conversion, out);
	report_elsewhere(conversion, target);
	report_tuning(conversion, target);
	report_rest(conversion, target);
	read_back(conversion, target, out);
}
