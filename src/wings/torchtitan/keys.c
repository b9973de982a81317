#include "wings/torchtitan/keys.h"

#include "base/die.h"
#include "base/text.h"
#include "base/vec.h"
#include "input/vocabulary.h"

#include <string.h>

enum { FIRST = 0, TOML = 20260223, EVER = 99999999 };

const struct titan_key titan_keys[] = {
#define KEY(name, type, words, fallback, since, until)                                             \
	{ name, FIELD_##type, words, fallback, since, until, FIELD_COUNT, false },
#define MAP(name, type, words, fallback, since, until, field)                                      \
	{ name, FIELD_##type, words, fallback, since, until, FIELD_##field, false },
#define NOT(name, type, words, fallback, since, until, field)                                      \
	{ name, FIELD_##type, words, fallback, since, until, FIELD_##field, true },
#include "wings/torchtitan/keys.def"
#undef KEY
#undef MAP
#undef NOT
};

const size_t titan_key_count = sizeof(titan_keys) / sizeof(titan_keys[0]);

static int day_of(moment_t when)
{
	return (int)(when / 100);
}

enum titan_reading titan_reading(moment_t when)
{
	int day = day_of(when);

	if (day >= 20260223)
		return TITAN_PYTHON;
	if (day >= 20250828)
		return TITAN_STRICT;
	return day >= 20250418 ? TITAN_TYRO : TITAN_ARGPARSE;
}

/* A day or a moment of the table as a moment. */
static moment_t moment_of(int day)
{
	return day > EVER ? (moment_t)day : (moment_t)day * 100;
}

static bool known_at(const struct titan_key *key, moment_t when)
{
	return moment_of(key->since) <= when &&
	       (key->until == EVER || when < moment_of(key->until));
}

static bool is_newer(const struct titan_key *key, const struct titan_key *other)
{
	return moment_of(key->since) > moment_of(other->since);
}

/* Index of the first row that is not below `name`. */
static size_t lower_bound(const char *name)
{
	size_t low = 0, high = titan_key_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(titan_keys[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct titan_key *titan_key_at(const char *name, moment_t when)
{
	size_t i;

	for (i = lower_bound(name); i < titan_key_count && !strcmp(titan_keys[i].name, name); i++)
		if (known_at(&titan_keys[i], when))
			return &titan_keys[i];
	return NULL;
}

bool titan_key_known(const struct titan_key *key, moment_t when)
{
	const struct titan_key *at = key;

	while (at < titan_keys + titan_key_count && !strcmp(at->name, key->name))
		if (known_at(at++, when))
			return true;
	return false;
}

const struct titan_key *titan_key_ever(const char *name)
{
	size_t i = lower_bound(name);

	return i < titan_key_count && !strcmp(titan_keys[i].name, name) ? &titan_keys[i] : NULL;
}

int titan_key_gone(const struct titan_key *ever, moment_t when)
{
	const struct titan_key *key;
	moment_t gone = 0;

	for (key = ever; key < titan_keys + titan_key_count && !strcmp(key->name, ever->name);
	     key++)
		if (key->until != EVER && moment_of(key->until) <= when)
			gone = moment_of(key->until);
	return day_of(gone);
}

int titan_key_came(const struct titan_key *ever, moment_t when)
{
	const struct titan_key *key = ever;

	while (key + 1 < titan_keys + titan_key_count && !strcmp(key[1].name, ever->name) &&
	       moment_of(key->since) <= when)
		key++;
	return day_of(moment_of(key->since));
}

moment_t titan_next_change(moment_t when)
{
	moment_t next = moment_of(EVER);
	size_t i;

	for (i = 0; i < titan_key_count; i++) {
		moment_t since = moment_of(titan_keys[i].since);
		moment_t until = moment_of(titan_keys[i].until);
		if (since > when && since < next)
			next = since;
		if (until > when && until < next)
			next = until;
	}
	return next;
}

const struct titan_key *titan_key_of_field(enum field_id field, moment_t when)
{
	const struct titan_key *found = NULL;
	size_t i;

	for (i = 0; i < titan_key_count; i++)
		if (titan_keys[i].field == field && known_at(&titan_keys[i], when) &&
		    (!found || is_newer(&titan_keys[i], found)))
			found = &titan_keys[i];
	return found;
}

const char *titan_key_name(enum field_id field, moment_t when)
{
	const struct titan_key *key = titan_key_of_field(field, when);

	return key && !key->negated ? key->name : NULL;
}

bool titan_section(const char *path, moment_t when)
{
	size_t i, length = strlen(path);

	/* Names below a section are neighbours, but "a_b" sorts behind "a.b": look past the end. */
	for (i = lower_bound(path); i < titan_key_count; i++) {
		if (strncmp(titan_keys[i].name, path, length) != 0)
			break;
		if (titan_keys[i].name[length] == '.' && known_at(&titan_keys[i], when))
			return true;
	}
	return false;
}

static const char *leaf_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

enum field_id titan_field_of_leaf(const char *leaf)
{
	size_t i;

	if (strchr(leaf, '_')) /* "enable" or "mode" belong to nobody */
		for (i = 0; i < titan_key_count; i++)
			if (titan_keys[i].field != FIELD_COUNT && !titan_keys[i].negated &&
			    !strcmp(leaf_of(titan_keys[i].name), leaf))
				return titan_keys[i].field;
	return FIELD_COUNT;
}

/* "a=a|b=b" of "a|b": these are all. */
static const char *as_they_are(struct arena *arena, const char *words)
{
	const char *pairs = NULL;
	size_t length;

	for (; words && *words; words += length + (words[length] == '|')) {
		const char *pair;
		length = strcspn(words, "|");
		pair = arena_printf(arena, "%.*s=%.*s", (int)length, words, (int)length, words);
		pairs = pairs ? arena_join(arena, pairs, "|", pair) : pair;
	}
	return pairs;
}

size_t titan_rows(struct arena *arena, moment_t when, const struct key_row **rows)
{
	VEC(struct key_row) list = { 0 };
	size_t i;

	for (i = 0; i < titan_key_count; i++) {
		const struct titan_key *key = &titan_keys[i];
		const struct key_row row = { key->name, key->field,
					     key->negated ? KEY_NOT : KEY_VALUE,
					     as_they_are(arena, key->words) };
		if (key->field != FIELD_COUNT && known_at(key, when))
			vec_push(arena, &list, row);
	}
	*rows = list.items;
	return list.count;
}

/* Keys renamed without a setting of ours behind them. */
static const char *const renamed[][2] = {
	{ "model.tokenizer_path", "model.hf_assets_path" },
	{ "lr_scheduler.lr_min", "lr_scheduler.min_lr_factor" },
	{ "training.warmup_steps", "lr_scheduler.warmup_steps" },
	{ "training.seed", "debug.seed" },
	{ "training.deterministic", "debug.deterministic" },
	{ "training.debug_moe_force_load_balance", "debug.moe_force_load_balance" },
	{ "memory_estimation.enabled", "memory_estimation.enable" },
	{ "job.print_args", "job.print_config" },
	{ "job.print_config", "debug.print_config" },
	{ "job.save_config_file", "debug.save_config_file" },
	{ "checkpoint.initial_load_model_weights_only", "checkpoint.initial_load_model_only" },
	{ "checkpoint.last_save_model_weights_only", "checkpoint.last_save_model_only" },
	{ "checkpoint.model_weights_only", "checkpoint.last_save_model_weights_only" },
	{ "checkpoint.model_weights_only", "checkpoint.last_save_model_only" },
	{ "experimental.custom_args_module", "job.custom_config_module" },
	{ "parallelism.pipeline_parallel_split_points", "parallelism.module_fqns_per_model_part" },
	{ "training.data_parallel_degree", "training.data_parallel_shard_degree" },
	{ "training.data_parallel_degree", "parallelism.data_parallel_shard_degree" },
	{ "parallelism.data_parallel_replica_degree",
	  "parallelism.data_parallel_replicate_degree" },
};

static const struct titan_key *renamed_to(const char *name, moment_t when)
{
	const struct titan_key *key = NULL;
	size_t i;

	for (i = 0; i < sizeof(renamed) / sizeof(renamed[0]) && !key; i++)
		if (!strcmp(renamed[i][0], name))
			key = titan_key_at(renamed[i][1], when);
		else if (!strcmp(renamed[i][1], name))
			key = titan_key_at(renamed[i][0], when);
	return key;
}

/* The key of that last part in another section, when only one section has it. */
static const struct titan_key *same_leaf(const char *name, moment_t when)
{
	const struct titan_key *found = NULL;
	size_t i;

	if (!strchr(leaf_of(name), '_')) /* "enable" or "mode" belong to nobody */
		return NULL;
	for (i = 0; i < titan_key_count; i++) {
		if (!known_at(&titan_keys[i], when) ||
		    strcmp(leaf_of(titan_keys[i].name), leaf_of(name)) != 0)
			continue;
		if (found && strcmp(found->name, titan_keys[i].name) != 0)
			return NULL;
		found = &titan_keys[i];
	}
	return found;
}

static const struct titan_key *nearest(const char *name, moment_t when)
{
	VEC(const char *) names = { 0 };
	struct arena arena;
	const char *near;
	size_t i;

	arena_init(&arena); /* of a list that is as long as all keys, for each stranger */

	for (i = 0; i < titan_key_count; i++)
		if (known_at(&titan_keys[i], when))
			vec_push(&arena, &names, titan_keys[i].name);
	near = text_nearest(name, names.items, names.count);
	arena_release(&arena);
	return near ? titan_key_at(near, when) : NULL;
}

const struct titan_key *titan_key_like(const char *name, moment_t when)
{
	const struct titan_key *ever = titan_key_ever(name);
	const struct titan_key *key = NULL;

	if (ever && ever->field != FIELD_COUNT)
		key = titan_key_of_field(ever->field, when);
	if (!key)
		key = renamed_to(name, when);
	if (!key)
		key = same_leaf(name, when);
	return key ? key : nearest(name, when);
}

/* Days of the releases. */
static const struct {
	int day;
	const char *tag;
} releases[] = {
	{ 20250617, "v0.1.0" },
	{ 20251017, "v0.2.0" },
	{ 20251226, "v0.2.1" },
	{ 20260220, "v0.2.2" },
};

const char *titan_label(struct arena *arena, moment_t when)
{
	int day = day_of(when);
	size_t i;

	for (i = 0; i < sizeof(releases) / sizeof(releases[0]); i++)
		if (releases[i].day == day)
			return releases[i].tag;
	return arena_printf(arena, "%sof %04d-%02d-%02d",
			    titan_reading(when) == TITAN_PYTHON ? "main " : "", day / 10000,
			    day / 100 % 100, day % 100);
}

static void put_default(struct arena *arena, struct settings *settings, const struct titan_key *key,
			const char *note)
{
	const char *fallback = key->fallback;
	struct setting *setting;
	int64_t number;

	if (key->type == FIELD_INT) {
		if (!text_to_int(fallback, &number))
			bug("default of %s", key->name);
		setting = settings_put_int(settings, arena, key->field, number, ORIGIN_DEFAULT);
	} else if (key->type == FIELD_BOOL && field_of(key->field)->type == FIELD_BOOL) {
		setting = settings_put_bool(settings, key->field,
					    !strcmp(fallback, "true") != key->negated,
					    ORIGIN_DEFAULT);
	} else if (key->type == FIELD_BOOL) {
		setting = settings_put_text(settings, key->field,
					    !strcmp(fallback, "true") != key->negated ? "true"
										      : "false",
					    ORIGIN_DEFAULT);
	} else {
		setting = settings_put_text(settings, key->field, fallback, ORIGIN_DEFAULT);
	}
	setting->spelling = key->name;
	setting->note = note;
}

/* For every field the key that set it at that moment, in one pass over the table. */
static void keys_of_fields(moment_t when, const struct titan_key *keys[FIELD_COUNT])
{
	size_t i;

	for (i = 0; i < titan_key_count; i++) {
		const struct titan_key *key = &titan_keys[i];

		if (key->field < FIELD_COUNT && known_at(key, when) &&
		    (!keys[key->field] || is_newer(key, keys[key->field])))
			keys[key->field] = key;
	}
}

void titan_defaults(struct arena *arena, struct settings *settings, moment_t when)
{
	const struct titan_key *keys[FIELD_COUNT] = { NULL };
	const char *note = arena_printf(arena, "TorchTitan %s", titan_label(arena, when));
	int id;

	keys_of_fields(when, keys);
	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const struct setting *setting = settings_of(settings, (enum field_id)id);

		if (setting->origin != ORIGIN_UNSET && setting->origin != ORIGIN_DEFAULT)
			continue;
		if (keys[id] && keys[id]->fallback)
			put_default(arena, settings, keys[id], note);
	}
}

/* ---- what files may say ---- */

/* The last release that reads files: v0.2.2. */
static const moment_t last_file = (moment_t)TOML * 100 - 1;

static bool known_within(const struct titan_key *key, moment_t low, moment_t high)
{
	return moment_of(key->since) <= high && (key->until == EVER || low < moment_of(key->until));
}

/* The day from which on no version that reads files knows the key, or NULL. */
static const char *gone_from(struct arena *arena, const struct titan_key *key)
{
	const struct titan_key *ever = titan_key_ever(key->name);
	const int day = titan_key_known(ever, last_file) ? 0 : titan_key_gone(ever, last_file);

	return day ? arena_printf(arena, "%04d-%02d-%02d", day / 10000, day / 100 % 100, day % 100)
		   : NULL;
}

/* "parallelism" of "parallelism.tensor_parallel_degree": sections take no other keys. */
static void close_section(struct vocabulary *vocabulary, const char *name)
{
	const char *section =
		arena_strndup(vocabulary->arena, name, (size_t)(leaf_of(name) - name) - 1);

	if (!vocabulary_is_closed(vocabulary, section))
		vocabulary_close(vocabulary, section);
}

static void add_key(struct vocabulary *vocabulary, const struct titan_key *key)
{
	const struct field *field = key->field == FIELD_COUNT ? NULL : field_of(key->field);
	const bool checked = field && field->words && !key->negated;
	const struct vocabulary_key row = {
		.path = key->name,
		.field = key->field,
		.typed = true,
		.type = key->type,
		.words = checked						? field->words
			 : key->words && *key->words && key->type == FIELD_TEXT ? key->words
										: NULL,
		.others = !checked,
		.fallback = key->fallback,
		.help = !field	       ? NULL
			: key->negated ? arena_join(vocabulary->arena,
						    "the opposite of: ", field->help, "")
				       : field->help,
		.gone = gone_from(vocabulary->arena, key),
	};

	vocabulary_add(vocabulary, &row);
	close_section(vocabulary, key->name);
}

void titan_vocabulary(struct vocabulary *vocabulary)
{
	const struct titan_key *converters = titan_key_of_field(FIELD_CONVERTERS, vocabulary->low);
	struct vocabulary_entry float8 = { .field = FIELD_FLOAT8_ENABLED };
	size_t i;

	vocabulary->plain = true;
	if (converters) {
		float8.path = converters->name;
		float8.entry = titan_float8_converter(vocabulary->low);
		vec_push(vocabulary->arena, &vocabulary->entries, float8);
	}
	for (i = 0; i < titan_key_count; i++)
		if (known_within(&titan_keys[i], vocabulary->low, vocabulary->high))
			add_key(vocabulary, &titan_keys[i]);
	if (titan_reading(vocabulary->low) != TITAN_PYTHON)
		vocabulary_close(vocabulary, "");
}
