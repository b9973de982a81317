#include "rules/traffic.h"

#include "base/buf.h"
#include "base/text.h"
#include "sim/forecast.h"

#define GIB 1073741824.0

/* " inside a node", " across nodes", or nothing when it is not known. */
static const char *where(const struct job *job, const struct layout *layout)
{
	struct spans spans;

	if (!job->topology || !topology_spans(job->topology, layout, &spans))
		return "";
	return spans.node == WITHIN_NO ? " across nodes" : " inside a node";
}

/* " 50.3 GiB", or nothing where nobody knows it. */
static void put_received(const struct job *job, const struct traffics *traffics,
			 const struct layout *layout, struct buf *out)
{
	double bytes = traffic_over(traffics, layout);

	if (bytes > 0)
		buf_printf(out, " %s", text_bytes(job->arena, bytes));
}

static void put_side(const struct job *job, const struct plan *plan,
		     const struct traffics *traffics, struct buf *out)
{
	const struct sharding *sharding = &plan->dense;
	int64_t shards = layout_size(&sharding->shard),
		replicas = layout_size(&sharding->replicate);

	if (shards > 1) {
		buf_text(out, "all-gather and reduce-scatter");
		put_received(job, traffics, &sharding->shard, out);
		buf_printf(out, " over %lld ranks%s, ", (long long)shards,
			   where(job, &sharding->shard));
	}
	if (replicas < 2) {
		buf_text(out, "no all-reduce");
		return;
	}
	buf_text(out, "all-reduce");
	put_received(job, traffics, &sharding->replicate, out);
	buf_printf(out, " over %lld%s", (long long)replicas, where(job, &sharding->replicate));
}

const char *traffic_rows(const struct job *job)
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
		return arena_printf(
			job->arena, "%s [%lld, %lld]: %lld rows per rank instead of %lld",
			parameter->fqn, (long long)parameter->shape[0],
			(long long)parameter->shape[1], (long long)(parameter->shape[0] / got),
			(long long)(parameter->shape[0] / asked));
	}
	return NULL;
}

char *traffic_forecasts(struct job *job)
{
	const struct forecast *applied = forecast_of(job);
	struct forecast asked;

	if (!applied || forecast_read(&asked, job, job_asked(job), NULL))
		return arena_strdup(job->arena, "");
	return arena_printf(job->arena,
			    "\nforecast: a step takes %.4g s and %.1f GiB as asked, %.4g s and "
			    "%.1f GiB as applied",
			    asked.step.total, asked.memory.device / GIB, applied->step.total,
			    applied->memory.device / GIB);
}

char *traffic_compare(struct job *job)
{
	const struct plan *asked = job_asked(job);
	const struct traffics before = forecast_traffic(job, asked);
	const struct traffics after = forecast_traffic(job, job->applied);
	const char *rows = traffic_rows(job);
	struct buf text;
	char *copy;

	buf_init(&text);
	if (rows)
		buf_printf(&text, "%s\n", rows);
	buf_printf(&text, "per step%s as asked: ", before.list.count ? " each rank receives," : "");
	put_side(job, job->intended, &before, &text);
	buf_text(&text, "; as applied: ");
	put_side(job, job->applied, &after, &text);
	buf_text(&text, traffic_forecasts(job));
	copy = arena_strdup(job->arena, text.data);
	buf_release(&text);
	return copy;
}
