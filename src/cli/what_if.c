#include "cli/what_if.h"

#include "base/die.h"
#include "base/json.h"
#include "cli/quantity.h"
#include "framework/job.h"
#include "rules/change.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool what_if_settings(const struct what_if *what_if)
{
	return what_if->gpu || what_if->nic || what_if->fabric || what_if->seq || what_if->batch ||
	       what_if->micro;
}

bool what_if_hurts(const struct what_if *what_if)
{
	return what_if->stragglers.count || what_if->links.count || what_if->imbalance;
}

/* ---- settings ---- */

/* Where the sequences of a microbatch are said, or would be. */
static enum field_id micro_field(const struct job *base)
{
	const struct setting *items = base->settings.items;

	if (setting_given(&items[FIELD_MICRO_BATCH_SIZE]))
		return FIELD_MICRO_BATCH_SIZE;
	if (setting_int(&base->settings, FIELD_PP, 1) > 1)
		return FIELD_PP_MICROBATCH_SIZE;
	return setting_given(&items[FIELD_LOCAL_BATCH_SIZE]) ? FIELD_LOCAL_BATCH_SIZE
							     : FIELD_MICRO_BATCH_SIZE;
}

static void overlay(const struct job *base, struct overrides *overrides, const char *option,
		    enum field_id field, const char *value)
{
	const struct setting *setting = &base->settings.items[field];
	const char *key = setting_given(setting) && setting->spelling ? setting->spelling
								      : field_of(field)->key;
	struct option_text text = { option, arena_join(base->arena, key, "=", value) };

	vec_push(base->arena, &overrides->options, text);
}

static void overlay_text(const struct job *base, struct overrides *overrides, const char *option,
			 enum field_id field, const char *value)
{
	struct buf quoted;

	if (!value)
		return;
	buf_init(&quoted);
	json_quote(&quoted, value);
	overlay(base, overrides, option, field, quoted.data);
	buf_release(&quoted);
}

static void overlay_count(const struct job *base, struct overrides *overrides, const char *option,
			  enum field_id field, int64_t value)
{
	if (value)
		overlay(base, overrides, option, field,
			arena_printf(base->arena, "%" PRId64, value));
}

void what_if_overlay(const struct what_if *what_if, const struct job *base,
		     struct overrides *overrides)
{
	overlay_text(base, overrides, "--gpu", FIELD_CLUSTER_GPU, what_if->gpu);
	overlay_text(base, overrides, "--nic", FIELD_CLUSTER_NIC, what_if->nic);
	overlay_text(base, overrides, "--fabric", FIELD_CLUSTER_FABRIC, what_if->fabric);
	overlay_count(base, overrides, "--seq", FIELD_SEQ_LEN, what_if->seq);
	overlay_count(base, overrides, "--batch", FIELD_GLOBAL_BATCH_SIZE, what_if->batch);
	overlay_count(base, overrides, "--micro", micro_field(base), what_if->micro);
}

/* ---- slow ranks ---- */

/* What is being hurt. */
struct patient {
	const struct job *job;
	struct forecast *forecast;
	struct hurt *hurt; /* per pipeline rank */
	struct changes *changes;
};

/* The plan that says where ranks are in the pipeline, or NULL: outermost, then. */
static const struct plan *placing(const struct job *job)
{
	if (job->applied && !job->applied->unmodelled && plan_mesh(job->applied, "pp"))
		return job->applied;
	return job->intended && plan_mesh(job->intended, "pp") ? job->intended : NULL;
}

static int64_t position_of(const struct patient *patient, int64_t rank)
{
	const struct workload *work = &patient->forecast->work;
	const struct plan *plan = placing(patient->job);
	int64_t position = plan ? plan_pp_rank(plan, rank) : rank / (work->world / work->pp);

	return position < work->pp ? position : work->pp - 1;
}

static int64_t rank_read(const struct patient *patient, const char *option, const char *text,
			 char **end)
{
	const int64_t world = patient->forecast->work.world;
	int64_t rank = strtoll(text, end, 10);

	if (*end == text || rank < 0 || *text == '+' || *text == ' ')
		die("sim: --%s starts with a rank, as in %s, not '%s'", option,
		    !strcmp(option, "straggler") ? "37:1.2x" : "37:2 or node4/nic2", text);
	if (rank >= world)
		die("sim: --%s %s: there is no rank %" PRId64 ", the last one is %" PRId64, option,
		    text, rank, world - 1);
	return rank;
}

static void slow_down(const struct patient *patient, const char *text)
{
	struct arena *arena = patient->job->arena;
	char *end;
	int64_t rank = rank_read(patient, "straggler", text, &end), position;
	double factor = *end == ':' ? strtod(end + 1, &end) : 0;

	if (*end == 'x')
		end++;
	if (*end || !(factor > 1) || factor > 1e6)
		die("sim: --straggler takes RANK:FACTOR with a factor above 1, as in 37:1.2x, not "
		    "'%s'",
		    text);
	position = position_of(patient, rank);
	if (factor > patient->hurt[position].slow)
		patient->hurt[position].slow = factor;
	change_add(patient->changes, CHANGE_SETTING,
		   arena_printf(arena, "computing on rank %" PRId64, rank), "1x",
		   arena_printf(arena, "%.4gx as long", factor));
}

/* ---- lost adapters ---- */

struct adapter {
	int64_t node, number; /* -1: any */
};

struct adapters {
	VEC(struct adapter) list;
};

static int64_t node_of(const struct patient *patient, int64_t rank)
{
	if (patient->job->topology)
		return topology_place(patient->job->topology, rank).node;
	return rank / patient->forecast->work.gpus_per_node;
}

static int64_t number_read(const char *text, const char *whole)
{
	char *end;
	int64_t number = strtoll(text, &end, 10);

	if (end == text || *end || number < 0 || *text == '+' || *text == ' ')
		die("sim: --link-down takes RANK, RANK:NIC or NODE/nicN, not '%s'", whole);
	return number;
}

/* "node4/nic2" or "gpu-a07/nic2", where hosts have names. */
static struct adapter named_read(const struct patient *patient, const char *text, const char *slash)
{
	const struct topology *topology = patient->job->topology;
	const char *name = arena_strndup(patient->job->arena, text, (size_t)(slash - text));
	struct adapter adapter = { -1, -1 };

	if (strncmp(slash, "/nic", 4) != 0)
		die("sim: --link-down takes RANK, RANK:NIC or NODE/nicN, not '%s'", text);
	adapter.number = number_read(slash + 4, text);
	if (topology)
		adapter.node = topology_find(topology, name);
	else if (!strncmp(name, "node", 4))
		adapter.node = number_read(name + 4, text);
	if (adapter.node < 0 || adapter.node >= patient->forecast->work.nodes)
		die("sim: --link-down %s: there is no node '%s' (node0 to node%" PRId64 ")", text,
		    name, patient->forecast->work.nodes - 1);
	return adapter;
}

static struct adapter adapter_read(const struct patient *patient, const char *text)
{
	const char *slash = strchr(text, '/');
	struct adapter adapter = { -1, -1 };
	char *end;

	if (slash)
		return named_read(patient, text, slash);
	adapter.node = node_of(patient, rank_read(patient, "link-down", text, &end));
	if (*end == ':')
		adapter.number = number_read(end + 1, text);
	else if (*end)
		number_read(end, text);
	return adapter;
}

/* The adapters of a node that are lost: each once, those of no number each for itself. */
static int64_t lost_on(const struct adapters *adapters, int64_t node)
{
	int64_t lost = 0;
	size_t i, k;

	for (i = 0; i < adapters->list.count; i++) {
		const struct adapter *adapter = &adapters->list.items[i];
		for (k = 0; k < i && adapter->number >= 0; k++)
			if (adapters->list.items[k].node == adapter->node &&
			    adapters->list.items[k].number == adapter->number)
				break;
		lost += adapter->node == node && (adapter->number < 0 || k == i);
	}
	return lost;
}

/* Every position of the pipeline with a rank on the node is bound by what is left there. */
static void lose_on(const struct patient *patient, int64_t node, int64_t lost)
{
	const struct workload *work = &patient->forecast->work;
	const struct topology *topology = patient->job->topology;
	int64_t slot, rank, ranks = topology ? topology_ranks(topology, node) : work->gpus_per_node;

	for (slot = 0; slot < ranks; slot++) {
		rank = topology ? topology_rank(topology, node, slot)
				: node * work->gpus_per_node + slot;
		if (rank >= 0 && rank < work->world) {
			struct hurt *hurt = &patient->hurt[position_of(patient, rank)];
			if ((double)lost > hurt->adapters)
				hurt->adapters = (double)lost;
		}
	}
}

static void lose(const struct patient *patient, const struct adapters *adapters, size_t i)
{
	const struct adapter *adapter = &adapters->list.items[i];
	const double count = profile_get(&patient->forecast->profile, FIGURE_NIC_COUNT);
	struct arena *arena = patient->job->arena;
	int64_t lost = lost_on(adapters, adapter->node);
	size_t k;

	if ((double)adapter->number >= count)
		die("sim: --link-down: a node has adapters 0 to %.0f, not %" PRId64
		    " (cluster.nic says how many)",
		    count - 1, adapter->number);
	if ((double)lost >= count)
		die("sim: --link-down: node %" PRId64 " would have no adapter left", adapter->node);
	for (k = 0; k < i; k++)
		if (adapters->list.items[k].node == adapter->node)
			return;
	lose_on(patient, adapter->node, lost);
	change_add(patient->changes, CHANGE_SETTING,
		   arena_printf(arena, "adapters of node %" PRId64, adapter->node),
		   arena_printf(arena, "%.0f", count),
		   arena_printf(arena, "%.0f", count - (double)lost));
}

/* ---- experts ---- */

static void unbalance(const struct patient *patient, const char *text)
{
	struct workload *work = &patient->forecast->work;
	struct arena *arena = patient->job->arena;
	const double before = work->imbalance;
	double factor = 0;

	if (!quantity_count(text, &factor) || factor < 1 ||
	    factor > (double)work->ep * (double)work->etp)
		die("sim: --expert-imbalance takes a factor from 1 to the number of ranks that "
		    "share experts (%" PRId64 "), as in 1.3, not '%s'",
		    work->ep * work->etp, text);
	work->imbalance = factor;
	change_add(patient->changes, CHANGE_SETTING, "tokens of the fullest rank's experts",
		   arena_printf(arena, "%.4gx the mean", before),
		   arena_printf(arena, "%.4gx", factor));
}

void what_if_hurt(const struct what_if *what_if, const struct job *job, struct forecast *forecast,
		  struct changes *changes)
{
	struct patient patient = { job, forecast, NULL, changes };
	struct adapters adapters = { 0 };
	int64_t position;
	size_t i;

	patient.hurt = arena_array(job->arena, (size_t)forecast->work.pp, sizeof(*patient.hurt));
	for (position = 0; position < forecast->work.pp; position++)
		patient.hurt[position].slow = 1;
	if (what_if->imbalance)
		unbalance(&patient, what_if->imbalance);
	for (i = 0; i < what_if->stragglers.count; i++)
		slow_down(&patient, what_if->stragglers.items[i]);
	for (i = 0; i < what_if->links.count; i++)
		vec_push(job->arena, &adapters.list,
			 adapter_read(&patient, what_if->links.items[i]));
	for (i = 0; i < adapters.list.count; i++)
		lose(&patient, &adapters, i);
	forecast->work.hurt = patient.hurt;
	forecast_run(forecast, job->arena);
}
