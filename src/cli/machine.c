#include "cli/machine.h"

#include "base/die.h"
#include "base/io.h"
#include "input/syntax/reader.h"

#include <math.h>
#include <string.h>

void machine_complain(const char *command, const struct findings *findings)
{
	size_t i;

	for (i = 0; i < findings->list.count; i++) {
		const struct finding *finding = findings->list.items[i];
		if (finding->severity == SEVERITY_ERROR)
			die("%s: %s:%u:%u: %s", command, finding->span.source->path,
			    finding->span.line, finding->span.column, finding->message);
	}
}

const struct source *machine_source(struct arena *arena, const char *command, const char *path)
{
	const struct io_text text = io_read(arena, path, READER_BYTES);

	if (!text.text)
		die("%s: cannot read '%s': %s", command, path, text.error);
	return source_new(arena, path, text.text, text.length);
}

const struct source *machine_numbers(struct arena *arena, const char *command, const char *path)
{
	const struct source *source;
	struct findings findings;
	struct profile profile;

	if (!path)
		return NULL;
	source = machine_source(arena, command, path);
	findings_init(&findings, arena);
	profile_init(&profile, arena);
	profile_override(&profile, source, &findings);
	machine_complain(command, &findings);
	return source;
}

static void read_profile(struct machine *machine, struct arena *arena, const char *command,
			 const char *path)
{
	struct io_text text = io_read(arena, path, READER_BYTES);
	struct measurements tables = { 0 };
	struct findings findings;
	const struct source *source;
	size_t i;

	if (!text.text)
		die("%s: %s: %s", command, path, text.error);
	findings_init(&findings, arena);
	source = source_new(arena, path, text.text, text.length);
	profile_override(&machine->profile, source, &findings);
	machine_complain(command, &findings);
	measurements_of_profile(arena, yaml_read(arena, source, &findings), &tables, &findings);
	machine_complain(command, &findings);
	for (i = 0; i < tables.logs.count; i++)
		if (!calibration_add_log(&machine->calibration, tables.logs.items[i]))
			die("%s: %s: no device is called '%s' (parplan presets)", command, path,
			    tables.logs.items[i]->at.gpu);
	for (i = 0; i < tables.list.count; i++)
		if (!calibration_add(&machine->calibration, tables.list.items[i]))
			die("%s: %s: no device is called '%s' (parplan presets)", command, path,
			    tables.list.items[i]->gpu);
}

static void read_gpu(struct machine *machine, struct arena *arena, const char *command,
		     const char *name)
{
	const char *near;

	if (!name)
		die("%s: --gpu is needed: h100-sxm, a100-80g, b200, ... (parplan %s --help)",
		    command, command);
	if (profile_gpu(&machine->profile, name))
		return;
	near = profile_gpu_nearest(arena, name);
	die("%s: no device is called '%s'%s%s", command, name, near ? "; did you mean " : "",
	    near ? near : "");
}

void machine_read(struct machine *machine, struct arena *arena, const char *command,
		  const struct machine_request *request, bool network)
{
	memset(machine, 0, sizeof(*machine));
	profile_init(&machine->profile, arena);
	calibration_init(&machine->calibration, arena);
	read_gpu(machine, arena, command, request->gpu);
	/* Numbers of the usual network, unless one is named. */
	profile_fabric(&machine->profile, "ib");
	machine->profile.fabric = NULL;
	if (request->fabric && !profile_fabric(&machine->profile, request->fabric))
		die("%s: no network is called '%s': ib, roce, efa, tcpx, tcpxo, slingshot, opa, "
		    "nvl72",
		    command, request->fabric);
	if (!network)
		machine->profile.fabric = NULL;
	machine->nic_given = request->nic != NULL;
	if (request->nic && !profile_nic(&machine->profile, request->nic))
		die("%s: --nic takes COUNTxRATE as in 8x400Gb, not '%s'", command, request->nic);
	machine->nccl = request->nccl ? nccl_version(request->nccl) : NCCL_NEWEST;
	if (!machine->nccl)
		die("%s: --nccl takes a version such as 2.27 or 2.27.3, not '%s'", command,
		    request->nccl);
	if (request->profile)
		read_profile(machine, arena, command, request->profile);
	machine->pcie = request->intra && !strcmp(request->intra, "pcie");
	if (request->intra && !machine->pcie &&
	    profile_get(&machine->profile, FIGURE_LINK_BANDWIDTH) <= 0)
		die("%s: %s has no NVLink; leave --intra nvlink out", command,
		    machine->profile.gpu);
}

void machine_place(const struct machine *machine, int64_t ranks, int64_t nodes,
		   struct communicator_place *place)
{
	int64_t each = ranks / nodes;

	communicator_place_init(place, &machine->profile, ranks, nodes);
	place->nccl = machine->nccl;
	place->pcie = place->pcie || machine->pcie;
	if (machine->calibration.rows.count || machine->calibration.logs.count)
		place->calibration = &machine->calibration;
	/* Of the node's usual adapters those of the other devices are not this communicator's. */
	if (!machine->nic_given && (double)each < place->adapters)
		place->adapters = (double)each;
}
