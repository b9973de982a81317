#include "cuda/bench.h"

#include "base/die.h"

#include <cuda_runtime.h>
#include <string.h>

/*
 * Collectives of one process that drives all devices, printed as nccl-tests prints them, so that
 * one reader serves both. Times are the slowest device's, by events, over calls in a row.
 */
struct request {
	struct bench_request bench;
	const char *op;
	int64_t from, to;
};

#if defined(HAVE_NCCL)

#include <nccl.h>
#include <stdio.h>
#include <unistd.h>

enum { DEVICES = 64, WARM = 5 };

struct device {
	int id;
	cudaStream_t stream;
	cudaEvent_t start, end;
	void *send, *receive;
	char name[256], bus[32];
};

struct group {
	struct bench *bench;
	int count;
	size_t most; /* bytes of each buffer */
	ncclComm_t communicators[DEVICES];
	struct device devices[DEVICES];
};

static void check(ncclResult_t result, const char *call)
{
	if (result != ncclSuccess)
		die("cudabench: %s: %s", call, ncclGetErrorString(result));
}
#define NCCL(call) check(call, #call)

/* One rank's part of a call on `bytes` as nccl-tests' size column counts them; float. */
struct call {
	const void *send;
	void *receive;
	size_t bytes;
	int rank, ranks;
	ncclComm_t communicator;
	cudaStream_t stream;
};

static ncclResult_t all_reduce(const struct call *call)
{
	return ncclAllReduce(call->send, call->receive, call->bytes / 4, ncclFloat, ncclSum,
			     call->communicator, call->stream);
}

static ncclResult_t all_gather(const struct call *call)
{
	return ncclAllGather(call->send, call->receive, call->bytes / 4 / (size_t)call->ranks,
			     ncclFloat, call->communicator, call->stream);
}

static ncclResult_t reduce_scatter(const struct call *call)
{
	return ncclReduceScatter(call->send, call->receive, call->bytes / 4 / (size_t)call->ranks,
				 ncclFloat, ncclSum, call->communicator, call->stream);
}

static ncclResult_t broadcast(const struct call *call)
{
	return ncclBroadcast(call->send, call->receive, call->bytes / 4, ncclFloat, 0,
			     call->communicator, call->stream);
}

static ncclResult_t reduce(const struct call *call)
{
	return ncclReduce(call->send, call->receive, call->bytes / 4, ncclFloat, ncclSum, 0,
			  call->communicator, call->stream);
}

static ncclResult_t all_to_all(const struct call *call)
{
	const size_t part = call->bytes / 4 / (size_t)call->ranks;
	ncclResult_t result = ncclSuccess;
	int peer;

	for (peer = 0; peer < call->ranks && result == ncclSuccess; peer++) {
		result = ncclSend((const float *)call->send + (size_t)peer * part, part, ncclFloat,
				  peer, call->communicator, call->stream);
		if (result == ncclSuccess)
			result = ncclRecv((float *)call->receive + (size_t)peer * part, part,
					  ncclFloat, peer, call->communicator, call->stream);
	}
	return result;
}

static ncclResult_t send_recv(const struct call *call)
{
	const int next = (call->rank + 1) % call->ranks,
		  last = (call->rank + call->ranks - 1) % call->ranks;
	ncclResult_t result = ncclSend(call->send, call->bytes / 4, ncclFloat, next,
				       call->communicator, call->stream);

	return result != ncclSuccess ? result
				     : ncclRecv(call->receive, call->bytes / 4, ncclFloat, last,
						call->communicator, call->stream);
}

/* Bus over algorithm bandwidth: `rounds` of (ranks - 1) / ranks, or 0: 1. */
static const struct collective_call {
	const char *name, *program, *redop;
	int root, rounds;
	bool parts; /* the size is of all ranks' parts */
	bool apart; /* there is no such call in place */
	ncclResult_t (*enqueue)(const struct call *call);
} calls[] = {
	{ "all_reduce", "all_reduce_perf", "sum", -1, 2, false, false, all_reduce },
	{ "all_gather", "all_gather_perf", "none", -1, 1, true, false, all_gather },
	{ "reduce_scatter", "reduce_scatter_perf", "sum", -1, 1, true, false, reduce_scatter },
	{ "broadcast", "broadcast_perf", "none", 0, 0, false, false, broadcast },
	{ "reduce", "reduce_perf", "sum", 0, 0, false, false, reduce },
	{ "all_to_all", "alltoall_perf", "none", -1, 1, true, true, all_to_all },
	{ "send_recv", "sendrecv_perf", "none", -1, 0, false, true, send_recv },
};

/* Where the rank's part lies, for calls in place. */
static void *in_place(const struct group *group, const struct collective_call *row, int rank,
		      size_t bytes)
{
	const size_t part = bytes / (size_t)group->count / 4 * 4;
	char *whole = group->devices[rank].receive;

	return !strcmp(row->name, "all_gather") ? whole + (size_t)rank * part : whole;
}

static void enqueue(const struct group *group, const struct collective_call *row, size_t bytes,
		    bool inside)
{
	int rank;

	for (rank = 0; rank < group->count; rank++) {
		const struct device *device = &group->devices[rank];
		struct call call = { device->send,  device->receive, bytes,
				     rank,	    group->count,    group->communicators[rank],
				     device->stream };
		if (inside)
			call.send = in_place(group, row, rank, bytes);
		if (inside && !strcmp(row->name, "reduce_scatter"))
			call.receive = (char *)device->receive +
				       (size_t)rank * (bytes / (size_t)group->count / 4 * 4);
		NCCL(row->enqueue(&call));
	}
}

static void call_all(const struct group *group, const struct collective_call *row, size_t bytes,
		     bool inside)
{
	NCCL(ncclGroupStart());
	enqueue(group, row, bytes, inside);
	NCCL(ncclGroupEnd());
}

static void record(const struct group *group, bool end)
{
	int i;

	for (i = 0; i < group->count; i++) {
		const struct device *device = &group->devices[i];
		CUDA(cudaSetDevice(device->id));
		CUDA(cudaEventRecord(end ? device->end : device->start, device->stream));
	}
}

/* Microseconds a call of `each` in a row, on the slowest device. */
static double time_once(const struct group *group, const struct collective_call *row, size_t bytes,
			bool inside, int64_t each)
{
	double most = 0;
	int64_t j;
	float ms;
	int i;

	record(group, false);
	for (j = 0; j < each; j++)
		call_all(group, row, bytes, inside);
	record(group, true);
	for (i = 0; i < group->count; i++) {
		const struct device *device = &group->devices[i];
		CUDA(cudaSetDevice(device->id));
		CUDA(cudaEventSynchronize(device->end));
		CUDA(cudaEventElapsedTime(&ms, device->start, device->end));
		most = 1e3 * (double)ms > most ? 1e3 * (double)ms : most;
	}
	return most / (double)each;
}

/* The median of batches that take some 20 ms each. */
static double time_call(const struct group *group, const struct collective_call *row, size_t bytes,
			bool inside)
{
	const int64_t repeats = group->bench->repeats;
	double *times = arena_array(group->bench->arena, (size_t)repeats, sizeof(*times));
	const double first = (time_once(group, row, bytes, inside, WARM),
			      time_once(group, row, bytes, inside, 1));
	const int64_t each = first > 20e3 / 20 ? 20 : (int64_t)(20e3 / first) + 1;
	int64_t i;

	for (i = 0; i < repeats; i++)
		times[i] = time_once(group, row, bytes, inside, each < 1000 ? each : 1000);
	return bench_spread(times, repeats).median;
}

/* NCCL's own forecast in us; 0: it has none. */
static double simulated(const struct group *group, const struct collective_call *row, size_t bytes)
{
#if NCCL_VERSION_CODE >= 22200
	ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;

	NCCL(ncclGroupStart());
	enqueue(group, row, bytes, false);
	if (ncclGroupSimulateEnd(&info) != ncclSuccess || !(info.estimatedTime > 0))
		return 0;
	return (double)info.estimatedTime;
#else
	(void)group;
	(void)row;
	(void)bytes;
	return 0;
#endif
}

static void put_way(struct bench *bench, const char *key, double time, double rate, double bus)
{
	json_object(bench->json, key);
	json_double(bench->json, "time", time);
	json_double(bench->json, "alg_bw", rate);
	json_double(bench->json, "bus_bw", rate * bus);
	json_object_end(bench->json);
	bench_say(bench, " %8.2f %7.2f %7.2f    N/A", time, rate, rate * bus);
}

static void put_row(const struct group *group, const struct collective_call *row, size_t bytes)
{
	struct bench *bench = group->bench;
	const double bus =
		row->rounds ? row->rounds * (double)(group->count - 1) / group->count : 1;
	const double out = time_call(group, row, bytes, false), own = simulated(group, row, bytes);
	const size_t count = bytes / 4 / (row->parts ? (size_t)group->count : 1);

	bench_say(bench, "%12zu %13zu     float %7s %7d", bytes, count, row->redop, row->root);
	json_object(bench->json, NULL);
	json_int(bench->json, "size", (int64_t)bytes);
	json_int(bench->json, "count", (int64_t)count);
	json_string(bench->json, "type", "float");
	json_string(bench->json, "redop", row->redop);
	json_int(bench->json, "root", row->root);
	put_way(bench, "out_of_place", out, (double)bytes / out / 1e3, bus);
	if (!row->apart) {
		const double inside = time_call(group, row, bytes, true);
		put_way(bench, "in_place", inside, (double)bytes / inside / 1e3, bus);
	}
	if (own > 0)
		json_double(bench->json, "simulated_us", own);
	json_object_end(bench->json);
	bench_say(bench, own > 0 ? "  # NCCL foretells %.2f us\n" : "\n", own);
}

static void put_devices(const struct group *group, const struct collective_call *row)
{
	struct bench *bench = group->bench;
	char host[256] = "host";
	int version, i;

	NCCL(ncclGetVersion(&version));
	gethostname(host, sizeof(host) - 1);
	bench_say(bench, "# nThread 1 nGpus %d\n# Collective test starting: %s\n", group->count,
		  row->program);
	bench_say(bench, "# timed=cuda_event nccl-headers=%d nccl-library=%d\n", NCCL_VERSION_CODE,
		  version);
	json_string(bench->json, "program", row->program);
	json_int(bench->json, "nccl_version", version);
	json_array(bench->json, "devices");
	for (i = 0; i < group->count; i++) {
		bench_say(bench, "#  Rank %2d Group  0 Pid %6d on %10s device %2d [%s] %s\n", i,
			  (int)getpid(), host, i, group->devices[i].bus, group->devices[i].name);
		json_object(bench->json, NULL);
		json_int(bench->json, "rank", i);
		json_string(bench->json, "hostname", host);
		json_string(bench->json, "device_info", group->devices[i].name);
		json_object_end(bench->json);
	}
	json_array_end(bench->json);
}

static void put_collective(const struct group *group, const struct collective_call *row,
			   size_t from)
{
	struct bench *bench = group->bench;
	const size_t unit = 4 * (size_t)group->count;
	size_t bytes;

	json_object(bench->json, NULL);
	json_string(bench->json, "name", row->name);
	json_string(bench->json, "timed", "cuda_event");
	put_devices(group, row);
	json_array(bench->json, "results");
	bench_say(bench, "#\n# size (B), count, type, redop, root, then out of place and in place: "
			 "time (us), algbw, busbw (GB/s), #wrong\n");
	for (bytes = from; bytes <= group->most; bytes *= 2)
		if (bytes >= unit)
			put_row(group, row, bytes / unit * unit);
	bench_say(bench, "\n");
	json_array_end(bench->json);
	json_object_end(bench->json);
}

static void open_devices(struct group *group)
{
	int ids[DEVICES], i;

	for (i = 0; i < group->count; i++) {
		struct device *device = &group->devices[i];
		struct cudaDeviceProp properties;
		device->id = ids[i] = i;
		CUDA(cudaSetDevice(i));
		CUDA(cudaGetDeviceProperties(&properties, i));
		snprintf(device->name, sizeof(device->name), "%s", properties.name);
		snprintf(device->bus, sizeof(device->bus), "0x%02x", (unsigned)properties.pciBusID);
		CUDA(cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking));
		CUDA(cudaEventCreate(&device->start));
		CUDA(cudaEventCreate(&device->end));
		device->send = bench_memory(group->most, CONTENT_FP32);
		device->receive = bench_memory(group->most, CONTENT_ZERO);
	}
	NCCL(ncclCommInitAll(group->communicators, group->count, ids));
}

static void close_devices(struct group *group)
{
	int i;

	for (i = 0; i < group->count; i++) {
		struct device *device = &group->devices[i];
		CUDA(cudaSetDevice(i));
		bench_free(device->send);
		bench_free(device->receive);
		CUDA(cudaEventDestroy(device->start));
		CUDA(cudaEventDestroy(device->end));
		CUDA(cudaStreamDestroy(device->stream));
		NCCL(ncclCommDestroy(group->communicators[i]));
	}
	CUDA(cudaSetDevice(0));
}

static void run(struct bench *bench, const void *data)
{
	const struct request *request = data;
	const size_t from = request->from ? (size_t)request->from : 8;
	struct group *group = arena_new(bench->arena, struct group);
	bool known = false;
	size_t i;

	group->bench = bench;
	group->most = request->to ? (size_t)request->to : (size_t)1 << 30;
	CUDA(cudaGetDeviceCount(&group->count));
	for (i = 0; request->op && i < sizeof(calls) / sizeof(*calls); i++)
		known = known || !strcmp(request->op, calls[i].name);
	if (request->op && !known)
		die("cudabench: --op is all_reduce, all_gather, reduce_scatter, broadcast, reduce, "
		    "all_to_all or send_recv, not '%s'",
		    request->op);
	if (group->count < 2) {
		bench_say(bench, "# collectives: left out, there is one device\n\n");
		return;
	}
	if (group->count > DEVICES)
		group->count = DEVICES;
	open_devices(group);
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!request->op || !strcmp(request->op, calls[i].name))
			put_collective(group, &calls[i], from);
	close_devices(group);
}

#else

static void run(struct bench *bench, const void *data)
{
	(void)data;
	bench_say(bench, "# collectives: left out, this was built without NCCL\n\n");
}

#endif

static const struct opt options[] = {
	BENCH_OPTIONS(struct request),
	{ OPT_TEXT, 0, "op", "NAME", NULL, "one collective, as in all_reduce (default: all)",
	  offsetof(struct request, op) },
	{ OPT_COUNT, 0, "from", "BYTES", NULL, "the least size (default 8)",
	  offsetof(struct request, from) },
	{ OPT_COUNT, 0, "to", "BYTES", NULL, "the largest size (default 1 GiB)",
	  offsetof(struct request, to) },
	{ .kind = OPT_END },
};

const struct measurement_row measure_collectives = {
	.name = "collectives",
	.summary = "NCCL among all devices of this machine, and what NCCL foretells",
	.options = options,
	.request_size = sizeof(struct request),
	.run = run,
};
