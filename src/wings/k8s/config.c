#include "base/buf.h"
#include "base/number.h"
#include "base/text.h"
#include "wings/k8s/container.h"
#include "input/document.h"
#include "input/field.h"
#include "input/keys.h"
#include "input/launch/form.h"
#include "input/launch/launcher_file.h"
#include "input/manifest.h"
#include "input/syntax/scalar.h"
#include "wings/torchtitan/reader.h"
#include "wings/k8s/workload.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/*
 * Kubernetes manifests: Kubeflow's PyTorchJob (training-operator v1, kubeflow/trainer@ee116291) and
 * TrainJob (kubeflow/trainer@8c0f5059), SageMaker's HyperPodPyTorchJob, MPIJob, JobSet,
 * LeaderWorkerSet, KubeRay's RayJob and RayCluster, and plain jobs and pods. They say how many
 * processes there are; what they run says the rest.
 */

static int k8s_detect(const struct document *document)
{
	return manifest_is(document->root) ? 95 : 0;
}

/* `$NAME`, `${NAME}` or `${NAME:-default}` in a text. */
struct variable {
	size_t name, length; /* of the name, in bytes of the text */
	size_t all;	     /* bytes of the whole; 0: there is none */
	size_t otherwise, otherwise_length;
	bool has_default;
};

static struct variable variable_at(const char *text)
{
	bool braces = text[0] == '$' && text[1] == '{';
	struct variable variable = { .name = 1 + braces };
	const char *name = text + variable.name, *end;

	if (text[0] != '$' || (!isalpha((unsigned char)*name) && *name != '_'))
		return variable;
	while (isalnum((unsigned char)name[variable.length]) || name[variable.length] == '_')
		variable.length++;
	end = name + variable.length;
	variable.has_default = braces && end[0] == ':' && end[1] == '-';
	if (variable.has_default) {
		variable.otherwise = (size_t)(end + 2 - text);
		variable.otherwise_length = strcspn(end + 2, "}$");
		end += 2 + variable.otherwise_length;
	}
	if (!braces || *end == '}')
		variable.all = (size_t)(end - text) + braces;
	return variable;
}

/* The value by --env, else by the default in the text; NULL when neither says. */
static const char *value_of(const struct document *document, const char *text,
			    const struct variable *variable)
{
	struct arena *arena = document->arena;
	const char *value = document_env(
		document, arena_strndup(arena, text + variable->name, variable->length));

	if (value || !variable->has_default)
		return value;
	return arena_strndup(arena, text + variable->otherwise, variable->otherwise_length);
}

/*
 * The text with the variables that --env gives in it, as envsubst puts them; *open: others. What a
 * shell in the container reads keeps its defaults, which the container's variables may replace.
 */
static const char *substituted(const struct document *document, const char *text, bool shell,
			       bool *open)
{
	const char *value, *result;
	struct variable variable;
	struct buf out;

	buf_init(&out);
	for (*open = false; *text; text += variable.all ? variable.all : 1) {
		variable = variable_at(text);
		variable.has_default = variable.has_default && !shell;
		value = variable.all ? value_of(document, text, &variable) : NULL;
		if (value)
			buf_text(&out, value);
		else
			buf_bytes(&out, text, variable.all ? variable.all : 1);
		*open = *open || (!value && (variable.all || text_starts(text, "${")));
	}
	result = arena_strndup(document->arena, out.data, out.length);
	buf_release(&out);
	return result;
}

/* A template for envsubst: `replicas: $NUM_NODES`. What a shell in the container reads stays. */
static void substitute(const struct document *document, struct node *node, bool shell)
{
	struct node *child;
	const char *text;
	bool open;

	for (child = node->first; child; child = child->next)
		substitute(document, child,
			   shell || (child->key && (!strcmp(child->key, "command") ||
						    !strcmp(child->key, "args"))));
	if (node->kind != NODE_SCALAR || node->unresolved || !strchr(node->text, '$'))
		return;
	text = substituted(document, node->text, shell, &open);
	if (strcmp(text, node->text) != 0) {
		node->text = text;
		if (!node->quoted)
			scalar_resolve(document->arena, node);
	}
	if (open && !shell)
		node->unresolved = text;
}

/* A quantity, which may stand in quotes: nvidia.com/gpu: "8". */
static const struct node *quantity(struct arena *arena, const struct node *node)
{
	struct node *copy;
	int64_t number;

	if (node->kind != NODE_SCALAR || node->unresolved || node->type != SCALAR_STRING ||
	    !text_to_int(node->text, &number))
		return node;
	copy = arena_new(arena, struct node);
	*copy = *node;
	copy->type = SCALAR_INT;
	copy->integer = number;
	copy->number = (double)number;
	return copy;
}

/* How many pods a set is; false when a template decides. */
static bool pods_of(const struct pod_set *set, int64_t *count, const struct node **open)
{
	const struct node *factors[] = { set->replicas, set->times };
	size_t i;

	*count = 1;
	for (i = 0; i < 2; i++) {
		if (!factors[i] ||
		    (factors[i]->kind == NODE_SCALAR && factors[i]->type == SCALAR_NULL))
			continue;
		if (factors[i]->unresolved || !field_fits(FIELD_INT, factors[i])) {
			*open = factors[i];
			return false;
		}
		*count = multiply(*count, factors[i]->integer);
	}
	return true;
}

/* The number of pods: one key, or the sum of several. */
static void put_pods(struct decoder *decoder, const struct workload *workload)
{
	const struct node *open = NULL, *last = NULL;
	struct setting *setting;
	int64_t sum = 0, count;
	size_t i;

	for (i = 0; i < workload->sets.count; i++) {
		const struct pod_set *set = &workload->sets.items[i];
		if (!pods_of(set, &count, &open)) {
			field_put(decoder, FIELD_LAUNCH_REPLICAS, open);
			return;
		}
		sum += count;
		if (set->replicas)
			last = set->replicas;
	}
	if (!workload->sets.count)
		return;
	if (workload->sets.count == 1 && last && !workload->sets.items[0].times) {
		field_put(decoder, FIELD_LAUNCH_REPLICAS, last);
		return;
	}
	setting = settings_put_int(decoder->settings, decoder->arena, FIELD_LAUNCH_REPLICAS, sum,
				   last ? ORIGIN_GIVEN : ORIGIN_DEFAULT);
	setting->note = workload->sets.count > 1 ? "the pods of all roles" : "one pod";
	if (!last)
		return;
	setting->span = last->span;
	setting->key_span = last->key_span;
	setting->spelling = node_path(decoder->arena, last);
}

/* A quantity of CPUs as whole ones, rounded up as Quantity.Value does: "500m" is 1. */
static int64_t cpus_of(const struct node *quantity)
{
	double number = strtod(quantity->text, NULL);

	if (text_ends(quantity->text, "m"))
		number /= 1000;
	if (number < 1 || number > 1e6)
		return 1;
	return (int64_t)number + (number > (double)(int64_t)number);
}

/* Kinds whose controller sets WORLD_SIZE to the pods times the number that the key gives. */
static bool counts_world(const struct workload *workload)
{
	return !strcmp(workload->kind, "PyTorchJob") ||
	       !strcmp(workload->kind, "HyperPodPyTorchJob");
}

static void put_default(struct decoder *decoder, const char *value, const char *note,
			const struct node *from)
{
	struct setting *setting = settings_put_text(decoder->settings, FIELD_LAUNCH_PER_NODE, value,
						    from ? ORIGIN_DERIVED : ORIGIN_DEFAULT);

	setting->note = note;
	setting->spelling = "spec.nprocPerNode";
	if (from)
		setting->span = from->span;
}

/* Processes in each pod: what the key says, else as many as devices, else as the controller does.
 */
static void put_processes(struct decoder *decoder, const struct workload *workload)
{
	const struct setting *devices = settings_of(decoder->settings, FIELD_LAUNCH_GPUS_REQUESTED);
	bool pytorch = counts_world(workload);

	if (workload->per_pod && field_put(decoder, FIELD_LAUNCH_PER_NODE, workload->per_pod))
		return;
	if (devices->unresolved)
		return;
	if (setting_known(devices) && devices->integer > 0 && workload->counts_devices)
		put_default(decoder, "auto", pytorch ? "Kubeflow's default" : "one for each device",
			    NULL);
	else if (workload->counts_cpus && workload->cpus)
		put_default(
			decoder,
			arena_printf(decoder->arena, "%lld", (long long)cpus_of(workload->cpus)),
			"Kubeflow's trainer counts CPUs where there is no GPU", workload->cpus);
	else if (pytorch && !workload->elastic_per_pod)
		put_default(decoder, "1", "WORLD_SIZE counts one process for each replica", NULL);
}

static bool starts_python(const struct container_command *command)
{
	const char *first = command->words.count ? command->words.items[0].text : "", *slash;

	slash = strrchr(first, '/');
	return text_starts(slash ? slash + 1 : first, "python");
}

/* TorchTitan's degrees, by the names of all its versions. */
static void put_titan_flags(struct decoder *decoder, const struct launch *launch)
{
	size_t i;

	for (i = 0; launch && i < launch->flags.count; i++) {
		const struct launch_flag *flag = &launch->flags.items[i];
		const struct titan_key *key =
			titan_key_ever(titan_flag_path(decoder->arena, flag->name));
		struct node *node;
		if (!key || !titan_is_degree(key->field) || !flag->value)
			continue;
		node = node_scalar(decoder->arena, SCALAR_STRING, flag->value, flag->span);
		node->key = flag->name;
		node->key_span = flag->name_span;
		node->origin = NODE_FROM_FLAG;
		node->unresolved = flag->unresolved;
		scalar_resolve(decoder->arena, node);
		field_put(decoder, key->field, node);
	}
}

/* Words of the command line behind the container's own, which they win over. */
static void add_words_beside(struct document *document, struct container_command *command)
{
	const struct launch *words = document->launch;
	size_t i;

	if (!words || !command->launch || words == command->launch || words->launched)
		return;
	for (i = 0; i < words->arguments.count; i++) {
		const struct launch_word *word = &words->arguments.items[i];
		const struct flag_word flag = { word->text, word->span, word->unresolved };
		vec_push(document->arena, &command->words, flag);
	}
	launch_append(document->arena, command->launch, words);
	document->launch = command->launch;
}

/* What the command says: how it is launched, and the degrees among its flags. */
static void put_command(struct document *document, struct decoder *decoder,
			const struct workload *workload)
{
	struct container_command command = container_command_of(document, workload);
	struct node *flags, *flag;
	bool megatron = false;

	if (!document->launch)
		document->launch = command.launch;
	add_words_beside(document, &command);
	launch_settle(command.launch, decoder->arena, decoder->settings);
	if (command.launch && !command.launch->launched && counts_world(workload) &&
	    starts_python(&command))
		settings_put_text(decoder->settings, FIELD_LAUNCH_LAUNCHER, "kubernetes",
				  ORIGIN_GIVEN);
	flags = flags_map(decoder->arena, command.words.items, command.words.count);
	for (flag = flags->first; flag; flag = flag->next) {
		flag->origin = NODE_FROM_FLAG;
		megatron = megatron || megatron_is_degree(flag->key);
	}
	if (!megatron) {
		put_titan_flags(decoder, command.launch);
		return;
	}
	settings_put_text(decoder->settings, FIELD_ENGINE, "megatron", ORIGIN_DERIVED)->note =
		"the command's flags";
	megatron_settle(decoder, flags, &megatron_itself);
	if (command.launch && megatron_is_trainer(command.launch->program))
		megatron_precision(decoder, NULL, command.launch->program_span);
}

/* Kinds that start processes of others' making are not known to start nothing. */
static const char *starts_nothing(struct arena *arena, const char *kind)
{
	static const char idle[] =
		"ConfigMap|Secret|Role|RoleBinding|ClusterRole|ClusterRoleBinding|ServiceAccount|"
		"Service|Kustomization|Namespace|CustomResourceDefinition|PersistentVolume|"
		"PersistentVolumeClaim|StorageClass|NetworkPolicy|Ingress|PriorityClass|"
		"WorkloadPriorityClass|ClusterQueue|LocalQueue|ResourceFlavor|Topology|Cohort|"
		"LimitRange|ResourceQuota|MutatingWebhookConfiguration|"
		"ValidatingWebhookConfiguration|PodDisruptionBudget|ServiceMonitor|PodMonitor|"
		"HorizontalPodAutoscaler|TrainingRuntime|ClusterTrainingRuntime|Certificate|Issuer|"
		"Component|List";
	const char *article = *kind && strchr("AEIOU", *kind) ? "an" : "a";

	if (words_have(idle, kind))
		return arena_printf(arena, "%s %.60s starts nothing", article, kind);
	return arena_printf(arena, "what %s %.60s starts is not known", article, kind);
}

/* The pods, and the processes of each. */
static void put_workload(struct decoder *decoder, const struct workload *workload)
{
	put_pods(decoder, workload);
	if (workload->devices)
		field_put(decoder, FIELD_LAUNCH_GPUS_REQUESTED,
			  quantity(decoder->arena, workload->devices));
	if (workload->elastic_per_pod)
		field_put(decoder, FIELD_LAUNCH_ELASTIC_PER_NODE, workload->elastic_per_pod);
	put_processes(decoder, workload);
}

/* What --set gave stays in the tree; the manifest is no framework's config. */
static struct node *without_manifest(struct document *document)
{
	struct node *root = node_container(document->arena, NODE_MAP, document->root->span);
	struct node *child, *next;

	for (child = document->root->first; child; child = next) {
		next = child->next;
		if (child->origin == NODE_FROM_SET) {
			node_remove(child);
			node_append(root, child);
		}
	}
	return root;
}

/* A command of a framework that reads its launch lines itself makes the manifest its config. */
static void hand_over(struct document *document, struct findings *findings)
{
	const struct workload *workload =
		workload_of(document->arena, document->root, document->documents);
	struct settings *settings = arena_new(document->arena, struct settings);
	struct decoder decoder = { document->arena, settings, findings };
	struct container_command command;
	const struct launch_form *form;

	if (!workload->is_job)
		return;
	command = container_command_of(document, workload);
	form = launch_form_of(command.launch);
	if (!form || !form->dialect)
		return;
	settings_init(settings);
	put_workload(&decoder, workload);
	launch_settle(command.launch, decoder.arena, settings);
	launcher_facts(decoder.arena, command.launch, settings);
	document->root = without_manifest(document);
	launch_form_take(document, command.launch, findings);
}

static void k8s_compose(struct document *document, struct findings *findings)
{
	struct node *node;

	for (node = document->documents; node; node = node->next)
		substitute(document, node, false);
	if (document->root->origin != NODE_FROM_FILE || !document->documents)
		substitute(document, document->root, false);
	document->manifest = document->root;
	if (!document->launch ||
	    !document->launch->launched) /* words are laid over the command's */
		hand_over(document, findings);
}

static void k8s_settle(struct document *document, moment_t when, struct settings *settings,
		       struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct workload *workload =
		workload_of(document->arena, document->root, document->documents);

	(void)when;
	if (!workload->is_job) {
		document->no_job = starts_nothing(document->arena, workload->kind);
		return;
	}
	put_workload(&decoder, workload);
	put_command(document, &decoder, workload);
}

const struct dialect dialect_k8s = {
	.name = "k8s",
	.summary =
		"Kubernetes manifests of training jobs: PyTorchJob, TrainJob, JobSet, RayJob, ...",
	.signs = "'apiVersion' and 'kind'",
	.framework = NULL,
	.as_of = "ee116291 (PyTorchJob), 8c0f5059 (TrainJob)",
	.starts = true,
	.detect = k8s_detect,
	.compose = k8s_compose,
	.settle = k8s_settle,
};
