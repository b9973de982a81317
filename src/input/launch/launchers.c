#include "input/launch/launchers.h"

#include "base/number.h"
#include "base/text.h"
#include "input/field.h"
#include "input/setting.h"

#include <ctype.h>
#include <string.h>

/* A program that starts the training script on several devices. */
struct launcher {
	const char *name;
	const char *bare; /* its options that take no value */
};

enum { SHELL, TORCHRUN, ACCELERATE, DEEPSPEED, COMPOSER, SRUN, MPIRUN, LAUNCHERS };

static const struct launcher launchers[LAUNCHERS] = {
	[SHELL] = { "torchrun", "" }, /* run_train.sh, which has defaults of its own */
	[TORCHRUN] = { "torchrun", "standalone|no_python|run_path|use_env|use_agent_store" },
	[ACCELERATE] = { "accelerate",
			 "multi_gpu|cpu|tpu|use_mps_device|use_deepspeed|use_fsdp|use_megatron_lm|"
			 "use_xpu|use_parallelism_config|same_network|standalone|no_python|debug|"
			 "quiet|q|ipex" },
	[DEEPSPEED] = { "deepspeed", "force_multi|save_pid|no_python|no_local_rank|no_ssh|"
				     "no_ssh_check|enable_each_rank_log|bind_cores_to_rank" },
	[COMPOSER] = { "python", "v|verbose" }, /* composer of MosaicML */
	[SRUN] = { "srun", "exclusive|l|label|u|unbuffered|v|verbose|K|overlap|pty" },
	[MPIRUN] = { "mpirun", "allow_run_as_root|tag_output" },
};

/* What the launchers call our settings. */
static const struct {
	int launcher;
	const char *option;
	enum field_id field;
} options[] = {
	{ TORCHRUN, "nnodes", FIELD_LAUNCH_NODES },
	{ TORCHRUN, "nproc_per_node", FIELD_LAUNCH_PER_NODE },
	{ TORCHRUN, "node_rank", FIELD_LAUNCH_NODE_RANK },
	{ TORCHRUN, "rdzv_endpoint", FIELD_LAUNCH_RDZV_ENDPOINT },
	{ TORCHRUN, "master_addr", FIELD_LAUNCH_RDZV_ENDPOINT },
	{ ACCELERATE, "num_processes", FIELD_LAUNCH_PROCESSES },
	{ ACCELERATE, "num_machines", FIELD_LAUNCH_NODES },
	{ ACCELERATE, "machine_rank", FIELD_LAUNCH_NODE_RANK },
	{ ACCELERATE, "main_process_ip", FIELD_LAUNCH_RDZV_ENDPOINT },
	{ DEEPSPEED, "num_gpus", FIELD_LAUNCH_PER_NODE },
	{ DEEPSPEED, "num_nodes", FIELD_LAUNCH_NODES },
	{ DEEPSPEED, "node_rank", FIELD_LAUNCH_NODE_RANK },
	{ DEEPSPEED, "master_addr", FIELD_LAUNCH_RDZV_ENDPOINT },
	{ COMPOSER, "n", FIELD_LAUNCH_PER_NODE },
	{ COMPOSER, "nproc", FIELD_LAUNCH_PER_NODE },
	{ COMPOSER, "world_size", FIELD_LAUNCH_PROCESSES },
	{ COMPOSER, "node_rank", FIELD_LAUNCH_NODE_RANK },
	{ SRUN, "nodes", FIELD_LAUNCH_NODES },
	{ SRUN, "N", FIELD_LAUNCH_NODES },
	{ SRUN, "ntasks", FIELD_LAUNCH_TASKS },
	{ SRUN, "n", FIELD_LAUNCH_TASKS },
	{ SRUN, "ntasks_per_node", FIELD_LAUNCH_TASKS_PER_NODE },
	{ SRUN, "gpus_per_node", FIELD_LAUNCH_GPUS_REQUESTED },
	{ SRUN, "gres", FIELD_LAUNCH_GPUS_REQUESTED },
	{ MPIRUN, "np", FIELD_LAUNCH_PROCESSES },
	{ MPIRUN, "n", FIELD_LAUNCH_PROCESSES },
};

const struct word *launch_peek(const struct launch_parser *p)
{
	return p->at < p->words.count ? &p->words.items[p->at] : NULL;
}

struct span launch_span(const struct launch_parser *p, const struct word *word, size_t skip)
{
	if (span_known(word->span))
		return word->span;
	return source_span(p->launch->source, word->start + skip, word->end);
}

const char *launch_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *launch_unquoted(struct arena *arena, const char *text)
{
	size_t length;

	while (*text == '\'' || *text == '"')
		text++;
	length = strlen(text);
	while (length && (text[length - 1] == '\'' || text[length - 1] == '"'))
		length--;
	return arena_strndup(arena, text, length);
}

bool launch_assigns(const char *text)
{
	size_t i = 0;

	while (isupper((unsigned char)text[i]) || isdigit((unsigned char)text[i]) || text[i] == '_')
		i++;
	return i > 0 && text[i] == '=' && !isdigit((unsigned char)text[0]);
}

void launch_config(struct launch_parser *p, const char *path, struct span span)
{
	p->launch->config_file = path;
	p->launch->config_span = span;
}

static void add_flag(struct launch_parser *p, const char *name, const char *value, struct span span)
{
	struct launch_flag flag = { name, value, false, span, span, NULL };

	vec_push(p->arena, &p->launch->flags, flag);
}

static void add_open_fact(struct launch_parser *p, enum field_id field, const char *text,
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
	add_open_fact(p, field, text, span, NULL);
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

/* NGPU=8 CONFIG_FILE=x.toml ./run_train.sh: the variables that run_train.sh reads. */
static void read_assignment(struct launch_parser *p, const struct word *word)
{
	size_t length = strcspn(word->text, "=");
	const char *value = launch_unquoted(p->arena, word->text + length + 1);
	struct span span = launch_span(p, word, 0);
	char *name = arena_strndup(p->arena, word->text, length);
	struct launch_flag assignment = { name, value, true, span, span, word->unresolved };

	vec_push(p->arena, &p->launch->environment, assignment);
	if (!strcmp(name, "NGPU"))
		add_open_fact(p, FIELD_LAUNCH_PER_NODE, value, span, word->unresolved);
	else if (!strcmp(name, "NNODES"))
		add_open_fact(p, FIELD_LAUNCH_NODES, value, span, word->unresolved);
	else if (!strcmp(name, "CONFIG_FILE"))
		launch_config(p, value, span);
	else if (!strcmp(name, "MODULE"))
		add_flag(p, "module", value, span);
	else if (!strcmp(name, "CONFIG"))
		add_flag(p, "config", value, span);
}

/* Launchers by their names; `before` is the word in front that makes it one. */
static const struct {
	const char *name, *before;
	int launcher;
} programs[] = {
	{ "run_train.sh", NULL, SHELL },
	{ "run_llama_train.sh", NULL, SHELL },
	{ "torchrun", NULL, TORCHRUN },
	{ "hyperpodrun", NULL, TORCHRUN },
	{ "torch.distributed.run", "-m", TORCHRUN },
	{ "torch.distributed.launch", "-m", TORCHRUN },
	{ "run", "tune", TORCHRUN },
	{ "launch", "accelerate", ACCELERATE },
	{ "deepspeed", NULL, DEEPSPEED },
	{ "composer", NULL, COMPOSER },
	{ "srun", NULL, SRUN },
	{ "mpirun", NULL, MPIRUN },
	{ "mpiexec", NULL, MPIRUN },
};

/* The launcher that ends with word `i`, or LAUNCHERS. */
static int launcher_at(const struct launch_parser *p, size_t i)
{
	const char *name = launch_basename(p->words.items[i].text);
	const char *before = i ? launch_basename(p->words.items[i - 1].text) : "";
	size_t k;

	for (k = 0; k < sizeof(programs) / sizeof(programs[0]); k++)
		if (!strcmp(programs[k].name, name) &&
		    (!programs[k].before || !strcmp(programs[k].before, before)))
			return programs[k].launcher;
	return LAUNCHERS;
}

/* Index of the word that ends the innermost launcher's name, or the number of words. */
static size_t find_launcher(const struct launch_parser *p, int *launcher, size_t *outer)
{
	size_t i, found = p->words.count;
	int here;

	*outer = found;
	for (i = 0; i < p->words.count; i++) {
		const char *name = p->words.items[i].text;
		if ((text_starts(name, "--") && strchr(name, '.')) || text_ends(name, ".py"))
			break;
		here = launcher_at(p, i);
		if (here == LAUNCHERS)
			continue;
		*launcher = here;
		found = i;
		if (here < SRUN)
			break;
		*outer = i;
	}
	return found;
}

/* "gpu:8" or "gpu:h100:8" of --gres as 8. */
static const char *devices_of(const char *value)
{
	const char *colon = strrchr(value, ':');

	return text_starts(value, "gpu:") ? colon + 1 : value;
}

static void note_option(struct launch_parser *p, int launcher, const char *name, const char *value,
			const struct word *word)
{
	size_t i;

	p->launch->hosts = p->launch->hosts || (launcher == DEEPSPEED && !strcmp(name, "hostfile"));
	if (launcher == ACCELERATE && !strcmp(name, "config_file"))
		p->launch->starter_file = value;
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].launcher == launcher && !strcmp(options[i].option, name))
			add_open_fact(p, options[i].field,
				      options[i].field == FIELD_LAUNCH_GPUS_REQUESTED
					      ? devices_of(value)
					      : value,
				      launch_span(p, word, 0), word->unresolved);
}

/* "-N2" as "N" and "2". */
static const char *attached_value(char *name, const char *text)
{
	if (text[0] != '-' || !isalpha((unsigned char)text[1]) || !isdigit((unsigned char)text[2]))
		return NULL;
	name[1] = '\0';
	return text + 2;
}

static char *option_name(struct arena *arena, const char *text)
{
	size_t dashes = strspn(text, "-");
	char *name = arena_strndup(arena, text + dashes, strcspn(text + dashes, "=")), *c;

	for (c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

/* One option of a launcher; false at the first word that is none. */
static bool read_option(struct launch_parser *p, int launcher)
{
	const struct word *word = launch_peek(p);
	const char *value;
	size_t length;
	char *name;

	if (!word || word->text[0] != '-')
		return false;
	p->at++;
	if (!strcmp(word->text, "-m") || !strcmp(word->text, "--module"))
		return true;
	name = option_name(p->arena, word->text);
	if (words_have(launchers[launcher].bare, name))
		return true;
	length = strcspn(word->text, "=");
	value = word->text[length] ? word->text + length + 1 : attached_value(name, word->text);
	if (!value && launch_peek(p) && !text_starts(launch_peek(p)->text, "--") &&
	    !text_ends(launch_peek(p)->text, ".py")) {
		word = launch_peek(p);
		value = word->text;
		p->at++;
	}
	if (value)
		note_option(p, launcher, name, launch_unquoted(p->arena, value), word);
	return true;
}

/* What srun or mpirun starts besides its options: python, a script, another launcher. */
static void read_outer(struct launch_parser *p, size_t outer, size_t end)
{
	p->at = outer + 1;
	while (p->at < end && read_option(p, launcher_at(p, outer)))
		;
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

bool launch_has_srun(const struct launch_parser *p)
{
	size_t i;

	for (i = 0; i < p->words.count; i++)
		if (!strcmp(launch_basename(p->words.items[i].text), "srun"))
			return true;
	return false;
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

static void settle_launcher(struct launch_parser *p, int launcher, const struct word *word)
{
	const struct launch_fact *fact;

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
static void settle_assignments(struct launch_parser *p)
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

static void read_options(struct launch_parser *p, int launcher, size_t found)
{
	const struct word *word = &p->words.items[found];

	p->launch->launched = true;
	p->launch->launcher = launchers[launcher].name;
	launch_fact(p, FIELD_LAUNCH_LAUNCHER, launchers[launcher].name, launch_span(p, word, 0));
	p->at = found + 1;
	if (launcher == SHELL) {
		p->launch->script = word->text;
	} else {
		while (read_option(p, launcher))
			;
		if (launcher < SRUN && launch_peek(p)) /* the script or module */
			p->launch->script = p->words.items[p->at++].text;
		p->launch->program = p->launch->script;
	}
	settle_launcher(p, launcher, word);
}

void launch_read_launcher(struct launch_parser *p)
{
	int launcher = LAUNCHERS;
	size_t outer, found = find_launcher(p, &launcher, &outer), i;

	for (i = 0; i < found; i++) {
		const char *text = p->words.items[i].text;
		if (text[0] == '-')
			break;
		if (launch_assigns(text))
			read_assignment(p, &p->words.items[i]);
	}
	if (outer < found)
		read_outer(p, outer, found);
	p->at = 0;
	if (found < p->words.count)
		read_options(p, launcher, found);
	else
		settle_assignments(p);
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
