#include "base/text.h"
#include "input/axis.h"
#include "report/findings/excerpt.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

/* " (.parplan.yaml:2)": a fact that no config says. */
static void put_project(struct span span, struct buf *out)
{
	buf_printf(out, " (%s:%u)", span.source->path, (unsigned int)span.line);
}

static void put_version(const struct version *version, struct buf *out)
{
	buf_printf(out, "%s %s", version->framework, version->label);
	if (version->given_date)
		buf_text(out, " (a commit not known here, by the day given)");
	if (version->beyond)
		buf_text(out, " (later than the newest commit known, and judged as that one)");
	switch (version->origin) {
	case VERSION_PINNED:
		if (version->project)
			put_project(version->span, out);
		return;
	case VERSION_COMPANION:
		buf_text(out, " (of its date)");
		return;
	case VERSION_MODELLED:
		buf_text(out, " (as modelled)");
		return;
	case VERSION_INFERRED:
		break;
	}
	buf_text(out, " (inferred: ");
	if (version->oldest && version->newest && strcmp(version->oldest, version->newest) != 0)
		buf_printf(out, "fits %s to %s; ", version->oldest, version->newest);
	buf_printf(out, "--framework %s@TAG)", version->framework);
}

/* Companions but torch matter only to who pins them. */
static bool worth_saying(const struct version *version)
{
	return version->origin != VERSION_COMPANION || !strcmp(version->framework, "torch");
}

/* "plan.yaml:4", or the option that said it: "--gpus". */
static void put_place(const struct span *span, struct buf *out)
{
	const char *path = span->source->path;

	if (text_starts(path, "<--"))
		buf_printf(out, " (%.*s)", (int)strcspn(path + 1, ">"), path + 1);
	else
		buf_printf(out, " (%s:%u)", path, (unsigned int)span->line);
}

static void put_world(const struct job *job, struct buf *out)
{
	const struct setting *from = job->world_from;

	if (!job->world) {
		buf_text(out, ", world unknown (--world N)");
		return;
	}
	buf_printf(out, ", world %lld", (long long)job->world);
	if (from && from->origin == ORIGIN_LAUNCH)
		buf_text(out, " (launch line)");
	else if (from && from->origin == ORIGIN_SET && (from->note || !span_known(from->span)))
		buf_printf(out, " (%s)", from->note ? from->note : "--set");
	else if (from && span_known(from->span))
		put_place(&from->span, out);
	else if (from && from->note)
		buf_printf(out, " (%s; --world N)", from->note);
}

static void put_model(const struct job *job, struct buf *out)
{
	const char *experiment = setting_text(&job->settings, FIELD_EXPERIMENT, NULL);
	const char *wants = job->model ? NULL : job_wants_sizes(job);

	if (job->model)
		buf_printf(out, ", model %s", job->model->name);
	else if (experiment)
		buf_printf(out, ", model %s (not modelled: only degrees and meshes are judged)",
			   experiment);
	else if (wants)
		buf_printf(out, ", no model without %s", wants);
	else
		buf_text(out, ", no model (--set model.preset=NAME)");
}

static void put_cluster(const struct job *job, struct buf *out)
{
	const struct topology *topology = job->topology;
	const struct setting *devices = &job->settings.items[FIELD_CLUSTER_GPUS_PER_NODE];
	int64_t gpus = setting_int(&job->settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);

	if (topology && topology->slots && topology->slots < gpus)
		buf_printf(out, ", %lld of %lld GPUs per node (%s)", (long long)topology->slots,
			   (long long)gpus, topology_order(topology));
	else if (topology && topology->slots)
		buf_printf(out, ", %lld GPU%s per node (%s)", (long long)topology->slots,
			   topology->slots == 1 ? "" : "s", topology_order(topology));
	else if (topology)
		buf_printf(out, ", nodes of up to %lld GPUs (%s)", (long long)topology->most,
			   topology_order(topology));
	else if (gpus > 0)
		buf_printf(out, ", %lld GPU%s per node", (long long)gpus, gpus == 1 ? "" : "s");
	else
		buf_text(out, ", no cluster (--set cluster.gpus_per_node=8)");
	if (devices->origin == ORIGIN_PROJECT)
		put_project(devices->span, out);
}

void report_assumptions(const struct job *job, struct buf *out, bool color, int columns)
{
	const struct style style = { color, columns };
	struct buf text;
	size_t i;

	if (!job->readable)
		return;
	buf_init(&text);
	for (i = 0; i < job->versions.list.count; i++) {
		if (!worth_saying(&job->versions.list.items[i]))
			continue;
		buf_text(&text, text.length ? ", " : "");
		put_version(&job->versions.list.items[i], &text);
	}
	if (!job->versions.list.count)
		buf_text(&text, "no framework (--framework NAME@VERSION)");
	if (job->applied && job->applied->assumed)
		buf_printf(&text, " (%s)", job->applied->assumed);
	else if (job->versions.list.count && job->applied && job->applied->unmodelled &&
		 !setting_known(&job->settings.items[FIELD_EXPERIMENT]))
		buf_text(&text, axes_are_open(&job->settings, 0, AXES)
					? " (degrees not known: only its keys are judged)"
					: " (not modelled: only its keys are judged)");
	put_world(job, &text);
	put_model(job, &text);
	put_cluster(job, &text);
	style_put(&style, out, COLOR_DIM);
	wrap_text(out, text_on_line(job->arena, text.data), 0, 2, columns);
	style_put(&style, out, COLOR_PLAIN);
	buf_char(out, '\n');
	buf_release(&text);
}
