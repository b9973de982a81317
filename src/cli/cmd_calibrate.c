#include "base/die.h"
#include "base/io.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "input/reader.h"

#include <inttypes.h>
#include <string.h>

/*
 * parplan calibrate: measured tables into a profile. {"schema":"parplan.calibrate/1","output",
 * "unhealthy","tables":[{"source","op","gpu","ranks","nodes","fabric","nccl","timed","sizes","model_error",
 * "left_out_error"}],"left_out_error":{"below_1mb","from_1mb"}}; errors are medians, and null
 * where there are no sizes to judge by.
 */
struct request {
	const char *format, *output, *op;
	struct machine_request machine;
	int64_t nodes;
};

static const struct opt options[] = {
	{ OPT_TEXT, 'o', "output", "PROFILE", NULL, "the profile to write; - is stdout",
	  offsetof(struct request, output) },
	{ OPT_TEXT, 0, "op", "NAME", NULL, "the collective, where the text does not say",
	  offsetof(struct request, op) },
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
	struct io_text text = io_read(arena, path, READER_BYTES);
	struct findings findings;

	if (!text.text)
		die("calibrate: %s: %s", path, text.error);
	findings_init(&findings, arena);
	measurements_read(arena, source_new(arena, path, text.text, text.length), hints, tables,
			  &findings);
	machine_complain("calibrate", &findings);
}

/* Presets' own names into the tables; dies on devices that are none. */
static void name_devices(struct arena *arena, struct measurements *tables,
			 struct calibration *calibration)
{
	struct profile profile;
	size_t i;

	calibration_init(calibration, arena);
	for (i = 0; i < tables->list.count; i++) {
		struct measurement *table = tables->list.items[i];
		profile_init(&profile, arena);
		if (!profile_gpu(&profile, table->gpu))
			die("calibrate: %s: no device is called '%s'; say it with --gpu",
			    table->source, table->gpu);
		table->gpu = profile.gpu;
		if (!calibration_add(calibration, table))
			die("calibrate: %s: no network is called '%s'", table->source,
			    table->fabric);
	}
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

static void write_json(struct buf *out, const char *path, const struct calibration *calibration,
		       const struct calibration_fit *small, const struct calibration_fit *large,
		       size_t unhealthy)
{
	struct json_writer json;
	size_t i;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.calibrate/1");
	json_string(&json, "output", path);
	json_array(&json, "tables");
	for (i = 0; i < calibration->rows.count; i++)
		write_table(&json, &calibration->rows.items[i]);
	json_array_end(&json);
	json_object(&json, "left_out_error");
	write_error(&json, "below_1mb", small->left_out);
	write_error(&json, "from_1mb", large->left_out);
	json_object_end(&json);
	json_int(&json, "unhealthy", (int64_t)unhealthy);
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

static void write_text(struct buf *out, const char *path, const struct calibration *calibration,
		       const struct calibration_fit *small, const struct calibration_fit *large,
		       size_t unhealthy)
{
	size_t i;

	buf_text(out,
		 "collective      device     ranks nodes sizes timed           model left out\n");
	for (i = 0; i < calibration->rows.count; i++) {
		const struct calibration_row *row = &calibration->rows.items[i];
		const struct calibration_fit fit = calibration_fit(&row, 1, 0, 1e18);
		buf_printf(out, "%-15s %-10s %5" PRId64 " %5" PRId64 " %5zu %-13s",
			   row->table->op->name, row->table->gpu, row->table->ranks,
			   row->table->nodes, row->table->times.count,
			   timing_name(row->table->timed));
		put_error(out, fit.model);
		put_error(out, fit.left_out);
		buf_char(out, '\n');
	}
	buf_text(out, "\nMedian error of each size foretold from the others of its table:\n ");
	put_error(out, small->left_out);
	buf_text(out, " below 1 MiB,");
	put_error(out, large->left_out);
	buf_text(out, " from there on.\n");
	if (unhealthy)
		buf_printf(out, "%zu table%s left out that say%s the machine was not healthy.\n",
			   unhealthy, unhealthy == 1 ? "" : "s", unhealthy == 1 ? "s" : "");
	buf_printf(out, "Written to %s; read by --profile.\n", path);
}

static void report(struct invocation *invocation, const struct request *request,
		   const struct calibration *calibration, size_t unhealthy)
{
	const struct calibration_row **rows =
		arena_array(invocation->arena, calibration->rows.count, sizeof(*rows));
	struct calibration_fit small, large;
	size_t i;

	for (i = 0; i < calibration->rows.count; i++)
		rows[i] = &calibration->rows.items[i];
	small = calibration_fit(rows, calibration->rows.count, 0, 1 << 20);
	large = calibration_fit(rows, calibration->rows.count, 1 << 20, 1e18);
	if (request->format && !strcmp(request->format, "json"))
		write_json(invocation->out, request->output, calibration, &small, &large,
			   unhealthy);
	else
		write_text(invocation->out, request->output, calibration, &small, &large,
			   unhealthy);
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	const struct operands *operands = &invocation->operands;
	const struct measurement_hints hints = hints_of(invocation->arena, request);
	struct measurements tables = { 0 };
	struct calibration calibration;
	const char *error;
	struct buf out;
	size_t i;

	if (!request->output)
		die("calibrate: --output is needed: the profile to write (parplan calibrate "
		    "--help)");
	if (!operands->count)
		die("calibrate: no file given (parplan calibrate --output PROFILE FILE..., '-' "
		    "reads stdin)");
	for (i = 0; i < operands->count; i++)
		read_file(invocation->arena, operands->items[i], &hints, &tables);
	name_devices(invocation->arena, &tables, &calibration);
	buf_init(&out);
	measurements_write(&tables, &out);
	error = io_write(invocation->arena, request->output, out.data, out.length);
	if (error)
		die("calibrate: %s: %s", request->output, error);
	buf_release(&out);
	if (!strcmp(request->output, "-"))
		return EXIT_CLEAN; /* the profile is the product */
	report(invocation, request, &calibration, tables.unhealthy);
	return EXIT_CLEAN;
}

const struct command command_calibrate = {
	.name = "calibrate",
	.summary = "make a profile of measured collectives",
	.operands = "FILE...",
	.details =
		"Reads what the programs of nccl-tests print (any version, with launchers' words\n"
		"before the lines; what is garbled is left out), their JSON (-J), and tables of\n"
		"measurements as JSON. Writes a profile that --profile reads, and says how well\n"
		"each size is foretold by the others of its table.",
	.examples = "  parplan calibrate --output /dev/null testdata/nccl/h100-all-reduce.txt",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
