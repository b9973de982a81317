#include "base/text.h"
#include "input/settings/uncounted.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "wings/torchtitan/program.h"
#include "wings/torchtitan/reader.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * TorchTitan: TOML files until 9810191bb (2026-02-23), the JSON that job.save_config_file and
 * debug.save_config_file write, and command lines of every era. What a key means, and
 * whether it means anything, depends on the version: only keys that the version knew take
 * effect, everything else falls back to that version's default.
 */

enum { NOT_READ = 1000000 };

static bool is_map(const struct node *node)
{
	return node->kind == NODE_MAP;
}

static const char *path_below(struct arena *arena, const char *prefix, const struct node *node)
{
	size_t above = strlen(prefix), length = strlen(node->key);
	char *path;

	if (!above)
		return node->key;
	path = arena_alloc(arena, above + length + 2);
	memcpy(path, prefix, above);
	path[above] = '.';
	memcpy(path + above + 1, node->key, length + 1);
	return path;
}

/* How many leaves there are, and how many of them some TorchTitan knew. */
struct census {
	int leaves, known;
	int degrees;
	int core; /* known ones in sections that only TorchTitan has by that name */
};

static bool in_core_section(const char *path)
{
	return text_starts(path, "job.") || text_starts(path, "training.") ||
	       text_starts(path, "experimental.") || text_starts(path, "parallelism.");
}

/* A degree, or what somebody misspelt as one. */
static bool is_degree(const char *path, const struct titan_key *key)
{
	if (!in_core_section(path))
		return false;
	return key ? titan_is_degree(key->field)
		   : text_ends(path, "_parallel_degree") || strstr(path, "data_parallel_");
}

static void count_leaves(struct arena *arena, const struct node *map, const char *prefix,
			 struct census *census)
{
	const struct node *child;

	for (child = map->first; child; child = child->next) {
		const char *path = path_below(arena, prefix, child);
		const struct titan_key *key = titan_key_ever(path);
		if (is_map(child)) {
			count_leaves(arena, child, path, census);
			continue;
		}
		census->leaves++;
		census->known += key != NULL;
		census->degrees += is_degree(path, key);
		census->core += key && in_core_section(path);
	}
}

static bool launches_titan(const struct document *document)
{
	const struct launch *launch = document->launch;
	size_t i;

	if (!launch || titan_has_file(document))
		return false;
	if (launch->config_file || launch_find(launch, "module"))
		return true;
	if (launch->script &&
	    (strstr(launch->script, "torchtitan") || strstr(launch->script, "run_train.sh")))
		return true;
	for (i = 0; i < launch->flags.count; i++)
		if (titan_key_ever(titan_flag_path(document->arena, launch->flags.items[i].name)))
			return true;
	return false;
}

/* Whether words that start nothing are laid over a script or a manifest. */
static bool is_beside(const struct document *document)
{
	const bool starts = document->launch && document->launch->launched;

	return document->shell || (!starts && document->documents && document->root->first);
}

static int titan_detect(const struct document *document)
{
	struct census census = { 0 };

	if (document->root->kind != NODE_MAP)
		return 0;
	if (titan_program_is(document))
		return 90;
	if (!is_beside(document) && launches_titan(document))
		return 80;
	count_leaves(document->arena, document->root, "", &census);
	if (census.degrees)
		return 90;
	if (census.known * 2 < census.leaves || !census.known)
		return 0;
	/* Ids of a hub are others' names of models, and a name alone says nothing. */
	if (strchr(keys_text(document->root, "model.name", ""), '/') ||
	    (census.leaves < 2 && !census.core))
		return 0;
	if (census.known >= 3)
		return 75;
	return census.core || census.known == census.leaves ? 40 : 0;
}

/* What the document keeps between the dialect's calls. */
struct titan_facts {
	struct titan_program *program;
	struct leaves *leaves;
};

static const struct titan_program *program_of(const struct document *document)
{
	const struct titan_facts *facts = document->facts;

	return facts ? facts->program : NULL;
}

static void titan_compose(struct document *document, struct findings *findings)
{
	struct titan_facts *facts = arena_new(document->arena, struct titan_facts);

	facts->program = titan_program_read(document, findings);
	document->facts = facts;
}

/* True when the config is a TOML file, which no version from 9810191bb on reads. */
static bool is_toml(const struct document *document)
{
	const struct source *source = document->source;

	return !document->program && document->root->first &&
	       document->root->first->origin == NODE_FROM_FILE && !program_of(document) &&
	       source->text[strspn(source->text, " \t\r\n")] != '{';
}

/* True when some part of an unknown section is a key of another era. */
static bool has_known_leaf(struct arena *arena, const struct node *map, const char *prefix)
{
	struct census census = { 0 };

	count_leaves(arena, map, prefix, &census);
	return census.known > 0;
}

/* main's components add sections at will; only those of the table are judged. */
static bool beyond_table(const char *path, moment_t when)
{
	return titan_reading(when) == TITAN_PYTHON && !strchr(path, '.') &&
	       !titan_section(path, when);
}

static void find_strangers(struct arena *arena, const struct node *map, const char *prefix,
			   moment_t when, struct titan_strangers *strangers)
{
	const struct node *child;

	for (child = map->first; child; child = child->next) {
		struct titan_stranger stranger = { child, path_below(arena, prefix, child) };
		if (titan_key_at(stranger.path, when) || keys_is_ours(child, stranger.path) ||
		    beyond_table(stranger.path, when))
			continue;
		if (is_map(child) &&
		    (titan_section(stranger.path, when) || !child->first ||
		     child->origin == NODE_FROM_SET || has_known_leaf(arena, child, stranger.path)))
			find_strangers(arena, child, stranger.path, when, strangers);
		else
			vec_push(arena, &strangers->list, stranger);
	}
}

static const char *string_at(const struct document *document, const char *path)
{
	const struct node *node = node_find(document->root, path);
	const struct launch_flag *flag = launch_find(document->launch, path);

	if (flag && flag->value)
		return flag->value;
	if (!node || node->kind != NODE_SCALAR || !*node->text)
		return NULL;
	return node->text;
}

/* The module that adds keys to the config, or NULL. */
static const char *extension_of(const struct document *document)
{
	const char *module = string_at(document, "job.custom_config_module");

	return module ? module : string_at(document, "experimental.custom_args_module");
}

/* main's experiments extend the config by themselves: --module graph_trainer.llama3. */
static const char *experiment_of(const struct document *document)
{
	const struct launch_flag *module = launch_find(document->launch, "module");

	return module && module->value && !titan_has_family(module->value) ? module->value : NULL;
}

/* One key of the config, found once and looked up at many moments. */
struct leaf {
	const struct titan_key *key; /* first row of that name, or NULL */
	const char *section;	     /* first part of the path */
};

struct leaves {
	VEC(struct leaf) list;
	bool extended; /* a module adds keys */
};

static void collect_leaves(struct arena *arena, const struct node *map, const char *prefix,
			   const char *section, struct leaves *leaves)
{
	const struct node *child;

	for (child = map->first; child; child = child->next) {
		const char *path = path_below(arena, prefix, child);
		struct leaf leaf = { titan_key_ever(path), section ? section : child->key };
		if (is_map(child))
			collect_leaves(arena, child, path, leaf.section, leaves);
		else if (!keys_is_ours(child, path))
			vec_push(arena, &leaves->list, leaf);
	}
}

/* No pins are in these files; but the tree is complete now, and its keys are noted. */
static void titan_pins(struct document *document)
{
	struct leaves *leaves = arena_new(document->arena, struct leaves);
	struct titan_facts *facts = document->facts;

	leaves->extended = extension_of(document) != NULL;
	collect_leaves(document->arena, document->root, "", NULL, leaves);
	facts->leaves = leaves;
}

static bool is_unknown(const struct leaf *leaf, bool extended, moment_t when)
{
	if (leaf->key)
		return !titan_key_known(leaf->key, when) &&
		       /* An extension would hardly add a setting again. */
		       (!extended || leaf->key->field != FIELD_COUNT);
	return !extended && !beyond_table(leaf->section, when);
}

static int titan_unknown_keys(const struct document *document, moment_t when)
{
	const struct titan_facts *facts = document->facts;
	const struct leaves *leaves = facts ? facts->leaves : NULL;
	int count = titan_unknown_flags(document, when);
	size_t i;

	if (titan_reading(when) != TITAN_PYTHON && program_of(document))
		return NOT_READ;
	if (titan_reading(when) == TITAN_PYTHON && is_toml(document))
		return NOT_READ;
	if (titan_reading(when) == TITAN_PYTHON && !titan_has_file(document) &&
	    !program_of(document))
		count += !launch_find(document->launch, "module");
	for (i = 0; leaves && i < leaves->list.count; i++)
		count += is_unknown(&leaves->list.items[i], leaves->extended, when);
	return count;
}

/* argparse's reader split "a,b" in a file, too; tyro's does not. */
static bool splits_strings(const struct titan_reader *reader)
{
	return reader->reading == TITAN_ARGPARSE ||
	       (reader->document->inferred &&
		titan_reading(reader->document->low) == TITAN_ARGPARSE);
}

/* TOML carries its own types: nothing is converted, unlike on the command line. */
static bool has_type(struct titan_reader *reader, const struct titan_key *key,
		     const struct node *node)
{
	bool null = node->kind == NODE_SCALAR && node->type == SCALAR_NULL;
	bool fits = field_fits(key->type, node);

	if (null || node->unresolved || node->origin != NODE_FROM_FILE)
		return true;
	if (key->type == FIELD_TEXT)
		fits = node->kind == NODE_SCALAR && node->type == SCALAR_STRING;
	if (key->type == FIELD_LIST && !splits_strings(reader))
		fits = node->kind == NODE_LIST;
	if (!fits)
		field_wrong_type(&reader->decoder, key->type, key->name, node);
	return fits;
}

static void read_leaf(struct titan_reader *reader, const struct titan_key *key,
		      const struct node *node)
{
	if (!has_type(reader, key, node)) {
		if (key->field != FIELD_COUNT) {
			struct setting *setting = settings_of(reader->decoder.settings, key->field);
			setting->origin = ORIGIN_GIVEN;
			setting->invalid = true;
			setting->span = node->span;
			setting->spelling = key->name;
		}
		return;
	}
	if (key->field == FIELD_COUNT)
		return;
	if (key->negated)
		field_put_not(&reader->decoder, key->field, node);
	else
		field_put(&reader->decoder, key->field, node);
}

static void read_keys(struct titan_reader *reader, const struct node *map, const char *prefix)
{
	const struct node *child;

	for (child = map->first; child; child = child->next) {
		const char *path = path_below(reader->decoder.arena, prefix, child);
		const struct titan_key *key = titan_key_at(path, reader->when);
		if (key)
			read_leaf(reader, key, child);
		else if (keys_is_ours(child, path))
			field_put(&reader->decoder, field_find(path), child);
		else if (is_map(child))
			read_keys(reader, child, path);
	}
}

/*
 * Names of schedules before torch.distributed.pipelining's own were used (a88dc4125); torch looks
 * them up in lower case, and does not know those with underscores.
 */
static void modern_schedule(struct settings *settings, moment_t when)
{
	const int64_t torch_names = 2024100901, any_case = 2024110101;
	static const char *const names[][2] = {
		{ "1f1b", "1F1B" },
		{ "gpipe", "GPipe" },
		{ "interleaved_1f1b", "Interleaved1F1B" },
		{ "flexible_interleaved_1f1b", "Interleaved1F1B" },
	};
	struct setting *schedule = settings_of(settings, FIELD_PP_SCHEDULE);
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (setting_known(schedule) && !strcmp(schedule->text, names[i][0]) &&
		    (when < torch_names || (when >= any_case && !strchr(names[i][0], '_')))) {
			schedule->written = names[i][0];
			schedule->text = names[i][1];
		}
}

const char *titan_float8_converter(moment_t when)
{
	if (when < 2025092600)
		return "float8";
	return when < 2025093000 ? "quantize.dense.float8" : "quantize.linear.float8";
}

/* Float8 is on when the converters name it, by the name that the version registers. */
static void derive_float8(struct titan_reader *reader)
{
	struct settings *settings = reader->decoder.settings;
	const struct setting *converters = settings_of(settings, FIELD_CONVERTERS);
	struct setting *enabled;

	if (!titan_key_of_field(FIELD_CONVERTERS, reader->when))
		return;
	enabled = settings_put_bool(
		settings, FIELD_FLOAT8_ENABLED,
		setting_lists(settings, FIELD_CONVERTERS, titan_float8_converter(reader->when)),
		ORIGIN_DERIVED);
	enabled->note = "model.converters";
	if (converters->origin == ORIGIN_UNSET)
		return;
	enabled->span = converters->span;
	enabled->spelling = converters->spelling;
	setting_from(enabled, converters);
}

/* parallelism.full_dtensor was a key of its own before it was a word of spmd_backend. */
static void derive_backend(struct titan_reader *reader)
{
	const char *name = "parallelism.full_dtensor";
	const struct node *node = node_find(reader->document->root, name);
	struct setting *backend;

	if (!titan_key_at(name, reader->when) || !node || !node->boolean)
		return;
	backend = settings_put_text(reader->decoder.settings, FIELD_SPMD_BACKEND, "full_dtensor",
				    node->origin == NODE_FROM_FLAG ? ORIGIN_FLAG : ORIGIN_GIVEN);
	backend->span = node->span;
	backend->spelling = name;
}

static void put_default(struct settings *settings, enum field_id field, const char *value,
			const char *note)
{
	if (settings_of(settings, field)->origin == ORIGIN_UNSET)
		settings_put_text(settings, field, value, ORIGIN_DEFAULT)->note = note;
}

/* pytorch/torchtitan@v0.2.2 torchtitan/config/job_config.py; @b5bcd76c6
 * torchtitan/config/configs.py, where the others of debug and parallelism are. */
static const struct uncounted_row uncounted[] = {
	{ "debug.batch_invariant", "kernels do not depend on the batch" },
	{ "debug.detect_anomaly", "each gradient is looked at" },
	{ "debug.deterministic", "kernels are those that give the same twice" },
	{ "parallelism.disable_loss_parallel", "each rank of tp has all logits" },
	{ "parallelism.enable_fsdp_symm_mem", "collectives go through symmetric memory" },
	{ "quantize.linear.mx", "linear layers are computed in mxfp8" },
	{ "quantize.grouped_mm.mx", "experts are computed in mxfp8" },
	{ "quantize.grouped_mm.float8", "experts are computed in 8 bits" },
	{ "fault_tolerance.semi_sync_method", "replicas meet after many steps alone" },
	{ "compile.backend=eager|aot_eager|cudagraphs|aot_eager_decomp_partition",
	  "kernels stay as they are" },
};

/* Converters count where they are listed, what a section says where it is on. */
static const struct node *asked_at(const struct node *root, const char *path)
{
	const struct node *list = node_find(root, "model.converters"), *item;

	if ((text_starts(path, "fault_tolerance.") && !keys_true(root, "fault_tolerance.enable")) ||
	    (text_ends(path, ".disable_loss_parallel") &&
	     keys_int(root, "parallelism.tensor_parallel_degree", 1) < 2) ||
	    (text_starts(path, "compile.") && !keys_true(root, "compile.enable")))
		return NULL;
	if (!text_starts(path, "quantize."))
		return node_find(root, path);
	for (item = list && list->kind == NODE_LIST ? list->first : NULL; item; item = item->next)
		if (item->kind == NODE_SCALAR && !strcmp(item->text, path))
			return item;
	return NULL;
}

static void put_uncounted(struct titan_reader *reader)
{
	uncounted_put(&reader->decoder, reader->document->root, asked_at, uncounted,
		      sizeof(uncounted) / sizeof(uncounted[0]));
}

/* What main's classes default to where the key went: SelectiveAC saves by op. */
static void main_defaults(struct titan_reader *reader)
{
	struct settings *settings = reader->decoder.settings;

	if (reader->reading != TITAN_PYTHON)
		return;
	put_default(settings, FIELD_OPTIMIZER_NAME, "AdamW", "TorchTitan main's optimizer");
	put_default(settings, FIELD_OPTIMIZER_IMPLEMENTATION, "fused",
		    "TorchTitan main's optimizer");
	put_default(settings, FIELD_AC_MODE, "selective", "TorchTitan main's SelectiveAC");
	put_default(settings, FIELD_AC_OPTION, "op", "TorchTitan main's SelectiveAC");
}

static void refuse_file(struct titan_reader *reader)
{
	const struct node *first = reader->document->root->first;
	struct finding *finding;

	finding = finding_add(reader->decoder.findings, &rule_foreign_config, first->key_span,
			      "TorchTitan %s reads no TOML files", reader->label);
	finding_actual(reader->decoder.findings, finding,
		       "from 9810191bb (2026-02-23) on a config is a Python function, named by "
		       "--module and --config; the keys below are read as v0.2.2 would");
	finding->speaker = arena_printf(reader->decoder.arena, "torchtitan %s", reader->label);
	finding_quote(reader->decoder.findings, finding,
		      "--module is required. Example: --module llama3 --config llama3_debugmodel");
	reader->when = 2026022050; /* v0.2.2, the last release that reads TOML */
	reader->reading = TITAN_STRICT;
}

static void open_reader(struct titan_reader *reader, struct document *document, moment_t when,
			struct settings *settings, struct findings *findings)
{
	reader->decoder.arena = document->arena;
	reader->decoder.settings = settings;
	reader->decoder.findings = findings;
	reader->document = document;
	reader->program = program_of(document);
	reader->when = when;
	reader->reading = titan_reading(when);
	reader->label = titan_label(document->arena, when);
	reader->extension =
		reader->reading == TITAN_PYTHON ? experiment_of(document) : extension_of(document);
}

static void titan_settle(struct document *document, moment_t when, struct settings *settings,
			 struct findings *findings)
{
	struct titan_reader reader = { 0 };
	struct titan_strangers strangers = { 0 };
	bool refused;

	if (!document->root || !is_map(document->root))
		return;
	open_reader(&reader, document, when, settings, findings);
	refused = reader.reading == TITAN_PYTHON && is_toml(document);
	if (refused)
		refuse_file(&reader);
	titan_flags(&reader);
	titan_model(&reader);
	reader.experiment = settings_of(settings, FIELD_EXPERIMENT)->origin != ORIGIN_UNSET;
	read_keys(&reader, document->root, "");
	keys_optimizer(&reader.decoder, node_member(document->root, "optimizer"));
	if (settings_of(settings, FIELD_MODEL_PRESET)->origin == ORIGIN_SET)
		settings_of(settings, FIELD_EXPERIMENT)->origin = ORIGIN_UNSET;
	if (!refused) /* one reason is enough */
		find_strangers(document->arena, document->root, "", reader.when, &strangers);
	titan_report_strangers(&reader, &strangers);
	titan_classes(&reader);
	derive_backend(&reader);
	put_uncounted(&reader);
	titan_defaults(document->arena, settings, reader.when);
	main_defaults(&reader);
	modern_schedule(settings, reader.when);
	derive_float8(&reader);
	if (reader.program)
		titan_program_settle(&reader, reader.program);
}

const struct dialect dialect_torchtitan = {
	.name = "torchtitan",
	.summary = "TorchTitan's TOML files, Python functions and command lines",
	.signs = "'parallelism' and 'training' with its keys, a function that makes "
		 "Trainer.Config, or its launch line",
	.framework = "torchtitan",
	.detect = titan_detect,
	.compose = titan_compose,
	.pins = titan_pins,
	.unknown_keys = titan_unknown_keys,
	.next_change = titan_next_change,
	.field_of = titan_field_of_leaf,
	.key_of = titan_key_name,
	.words_of = titan_words_of,
	.vocabulary = titan_vocabulary,
	.defaults = titan_defaults,
	.settle = titan_settle,
};
