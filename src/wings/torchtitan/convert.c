#include "framework/conversion.h"

#include "base/json.h"
#include "base/number.h"
#include "base/text.h"
#include "wings/torchtitan/keys.h"
#include "wings/torchtitan/reader.h"

#include <inttypes.h>
#include <string.h>

/* TorchTitan's TOML, with the names that its keys have at the version the job is judged by, or at
 * the last release that reads TOML; the keys are wings/torchtitan/keys.def. */

static const enum field_id elsewhere[] = { FIELD_COUNT };

static const char last_with_toml[] = "v0.2.2";

struct toml {
	struct conversion *conversion;
	struct buf *out;
	moment_t when;
	const char *section; /* the table that is open, or "" */
	struct batch batch;
	int64_t local; /* training.local_batch_size, or 0 */
};

/* A list of scalars, or of such lists. */
static void put_node(struct buf *out, const struct node *node)
{
	const struct node *child;

	if (node->kind == NODE_SCALAR && node->type != SCALAR_STRING) {
		buf_text(out, node->text);
	} else if (node->kind == NODE_SCALAR) {
		json_quote(out, node->text); /* a string of TOML, too */
	} else {
		buf_char(out, '[');
		for (child = node->first; child; child = child->next) {
			put_node(out, child);
			buf_text(out, child->next ? ", " : "");
		}
		buf_char(out, ']');
	}
}

/* Opens the table of a key and writes its name. */
static void put_key(struct toml *toml, const char *name)
{
	const char *dot = strrchr(name, '.');
	const size_t length = (size_t)(dot - name);

	if (strlen(toml->section) != length || strncmp(toml->section, name, length) != 0) {
		toml->section = arena_strndup(toml->conversion->arena, name, length);
		buf_printf(toml->out, "\n[%s]\n", toml->section);
	}
	buf_printf(toml->out, "%s = ", dot + 1);
}

static void put_text(struct toml *toml, const char *name, const char *text, enum field_id id)
{
	put_key(toml, name);
	json_quote(toml->out, text);
	conversion_origin(toml->conversion, id, toml->out);
}

static void put_int(struct toml *toml, const char *name, int64_t value, enum field_id id)
{
	put_key(toml, name);
	buf_printf(toml->out, "%" PRId64, value);
	conversion_origin(toml->conversion, id, toml->out);
}

static void put_degree(struct toml *toml, const struct titan_key *key)
{
	const struct degrees *degrees = &toml->conversion->job->intended->degrees;
	const int64_t degree = conversion_degree(toml->conversion, key->field);

	if (!degree || (key->field == FIELD_ETP && degrees->ep < 2))
		return;
	if (degree < 0 && key->field != FIELD_DP_SHARD)
		conversion_lost(toml->conversion, key->field,
				"%s is what is left of the world: give --world N", key->name);
	else if (degree != 1 || key->field == FIELD_DP_SHARD ||
		 setting_given(&toml->conversion->said.items[key->field]))
		put_int(toml, key->name, degree, key->field);
}

static bool is_degree(enum field_id id)
{
	return id == FIELD_DP_REPLICATE || id == FIELD_DP_SHARD || id == FIELD_CP ||
	       id == FIELD_TP || id == FIELD_PP || id == FIELD_EP || id == FIELD_ETP;
}

/* TorchTitan has two; Adam of Megatron and NeMo decouples weight decay, too. NULL for others. */
static const char *optimizer_name(struct arena *arena, const char *text)
{
	const char *lower = text_lower(arena, text);

	if (!strcmp(text, "Adam"))
		return text;
	return words_have("adam|adamw|fused_adam|fusedadam|distributed_fused_adam|adamw_torch|"
			  "adamw_torch_fused|cpuadam",
			  lower)
		       ? "AdamW"
		       : NULL;
}

static const char *value_of(struct toml *toml, const struct titan_key *key,
			    const struct setting *setting)
{
	const char *text = setting->text;

	if (key->negated)
		text = setting->boolean ? "false" : "true";
	if (key->field == FIELD_OPTIMIZER_NAME)
		text = optimizer_name(toml->conversion->arena, text);
	if (text && (!key->words || words_have(key->words, text)))
		return text;
	conversion_lost(
		toml->conversion, key->field, "TorchTitan's %s is %s, not %.80s", key->name,
		words_listed(toml->conversion->arena, key->words ? key->words : "Adam|AdamW"),
		setting->text);
	return NULL;
}

/* What TorchTitan does anyway. */
static bool is_default(const struct titan_key *key, const struct setting *setting)
{
	const char *text = !key->negated ? setting->text : setting->boolean ? "false" : "true";

	return setting->origin == ORIGIN_DEFAULT && key->fallback && !strcmp(key->fallback, text);
}

static void put_setting(struct toml *toml, const struct titan_key *key)
{
	const struct setting *setting = conversion_take(toml->conversion, key->field);
	const char *text;

	if (!setting || is_default(key, setting))
		return;
	if (setting->node) {
		put_key(toml, key->name);
		put_node(toml->out, setting->node);
		conversion_origin(toml->conversion, key->field, toml->out);
		return;
	}
	text = value_of(toml, key, setting);
	if (!text)
		return;
	if (key->type == FIELD_TEXT || key->type == FIELD_LIST || key->type == FIELD_NODE) {
		put_text(toml, key->name, text, key->field);
		return;
	}
	if (key->type == FIELD_INT) {
		put_int(toml, key->name, setting->integer, key->field);
		return;
	}
	put_key(toml, key->name);
	buf_text(toml->out, text);
	conversion_origin(toml->conversion, key->field, toml->out);
}

/* What a rank has of a step: the microbatches of a pipeline together, else one of accumulation. */
static int64_t local_batch(const struct conversion *conversion, struct batch batch)
{
	const struct degrees *d = &conversion->job->intended->degrees;
	const struct setting *counted = &conversion->job->settings.items[FIELD_LOCAL_BATCH_SIZE];
	const int64_t dp =
		d->dp_replicate > 0 && d->dp_shard > 0 ? multiply(d->dp_replicate, d->dp_shard) : 0;

	if (counted->origin == ORIGIN_DERIVED) /* of tokens */
		return counted->integer;
	if (setting_known(&conversion->said.items[FIELD_LOCAL_BATCH_SIZE]))
		return setting_int(&conversion->said, FIELD_LOCAL_BATCH_SIZE, 0);
	if (d->pp > 1 && dp && batch.step > 0 && batch.step % dp == 0)
		return batch.step / dp;
	return batch.micro;
}

static void put_batch(struct toml *toml, const struct titan_key *key)
{
	const struct settings *said = &toml->conversion->said;

	if (key->field == FIELD_LOCAL_BATCH_SIZE && toml->local > 0)
		put_int(toml, key->name, toml->local,
			setting_known(&said->items[FIELD_LOCAL_BATCH_SIZE])
				? FIELD_LOCAL_BATCH_SIZE
				: toml->batch.micro_from);
	else if (key->field == FIELD_PP_MICROBATCH_SIZE &&
		 toml->conversion->job->intended->degrees.pp > 1 && toml->batch.micro > 0)
		put_int(toml, key->name, toml->batch.micro,
			setting_known(&said->items[FIELD_PP_MICROBATCH_SIZE])
				? FIELD_PP_MICROBATCH_SIZE
				: FIELD_MICRO_BATCH_SIZE);
	else if (key->field == FIELD_GLOBAL_BATCH_SIZE && toml->batch.step > 0 &&
		 (toml->batch.accumulated > 1 ||
		  setting_given(&said->items[FIELD_GLOBAL_BATCH_SIZE])))
		put_int(toml, key->name, toml->batch.step, toml->batch.step_from);
}

static bool is_batch(enum field_id id)
{
	return id == FIELD_LOCAL_BATCH_SIZE || id == FIELD_GLOBAL_BATCH_SIZE ||
	       id == FIELD_PP_MICROBATCH_SIZE;
}

static bool is_flavor(struct arena *arena, const char *preset)
{
	const char *name, *flavor;

	return titan_model_names(arena, preset, &name, &flavor);
}

/* Its default is a toy: without a name something else would be trained. */
static void lose_model(struct conversion *conversion)
{
	const struct model *model = conversion->job->model;

	conversion_lost(conversion, FIELD_MODEL_PRESET,
			"TorchTitan has no model with the sizes of %s, and without model.name and "
			"model.flavor it trains llama3's debugmodel",
			model ? model_called(model) : "this one, which are not known");
}

static void put_model(struct toml *toml)
{
	struct conversion *conversion = toml->conversion;
	const char *preset = conversion_preset(conversion, is_flavor);
	const struct titan_key *converters = titan_key_of_field(FIELD_CONVERTERS, toml->when);
	const char *name, *flavor;

	if (preset && titan_model_names(conversion->arena, preset, &name, &flavor)) {
		put_text(toml, "model.name", name, conversion_model_from(conversion));
		put_text(toml, "model.flavor", flavor, conversion_model_from(conversion));
	} else {
		lose_model(conversion);
	}
	if (converters)
		put_setting(toml, converters);
	if (setting_bool(&conversion->said, FIELD_FLOAT8_ENABLED, false) &&
	    !setting_known(&conversion->said.items[FIELD_CONVERTERS]) &&
	    !titan_key_of_field(FIELD_FLOAT8_ENABLED, toml->when)) {
		conversion->taken[FIELD_FLOAT8_ENABLED] = true;
		put_key(toml, "model.converters");
		buf_printf(toml->out, "[\"%s\"]", titan_float8_converter(toml->when));
		conversion_origin(conversion, FIELD_FLOAT8_ENABLED, toml->out);
	}
}

/* A pipeline of which nothing names the schedule. */
static bool lacks_schedule(const struct conversion *conversion)
{
	return conversion->job->intended->degrees.pp > 1 &&
	       !setting_known(&conversion->said.items[FIELD_PP_SCHEDULE]);
}

/* Several stages on a rank, and nothing names the schedule: TorchTitan's own would refuse them. */
static bool interleaves(const struct conversion *conversion)
{
	return setting_int(&conversion->said, FIELD_PP_VIRTUAL_STAGES, 1) > 1 &&
	       lacks_schedule(conversion);
}

static void put_schedule(struct toml *toml, const struct titan_key *key)
{
	if (!interleaves(toml->conversion)) {
		put_setting(toml, key);
		return;
	}
	put_text(toml, key->name, "Interleaved1F1B", FIELD_PP_VIRTUAL_STAGES);
	if (setting_known(&toml->conversion->said.items[FIELD_PP_LAYERS_PER_STAGE]))
		toml->conversion->taken[FIELD_PP_VIRTUAL_STAGES] = true;
}

/*
 * Embedding and output count for one layer each (distributed/pipeline_parallel.py), so that layers
 * of a stage elsewhere make more stages here. Without the key there is one on each rank, or two of
 * an interleaved schedule.
 */
static void put_stage_layers(struct toml *toml, const struct titan_key *key)
{
	struct conversion *conversion = toml->conversion;
	const int64_t virtual = setting_int(&conversion->said, FIELD_PP_VIRTUAL_STAGES, 1);
	const int64_t stages = multiply(virtual, conversion->job->intended->degrees.pp);
	const int64_t layers = conversion->job->model ? conversion->job->model->layers + 2 : 0;
	const int64_t asked = setting_int(&conversion->said, FIELD_PP_LAYERS_PER_STAGE, 0);
	const int64_t each = (layers + stages - 1) / (stages > 0 ? stages : 1);

	if (!lacks_schedule(conversion) || layers < stages || asked < 1 ||
	    (layers + asked - 1) / asked == stages) {
		put_setting(toml, key);
		return;
	}
	if (virtual > 2 && (layers + each - 1) / each == stages)
		put_int(toml, key->name, each, FIELD_PP_LAYERS_PER_STAGE);
	else if (virtual > 2)
		conversion_lost(conversion, FIELD_PP_LAYERS_PER_STAGE,
				"TorchTitan counts embedding and output as layers: no number of "
				"layers makes %" PRId64 " stages",
				stages);
	conversion->taken[FIELD_PP_LAYERS_PER_STAGE] = true;
}

static void put_rows(struct toml *toml)
{
	size_t i;

	for (i = 0; i < titan_key_count; i++) {
		const struct titan_key *key = &titan_keys[i];
		if (key->field == FIELD_COUNT || titan_key_of_field(key->field, toml->when) != key)
			continue;
		if (is_degree(key->field))
			put_degree(toml, key);
		else if (is_batch(key->field))
			put_batch(toml, key);
		else if (key->field == FIELD_PP_SCHEDULE)
			put_schedule(toml, key);
		else if (key->field == FIELD_PP_LAYERS_PER_STAGE)
			put_stage_layers(toml, key);
		else
			put_setting(toml, key);
	}
}

/* Replicas alone are DDP's, which TorchTitan has beside nothing else (parallelize.py). */
static void check_replicas(struct conversion *conversion)
{
	const struct degrees *d = &conversion->job->intended->degrees;

	conversion->refused = (d->dp_replicate > 1 || d->dp_replicate < 0) && d->dp_shard == 1 &&
			      (d->tp > 1 || d->cp > 1 || d->pp > 1 || d->ep > 1);
	if (conversion->refused)
		conversion_lost(conversion, FIELD_DP_REPLICATE,
				"TorchTitan has no replicas without shards beside tp, cp, pp or "
				"ep; data_parallel_replicate_degree = 1 with "
				"data_parallel_shard_degree = -1 shares parameters instead");
}

/* The version the job is judged by, where it reads TOML and has today's degrees. */
static moment_t moment_of(const struct conversion *conversion, const char **label)
{
	const struct version *version = versions_find(&conversion->job->versions, "torchtitan");
	struct version last = { 0 };

	if (version && titan_reading(version->when) != TITAN_PYTHON &&
	    titan_key_of_field(FIELD_DP_SHARD, version->when)) {
		*label = version->label;
		return version->when;
	}
	*label = last_with_toml;
	version_parse(conversion->arena, "torchtitan", last_with_toml, &last);
	return last.when;
}

static void write(struct conversion *conversion, struct buf *out)
{
	struct toml toml = { .conversion = conversion, .out = out, .section = "" };
	const char *label, *what;

	toml.when = moment_of(conversion, &label);
	what = arena_printf(conversion->arena, "TorchTitan %s", label);
	conversion_head(conversion, what, out);
	toml.batch = conversion_batch(conversion);
	toml.local = local_batch(conversion, toml.batch);
	if (!strcmp(setting_text(&conversion->said, FIELD_CP_METHOD, ""), "ring"))
		conversion->taken[FIELD_CP_METHOD] = true;
	put_model(&toml);
	put_rows(&toml);
	check_replicas(conversion);
}

const struct target target_torchtitan = {
	.name = "torchtitan",
	.summary = "a TOML file of TorchTitan v0.2.2, or of the version judged by",
	.where = "the training script",
	.elsewhere = elsewhere,
	.file = "converted.toml",
	.write = write,
};
