#include "base/number.h"
#include "base/text.h"
#include "input/field.h"
#include "input/launch/launchers.h"

#include <string.h>

/* What launchers are told, how many ranks that makes, and both as settings. */

void launch_open_fact(struct launch_parser *p, enum field_id field, const char *text,
		      struct span span, const char *unresolved)
{
	struct launch_fact fact = { field, text, span, false, unresolved };

	vec_push(p->arena, &p->launch->facts, fact);
}

static void assume_fact(struct launch_parser *p, enum field_id field, const char *text,
			struct span span)
{
	struct launch_fact fact = { field, text, span, true, NULL };

	vec_push(p->arena, &p->launch->facts, fact);
}

void launch_fact(struct launch_parser *p, enum field_id field, const char *text, struct span span)
{
	launch_open_fact(p, field, text, span, NULL);
}

/* The last word on a setting, or NULL. */
static const struct launch_fact *fact_of(const struct launch *launch, enum field_id field)
{
	size_t i;

	for (i = launch->facts.count; i > 0; i--)
		if (launch->facts.items[i - 1].field == field)
			return &launch->facts.items[i - 1];
	return NULL;
}

/* Its number, `otherwise` when nothing is said, 0 when what is said is no number of 1 or more. */
static int64_t count_of(const struct launch *launch, enum field_id field, int64_t otherwise)
{
	const struct launch_fact *fact = fact_of(launch, field);
	int64_t number;

	if (!fact)
		return otherwise;
	return text_to_int(fact->text, &number) && number > 0 ? number : 0;
}

/* nodes x processes of each, all of them, or 0. */
static int64_t world_of(struct launch *launch, int launcher)
{
	int64_t tasks = count_of(launch, FIELD_LAUNCH_TASKS, 0), world;

	launch->nodes = count_of(launch, FIELD_LAUNCH_NODES, 0);
	launch->per_node = count_of(launch, FIELD_LAUNCH_PER_NODE, 0);
	if (launcher == DEEPSPEED && !fact_of(launch, FIELD_LAUNCH_NODES) && !launch->hosts)
		launch->nodes = 1;
	if (launcher == SRUN)
		launch->per_node = count_of(launch, FIELD_LAUNCH_TASKS_PER_NODE, 0);
	world = multiply(launch->nodes, launch->per_node);
	if (launcher == COMPOSER && !fact_of(launch, FIELD_LAUNCH_PROCESSES))
		world = launch->per_node;
	else if (launcher == ACCELERATE || launcher == MPIRUN || launcher == COMPOSER)
		world = count_of(launch, FIELD_LAUNCH_PROCESSES, 0);
	else if (launcher == SRUN && tasks)
		world = tasks;
	return world > INT32_MAX ? 0 : world;
}

/* Which of the settings says how many ranks there are. */
static enum field_id says_world(const struct launch *launch, int launcher)
{
	if (launcher == ACCELERATE || launcher == MPIRUN ||
	    (launcher == COMPOSER && fact_of(launch, FIELD_LAUNCH_PROCESSES)))
		return FIELD_LAUNCH_PROCESSES;
	if (launcher != SRUN)
		return FIELD_LAUNCH_PER_NODE;
	return fact_of(launch, FIELD_LAUNCH_TASKS) ? FIELD_LAUNCH_TASKS
						   : FIELD_LAUNCH_TASKS_PER_NODE;
}

/* Options that nobody knows may say any number. */
static void leave_open(struct launch_parser *p, int launcher, struct span span)
{
	if (!fact_of(p->launch, FIELD_LAUNCH_NODES) && launcher == TORCHRUN)
		launch_open_fact(p, FIELD_LAUNCH_NODES, p->launch->open_options, span,
				 p->launch->open_options);
	if (!fact_of(p->launch, says_world(p->launch, launcher)))
		launch_open_fact(p, says_world(p->launch, launcher), p->launch->open_options, span,
				 p->launch->open_options);
}

/* A device by its number, or by the name that its driver gives it. */
static bool is_device(const char *text, size_t length)
{
	return length && (strspn(text, "0123456789") >= length || text_starts(text, "GPU-") ||
			  text_starts(text, "MIG-"));
}

/* How many a list has: "0,1,2,3", or "localhost:0,1" of DeepSpeed's --include; 0: none. */
static int64_t listed(const char *text)
{
	const char *colon = text ? strchr(text, ':') : NULL;
	int64_t count = 0;
	size_t length;

	if (colon)
		text = colon + 1;
	for (; text; text = text[length] ? text + length + 1 : NULL) {
		length = strcspn(text, ",");
		if (!is_device(text, length))
			return 0;
		count++;
	}
	return count;
}

void launch_limit(struct launch_parser *p, const struct shell_word *word)
{
	const int64_t count = word->unresolved ? 0 : listed(word->text);

	if ((count || word->unresolved) && !p->launch->hosts &&
	    !fact_of(p->launch, FIELD_LAUNCH_GPUS_REQUESTED))
		launch_open_fact(p, FIELD_LAUNCH_GPUS_REQUESTED,
				 arena_printf(p->arena, "%lld", (long long)count), word->span,
				 word->unresolved);
}

/* What a launcher may use on its one machine: DeepSpeed's --include, or what CUDA sees; 0: unsaid.
 */
static int64_t seen(const struct launch_parser *p)
{
	const struct launch_flag *include = launch_option(p->launch, "include");

	if (include && include->value)
		return strchr(include->value, '@') ? 0 : listed(include->value);
	return p->launch->hosts ? 0 : listed(p->visible);
}

/* True where accelerate takes one process for each device that it finds. */
static bool counts_devices(const struct launch *launch)
{
	return !fact_of(launch, FIELD_LAUNCH_PROCESSES) && !fact_of(launch, FIELD_LAUNCH_NODES) &&
	       !launch_option(launch, "config_file");
}

/* Launchers that take all devices they see, when nobody gives a number. */
static void count_visible(struct launch_parser *p, int launcher, struct span span)
{
	const struct launch_fact *each = fact_of(p->launch, FIELD_LAUNCH_PER_NODE);
	const bool all = each && (!strcmp(each->text, "gpu") || !strcmp(each->text, "auto"));
	const int64_t count = seen(p);
	const char *text = arena_printf(p->arena, "%lld", (long long)count);

	if (!count)
		return;
	if ((launcher == DEEPSPEED && !each) || (launcher == TORCHRUN && all))
		launch_fact(p, FIELD_LAUNCH_PER_NODE, text, all ? each->span : span);
	else if (launcher == ACCELERATE && counts_devices(p->launch))
		launch_fact(p, FIELD_LAUNCH_PROCESSES, text, span);
}

void launch_settle_launcher(struct launch_parser *p, int launcher, const struct word *word)
{
	const struct launch_fact *fact;

	if (p->launch->open_options) {
		leave_open(p, launcher, launch_span(p, word, 0));
		return;
	}
	count_visible(p, launcher, launch_span(p, word, 0));
	if (launcher < ACCELERATE && !fact_of(p->launch, FIELD_LAUNCH_NODES))
		assume_fact(p, FIELD_LAUNCH_NODES, "1", launch_span(p, word, 0));
	if (launcher < ACCELERATE && !fact_of(p->launch, FIELD_LAUNCH_PER_NODE))
		/* torchrun's default; run_train.sh: NGPU=${NGPU:-"8"} */
		assume_fact(p, FIELD_LAUNCH_PER_NODE, launcher == SHELL ? "8" : "1",
			    launch_span(p, word, 0));
	p->launch->world = world_of(p->launch, launcher);
	fact = fact_of(p->launch, says_world(p->launch, launcher));
	p->launch->world_span = fact ? fact->span : launch_span(p, word, 0);
	fact = fact_of(p->launch, FIELD_LAUNCH_NODES);
	if (fact && launcher == TORCHRUN && fact->span.column > p->launch->world_span.column)
		p->launch->world_span = fact->span;
}

/* What was assigned alone, in front of a script that we know nothing of. */
void launch_settle_assignments(struct launch_parser *p)
{
	const struct launch_fact *per_node = fact_of(p->launch, FIELD_LAUNCH_PER_NODE);

	if (!per_node)
		return;
	p->launch->world_span = per_node->span;
	p->launch->nodes = count_of(p->launch, FIELD_LAUNCH_NODES, 0);
	p->launch->per_node = count_of(p->launch, FIELD_LAUNCH_PER_NODE, 0);
	p->launch->world = multiply(p->launch->nodes, p->launch->per_node);
	if (p->launch->world > INT32_MAX)
		p->launch->world = 0;
}

/* What the config had said before the launch line won. */
static const struct setting *said_before(struct arena *arena, const struct setting *setting)
{
	struct setting *copy;

	if (setting->origin != ORIGIN_GIVEN)
		return setting->overridden;
	copy = arena_new(arena, struct setting);
	*copy = *setting;
	return copy;
}

static void put_fact(struct arena *arena, struct settings *settings, const struct launch_fact *fact)
{
	enum origin origin = span_known(fact->span) ? ORIGIN_LAUNCH : ORIGIN_DEFAULT;
	struct setting *setting = settings_of(settings, fact->field);
	const struct setting *before = said_before(arena, setting);
	int64_t number = 0;

	if (origin == ORIGIN_DEFAULT && before)
		return;
	if (text_to_int(fact->text, &number) && field_of(fact->field)->type == FIELD_INT)
		settings_put_int(settings, arena, fact->field, number, origin);
	else
		settings_put_text(settings, fact->field, fact->text, origin);
	setting->span = fact->span;
	setting->overridden = before;
	if (field_of(fact->field)->type == FIELD_TEXT && !strchr(fact->text, '$'))
		return;
	if (setting->text == fact->text) { /* a range, a variable: no number */
		setting->invalid = true;
		setting->unresolved = fact->text;
	}
}

/* Said, but by a variable of which nothing at hand says what it is. */
static void put_open(struct settings *settings, const struct launch_fact *fact)
{
	struct setting *setting =
		settings_put_text(settings, fact->field, fact->text, ORIGIN_LAUNCH);

	setting->invalid = true;
	setting->unresolved = fact->unresolved;
	setting->span = fact->span;
}

void launch_settle(const struct launch *launch, struct arena *arena, struct settings *settings)
{
	struct setting *world = settings_of(settings, FIELD_WORLD);
	const struct setting *before;
	size_t i;

	for (i = 0; launch && i < launch->facts.count; i++)
		if (launch->facts.items[i].unresolved)
			put_open(settings, &launch->facts.items[i]);
		else
			put_fact(arena, settings, &launch->facts.items[i]);
	if (!launch || !launch->world)
		return;
	before = said_before(arena, world);
	settings_put_int(settings, arena, FIELD_WORLD, launch->world, ORIGIN_LAUNCH);
	world->overridden = before;
	world->span = launch->world_span;
	world->note = launch->nodes && launch->per_node
			      ? arena_printf(arena, "%lld nodes x %lld processes",
					     (long long)launch->nodes, (long long)launch->per_node)
			      : arena_printf(arena, "%lld processes", (long long)launch->world);
}
