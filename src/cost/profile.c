#include "cost/profile.h"

#include "base/die.h"
#include "base/text.h"
#include "input/node.h"
#include "input/preset_tree.h"
#include "input/reader.h"

#include <ctype.h>
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

/* A file of numbers that is being put into a profile. */
struct reading {
	struct profile *profile;
	const char *source;	   /* of numbers that do not name their own */
	enum basis basis;	   /* of numbers that do not say theirs */
	struct findings *findings; /* NULL: a preset, in which anything wrong is our bug */
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
	if (!reading->findings)
		bug("preset %s: %s %s", node->span.source->path, key, what);
	finding_add(reading->findings, &rule_profile_number,
		    span_known(node->key_span) ? node->key_span : node->span, "%s %s", key, what);
}

static bool is_number(const struct node *node)
{
	return node && node->kind == NODE_SCALAR &&
	       (node->type == SCALAR_INT || node->type == SCALAR_FLOAT);
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
	struct number number = { 0, reading->basis, reading->source };

	if (!is_number(value)) {
		complain(reading, node, figures[id].key, "is not a number");
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
		else if (*at || reading->findings)
			complain(reading, member, key, "is no number of the cost model");
	}
}

static const char *text_of(const struct node *root, const char *key)
{
	const struct node *node = node_member(root, key);

	return is_text(node) ? node->text : NULL;
}

static bool put_preset(struct profile *profile, const char *folder, const char *name)
{
	struct reading reading = { profile, NULL, BASIS_DATASHEET, NULL };
	struct node *root = preset_tree(profile->arena, folder, name);
	const char *like;

	if (!root)
		return false;
	like = text_of(root, "like");
	if (like && !put_preset(profile, folder, like))
		bug("preset %s: no preset %s", name, like);
	reading.source = text_of(root, "source");
	put_all(&reading, root, "");
	if (text_of(root, "generation"))
		profile->generation = text_of(root, "generation");
	return true;
}

void profile_init(struct profile *profile, struct arena *arena)
{
	memset(profile, 0, sizeof(*profile));
	profile->arena = arena;
	put_preset(profile, "costs", "constants");
}

enum { NAME_LENGTH = 64 };

/* Letters and digits alone, lower case, without the maker. */
static void plain_name(const char *name, char *plain)
{
	size_t length = 0;

	for (; *name && length < NAME_LENGTH - 1; name++)
		if (isalnum((unsigned char)*name))
			plain[length++] = (char)tolower((unsigned char)*name);
	plain[length] = '\0';
	if (text_starts(plain, "nvidia") || text_starts(plain, "tesla"))
		memmove(plain, plain + (*plain == 'n' ? 6 : 5),
			length - (*plain == 'n' ? 6 : 5) + 1);
}

/* How much of a plain name the preset's own name or one of its others stands for; 0: nothing. */
static size_t likeness(const struct node *root, const char *own, const char *plain)
{
	const struct node *names = node_member(root, "names"), *name;
	char other[NAME_LENGTH];
	size_t best = 0;

	plain_name(own, other);
	if (text_starts(plain, other))
		best = strlen(other);
	for (name = names ? names->first : NULL; name; name = name->next) {
		plain_name(name->text, other);
		if (text_starts(plain, other) && strlen(other) > best)
			best = strlen(other);
	}
	return best;
}

const char *const *profile_gpus(struct arena *arena)
{
	return preset_names(arena, "gpus");
}

/* The preset whose own name that is; most configs use it, and no other needs to be read then. */
static const char *preset_called(struct arena *arena, const char *plain)
{
	const char *const *preset;
	char own[NAME_LENGTH];

	for (preset = profile_gpus(arena); *preset; preset++) {
		plain_name(*preset, own);
		if (!strcmp(own, plain))
			return *preset;
	}
	return NULL;
}

/* The preset with the longest name that begins `plain`. */
static const char *preset_like(struct arena *arena, const char *plain)
{
	const char *const *preset, *best = NULL;
	size_t length = 0;

	for (preset = profile_gpus(arena); *preset; preset++) {
		size_t like = likeness(preset_tree(arena, "gpus", *preset), *preset, plain);
		if (like > length) {
			length = like;
			best = *preset;
		}
	}
	return best;
}

bool profile_gpu(struct profile *profile, const char *name)
{
	char plain[NAME_LENGTH];
	const char *preset;

	plain_name(name, plain);
	preset = preset_called(profile->arena, plain);
	if (!preset)
		preset = preset_like(profile->arena, plain);
	if (!preset)
		return false;
	profile->gpu = preset;
	put_preset(profile, "gpus", preset);
	return put_preset(profile, "generations", profile->generation);
}

const char *profile_gpu_nearest(struct arena *arena, const char *name)
{
	const char *const *names = profile_gpus(arena);
	size_t count = 0;

	while (names[count])
		count++;
	return text_nearest(name, names, count);
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
	struct reading reading = { profile, source->path, BASIS_GIVEN, findings };
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
