#include "search/wording.h"

#include "base/text.h"
#include "input/command.h"
#include "input/field.h"
#include "input/launch/launch.h"
#include "search/patch.h"
#include "search/places.h"

#include <string.h>

static const char taken_away[] = "null";

/* The version whose keys the file has. */
static moment_t moment_of(const struct job *job)
{
	const char *framework = job->document.dialect->framework;
	const struct version *version = framework ? versions_find(&job->versions, framework) : NULL;

	return version ? version->when : MOMENT_LATEST;
}

/* ---- which keys ---- */

static const char *last_part(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static bool is_key_of(const struct vocabulary_key *key, enum field_id field)
{
	return key->field == field && key->typed && !strchr(key->path, '*');
}

/* Whether a script says some setting by a key that is gone. */
static bool is_dated(const struct wording *wording)
{
	size_t i;

	for (i = 0; !wording->data && i < wording->vocabulary.keys.count; i++) {
		const struct vocabulary_key *key = &wording->vocabulary.keys.items[i];
		const char *given = key->field == FIELD_COUNT
					    ? NULL
					    : wording->job->settings.items[key->field].spelling;
		if (key->gone && given && !strcmp(given, last_part(key->path)))
			return true;
	}
	return false;
}

bool wording_may_use(const struct wording *wording, const struct vocabulary_key *key,
		     enum field_id field)
{
	size_t i;

	if (!is_key_of(key, field) || (key->gone && !wording->dated))
		return false;
	for (i = 0; wording->dated && !key->gone && i < wording->vocabulary.keys.count; i++)
		if (wording->vocabulary.keys.items[i].gone &&
		    is_key_of(&wording->vocabulary.keys.items[i], field))
			return false;
	return true;
}

/* The keys of files that the pinned framework would read itself. */
static void put_pinned(struct wording *wording, struct arena *arena)
{
	const struct dialect *dialect = wording->job->document.dialect;
	const struct dialect *const *other;

	for (other = dialects; dialect->holds_expect && *other; other++) {
		const char *name = (*other)->framework;
		const struct version *version =
			name ? versions_find(&wording->job->versions, name) : NULL;
		if (version && (*other)->vocabulary) {
			vocabulary_of(&wording->pinned, arena, *other, version->when, version->when,
				      NULL);
			return;
		}
	}
}

void wording_begin(struct wording *wording, const struct job *job, struct arena *arena)
{
	const struct dialect *dialect = job->document.dialect;
	const moment_t when = moment_of(job);

	*wording = (struct wording) { .job = job,
				      .speaker = vocabulary_speaker(dialect),
				      .data = patch_can(&job->document),
				      .native = dialect->holds_expect || dialect->key_of };
	vocabulary_of(&wording->vocabulary, arena, wording->speaker, when, when, &job->document);
	wording->dated = is_dated(wording);
	put_pinned(wording, arena);
	if (!wording->native)
		places_begin(wording);
}

/* The list that turns the setting on or off, or NULL. */
static const struct vocabulary_entry *entry_of(const struct wording *wording, enum field_id field)
{
	size_t i;

	for (i = 0; i < wording->vocabulary.entries.count; i++)
		if (wording->vocabulary.entries.items[i].field == field)
			return &wording->vocabulary.entries.items[i];
	return NULL;
}

bool wording_lists(const struct wording *wording, enum field_id field)
{
	return entry_of(wording, field) != NULL;
}

bool wording_has_key(const struct wording *wording, enum field_id field)
{
	const struct vocabulary *vocabulary = wording->job->document.dialect->holds_expect
						      ? &wording->pinned
						      : &wording->vocabulary;
	size_t i;

	for (i = 0; i < vocabulary->keys.count; i++)
		if (wording_may_use(wording, &vocabulary->keys.items[i], field))
			return true;
	return !vocabulary->keys.count || wording_lists(wording, field);
}

/* Where a dialect whose words are ours says it. */
static const char *native_path(const struct wording *wording, enum field_id field)
{
	const struct dialect *dialect = wording->job->document.dialect;
	const struct vocabulary_entry *entry = entry_of(wording, field);

	if (entry)
		return entry->path;
	return dialect->key_of ? dialect->key_of(field, moment_of(wording->job))
			       : field_of(field)->key;
}

/* ---- in which words ---- */

/* The list as it is, with the entry or without it: in brackets, or with commas on a command line.
 */
static const char *list_with(const struct wording *wording, const struct vocabulary_entry *entry,
			     bool there)
{
	struct arena *arena = wording->vocabulary.arena;
	const struct node *list = node_find(wording->job->document.root, entry->path), *item;
	const char *quote = wording->data ? "\"" : "", *between = wording->data ? ", " : ",";
	const char *text = "";

	for (item = list ? list->first : NULL; item; item = item->next)
		if (item->kind == NODE_SCALAR && strcmp(item->text, entry->entry) != 0)
			text = arena_printf(arena, "%s%s%s%s%s", text, *text ? between : "", quote,
					    item->text, quote);
	if (there)
		text = arena_printf(arena, "%s%s%s%s%s", text, *text ? between : "", quote,
				    entry->entry, quote);
	return wording->data ? arena_join(arena, "[", text, "]") : text;
}

/* What stands for `ours` in "theirs=ours|..."; NULL: nothing does. "" is what is as if not there.
 */
static const char *word_for(struct arena *arena, const char *words, const char *ours)
{
	for (; words && *words; words += strcspn(words, "|"), words += *words == '|') {
		const size_t length = strcspn(words, "|"), name = strcspn(words, "=");
		if (name < length && strlen(ours) == length - name - 1 &&
		    !strncmp(words + name + 1, ours, length - name - 1))
			return arena_strndup(arena, words, name);
	}
	return NULL;
}

/* Whether the words translate into some of ours; others pass as they are. */
static bool translates(const char *words)
{
	for (; words && *words; words += strcspn(words, "|"), words += *words == '|') {
		const size_t length = strcspn(words, "|"), name = strcspn(words, "=");
		if (name + 1 < length)
			return true;
	}
	return false;
}

static const char *opposite_of(const char *value)
{
	return !strcmp(value, "true") ? "false" : !strcmp(value, "false") ? "true" : value;
}

/* A value in words of a key that says it. */
static const char *by_words_of(struct arena *arena, const struct vocabulary_key *key,
			       const char *value)
{
	const char *word = word_for(arena, key->ours, value);

	if (!word && !strcmp(value, "none"))
		word = word_for(arena, key->ours, "");
	if (word)
		return word;
	if (key->type != FIELD_TEXT)
		return key->opposite ? opposite_of(value) : value;
	if (!strcmp(value, "none"))
		return taken_away;
	return translates(key->ours) ? NULL : value;
}

const char *wording_value(const struct wording *wording, enum field_id field, const char *path,
			  const char *value)
{
	const struct vocabulary_key *key = vocabulary_find(&wording->vocabulary, path);
	const struct vocabulary_entry *entry = entry_of(wording, field);

	if (!value)
		return taken_away;
	if (entry && !strcmp(entry->path, path))
		return list_with(wording, entry, !strcmp(value, "true"));
	if (!key && !wording->native && field_of(field)->type == FIELD_TEXT)
		return NULL; /* which words it takes is not known */
	if (wording->native || !key || key->field != field)
		return value;
	return by_words_of(wording->vocabulary.arena, key, value);
}

bool wording_takes_text(const struct wording *wording, const char *path)
{
	const struct vocabulary_key *key = vocabulary_find(&wording->vocabulary, path);

	return key && key->typed && key->type == FIELD_TEXT;
}

/* ---- whether it is understood ---- */

struct job *wording_read_back(struct arena *arena, const struct job *own,
			      const struct overrides *overrides, struct findings *findings)
{
	struct job *job = arena_new(arena, struct job);
	const char *path = own->document.source->path;

	return job_read(job, arena, !strcmp(path, "<stdin>") ? "-" : path, overrides, findings) ||
			       !job->readable
		       ? NULL
		       : job;
}

static struct job *read_back(const struct wording *wording, const struct overrides *overrides)
{
	struct findings *silent = arena_new(wording->vocabulary.arena, struct findings);

	findings_init(silent, wording->vocabulary.arena);
	return wording_read_back(wording->vocabulary.arena, wording->job, overrides, silent);
}

/* Whether the one setting is made of the other. */
static bool is_made_of(const struct job *job, enum field_id field, enum field_id other)
{
	const struct setting *setting = &job->settings.items[field];

	return setting->origin == ORIGIN_DERIVED && setting->parent_count &&
	       setting->parents[0]->field == other;
}

/* Whether the same framework takes it, and all else that is said has the value that it had. */
static bool is_same_but(const struct job *one, const struct job *other, enum field_id field)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const struct setting *setting = &one->settings.items[id];
		if (setting->origin == ORIGIN_GIVEN && setting->text && id != (int)field &&
		    !is_made_of(other, field, (enum field_id)id) &&
		    (!other->settings.items[id].text ||
		     strcmp(setting->text, other->settings.items[id].text) != 0))
			return false;
	}
	return one->framework == other->framework;
}

/* Whether what was read back, or NULL, has the value and is the same job otherwise. */
static bool has_value(const struct wording *wording, enum field_id field, const struct job *job,
		      const char *value)
{
	const struct setting *setting = job ? &job->settings.items[field] : NULL;

	if (!setting || !is_same_but(wording->job, job, field))
		return false;
	return setting_known(setting) ? !strcmp(setting->text, value)
				      : words_have("none|false", value);
}

/* What it was read with. */
static struct overrides *overrides_of(const struct wording *wording)
{
	struct overrides *overrides =
		overrides_copy(wording->vocabulary.arena, wording->job->document.overrides);

	if (wording->world)
		overrides->world = wording->world;
	return overrides;
}

/* The config with the value in its file, or NULL. */
static const struct job *in_file(const struct wording *wording, enum field_id field,
				 const char *path, const char *value)
{
	struct overrides *overrides = overrides_of(wording);
	const char *word = wording_value(wording, field, path, value);

	overrides->in_folder = overrides->in_folder || !overrides->text;
	overrides->text =
		word ? patch_text(wording->vocabulary.arena, wording->job->document.source, path,
				  word, wording_takes_text(wording, path))
		     : NULL;
	return overrides->text ? read_back(wording, overrides) : NULL;
}

/* The config with such words behind "--", or NULL. */
static const struct job *with_words(const struct wording *wording, const char *words)
{
	struct arena *arena = wording->vocabulary.arena;
	struct overrides *overrides = overrides_of(wording);

	for (; *words; words += strcspn(words, " "), words += *words == ' ')
		vec_push(arena, &overrides->words,
			 arena_strndup(arena, words, strcspn(words, " ")));
	return read_back(wording, overrides);
}

/* Whether they give the value, and leave the engine. */
static bool obeys(const struct wording *wording, enum field_id field, const char *words,
		  const char *value)
{
	const struct job *job = with_words(wording, words);

	return has_value(wording, field, job, value) &&
	       (setting_given(&job->settings.items[field]) || words_have("none|false", value)) &&
	       !strcmp(setting_text(&job->settings, FIELD_ENGINE, ""),
		       setting_text(&wording->job->settings, FIELD_ENGINE, ""));
}

/* The config with the value beside it, by the key that its framework reads there, or NULL. */
static const struct job *with_key(const struct wording *wording, enum field_id field,
				  const char *path, const char *value)
{
	struct arena *arena = wording->vocabulary.arena;
	struct overrides *overrides = overrides_of(wording);
	const char *word = wording_value(wording, field, path, value);
	struct option_text option = { "--set", wording->maps.count ? path : last_part(path) };

	if (!word)
		return NULL;
	option.text = arena_join(arena, option.text, "=", word);
	vec_push(arena, &overrides->options, option);
	return read_back(wording, overrides);
}

bool wording_is_read(const struct wording *wording, enum field_id field, const char *path,
		     const char *value)
{
	return has_value(wording, field,
			 wording->data ? in_file(wording, field, path, value)
				       : with_key(wording, field, path, value),
			 value);
}

bool wording_is_said(const struct wording *wording, enum field_id field, const char *path,
		     const char *value)
{
	const struct job *job = in_file(wording, field, path, value);

	return has_value(wording, field, job, value) && setting_known(&job->settings.items[field]);
}

/* ---- where ---- */

const char *wording_path(const struct wording *wording, enum field_id field, const char *value)
{
	const struct job *job = wording->job;
	const struct setting *setting = &job->settings.items[field];
	const struct vocabulary_key *key;

	if (!wording->data || setting->origin == ORIGIN_SET || setting->origin == ORIGIN_FLAG)
		return NULL; /* it would win over the file */
	if (setting->origin == ORIGIN_GIVEN && setting->spelling &&
	    setting->span.source == job->document.source)
		return setting->spelling;
	if (wording->native)
		return native_path(wording, field);
	key = setting->origin == ORIGIN_GIVEN ? NULL : places_key(wording, field, value);
	if (!key && setting->origin != ORIGIN_GIVEN)
		key = places_new_key(wording, field, value);
	return key ? key->path : NULL;
}

bool wording_follows(const struct wording *wording, enum field_id field, enum field_id from,
		     const char *value)
{
	const char *path = wording_path(wording, from, value);
	const char *words = wording->data ? NULL : wording_words(wording, from, value);
	const struct job *job = path	? in_file(wording, from, path, value)
				: words ? with_words(wording, words)
					: NULL;

	return job && is_made_of(job, field, from);
}

/* ---- whether it can be told ---- */

/* Whether the dialect lists the key as that setting: one text may give several. */
static bool is_listed(const struct wording *wording, enum field_id field, const char *path)
{
	const struct vocabulary_key *key = vocabulary_find(&wording->vocabulary, path);

	return key && key->field == field;
}

/* Whether the framework that a native config pins has a word for it in files of its own. */
static bool is_named(const struct wording *wording, enum field_id field, const char *value)
{
	size_t i;

	for (i = 0; value && i < wording->pinned.keys.count; i++) {
		const struct vocabulary_key *key = &wording->pinned.keys.items[i];
		if (!key->gone && is_key_of(key, field) && key->type == FIELD_TEXT &&
		    translates(key->ours) && strcmp(value, "none") != 0)
			return word_for(wording->pinned.arena, key->ours, value) != NULL;
	}
	return true;
}

/* Whether a config in words of ours says it: where it does not yet, there is a key for it. */
static bool can_natively(const struct wording *wording, enum field_id field, const char *value)
{
	return is_named(wording, field, value) &&
	       (wording->job->settings.items[field].origin == ORIGIN_GIVEN ||
		native_path(wording, field) != NULL);
}

/* ---- by which words of a command line ---- */

/* A value by the key at a path, spelt so; NULL: no word says it. */
static const char *by_key(const struct wording *wording, enum field_id field, const char *path,
			  const char *spelling, const char *value)
{
	struct arena *arena = wording->vocabulary.arena;
	const char *word = wording_value(wording, field, path, value), *flag = last_part(spelling);

	if (!word)
		return NULL;
	if (!text_starts(flag, "--"))
		return command_words(arena, wording->speaker, wording->job->document.launch,
				     spelling, word, moment_of(wording->job));
	if (words_have("null|false", word))
		return arena_join(arena, "no ", flag, "");
	return strcmp(word, "true") != 0 ? arena_join(arena, flag, " ", word) : flag;
}

const char *wording_words_at(const struct wording *wording, enum field_id field, const char *path,
			     const char *value)
{
	return by_key(wording, field, path, path, value);
}

const char *wording_together(const struct wording *wording, enum field_id field, size_t *at)
{
	while (*at < wording->vocabulary.keys.count) {
		const struct vocabulary_key *key = &wording->vocabulary.keys.items[(*at)++];
		if (key->field == field && key->together)
			return key->path;
	}
	return NULL;
}

/* The key as the script has it, or NULL; forks spell flags with '_'. */
static const char *spelling_of(const struct wording *wording, enum field_id field, const char *path)
{
	const char *spelling = wording->job->settings.items[field].spelling;
	const char *flag = last_part(path);

	return spelling && (!strcmp(spelling, path) ||
			    (text_starts(flag, "--") && launch_same_flag(spelling, flag)))
		       ? spelling
		       : NULL;
}

/* Whether a script would obey what a key says that it does not have; flags that are keys are those
 * of Megatron's parser. */
static bool may_say(const struct wording *wording, const struct vocabulary_key *key,
		    const char *said, const char *value)
{
	return text_starts(last_part(key->path), "--") || text_starts(said, "no --") ||
	       obeys(wording, key->field, said, value ? value : "none");
}

/* Of several keys the one that the script has; else of flags the last, of others the first. */
const char *wording_words(const struct wording *wording, enum field_id field, const char *value)
{
	const char *found = NULL, *said = wording->native ? native_path(wording, field) : NULL;
	bool flag = false;
	size_t i;

	if (wording->native)
		return said ? by_key(wording, field, said, said, value) : NULL;
	for (i = 0; i < wording->vocabulary.keys.count; i++) {
		const struct vocabulary_key *key = &wording->vocabulary.keys.items[i];
		const char *spelling = spelling_of(wording, field, key->path);
		if (!wording_may_use(wording, key, field))
			continue;
		said = by_key(wording, field, key->path, spelling ? spelling : key->path, value);
		if (said && spelling)
			return said;
		flag = text_starts(last_part(key->path), "--");
		if (said && (flag || !found) && may_say(wording, key, said, value))
			found = said;
	}
	return found;
}

/* Whether a script's words, which are those of its framework, may say it. */
static bool has_words(const struct wording *wording, enum field_id field, const char *value)
{
	size_t i;

	for (i = 0; i < wording->vocabulary.keys.count; i++) {
		const struct vocabulary_key *key = &wording->vocabulary.keys.items[i];
		if (wording_may_use(wording, key, field) &&
		    (!value || wording_is_read(wording, field, key->path, value)))
			return true;
	}
	return false;
}

/* A script whose framework has a command line says it there, others in the file that they name. */
static bool script_can(const struct wording *wording, enum field_id field, const char *value)
{
	const struct vocabulary_key *key;

	if (wording->speaker->command != COMMAND_OWN && value)
		return wording_words(wording, field, value) != NULL;
	if (wording->speaker->command != COMMAND_OWN || !wording->maps.count)
		return has_words(wording, field, value);
	key = places_key(wording, field, value);
	return key && (!value || wording_is_read(wording, field, key->path, value));
}

/* Whether the framework's keys for it have words of their own, and none for the value. */
static bool lacks_word(const struct wording *wording, enum field_id field, const char *value)
{
	bool found = false;
	size_t i;

	for (i = 0; value && i < wording->vocabulary.keys.count; i++) {
		const struct vocabulary_key *key = &wording->vocabulary.keys.items[i];
		if (!wording_may_use(wording, key, field) || !translates(key->ours))
			continue;
		if (wording_value(wording, field, key->path, value))
			return false;
		found = true;
	}
	return found;
}

bool wording_can(const struct wording *wording, enum field_id field, const char *value)
{
	const struct setting *setting = &wording->job->settings.items[field];
	const char *path = wording_path(wording, field, value);

	if (setting->origin == ORIGIN_SET || (setting->origin == ORIGIN_FLAG && wording->data))
		return false;
	if (!path && (setting->origin == ORIGIN_GIVEN || setting->origin == ORIGIN_FLAG))
		/* said beside the file, it wins over what it says */
		return !lacks_word(wording, field, value) &&
		       (!wording->dated || wording_words(wording, field, value));
	if (wording->native)
		return can_natively(wording, field, value);
	if (setting->origin == ORIGIN_GIVEN && is_listed(wording, field, path))
		return wording_value(wording, field, path, value) != NULL;
	if (!wording->data)
		return script_can(wording, field, value);
	return path && (!value || wording_is_read(wording, field, path, value));
}
