#include "base/json.h"
#include "report/findings/json.h"
#include "report/plan/view.h"
#include "report/reshard/reshard.h"

#include <string.h>

struct reshard_time reshard_time(const struct reshard_report *report)
{
	const struct reshard *reshard = &report->loading->reshard;
	struct reshard_time time = { 0 };

	if (report->loading->trouble)
		return time;
	if (report->storage > 0) {
		time.known = true;
		time.seconds = (double)reshard->total.read / (report->storage * 1e9);
	}
	if (report->node > 0 && report->per_node) {
		double seconds;
		loading_node(report->loading, report->per_node, &time.node, &time.node_bytes);
		seconds = (double)time.node_bytes / (report->node * 1e9);
		time.by_node = !time.known || seconds > time.seconds;
		if (time.by_node)
			time.seconds = seconds;
		time.known = true;
	}
	return time;
}

static const char *const sources[] = {
	[CHECKPOINT_UNKNOWN] = "unknown",
	[CHECKPOINT_DEGREES] = "degrees",
	[CHECKPOINT_CONFIG] = "config",
	[CHECKPOINT_METADATA] = "metadata",
};

static void put_degrees(struct json_writer *json, const struct checkpoint *checkpoint)
{
	const struct degrees *degrees = &checkpoint->degrees;

	if (checkpoint->source == CHECKPOINT_METADATA) {
		json_null(json, "degrees");
		return;
	}
	json_object(json, "degrees");
	json_int(json, "dp_replicate", degrees->dp_replicate);
	json_int(json, "dp_shard", degrees->dp_shard);
	json_int(json, "cp", degrees->cp);
	json_int(json, "tp", degrees->tp);
	json_int(json, "pp", degrees->pp);
	json_int(json, "ep", degrees->ep);
	json_object_end(json);
}

static void put_checkpoint(struct json_writer *json, const struct loading *loading)
{
	const struct checkpoint *checkpoint = loading->resume->checkpoint;

	json_object(json, "checkpoint");
	json_string(json, "source", sources[checkpoint->source]);
	json_string(json, "path", checkpoint->name);
	put_degrees(json, checkpoint);
	if (!loading->trouble) {
		json_int(json, "tensors", (int64_t)loading->saved.tensors.count);
		json_int(json, "chunks", saved_chunks(&loading->saved));
		json_int(json, "bytes", saved_bytes(&loading->saved));
		json_int(json, "files", (int64_t)loading->saved.files.count);
	}
	json_object_end(json);
}

/* "reshards", "fails: ...". */
static void put_components(struct json_writer *json, struct arena *arena,
			   const struct resume *resume)
{
	int i;

	json_object(json, "components");
	for (i = 0; i < COMPONENTS; i++) {
		const struct obstacle *obstacle = resume_obstacle(resume, (enum component)i);
		const char *why = obstacle ? obstacle->what : resume->notes[i];
		const char *text = fate_name(resume->fates[i]);
		if (why)
			text = arena_printf(arena, "%s: %s", text, why);
		json_string(json, component_name((enum component)i), text);
	}
	json_object_end(json);
}

static void put_obstacles(struct json_writer *json, const struct resume *resume)
{
	size_t i;

	json_array(json, "obstacles");
	for (i = 0; i < resume->obstacles.count; i++) {
		const struct obstacle *obstacle = &resume->obstacles.items[i];
		json_object(json, NULL);
		json_string(json, "component", component_name(obstacle->component));
		json_string(json, "fate", fate_name(obstacle->fate));
		json_string(json, "rule", obstacle->rule);
		json_string(json, "message", obstacle->what);
		json_string(json, "error", obstacle->error);
		json_string(json, "way_out", obstacle->way);
		json_string(json, "lost", obstacle->lost);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_reads(struct json_writer *json, const struct reshard_report *report)
{
	const struct reshard *reshard = &report->loading->reshard;
	bool all = report->expand || reshard->ranks <= RANKS_LISTED;
	int64_t rank, shown = all ? reshard->ranks : 0;

	json_array(json, "reads");
	for (rank = 0; rank < shown; rank++) {
		json_object(json, NULL);
		json_int(json, "rank", rank);
		json_int(json, "bytes", reshard->load[rank].read);
		json_int(json, "needed_bytes", reshard->load[rank].needed);
		json_int(json, "chunks", reshard->load[rank].chunks);
		json_int(json, "files", reshard->load[rank].files);
		json_object_end(json);
	}
	json_array_end(json);
	json_bool(json, "complete", all && !report->loading->trouble);
	json_string(json, "reads_unknown", report->loading->trouble);
}

static void put_total(struct json_writer *json, const struct loading *loading)
{
	const struct reshard *reshard = &loading->reshard;

	if (loading->trouble) {
		json_null(json, "total");
		return;
	}
	json_object(json, "total");
	json_int(json, "ranks", reshard->ranks);
	json_int(json, "bytes", reshard->total.read);
	json_int(json, "needed_bytes", reshard->total.needed);
	json_int(json, "distinct_bytes", reshard->distinct);
	json_int(json, "repeated_bytes", reshard->total.read - reshard->distinct);
	json_int(json, "chunks", reshard->total.chunks);
	json_int(json, "opens", reshard->total.files);
	json_int(json, "files_opened", reshard->opened);
	json_int(json, "most_loaded_rank", reshard->most);
	json_int(json, "most_files_rank", reshard->most_files);
	json_int(json, "tensors", reshard->tensors);
	json_int(json, "unmatched_tensors", reshard->unmatched);
	json_int(json, "uncovered_tensors", reshard->uncovered);
	json_object_end(json);
}

static void put_time(struct json_writer *json, const struct reshard_report *report)
{
	struct reshard_time time = reshard_time(report);

	if (!time.known) {
		json_null(json, "time");
		return;
	}
	json_object(json, "time");
	json_double(json, "seconds", time.seconds);
	json_string(json, "bound", time.by_node ? "node" : "storage");
	if (report->storage > 0)
		json_double(json, "storage_gbps", report->storage);
	if (report->node > 0)
		json_double(json, "node_gbps", report->node);
	if (time.by_node) {
		json_int(json, "node", time.node);
		json_int(json, "node_bytes", time.node_bytes);
	}
	json_object_end(json);
}

static void put_box(struct json_writer *json, const char *key, const struct box *box)
{
	json_object(json, key);
	json_ints(json, "shape", box->shape, box->dims);
	json_ints(json, "offset", box->offset, box->dims);
	json_object_end(json);
}

static void put_reading(struct json_writer *json, const struct loading *loading,
			const struct reading *reading)
{
	const struct saved_tensor *tensor = reading->tensor;
	const struct stored *stored = tensor->stored ? &tensor->stored[reading->box] : NULL;

	json_object(json, NULL);
	json_string(json, "fqn", tensor->fqn);
	json_string(json, "file", loading->saved.files.items[tensor->file[reading->box]]);
	if (stored) {
		json_int(json, "start", stored->start);
		json_int(json, "length", stored->length);
	} else {
		json_null(json, "start");
		json_null(json, "length");
	}
	put_box(json, "chunk", &reading->saved);
	put_box(json, "part", &reading->part);
	json_ints(json, "dest", reading->dest, reading->part.dims);
	json_int(json, "needed_bytes", reading->needed);
	json_int(json, "bytes", reading->read);
	json_object_end(json);
}

static void put_rank(struct json_writer *json, const struct reshard_report *report)
{
	size_t i;

	if (!report->listed || report->loading->trouble) {
		json_null(json, "rank");
		return;
	}
	json_object(json, "rank");
	json_int(json, "rank", report->rank);
	json_array(json, "reads");
	for (i = 0; i < report->readings.list.count; i++)
		put_reading(json, report->loading, &report->readings.list.items[i]);
	json_array_end(json);
	json_object_end(json);
}

void report_reshard_json(const struct reshard_report *report, struct buf *out)
{
	const struct loading *loading = report->loading;
	struct json_writer json;
	size_t i;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.reshard/1");
	if (report->refused || !resume_loads(loading->resume))
		json_bool(&json, "compatible", false);
	else if (resume_judged(loading->resume))
		json_bool(&json, "compatible", true);
	else
		json_null(&json, "compatible");
	put_checkpoint(&json, loading);
	put_components(&json, report->job->arena, loading->resume);
	put_obstacles(&json, loading->resume);
	put_reads(&json, report);
	put_total(&json, loading);
	put_time(&json, report);
	put_rank(&json, report);
	json_array(&json, "findings");
	for (i = 0; i < report->findings.count; i++)
		finding_json(&json, report->job->document.source->path, report->findings.items[i]);
	json_array_end(&json);
	json_object_end(&json);
	buf_char(out, '\n');
}
