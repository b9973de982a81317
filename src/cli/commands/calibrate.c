#include "base/die.h"
#include "base/io.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cost/choices.h"

#include <inttypes.h>
#include <string.h>

/*
 * parplan calibrate: measured tables into a profile. {"schema":"parplan.calibrate/1","output",
 * "unhealthy","tables":[{"source","op","gpu","ranks","nodes","fabric","nccl","timed","sizes","model_error",
 * "left_out_error"}],"left_out_error":{"below_1mb","from_1mb"},"sources":[{"path","kind","rows",
 * "unreadable","left_out","why"}],"figures":[{"key","value","unit","source"}],"choices":[{"op",
 * "bytes","ranks","nodes","algorithm","protocol","modelled_algorithm","modelled_protocol","same",
 * "same_by_tables"}]}; errors are medians, and null where there are no sizes to judge by.
 */
struct request {
	const char *format, *output, *op;
	struct machine_request machine;
	int64_t ranks, nodes;
};

static const struct opt options[] = {
	{ OPT_TEXT, 'o', "output", "PROFILE", NULL, "the profile to write; - is stdout",
	  offsetof(struct request, output) },
	{ OPT_TEXT, 0, "op", "OP", NULL, "the collective, where the text does not say",
	  offsetof(struct request, op) },
	{ OPT_COUNT, 0, "ranks", "N", NULL, "ranks, where the text does not say",
	  offsetof(struct request, ranks) },
	{ OPT_COUNT, 0, "nodes", "N", NULL, "nodes, where the text does not say",
	  offsetof(struct request, nodes) },
	MACHINE_OPTIONS(struct request),
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to report the fit",
	  offsetof(struct request, format) },
	{ .kind = OPT_END },
};

/* The words of the command line that say what the files do not. */
static struct measurement_hints hints_of(struct arena *arena, const struct request *request)
{
	struct measurement_hints hints = { .gpu = request->machine.gpu,
					   .fabric = request->machine.fabric,
					   .nccl = request->machine.nccl,
					   .ranks = request->ranks,
					   .nodes = request->nodes };
	struct profile profile;

	if (request->op && !(hints.op = collective_find(request->op)))
		die("calibrate: no collective is called '%s' (parplan coll --help lists them)",
		    request->op);
	profile_init(&profile, arena);
	if (request->machine.fabric && !profile_fabric(&profile, request->machine.fabric))
		die("calibrate: no network is called '%s': ib, roce, efa, tcpx, tcpxo, slingshot, "
		    "opa, nvl72",
		    request->machine.fabric);
	if (request->machine.nic && !profile_nic(&profile, request->machine.nic))
		die("calibrate: --nic takes COUNTxRATE as in 8x400Gb, not '%s'",
		    request->machine.nic);
	hints.nic_count = profile_get(&profile, FIGURE_NIC_COUNT);
	hints.nic_bandwidth = profile_get(&profile, FIGURE_NIC_BANDWIDTH);
	hints.pcie = request->machine.intra && !strcmp(request->machine.intra, "pcie");
	return hints;
}

static void read_file(struct arena *arena, const char *path, const struct measurement_hints *hints,
		      struct measurements *tables)
{
	struct findings findings;
	struct text_stream stream;
	const char *error = stream_open(&stream, arena, path);

	if (error)
		die("calibrate: %s: %s", path, error);
	findings_init(&findings, arena);
	measurements_read(arena, &stream, path, hints, tables, &findings);
	if (stream.error)
		die("calibrate: cannot read all of '%s': %s", path, stream.error);
	stream_close(&stream);
	machine_complain("calibrate", &findings);
}

/* Presets' own names into the tables and logs; dies on devices that are none. */
static void name_devices(struct arena *arena, struct measurements *tables,
			 struct calibration *calibration)
{
	struct profile profile;
	size_t i;

	calibration_init(calibration, arena);
	for (i = 0; i < tables->list.count + tables->logs.count; i++) {
		struct measurement *table =
			i < tables->list.count ? tables->list.items[i]
					       : &tables->logs.items[i - tables->list.count]->at;
		profile_init(&profile, arena);
		if (!profile_gpu(&profile, table->gpu))
			die("calibrate: %s: no device is called '%s'; say it with --gpu",
			    table->source, table->gpu);
		table->gpu = profile.gpu;
		if (table->fabric && !profile_fabric(&profile, table->fabric))
			die("calibrate: %s: no network is called '%s'", table->source,
			    table->fabric);
	}
	for (i = 0; i < tables->logs.count; i++)
		calibration_add_log(calibration, tables->logs.items[i]);
	for (i = 0; i < tables->list.count; i++)
		calibration_add(calibration, tables->list.items[i]);
}

/* Numbers hold for one device: two benchmarks' must be of the same. */
static void check_figures(const struct measurements *tables)
{
	size_t i;

	for (i = 1; i < tables->figures.count; i++)
		if (strcmp(tables->figures.items[i].gpu, tables->figures.items[0].gpu) != 0)
			die("calibrate: figures of two devices, %s and %s; write a profile for "
			    "each",
			    tables->figures.items[0].gpu, tables->figures.items[i].gpu);
}

static void write_error(struct json_writer *json, const char *key, double error)
{
	if (error < 0)
		json_null(json, key);
	else
		json_double(json, key, error);
}

static void write_table(struct json_writer *json, const struct calibration_row *row)
{
	const struct measurement *table = row->table;
	const struct calibration_fit fit = calibration_fit(&row, 1, 0, 1e18);

	json_object(json, NULL);
	json_string(json, "source", table->source);
	json_string(json, "op", table->op->name);
	json_string(json, "gpu", table->gpu);
	json_int(json, "ranks", table->ranks);
	json_int(json, "nodes", table->nodes);
	json_string(json, "fabric", table->fabric);
	json_string(json, "nccl", table->nccl);
	json_string(json, "timed", timing_name(table->timed));
	json_int(json, "sizes", (int64_t)table->times.count);
	write_error(json, "model_error", fit.model);
	write_error(json, "left_out_error", fit.left_out);
	json_object_end(json);
}

/* What the reports say. */
struct fit {
	const struct calibration *calibration;
	const struct measurements *tables;
	struct calibration_fit small, large;
	const char *path;
};

static void write_source(struct json_writer *json, const struct measured_source *source)
{
	json_object(json, NULL);
	json_string(json, "path", source->path);
	json_string(json, "kind", source->kind);
	json_int(json, "rows", source->rows);
	json_int(json, "unreadable", source->unreadable);
	json_int(json, "left_out", source->left_out);
	json_string(json, "why", source->why);
	json_object_end(json);
}

static void write_figure(struct json_writer *json, const struct measured_figure *figure)
{
	json_object(json, NULL);
	json_string(json, "key", figure_of(figure->id)->key);
	json_double(json, "value", figure->value);
	json_string(json, "unit", figure_of(figure->id)->unit);
	json_string(json, "source", figure->source);
	json_object_end(json);
}

static void write_choice(struct json_writer *json, const struct choice *choice)
{
	json_object(json, NULL);
	json_string(json, "op", choice->said->op->name);
	json_double(json, "bytes", choice->said->bytes);
	json_int(json, "ranks", choice->log->at.ranks);
	json_int(json, "nodes", choice->log->at.nodes);
	json_string(json, "algorithm", nccl_algorithm_name(choice->said->algorithm));
	json_string(json, "protocol", nccl_protocol_name(choice->said->protocol));
	json_string(json, "modelled_algorithm", nccl_algorithm_name(choice->modelled.algorithm));
	json_string(json, "modelled_protocol", nccl_protocol_name(choice->modelled.protocol));
	json_bool(json, "same", choice->same);
	json_bool(json, "same_by_tables", choice->same_by_tables);
	json_object_end(json);
}

static void write_choices(struct json_writer *json, const struct fit *fit)
{
	struct choices choices;
	size_t i;

	choices_init(&choices, fit->calibration);
	json_array(json, "choices");
	for (i = 0; i < choices.list.count; i++)
		write_choice(json, &choices.list.items[i]);
	json_array_end(json);
}

static void write_json(struct buf *out, const struct fit *fit)
{
	const struct measurements *tables = fit->tables;
	struct json_writer json;
	size_t i;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.calibrate/1");
	json_string(&json, "output", fit->path);
	json_array(&json, "tables");
	for (i = 0; i < fit->calibration->rows.count; i++)
		write_table(&json, &fit->calibration->rows.items[i]);
	json_array_end(&json);
	json_object(&json, "left_out_error");
	write_error(&json, "below_1mb", fit->small.left_out);
	write_error(&json, "from_1mb", fit->large.left_out);
	json_object_end(&json);
	json_int(&json, "unhealthy", (int64_t)tables->unhealthy);
	json_array(&json, "sources");
	for (i = 0; i < tables->sources.count; i++)
		write_source(&json, &tables->sources.items[i]);
	json_array_end(&json);
	json_array(&json, "figures");
	for (i = 0; i < tables->figures.count; i++)
		write_figure(&json, &tables->figures.items[i]);
	json_array_end(&json);
	write_choices(&json, fit);
	json_object_end(&json);
	buf_char(out, '\n');
}

static void put_error(struct buf *out, double error)
{
	if (error < 0)
		buf_text(out, "       -");
	else
		buf_printf(out, " %6.1f%%", 100 * error);
}

static void put_tables(struct buf *out, const struct fit *report)
{
	size_t i;

	buf_text(out,
		 "collective      device     ranks nodes sizes timed           model left out\n");
	for (i = 0; i < report->calibration->rows.count; i++) {
		const struct calibration_row *row = &report->calibration->rows.items[i];
		const struct calibration_fit fit = calibration_fit(&row, 1, 0, 1e18);
		buf_printf(out, "%-15s %-10s %5" PRId64 " %5" PRId64 " %5zu %-13s",
			   row->table->op->name, row->table->gpu, row->table->ranks,
			   row->table->nodes, row->table->times.count,
			   timing_name(row->table->timed));
		put_error(out, fit.model);
		put_error(out, fit.left_out);
		buf_char(out, '\n');
	}
	buf_text(out, "\n"
		      "Median error of each size predicted from the others of its table:\n"
		      " ");
	put_error(out, report->small.left_out);
	buf_text(out, " below 1 MiB,");
	put_error(out, report->large.left_out);
	buf_text(out, " from there on.\n");
}

/* What was not used, and why. */
static void put_sources(struct buf *out, const struct measurements *tables)
{
	size_t i;

	for (i = 0; i < tables->sources.count; i++) {
		const struct measured_source *source = &tables->sources.items[i];
		if (source->unreadable)
			buf_printf(out,
				   "%s: %" PRId64 " of %" PRId64
				   " rows (%s) cannot be read, the first at %" PRId64 ".\n",
				   source->path, source->unreadable,
				   source->unreadable + source->rows + source->left_out,
				   source->kind, source->first);
		if (source->left_out)
			buf_printf(out, "%s: %" PRId64 " left out: %s.\n", source->path,
				   source->left_out, source->why);
	}
}

static void put_figures(struct buf *out, const struct measurements *tables)
{
	size_t i;

	for (i = 0; i < tables->figures.count; i++) {
		const struct measured_figure *figure = &tables->figures.items[i];
		const char *unit = figure_of(figure->id)->unit;
		buf_printf(out, "%-26s %8.4g%s%s  %s\n", figure_of(figure->id)->key, figure->value,
			   strcmp(unit, "1") ? " " : "", strcmp(unit, "1") ? unit : "",
			   figure->source);
	}
	if (tables->figures.count)
		buf_char(out, '\n');
}

static void put_choices(struct buf *out, const struct fit *fit)
{
	struct choices choices;
	bool tables = false;
	size_t i;

	choices_init(&choices, fit->calibration);
	for (i = 0; i < fit->calibration->logs.count; i++) {
		const struct nccl_log *log = fit->calibration->logs.items[i];
		tables = tables || nccl_log_has_tables(log);
		buf_printf(out, "%s: NCCL's %s of %" PRId64 " ranks on %" PRId64 " node%s, %s.\n",
			   log->at.source, nccl_log_has_tables(log) ? "own tables" : "choices",
			   log->at.ranks, log->at.nodes, log->at.nodes == 1 ? "" : "s",
			   nccl_log_has_tables(log) ? "which take the place of the model's"
						    : "without the tables behind them");
	}
	if (choices.list.count)
		buf_printf(out, "%zu choices of NCCL: the model makes %zu of them",
			   choices.list.count, choices.same);
	if (choices.list.count && tables)
		buf_printf(out, ", with NCCL's tables %zu", choices.same_by_tables);
	if (choices.list.count)
		buf_text(out, ".\n");
	for (i = 0; i < choices.list.count; i++) {
		const struct choice *choice = &choices.list.items[i];
		if (choice->same)
			continue;
		buf_printf(out, "  %-14s %12.0f bytes: NCCL %s/%s, the model %s/%s\n",
			   choice->said->op->name, choice->said->bytes,
			   nccl_algorithm_name(choice->said->algorithm),
			   nccl_protocol_name(choice->said->protocol),
			   nccl_algorithm_name(choice->modelled.algorithm),
			   nccl_protocol_name(choice->modelled.protocol));
	}
	if (fit->calibration->logs.count)
		buf_char(out, '\n');
}

static void write_text(struct buf *out, const struct fit *fit)
{
	put_figures(out, fit->tables);
	put_choices(out, fit);
	if (fit->calibration->rows.count)
		put_tables(out, fit);
	put_sources(out, fit->tables);
	if (fit->tables->unhealthy)
		buf_printf(out, "%zu table%s left out that say%s the machine was not healthy.\n",
			   fit->tables->unhealthy, fit->tables->unhealthy == 1 ? "" : "s",
			   fit->tables->unhealthy == 1 ? "s" : "");
	buf_printf(out, "Written to %s; read by --profile.\n", fit->path);
}

static void report(struct invocation *invocation, const struct request *request,
		   const struct calibration *calibration, const struct measurements *tables)
{
	const struct calibration_row **rows =
		arena_array(invocation->arena, calibration->rows.count, sizeof(*rows));
	struct fit fit = { .calibration = calibration, .tables = tables, .path = request->output };
	size_t i;

	for (i = 0; i < calibration->rows.count; i++)
		rows[i] = &calibration->rows.items[i];
	fit.small = calibration_fit(rows, calibration->rows.count, 0, 1 << 20);
	fit.large = calibration_fit(rows, calibration->rows.count, 1 << 20, 1e18);
	if (request->format && !strcmp(request->format, "json"))
		write_json(invocation->out, &fit);
	else
		write_text(invocation->out, &fit);
}

/* The profile is empty when nothing but choices were read. */
static void write_profile(struct arena *arena, const struct request *request,
			  const struct measurements *tables)
{
	const char *error;
	struct buf out;

	buf_init(&out);
	measurements_write(tables, &out);
	if (!out.length)
		buf_text(&out, "{}\n");
	error = outward_write(arena, request->output, &out, OUTWARD_TEXT, false);
	if (error)
		die("calibrate: %s: %s", request->output, error);
	buf_release(&out);
}

/* A profile without a number is none: why each file gave nothing. */
static void check_any(struct arena *arena, const struct measurements *tables)
{
	const char *text = "";
	size_t i;

	if (tables->list.count || tables->logs.count || tables->figures.count || tables->unhealthy)
		return;
	for (i = 0; i < tables->sources.count; i++) {
		const struct measured_source *source = &tables->sources.items[i];
		text = arena_printf(arena, "%s\n  %s: %s", text, source->path,
				    source->why ? source->why : "no row of it can be used");
	}
	die("calibrate: nothing of use in the files, so no profile is written%s", text);
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	const struct operands *operands = &invocation->operands;
	const struct measurement_hints hints = hints_of(invocation->arena, request);
	struct measurements tables = { 0 };
	struct calibration calibration;
	size_t i;

	if (!request->output)
		die("calibrate: --output is needed: the profile to write (parplan calibrate "
		    "--help)");
	if (!operands->count)
		die("calibrate: no file given (parplan calibrate --output PROFILE FILE..., '-' "
		    "reads stdin)");
	for (i = 0; i < operands->count; i++)
		read_file(invocation->arena, operands->items[i], &hints, &tables);
	measurements_close(invocation->arena, &tables);
	check_any(invocation->arena, &tables);
	name_devices(invocation->arena, &tables, &calibration);
	check_figures(&tables);
	write_profile(invocation->arena, request, &tables);
	if (!strcmp(request->output, "-"))
		return EXIT_CLEAN; /* the profile is the product */
	report(invocation, request, &calibration, &tables);
	return EXIT_CLEAN;
}

const struct command command_calibrate = {
	.name = "calibrate",
	.summary = "make a profile of measurements and logs",
	.operands = "FILE...",
	.details =
		"Reads what the programs of nccl-tests print (any version, also with launchers'\n"
		"prefixes before the lines; garbled lines are left out), their JSON (-J),\n"
		"tables as JSON, NCCL's log (NCCL_DEBUG_SUBSYS=INIT,COLL,TUNING,GRAPH), NCCL\n"
		"Inspector's lines, traces of PyTorch's profiler, of any size, and what\n"
		"parplan-cudabench writes. Files of one job belong together: for each call the\n"
		"rank that waited least counts. Writes a profile that --profile reads, and says\n"
		"how well the other sizes of a table predict each size.",
	.examples = "  parplan calibrate --output /dev/null testdata/nccl/h100-all-reduce.txt",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
