#include "base/die.h"
#include "base/io.h"
#include "cli/command.h"
#include "cli/gather.h"
#include "cli/incident.h"
#include "cli/search/brief.h"
#include "report/findings/excerpt.h"
#include "draw/device.h"
#include "draw/subject.h"
#include "evidence/observed/plan.h"
#include "framework/job.h"
#include "rules/judge.h"
#include "rules/rule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EXPAND_LIMIT = 65536 };

struct draw_request {
	struct config_request config;
	const char *figure, *output, *theme, *parameter;
	struct texts axes;
	bool expand;
};

/* "a,b" and "a" "b" are alike. */
static void split_axes(struct arena *arena, const struct texts *given, struct subject *subject)
{
	VEC(const char *) names = { 0 };
	size_t i;

	for (i = 0; i < given->count; i++) {
		const char *from = given->items[i];
		for (;;) {
			size_t length = strcspn(from, ",");
			if (length)
				vec_push(arena, &names, arena_strndup(arena, from, length));
			if (!from[length])
				break;
			from += length + 1;
		}
	}
	if (names.count > 2)
		die("draw: --axis takes one or two names, not %zu", names.count);
	subject->axes = names.items;
	subject->axis_count = names.count;
}

static struct subject subject_of(const struct invocation *invocation,
				 const struct draw_request *request, struct job *job)
{
	struct subject subject =
		subject_of_job(invocation->arena, job, invocation->operands.items[0]);

	subject.expand = request->expand;
	subject.parameter = request->parameter;
	split_axes(invocation->arena, &request->axes, &subject);
	return subject;
}

/* --format, else the extension of -o, else text. */
static const struct device *choose_device(const struct draw_request *request)
{
	const struct device *device;

	if (request->config.format)
		return device_find(request->config.format);
	if (!request->output || !strcmp(request->output, "-"))
		return &device_text;
	device = device_of_path(request->output);
	if (!device)
		die("draw: what kind of picture is '%s'? Name it .svg, .png, .pdf, .dot or .txt, "
		    "or "
		    "give --format",
		    request->output);
	return device;
}

/* True when the terminal shows more than ASCII, going by the locale as POSIX orders its variables.
 */
static bool is_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	size_t i;

	for (i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i]);
		if (value && *value)
			return strstr(value, "UTF-8") || strstr(value, "utf8") ||
			       strstr(value, "utf-8");
	}
	return false;
}

static struct look look_of(const struct invocation *invocation, const struct draw_request *request)
{
	struct look look = { .theme = THEME_AUTO,
			     .color = invocation->color && !request->output,
			     .unicode = is_utf8() };

	if (request->theme && !strcmp(request->theme, "light"))
		look.theme = THEME_LIGHT;
	else if (request->theme && !strcmp(request->theme, "dark"))
		look.theme = THEME_DARK;
	return look;
}

/* Lays the figure out and hands the picture over. */
static void produce(struct invocation *invocation, const struct draw_request *request,
		    const struct subject *subject, const struct figure *figure)
{
	const struct device *device = choose_device(request);
	struct look look = look_of(invocation, request);
	int columns = invocation->columns == STYLE_UNWRAPPED ? 80 : invocation->columns;
	bool to_stdout = !request->output || !strcmp(request->output, "-");
	struct canvas canvas;
	struct buf picture;
	const char *error;

	canvas_init(&canvas, invocation->arena,
		    device->characters ? metrics_characters(columns) : metrics_pixels);
	error = figure->draw(subject, &canvas);
	if (error)
		die("draw: %s", error);
	buf_init(&picture);
	error = device->write(&canvas, &look, &picture);
	if (error)
		die("draw: %s", error);
	if (to_stdout) {
		invocation->kind = device->binary ? OUTWARD_BINARY : OUTWARD_TEXT;
		buf_bytes(invocation->out, picture.data, picture.length);
	} else {
		error = outward_write(invocation->arena, request->output, &picture,
				      device->binary ? OUTWARD_BINARY : OUTWARD_TEXT, false);
		if (error)
			die("cannot write '%s': %s", request->output, error);
	}
	buf_release(&picture);
}

static const struct figure *choose_figure(struct arena *arena, const char *name)
{
	const struct figure *figure = figure_find(name ? name : "mesh");
	const char *names = "";
	size_t i;

	if (figure)
		return figure;
	for (i = 0; figures[i]; i++)
		names = arena_printf(arena, "%s%s%s", names, i ? ", " : "", figures[i]->name);
	die("draw: there is no figure '%s', only %s", name, names);
}

/* Reads and judges what is to be drawn; dies when nothing of it can be. */
static void read_job(const struct invocation *invocation, const char *path,
		     struct overrides *overrides, struct job *job)
{
	struct findings *findings = arena_new(invocation->arena, struct findings);
	struct skips skips = { { 0 } };
	const char *error;

	findings_init(findings, invocation->arena);
	error = job_read(job, invocation->arena, path, overrides, findings);
	if (error)
		die("%s", error);
	error = subject_trouble(job, strcmp(path, "-") ? path : "stdin");
	if (error)
		die("%s", error);
	config_warn(invocation, job);
	rules_run(job, &skips);
	findings_sort(findings);
}

static void check_size(const struct draw_request *request, int64_t world)
{
	if (request->expand && world > EXPAND_LIMIT)
		die("draw: --expand draws at most %d ranks; without it %" PRId64 " fit on a page",
		    EXPAND_LIMIT, world);
}

/* The config that is the first operand. */
static void read_config(const struct invocation *invocation, const struct draw_request *request,
			struct job *job)
{
	const char *path = invocation->operands.items[0];
	struct overrides *overrides = arena_new(invocation->arena, struct overrides);

	config_overrides(invocation, &request->config, overrides); /* the document keeps them */
	overrides->project = config_project(invocation, &request->config, path, overrides);
	read_job(invocation, path, overrides, job);
	check_size(request, job->world);
}

static void draw_config(struct invocation *invocation, const struct draw_request *request,
			const struct figure *figure)
{
	struct subject subject;
	struct job job;
	const char *trouble;

	read_config(invocation, request, &job);
	subject = subject_of(invocation, request, &job);
	subject_forecast(&subject, &job);
	if (figure->forecasts && judge_raised(&job))
		die("draw: the job stops before its first step: %s", judge_raised(&job));
	if (figure->forecasts && !subject.forecast)
		die("draw: %s", job.unforecast);
	trouble = figure->searches ? search_brief(invocation, invocation->operands.items[0],
						  job.document.overrides, &subject)
				   : NULL;
	if (trouble)
		die("draw: %s", trouble);
	produce(invocation, request, &subject, figure);
}

/* ---- evidence ---- */

/* A job of as many ranks, which says where they are; what ran on them takes its plan's place. */
static void draw_evidence(struct invocation *invocation, const struct draw_request *request,
			  const struct figure *figure, const struct operands *evidence)
{
	struct incident *incident = arena_new(invocation->arena, struct incident);
	struct overrides overrides;
	struct subject subject;
	struct job job;

	if (figure->forecasts || figure->searches)
		die("draw: figure %s shows a forecast, which takes a config", figure->name);
	incident_read(invocation, "draw", evidence, NULL, incident);
	if (!incident->whole)
		exit(EXIT_TROUBLE);
	if (incident->unknown && !incident->hang.culprits.count)
		die("draw: %s", incident->unknown);
	if (!incident->observed.families.world)
		die("draw: the evidence does not tell how many ranks the job had");
	config_overrides(invocation, &request->config, &overrides);
	overrides.text = incident_config(invocation->arena, incident);
	read_job(invocation, "evidence.yaml", &overrides, &job);
	check_size(request, job.world);
	subject = subject_of(invocation, request, &job);
	subject_observe(&subject, &incident->observed);
	subject_blame(&subject, &incident->hang);
	produce(invocation, request, &subject, figure);
}

/* Whether a config and evidence are to be compared. */
static bool is_comparison(const struct figure *figure, const struct operands *operands)
{
	return !strcmp(figure->name, "compare") && operands->count > 1 &&
	       !evidence_is(operands->items[0]);
}

/* True when it is known who shares parameters and who repeats them, rank by rank. */
static bool tells_who(const struct plan *ran)
{
	const struct degrees *d = &ran->degrees;

	return (d->dp_shard <= 1 || ran->dense.shard.modes) &&
	       (d->dp_replicate <= 1 || ran->dense.replicate.modes);
}

/* The config's plan beside what ran, where that is known whole: nothing is drawn of what was not
 * seen. */
static void draw_comparison(struct invocation *invocation, const struct draw_request *request,
			    const struct figure *figure, const struct operands *operands)
{
	struct observed observed;
	struct capture capture;
	struct subject subject;
	struct job job;

	read_config(invocation, request, &job);
	gather_evidence(invocation, "draw", operands->items + 1, operands->count - 1, &capture);
	if (capture.cut)
		die("draw: cannot read all of %s", capture.cut);
	observed = observed_of(invocation->arena, &capture, job.intended);
	if (observed.families.world != job.world)
		die("draw: the evidence is not of a job of %" PRId64 " ranks", job.world);
	if (!observed.axes.solved || !tells_who(observed_plan(&observed)))
		die("draw: the evidence does not show the whole of what ran; parplan verify says "
		    "what is open");
	subject = subject_of(invocation, request, &job);
	subject_forecast(&subject, &job);
	subject_compare(&subject, &observed);
	produce(invocation, request, &subject, figure);
}

/* `draw groups FILE...` is `draw --figure groups FILE...`. */
static const struct figure *take_figure(const struct invocation *invocation,
					const struct draw_request *request,
					struct operands *operands)
{
	const struct figure *figure = NULL;

	if (!request->figure && operands->count > 1)
		figure = figure_find(operands->items[0]);
	if (!figure && operands->count == 2 && figure_find(operands->items[1]) &&
	    !io_exists(operands->items[1]))
		die("draw: the figure comes first: parplan draw %s %s", operands->items[1],
		    operands->items[0]);
	if (!figure)
		return choose_figure(invocation->arena, request->figure);
	operands->items++;
	operands->count--;
	return figure;
}

static int run(struct invocation *invocation, void *data)
{
	const struct draw_request *request = data;
	struct operands *operands = &invocation->operands;
	const struct figure *figure = take_figure(invocation, request, operands);

	if (!operands->count)
		die("draw takes one FILE, or evidence of a run (parplan draw --help)");
	if (is_comparison(figure, operands))
		draw_comparison(invocation, request, figure, operands);
	else if (operands->count > 1 || evidence_is(operands->items[0]))
		draw_evidence(invocation, request, figure, operands);
	else
		draw_config(invocation, request, figure);
	return EXIT_CLEAN;
}

static const struct opt options[] = {
	{ OPT_TEXT, 0, "figure", "FIGURE", NULL,
	  "mesh (default), groups, shards, compare, pipeline, memory, breakdown, pareto",
	  offsetof(struct draw_request, figure) },
	{ OPT_TEXT, 'o', "output", "FILE", NULL,
	  "where to: the extension says what (.svg .png .pdf .dot)",
	  offsetof(struct draw_request, output) },
	{ OPT_TEXT, 0, "format", "FORMAT", "svg|png|pdf|dot|text", "kind of picture; default text",
	  offsetof(struct draw_request, config.format) },
	{ OPT_TEXTS, 0, "axis", "AXIS[,AXIS]", NULL,
	  "groups to show: in colours and letters, in numbers",
	  offsetof(struct draw_request, axes) },
	{ OPT_TEXT, 0, "parameter", "NAME", NULL,
	  "figure shards: which parameter, by its name or a part of it",
	  offsetof(struct draw_request, parameter) },
	{ OPT_FLAG, 0, "expand", NULL, NULL, "every node, however many there are",
	  offsetof(struct draw_request, expand) },
	{ OPT_TEXT, 0, "theme", "THEME", "auto|light|dark",
	  "colours; auto: SVG follows the reader's setting", offsetof(struct draw_request, theme) },
	CONFIG_OPTIONS(struct draw_request),
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

/* Graphviz's neato makes images, and evidence may be packed. */
static bool starts(const struct invocation *invocation, const void *request)
{
	const struct device *device = choose_device(request);

	return device == &device_png || device == &device_pdf ||
	       gather_unpacks(invocation, request);
}

const struct command command_draw = {
	.name = "draw",
	.summary = "draw meshes, groups, shards, differences and forecasts",
	.operands = "[FIGURE] FILE|EVIDENCE...",
	.details =
		"The figure `mesh` shows nodes, the ranks in them and the groups along one or\n"
		"two axes. The figure `groups` shows every communicator, the links it takes and\n"
		"what goes over it. The figure `shards` shows one parameter and the ranks that\n"
		"hold each block of it. The figure `compare` shows the plan that the config\n"
		"asks for beside the one that the framework builds, with the difference marked.\n"
		"The figures `pipeline`, `memory` and `breakdown` show a forecast over a step:\n"
		"what each pipeline rank does and when it waits, what is alive in memory, where\n"
		"the seconds go. The figure `pareto` shows the layouts that parplan search\n"
		"finds, by time and memory.\n\n"
		"For evidence of a run (see parplan observe --help), draw shows what ran: the\n"
		"figures `mesh` and `groups` show the groups that were seen and what they\n"
		"carried; `mesh` marks ranks that the others wait for, and their nodes, in red. A "
		"node has 8 ranks unless --set cluster.gpus_per_node=N says\n"
		"otherwise. The figure `compare` with a config before the evidence shows what\n"
		"was asked for beside what ran.\n\n"
		"Without -o the figure is printed as text. SVG, DOT and text are made by\n"
		"parplan itself; PNG and PDF need Graphviz. Large worlds are folded: the nodes\n"
		"left out are like the ones that are shown.",
	.examples = "  parplan draw plans/hsdp-2x8.yaml\n"
		    "  parplan draw plans/hsdp-2x8.yaml --figure compare -o compare.svg\n"
		    "  parplan draw plans/five-d.yaml --figure groups -o groups.svg\n"
		    "  parplan draw plans/hsdp-2x8.yaml --figure shards --parameter wo.weight\n"
		    "  parplan draw groups testdata/evidence/hsdp-2x8\n"
		    "  parplan draw compare plans/hsdp-2x8.yaml testdata/evidence/collapsed\n"
		    "  parplan draw plans/hsdp-2x8.yaml --axis dp_replicate -o mesh.dot",
	.options = options,
	.request_size = sizeof(struct draw_request),
	.run = run,
	.starts = starts,
};
