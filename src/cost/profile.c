#include "cost/profile.h"

#include "base/text.h"
#include "base/vec.h"
#include "cost/profile_preset.h"
#include "input/node.h"
#include "input/syntax/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct figure_meaning figures[] = {
#define FIGURE(id, key, unit, meaning) { key, unit, meaning },
#include "cost/figures.def"
#undef FIGURE
};

const struct figure_meaning *figure_of(enum figure_id id)
{
	return &figures[id];
}

static enum figure_id figure_find(const char *key)
{
	int i;

	for (i = 0; i < FIGURE_COUNT; i++)
		if (!strcmp(figures[i].key, key))
			break;
	return (enum figure_id)i;
}

static const char *const basis_names[] = { "unknown", "datasheet", "measured",
					   "fitted",  "assumed",   "given" };

const char *basis_name(enum basis basis)
{
	return basis_names[basis];
}

static bool basis_parse(const char *text, enum basis *basis)
{
	size_t i;

	for (i = BASIS_DATASHEET; i <= BASIS_GIVEN; i++)
		if (!strcmp(basis_names[i], text)) {
			*basis = (enum basis)i;
			return true;
		}
	return false;
}

/* A user's file of numbers that is being put into a profile. */
struct reading {
	struct profile *profile;
	const char *source; /* of numbers that do not name their own */
	struct findings *findings;
};

static const struct rule_id rule_profile_number = {
	.name = "profile-number",
	.code = "C120",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_RUN,
	.summary = "a profile file has a key or value that is none",
	.explanation =
		"A profile file overrides numbers of the cost model by their keys, each as a "
		"plain number or as {value, basis, source}.",
	.remedy =
		"Use a key that `parplan sim --format json` lists under calibration, and a number.",
	.source = "cost/figures.def",
};

static void complain(const struct reading *reading, const struct node *node, const char *key,
		     const char *what)
{
	finding_add(reading->findings, &rule_profile_number,
		    span_known(node->key_span) ? node->key_span : node->span, "%s %s", key, what);
}

static bool is_number(const struct node *node)
{
	return node && node->kind == NODE_SCALAR &&
	       (node->type == SCALAR_INT || node->type == SCALAR_FLOAT);
}

/* What no device, network or program reaches, by unit: such a number is in another unit. */
static const struct {
	const char *unit;
	double most;
} bounds[] = {
	{ "GiB", 16384 },
	{ "TB/s", 1000 },
	{ "TFLOP/s", 1e6 },
	{ "W", 1e5 },
};

static bool is_beyond(enum figure_id id, double value)
{
	size_t i;

	for (i = 0; i < sizeof(bounds) / sizeof(*bounds); i++)
		if (!strcmp(figures[id].unit, bounds[i].unit))
			return value > bounds[i].most;
	return false;
}

static bool is_text(const struct node *node)
{
	return node && node->kind == NODE_SCALAR;
}

static void put(const struct reading *reading, enum figure_id id, const struct node *node)
{
	const struct node *value = node->kind == NODE_MAP ? node_member(node, "value") : node;
	const struct node *basis = node_member(node, "basis"),
			  *source = node_member(node, "source");
	struct number number = { 0, BASIS_GIVEN, reading->source };

	if (!is_number(value)) {
		complain(reading, node, figures[id].key, "is not a number");
		return;
	}
	if (value->number < 0 || is_beyond(id, value->number)) {
		complain(reading, value, figures[id].key,
			 arena_printf(reading->profile->arena, "cannot be %g: its unit is %s",
				      value->number, figures[id].unit));
		return;
	}
	if (is_text(basis) && !basis_parse(basis->text, &number.basis))
		complain(reading, basis, figures[id].key, "has a basis that is none");
	if (is_text(source))
		number.source = source->text;
	number.value = value->number;
	reading->profile->numbers[id] = number;
}

/* Numbers below `map`, whose keys start with `at`: a map that is no number is descended into. */
static void put_all(const struct reading *reading, const struct node *map, const char *at)
{
	const struct node *member;

	for (member = map->first; member; member = member->next) {
		const char *key =
			arena_join(reading->profile->arena, at, *at ? "." : "", member->key);
		enum figure_id id = figure_find(key);
		if (!strcmp(key, "calibration") || !strcmp(key, "nccl"))
			continue; /* measured tables: cost/measurement.h */
		if (id != FIGURE_COUNT)
			put(reading, id, member);
		else if (member->kind == NODE_MAP)
			put_all(reading, member, key);
		else
			complain(reading, member, key, "is no number of the cost model");
	}
}

static const struct preset_profile *preset_find(const char *folder, const char *name)
{
	const struct preset_profile *preset;

	for (preset = preset_profiles; preset->folder; preset++)
		if (!strcmp(preset->name, name) && !strcmp(preset->folder, folder))
			return preset;
	return NULL;
}

static bool put_preset(struct profile *profile, const char *folder, const char *name)
{
	const struct preset_profile *preset = preset_find(folder, name);
	size_t i;

	if (!preset)
		return false;
	if (preset->like)
		put_preset(profile, folder, preset->like);
	for (i = 0; i < preset->count; i++) {
		struct number *number = &profile->numbers[preset->numbers[i].id];
		*number = preset->numbers[i].number;
		if (!number->source)
			number->source = preset->source;
	}
	if (preset->generation)
		profile->generation = preset->generation;
	return true;
}

void profile_init(struct profile *profile, struct arena *arena)
{
	memset(profile, 0, sizeof(*profile));
	profile->arena = arena;
	put_preset(profile, "costs", "constants");
}

enum { NAME_LENGTH = 64 };

/* Letters and digits alone, lower case, without the maker and the family. */
static void plain_name(const char *name, char *plain)
{
	static const char *const makers[] = { "nvidia", "amd", "tesla", "instinct" };
	size_t length = 0, i;

	for (; *name && length < NAME_LENGTH - 1; name++)
		if (isalnum((unsigned char)*name))
			plain[length++] = (char)tolower((unsigned char)*name);
	plain[length] = '\0';
	for (i = 0; i < sizeof(makers) / sizeof(*makers); i++)
		if (text_starts(plain, makers[i]))
			memmove(plain, plain + strlen(makers[i]), length - strlen(makers[i]) + 1),
				length = strlen(plain);
}

/* How much of a plain name a preset's stands for, which names no maker; 0: nothing. */
static size_t likeness(const char *plain, const char *name)
{
	size_t length = 0;

	for (; *name; name++) {
		if (!isalnum((unsigned char)*name))
			continue;
		if (plain[length] != tolower((unsigned char)*name))
			return 0;
		length++;
	}
	return length;
}

/* The same of a preset's own name and its others, the best of them. */
static size_t preset_likeness(const struct preset_profile *preset, const char *plain)
{
	const char *const *name;
	size_t best = likeness(plain, preset->name), like;

	for (name = preset->names; name && *name; name++) {
		like = likeness(plain, *name);
		if (like > best)
			best = like;
	}
	return best;
}

static const char *const *preset_names(struct arena *arena, const char *folder)
{
	VEC(const char *) names = { 0 };
	const struct preset_profile *preset;

	for (preset = preset_profiles; preset->folder; preset++)
		if (!strcmp(preset->folder, folder))
			vec_push(arena, &names, preset->name);
	vec_push(arena, &names, NULL);
	return names.items;
}

const char *const *profile_gpus(struct arena *arena)
{
	return preset_names(arena, "gpus");
}

const char *const *profile_fabrics(struct arena *arena)
{
	return preset_names(arena, "fabrics");
}

/* The preset with the longest name that begins `plain`; one that is called just that comes first.
 */
static const struct preset_profile *preset_like(const char *plain)
{
	const struct preset_profile *preset, *best = NULL;
	const size_t whole = strlen(plain);
	size_t length = 0;

	for (preset = preset_profiles; preset->folder && length < whole; preset++) {
		size_t like = strcmp(preset->folder, "gpus") ? 0 : preset_likeness(preset, plain);
		if (like > length) {
			length = like;
			best = preset;
		}
	}
	return best;
}

/* Skips a word that says what every device of the name has, or returns NULL. */
static const char *skip_common(const char *rest)
{
	static const char *const words[] = { "tensorcoregpu", "gpu", "oam", "vf", "ac" };
	size_t i;

	if (text_starts(rest, "sxm"))
		return rest + 3 + (isdigit((unsigned char)rest[3]) != 0);
	if (text_starts(rest, "hbm") && isdigit((unsigned char)rest[3]))
		return rest + 4 + (rest[4] == 'e');
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (text_starts(rest, words[i]))
			return rest + strlen(words[i]);
	return NULL;
}

/* Skips "80gb" where the device has about as much, or returns NULL: it is another device. */
static const char *skip_memory(const char *rest, const struct profile *profile)
{
	const double memory = profile_get(profile, FIGURE_MEMORY);
	int64_t stated;

	if (!text_digits(&rest, 4, &stated) || *rest != 'g' ||
	    fabs((double)stated - memory) > 0.08 * memory)
		return NULL;
	return rest + 1 + (rest[1] == 'b');
}

/* True when what `plain` has behind `rest` says nothing that makes it another device. */
static bool is_common(const char *plain, const char *rest, const struct profile *profile)
{
	const char *next;

	if (rest - plain > 3 && text_starts(rest - 3, "sxm") && isdigit((unsigned char)*rest))
		rest++;
	for (; *rest; rest = next) {
		next = skip_common(rest);
		if (!next)
			next = skip_memory(rest, profile);
		if (!next)
			return false;
	}
	return true;
}

bool profile_gpu(struct profile *profile, const char *name)
{
	char plain[NAME_LENGTH];
	struct profile device = *profile;
	const struct preset_profile *preset;

	plain_name(name, plain);
	preset = preset_like(plain);
	if (!preset)
		return false;
	device.gpu = preset->name;
	put_preset(&device, "gpus", preset->name);
	if (!is_common(plain, plain + preset_likeness(preset, plain), &device))
		return false;
	*profile = device;
	return put_preset(profile, "generations", profile->generation);
}

const char *profile_gpu_nearest(struct arena *arena, const char *name)
{
	const char *const *names = profile_gpus(arena);
	const char *near = NULL;
	char plain[NAME_LENGTH], other[NAME_LENGTH];
	const struct preset_profile *like;
	size_t count = 0, length;

	plain_name(name, plain);
	like = preset_like(plain);
	length = like ? strcspn(like->name, "-") : 0;
	for (; names[count]; count++) {
		plain_name(names[count], other);
		if (length && !strncmp(other, like->name, length) &&
		    !isalnum((unsigned char)names[count][length]))
			near = near ? arena_join(arena, near, " or ", names[count]) : names[count];
	}
	return near ? near : text_nearest(name, names, count);
}

bool profile_fabric(struct profile *profile, const char *name)
{
	if (!put_preset(profile, "fabrics", name))
		return false;
	profile->fabric = name;
	return true;
}

bool profile_nic(struct profile *profile, const char *text)
{
	char *end;
	double count = strtod(text, &end), rate;

	while (*end == ' ')
		end++;
	if (count < 1 || (*end != 'x' && *end != 'X'))
		return false;
	rate = strtod(end + 1, &end);
	while (*end == ' ')
		end++;
	if (rate <= 0 || (*end && strncmp(end, "Gb", 2) != 0 && strncmp(end, "GB", 2) != 0))
		return false;
	profile->numbers[FIGURE_NIC_COUNT] = (struct number) { count, BASIS_GIVEN, text };
	profile->numbers[FIGURE_NIC_BANDWIDTH] =
		(struct number) { strncmp(end, "GB", 2) == 0 ? rate : rate / 8, BASIS_GIVEN, text };
	return true;
}

void profile_override(struct profile *profile, const struct source *source,
		      struct findings *findings)
{
	struct reading reading = { profile, source->path, findings };
	struct node *root = yaml_read(profile->arena, source, findings);

	if (root && root->kind == NODE_MAP)
		put_all(&reading, root, "");
	else if (root)
		complain(&reading, root, "the profile", "is not a map of numbers");
}

double profile_get(const struct profile *profile, enum figure_id id)
{
	return profile->numbers[id].value;
}
