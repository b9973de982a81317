#include "base/die.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cost/calibration.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * parplan coll: how long a collective takes. {"schema":"parplan.coll/1","results":[{"bytes",
 * "time_us","interval_us","algbw_gbps","busbw_gbps","algorithm","protocol","source"}]}.
 */
struct request {
	const char *format, *op, *bytes, *algo, *proto;
	struct machine_request machine;
	int64_t ranks, nodes;
	bool sharp;
};

enum { RANKS_MOST = 1 << 24 };

static const struct opt options[] = {
	{ OPT_TEXT, 0, "op", "OP", NULL,
	  "all_reduce, all_gather, reduce_scatter, broadcast, reduce, all_to_all, send_recv",
	  offsetof(struct request, op) },
	{ OPT_TEXT, 0, "bytes", "N,...", NULL, "sizes as nccl-tests counts them: 8, 64K, 16M, 1G",
	  offsetof(struct request, bytes) },
	{ OPT_COUNT, 0, "ranks", "N", NULL, "ranks of the communicator",
	  offsetof(struct request, ranks) },
	{ OPT_COUNT, 0, "nodes", "N", NULL, "nodes they are on (default 1)",
	  offsetof(struct request, nodes) },
	MACHINE_OPTIONS(struct request),
	{ OPT_TEXT, 0, "algo", "LIST", NULL, "NCCL_ALGO: Ring,Tree or ^NVLS",
	  offsetof(struct request, algo) },
	{ OPT_TEXT, 0, "proto", "LIST", NULL, "NCCL_PROTO: LL,LL128,Simple or ^LL",
	  offsetof(struct request, proto) },
	{ OPT_FLAG, 0, "sharp", NULL, NULL, "the network reduces (CollNet, SHARP)",
	  offsetof(struct request, sharp) },
	{ OPT_TEXT, 0, "profile", "FILE", NULL,
	  "numbers and measured tables of your machine (parplan calibrate)",
	  offsetof(struct request, machine.profile) },
	{ OPT_TEXT, 0, "format", "FORMAT", "text|json", "how to write the answer",
	  offsetof(struct request, format) },
	{ .kind = OPT_END },
};

/* "16M": nccl-tests' suffixes are powers of 1024. */
static double read_size(const char *word)
{
	static const char suffixes[] = "KMGT";
	char *end;
	double size = strtod(word, &end);
	const char *suffix = *end ? strchr(suffixes, *end & ~0x20) : NULL;
	size_t powers = suffix ? (size_t)(suffix - suffixes) + 1 : 0;

	if (suffix)
		end++;
	while (powers--)
		size *= 1024;
	if (end == word || *end || !(size >= 1) || size > 1e15 || size != (double)(int64_t)size)
		die("coll: --bytes takes sizes such as 8, 64K, 16M or 1G separated by commas, not "
		    "'%s'",
		    word);
	return size;
}

struct sizes {
	VEC(double) list;
};

static void read_sizes(struct arena *arena, const char *text, struct sizes *sizes)
{
	memset(sizes, 0, sizeof(*sizes));
	do {
		size_t length = strcspn(text, ",");
		vec_push(arena, &sizes->list, read_size(arena_strndup(arena, text, length)));
		text += length;
	} while (*text++);
}

static const struct collective *read_op(struct arena *arena, const char *name)
{
	const struct collective *op = collective_find(name);
	VEC(const char *) names = { 0 };
	const struct collective *const *known;
	const char *near;

	if (op)
		return op;
	for (known = collectives; *known; known++)
		vec_push(arena, &names, (*known)->name);
	near = text_nearest(name, names.items, names.count);
	die("coll: no collective is called '%s'%s%s (parplan coll --help lists them)", name,
	    near ? "; did you mean " : "", near ? near : "");
}

static void need(const void *given, const char *option)
{
	if (!given)
		die("coll: --%s is needed (parplan coll --help)", option);
}

static void read_place(struct invocation *invocation, const struct request *request,
		       struct machine *machine, struct communicator_place *place)
{
	const int64_t nodes = request->nodes ? request->nodes : 1;

	if (request->ranks > RANKS_MOST)
		die("coll: --ranks takes at most %d", RANKS_MOST);
	if (request->ranks % nodes)
		die("coll: %" PRId64 " ranks do not divide among %" PRId64
		    " nodes; give --ranks a multiple of --nodes",
		    request->ranks, nodes);
	machine_read(machine, invocation->arena, "coll", &request->machine, nodes > 1);
	machine_place(machine, request->ranks, nodes, place);
	place->sharp = request->sharp;
	if (request->algo && !nccl_algorithms(request->algo, &place->algorithms))
		die("coll: --algo takes Tree, Ring, CollNetDirect, CollNetChain, NVLS, NVLSTree "
		    "and "
		    "PAT separated by commas, with ^ before them to leave them out, not '%s'",
		    request->algo);
	if (request->proto && !nccl_protocols(request->proto, &place->protocols))
		die("coll: --proto takes LL, LL128 and Simple separated by commas, with ^ before "
		    "them "
		    "to leave them out, not '%s'",
		    request->proto);
}

static void write_json(struct buf *out, const struct route *route, const struct collective *op,
		       const struct sizes *sizes)
{
	struct json_writer json;
	size_t i;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.coll/1");
	json_array(&json, "results");
	for (i = 0; i < sizes->list.count; i++) {
		double bytes = sizes->list.items[i];
		struct collective_time time = collective_time(route, op, bytes);
		double rate = time.time > 0 ? bytes / time.time / 1e3 : 0;
		json_object(&json, NULL);
		json_int(&json, "bytes", (int64_t)bytes);
		json_double(&json, "time_us", time.time);
		json_array(&json, "interval_us");
		json_double(&json, NULL, time.low);
		json_double(&json, NULL, time.high);
		json_array_end(&json);
		json_double(&json, "algbw_gbps", rate);
		json_double(&json, "busbw_gbps", rate * op->traffic((double)route->place.ranks));
		json_string(&json, "algorithm", collective_way(op, &time));
		json_string(&json, "protocol", nccl_protocol_name(time.protocol));
		json_string(&json, "source", time.calibrated ? "calibrated" : "model");
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	buf_char(out, '\n');
}

/* What the times are of, and how it may be said otherwise. */
static void write_heading(struct buf *out, const struct communicator_place *place,
			  const struct collective *op)
{
	const struct profile *profile = place->profile;

	buf_printf(out, "%s of %" PRId64 " ranks on %" PRId64 " node%s, %s, %s", op->name,
		   place->ranks, place->nodes, place->nodes == 1 ? "" : "s", profile->gpu,
		   place->pcie					 ? "PCIe"
		   : profile_get(profile, FIGURE_CAPABILITY) > 0 ? "NVLink"
								 : "Infinity Fabric");
	if (place->nodes > 1)
		buf_printf(out, ", %gx%gGb/s %s", profile_get(profile, FIGURE_NIC_COUNT),
			   8 * profile_get(profile, FIGURE_NIC_BANDWIDTH),
			   profile->fabric ? profile->fabric : "ib");
	buf_printf(out, ", NCCL 2.%d\n\n", place->nccl);
}

static void write_text(struct buf *out, const struct route *route,
		       const struct communicator_place *place, const struct collective *op,
		       const struct sizes *sizes)
{
	size_t i;

	write_heading(out, place, op);
	buf_text(out, "       bytes     time us        interval   algbw   busbw  algorithm         "
		      " by\n");
	for (i = 0; i < sizes->list.count; i++) {
		double bytes = sizes->list.items[i];
		struct collective_time time = collective_time(route, op, bytes);
		double rate = time.time > 0 ? bytes / time.time / 1e3 : 0;
		char interval[40], way[40];
		snprintf(interval, sizeof(interval), "%.4g..%.4g", time.low, time.high);
		snprintf(way, sizeof(way), "%s/%s", collective_way(op, &time),
			 nccl_protocol_name(time.protocol));
		buf_printf(out, "%12.0f %11.4g %15s %7.1f %7.1f  %-16s %s\n", bytes, time.time,
			   interval, rate, rate * op->traffic((double)route->place.ranks), way,
			   time.calibrated ? "tables" : "model");
	}
}

static int run(struct invocation *invocation, void *data)
{
	const struct request *request = data;
	const struct collective *op;
	struct communicator_place place;
	struct machine machine;
	struct sizes sizes;
	struct route route;

	need(request->op, "op");
	need(request->bytes, "bytes");
	need(request->ranks ? request : NULL, "ranks");
	op = read_op(invocation->arena, request->op);
	read_sizes(invocation->arena, request->bytes, &sizes);
	read_place(invocation, request, &machine, &place);
	route = route_of(&place);
	if (request->format && !strcmp(request->format, "json"))
		write_json(invocation->out, &route, op, &sizes);
	else
		write_text(invocation->out, &route, &place, op, &sizes);
	return EXIT_CLEAN;
}

const struct command command_coll = {
	.name = "coll",
	.summary = "forecast how long a collective takes",
	.operands = "",
	.details = "coll chooses algorithm and protocol by NCCL's own cost model of that version.\n"
		   "The time follows from the links that the ranks share, corrected by measured\n"
		   "tables if the profile has some of such a system. Expect four of five\n"
		   "measurements inside the interval.",
	.examples =
		"  parplan coll --op all_reduce --bytes 1M,16M --ranks 16 --nodes 2 --gpu "
		"h100-sxm\n"
		"  parplan coll --op all_gather --bytes 64M --ranks 8 --gpu a100-80g --nccl 2.27",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
