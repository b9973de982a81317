#include "input/launch/launchers.h"

#include "base/text.h"
#include "input/field.h"
#include "input/launch/form.h"
#include "input/setting.h"

#include <ctype.h>
#include <string.h>

/* A program that starts the training script on several devices. */
struct launcher {
	const char *name;
	const char *bare; /* its options that take no value */
	/* Its others, where all are known and its parser takes beginnings of them; or NULL. */
	const char *valued;
	const char *file; /* its option that names a file of what it is told, or NULL */
	bool blocks;	  /* launcher_makes_blocks */
};

static const struct launcher launchers[LAUNCHERS] = {
	[SHELL] = { "torchrun", "",
		    .blocks = true }, /* run_train.sh, which has defaults of its own */
	/* torch 2.15.0 distributed/run.py, get_args_parser */
	[TORCHRUN] = { "torchrun",
		       "standalone|no_python|run_path|use_env|use_agent_store|virtual_local_rank|"
		       "module|help",
		       "nnodes|nproc_per_node|rdzv_backend|rdzv_endpoint|rdzv_id|rdzv_conf|"
		       "max_restarts|monitor_interval|start_method|event_log_handler|role|log_dir|"
		       "redirects|tee|local_ranks_filter|duplicate_stdout_filters|"
		       "duplicate_stderr_filters|node_rank|master_addr|master_port|local_addr|"
		       "logs_specs|numa_binding|signals_to_handle|shutdown_timeout",
		       .blocks = true },
	[ACCELERATE] = { "accelerate",
			 "multi_gpu|cpu|tpu|use_mps_device|use_deepspeed|use_fsdp|use_megatron_lm|"
			 "use_xpu|use_parallelism_config|same_network|standalone|no_python|debug|"
			 "quiet|q|ipex",
			 .file = "config_file", .blocks = true },
	/* deepspeed 0.18.9 launcher/runner.py, parse_args */
	[DEEPSPEED] = { "deepspeed",
			"force_multi|save_pid|no_python|no_local_rank|no_ssh|no_ssh_check|module|"
			"bind_cores_to_rank|elastic_training|quiet|help",
			"hostfile|include|exclude|num_nodes|min_elastic_nodes|max_elastic_nodes|"
			"num_gpus|num_accelerators|master_port|master_addr|node_rank|launcher|"
			"launcher_args|enable_each_rank_log|autotuning|bind_core_list|ssh_port|"
			"venv_script|log_level",
			.blocks = true },
	[COMPOSER] = { "python", "v|verbose", .file = NULL }, /* composer of MosaicML */
	[SRUN] = { "srun",
		   "E|H|I|K|O|Q|V|X|Z|contiguous|container_mount_home|container_readonly|"
		   "container_remap_root|container_writable|disable_status|exact|exclusive|h|help|"
		   "hold|"
		   "immediate|interactive|k|kill_on_bad_exit|l|label|multi_prog|no_allocate|"
		   "no_container_entrypoint|no_container_mount_home|no_container_remap_root|no_"
		   "kill|"
		   "overcommit|overlap|oversubscribe|preserve_env|pty|q|quiet|quit_on_interrupt|"
		   "reboot|"
		   "s|spread_job|test_only|u|unbuffered|usage|use_min_nodes|v|verbose|version|vv|"
		   "whole",
		   .file = NULL },
	[MPIRUN] = { "mpirun",
		     "allow_run_as_root|tag_output|display_map|display_allocation|"
		     "oversubscribe|report_bindings|enable_recovery|q|quiet|v|verbose|"
		     "bynode|byslot|nooversubscribe|output_proctable|noprefix",
		     .file = NULL },
	[RAY] = { "ray", "no_wait|verbose|v", .file = NULL },
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
	{ MPIRUN, "c", FIELD_LAUNCH_PROCESSES },
	{ MPIRUN, "num_proc", FIELD_LAUNCH_PROCESSES },
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
		launch_open_fact(p, FIELD_LAUNCH_PER_NODE, value, span, word->unresolved);
	else if (!strcmp(name, "NNODES"))
		launch_open_fact(p, FIELD_LAUNCH_NODES, value, span, word->unresolved);
	else if (!strcmp(name, "CONFIG_FILE"))
		launch_config(p, value, span);
	else if (!strcmp(name, "MODULE"))
		add_flag(p, "module", value, span);
	else if (!strcmp(name, "CONFIG"))
		add_flag(p, "config", value, span);
}

static const struct launcher *launcher_named(const char *name)
{
	int i = 0;

	while (i < LAUNCHERS && strcmp(launchers[i].name, name) != 0)
		i++;
	return i < LAUNCHERS ? &launchers[i] : NULL;
}

bool launcher_makes_blocks(const char *name)
{
	const struct launcher *launcher = launcher_named(name);

	return launcher && launcher->blocks;
}

bool launcher_has_files(const char *name)
{
	const struct launcher *launcher = launcher_named(name);

	return launcher && launcher->file;
}

const char *launcher_of_option(const char *option, enum field_id *field)
{
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (launchers[options[i].launcher].blocks && !strcmp(options[i].option, option)) {
			*field = options[i].field;
			return launchers[options[i].launcher].name;
		}
	return NULL;
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
	{ "torch.distributed.elastic.multiprocessing", "-m", TORCHRUN },
	{ "run", "tune", TORCHRUN },
	{ "run", "colossalai", TORCHRUN },
	{ "launch", "accelerate", ACCELERATE },
	{ "launch", "accelerate.commands.accelerate_cli", ACCELERATE },
	{ "accelerate-launch", NULL, ACCELERATE },
	{ "accelerate.commands.launch", "-m", ACCELERATE },
	{ "deepspeed", NULL, DEEPSPEED },
	{ "deepspeed.launcher.runner", "-m", DEEPSPEED },
	{ "composer", NULL, COMPOSER },
	{ "composer.cli.launcher", "-m", COMPOSER },
	{ "srun", NULL, SRUN },
	{ "mpirun", NULL, MPIRUN },
	{ "mpiexec", NULL, MPIRUN },
	{ "mpirun.openmpi", NULL, MPIRUN },
	{ "horovodrun", NULL, MPIRUN },
	{ "submit", "job", RAY },
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

/* True of those that start other launchers or programs, not ranks with a rendezvous of their own.
 */
static bool is_outer(int launcher)
{
	return launcher >= SRUN;
}

/* True of a word at which a program of training begins: what follows is its own. */
static bool begins_program(const struct launch_parser *p, size_t i)
{
	const char *text = p->words.items[i].text;
	const char *before = i ? p->words.items[i - 1].text : "";

	if (launch_is_command(text) && !text_starts(before, "-"))
		return true;
	if (text_starts(text, "--"))
		return memchr(text, '.', strcspn(text, "=")) != NULL;
	if (text_ends(text, ".py"))
		return true;
	return !strcmp(before, "-m") && launcher_at(p, i) == LAUNCHERS;
}

/* True of commands that make, move or store images: names of images are no launchers. */
static bool handles_images(const struct launch_parser *p)
{
	const char *name = p->words.count > 1 ? launch_basename(p->words.items[0].text) : "";

	return words_have("docker|podman|enroot|apptainer|singularity|buildah", name) &&
	       words_have("build|buildx|push|pull|tag|save|load|rmi|import|create|commit|image",
			  p->words.items[1].text);
}

/* Index of the word from `from` on that ends a launcher's name, or the number of words. */
static size_t find_launcher(const struct launch_parser *p, size_t from, int *launcher)
{
	size_t i;

	for (i = from; i < p->words.count && !begins_program(p, i) && !handles_images(p); i++) {
		*launcher = launcher_at(p, i);
		if (*launcher != LAUNCHERS)
			return i;
	}
	return p->words.count;
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
	struct launch_flag option = { name,	  value,	   false, launch_span(p, word, 0),
				      word->span, word->unresolved };
	size_t i;

	vec_push(p->arena, &p->launch->options, option);
	p->launch->hosts = p->launch->hosts || (launcher == DEEPSPEED && !strcmp(name, "hostfile"));
	if (!value)
		return;
	if (launchers[launcher].file && !strcmp(name, launchers[launcher].file))
		p->launch->starter_file = value;
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].launcher == launcher && !strcmp(options[i].option, name))
			launch_open_fact(p, options[i].field,
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

/* Options of mpirun with two values: --mca btl tcp, -genv NAME VALUE. */
static bool takes_two(const char *name)
{
	return words_have("mca|gmca|genv|env", name);
}

/* The value of an option: attached, or the next word where that can be one; or NULL. */
static const char *option_value(struct launch_parser *p, char *name, const struct word **word)
{
	const char *equals = strchr((*word)->text, '='), *next;
	const char *value = equals ? equals + 1 : attached_value(name, (*word)->text);

	if (value || !launch_peek(p))
		return value;
	next = launch_peek(p)->text;
	if (text_starts(next, "--") || text_ends(next, ".py"))
		return NULL;
	*word = launch_peek(p);
	p->at++;
	return next;
}

/* The options of "a|b" that begin with `name`: how many, and the last of them. */
static size_t count_begun(const char *of, const char *name, const char **found)
{
	size_t count = 0;

	for (; *of; of += strcspn(of, "|"), of += *of == '|')
		if (text_starts(of, name)) {
			count++;
			*found = of;
		}
	return count;
}

/*
 * argparse takes the beginning of an option for the option where only one begins so. torchrun has
 * two spellings of each, and a beginning of both is refused by older versions of Python; what
 * options a word that is none of them would have set is not known.
 */
static char *full_name(struct launch_parser *p, int launcher, char *name, const struct word *word)
{
	const char *found = NULL, *names = launchers[launcher].valued;
	size_t count;

	if (!names || !text_starts(word->text, "--") || words_have(names, name) ||
	    words_have(launchers[launcher].bare, name))
		return name;
	count = count_begun(names, name, &found) +
		count_begun(launchers[launcher].bare, name, &found);
	if (count == 1) {
		found = arena_strndup(p->arena, found, strcspn(found, "|"));
		if (launcher == DEEPSPEED || strchr(name, '_') || !strchr(found, '_'))
			return arena_strdup(p->arena, found);
	}
	p->launch->open_options = word->text;
	if (!count)
		p->launch->refused = (struct launch_flag) {
			.name = name,
			.value = words_nearest(p->arena, names, name),
			.span = launch_span(p, word, 0),
			.name_span = launch_span(p, word, 0),
		};
	return name;
}

/* One option of a launcher; false at the first word that is none. */
static bool read_option(struct launch_parser *p, int launcher)
{
	const struct word *word = launch_peek(p);
	const char *value;
	char *name;

	if (!word || word->text[0] != '-')
		return false;
	p->at++;
	if (!strcmp(word->text, "--"))
		return false;
	if (!strcmp(word->text, "-m") || !strcmp(word->text, "--module"))
		return true;
	name = full_name(p, launcher, option_name(p->arena, word->text), word);
	if (words_have(launchers[launcher].bare, name) && !strchr(word->text, '=')) {
		note_option(p, launcher, name, NULL, word);
		return true;
	}
	value = option_value(p, name, &word);
	note_option(p, launcher, name, value ? launch_unquoted(p->arena, value) : NULL, word);
	p->at += launcher == MPIRUN && takes_two(name) && launch_peek(p);
	return true;
}

/* A word that is nothing but a variable: it may hold any options. */
static bool is_open_word(const struct word *word)
{
	return word->unresolved && word->text[0] == '$' && word->text[1] != '@';
}

/* True when an open word is followed by what is surely the program. */
static bool program_follows(const struct launch_parser *p)
{
	size_t i;

	for (i = p->at + 1; i < p->words.count; i++)
		if (begins_program(p, i) || p->words.items[i].text[0] == '-')
			return !text_starts(p->words.items[i].text, "--") ||
			       text_ends(p->words.items[i].text, ".py") ||
			       !strcmp(p->words.items[i].text, "--module");
	return false;
}

/* The options; of a word that holds some nobody knows, the launch keeps that there is one. */
static void read_options(struct launch_parser *p, int launcher)
{
	for (;;) {
		if (read_option(p, launcher))
			continue;
		if (!launch_peek(p) || !is_open_word(launch_peek(p)) || !program_follows(p))
			return;
		p->launch->open_options = launch_peek(p)->unresolved;
		p->at++;
	}
}

static void read_launcher(struct launch_parser *p, int launcher, size_t found)
{
	const struct word *word = &p->words.items[found];

	p->launch->launched = p->launch->launched || launcher != RAY;
	if (launcher != RAY) {
		p->launch->launcher = launchers[launcher].name;
		launch_fact(p, FIELD_LAUNCH_LAUNCHER, launchers[launcher].name,
			    launch_span(p, word, 0));
	}
	p->at = found + 1;
	if (launcher == SHELL)
		p->launch->script = word->text;
	else
		read_options(p, launcher);
}

/* The script or module, and how many ranks all of this makes. */
static void read_started(struct launch_parser *p, int launcher, size_t found)
{
	if (launcher == SHELL || is_outer(launcher)) {
		p->launch->program = launcher == SHELL ? NULL : p->launch->script;
	} else if (launch_peek(p)) {
		p->launch->program_span = launch_span(p, launch_peek(p), 0);
		p->launch->program = p->launch->script = p->words.items[p->at++].text;
	}
	if (launcher != RAY)
		launch_settle_launcher(p, launcher, &p->words.items[found]);
}

static void read_assignments(struct launch_parser *p, size_t end)
{
	size_t i;

	for (i = 0; i < end && p->words.items[i].text[0] != '-'; i++)
		if (launch_assigns(p->words.items[i].text))
			read_assignment(p, &p->words.items[i]);
}

void launch_read_launcher(struct launch_parser *p)
{
	int launcher = LAUNCHERS, last = LAUNCHERS;
	size_t found = find_launcher(p, 0, &launcher), at = 0;

	read_assignments(p, found);
	while (found < p->words.count && (last == LAUNCHERS || is_outer(last))) {
		read_launcher(p, launcher, found);
		at = found;
		last = launcher;
		found = find_launcher(p, p->at, &launcher);
	}
	if (last == LAUNCHERS)
		launch_settle_assignments(p);
	else
		read_started(p, last, at);
}

bool launch_has_srun(const struct launch_parser *p)
{
	size_t i;

	for (i = 0; i < p->words.count; i++)
		if (!strcmp(launch_basename(p->words.items[i].text), "srun"))
			return true;
	return false;
}
