#include "rules/traffic.h"

#include "base/buf.h"
#include "base/text.h"

#include <string.h>

/* Bytes of one element of a dtype setting; `otherwise` when it is not set. */
static int64_t dtype_bytes(const struct settings *settings, enum field_id field, int64_t otherwise)
{
	const char *dtype = setting_text(settings, field, "");

	if (!*dtype)
		return otherwise;
	return strcmp(dtype, "float32") ? 2 : 4;
}

/*
 * Bytes one rank receives per step for the units of the first stage, were they sharded and
 * repeated so: all-gathers (again in backward when resharded), one reduce-scatter, one
 * all-reduce of the shard over the replicas. Ring volumes; gradient accumulation repeats them.
 */
struct volume {
	double gather, reduce;
};

static struct volume volume_of(const struct job *job, int64_t shards, int64_t replicas)
{
	const struct plan *plan = job->applied;
	double param = (double)dtype_bytes(&job->settings, FIELD_PARAM_DTYPE, 2);
	double grad = (double)dtype_bytes(&job->settings, FIELD_REDUCE_DTYPE, 4);
	double share = (double)(shards - 1) / (double)shards;
	struct volume volume = { 0 };
	size_t i;

	for (i = 0; i < plan->units.count; i++) {
		const struct unit *unit = &plan->units.items[i];
		double full = (double)unit->shard_elements * (double)layout_size(&unit->shard);

		if (unit->stage || unit->expert)
			continue;
		volume.gather +=
			full * share * (param * (unit->reshard_after_forward ? 2.0 : 1.0) + grad);
		volume.reduce += 2.0 * (double)(replicas - 1) / (double)replicas * full /
				 (double)shards * grad;
	}
	return volume;
}

/* " inside a node", " across nodes", or nothing when it is not known. */
static const char *where(const struct job *job, const struct layout *layout)
{
	struct spans spans;

	if (!job->topology || !topology_spans(job->topology, layout, &spans))
		return "";
	return spans.node == WITHIN_NO ? " across nodes" : " inside a node";
}

static void put_side(const struct job *job, const struct sharding *sharding, bool bytes,
		     struct buf *out)
{
	int64_t shards = layout_size(&sharding->shard),
		replicas = layout_size(&sharding->replicate);
	struct volume volume = volume_of(job, shards, replicas);

	buf_text(out, "all-gather and reduce-scatter");
	if (bytes)
		buf_printf(out, " %s", text_bytes(job->arena, volume.gather));
	buf_printf(out, " over %lld ranks%s", (long long)shards, where(job, &sharding->shard));
	if (replicas < 2) {
		buf_text(out, ", no all-reduce");
		return;
	}
	buf_text(out, ", all-reduce");
	if (bytes)
		buf_printf(out, " %s", text_bytes(job->arena, volume.reduce));
	buf_printf(out, " over %lld%s", (long long)replicas, where(job, &sharding->replicate));
}

/* The largest matrix of the first block: rows a rank holds on both sides. */
static void put_rows(const struct job *job, struct buf *out)
{
	int64_t asked = layout_size(&job->intended->dense.shard);
	int64_t got = layout_size(&job->applied->dense.shard);
	int64_t tp = job->applied->degrees.tp > 1 ? job->applied->degrees.tp : 1;
	size_t i;

	for (i = 0; i < job->applied->parameters.count; i++) {
		const struct parameter *parameter = job->applied->parameters.items[i].parameter;

		if (parameter->layer != 0 || parameter->dims != 2 || parameter->expert || tp > 1 ||
		    parameter->shape[0] % asked || parameter->shape[0] % got)
			continue;
		buf_printf(out, "%s [%lld, %lld]: %lld rows per rank instead of %lld\n",
			   parameter->fqn, (long long)parameter->shape[0],
			   (long long)parameter->shape[1], (long long)(parameter->shape[0] / got),
			   (long long)(parameter->shape[0] / asked));
		return;
	}
}

char *traffic_compare(const struct job *job)
{
	bool bytes = volume_of(job, 2, 1).gather > 0.0;
	struct buf text;
	char *copy;

	buf_init(&text);
	put_rows(job, &text);
	buf_printf(&text, "per step%s as asked: ", bytes ? " each rank receives," : "");
	put_side(job, &job->intended->dense, bytes, &text);
	buf_text(&text, "; as applied: ");
	put_side(job, &job->applied->dense, bytes, &text);
	copy = arena_strdup(job->arena, text.data);
	buf_release(&text);
	return copy;
}
