/*
 * Collectives as their algorithms have them, message by message, in SimGrid (3.32): what a discrete
 * simulation of the links says, where src/cost/collectives/ has a formula.
 *
 *   collectives <ROWS    prints microseconds, a line for each line PLATFORM OP RANKS NODES BYTES
 *
 * PLATFORM is what platform.awk writes. Over several nodes there are as many rings as ranks of a
 * node, each turned by one, so that every adapter carries one; BYTES are as nccl-tests counts them.
 */
#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS_MOST = 32, SLICES = 512 };

struct job {
	int ranks, local, channels;
	double bytes;
};

/* One rank's part in one channel. */
struct part {
	const struct job *job;
	int rank, channel;
};

static char token; /* what messages carry; only their sizes matter */

static sg_mailbox_t mailbox(const struct part *part, int from, int to)
{
	char name[64];

	snprintf(name, sizeof(name), "%d:%d:%d", part->channel, from, to);
	return sg_mailbox_by_name(name);
}

static sg_comm_t sending(const struct part *part, int to, double bytes)
{
	return sg_mailbox_put_async(mailbox(part, part->rank, to), &token, (long)bytes);
}

static sg_comm_t receiving(const struct part *part, int from, void **into)
{
	return sg_mailbox_get_async(mailbox(part, from, part->rank), into);
}

/* Sends to one and receives from another, and waits for both. */
static void exchange(const struct part *part, int to, int from, double bytes)
{
	void *into;
	sg_comm_t in = receiving(part, from, &into), out = sending(part, to, bytes);

	sg_comm_wait(out);
	sg_comm_wait(in);
}

static int wrap(int number, int size)
{
	return (number % size + size) % size;
}

/* Where a rank sits in its channel's ring, and who sits at a place. */
static int place_of(const struct part *part)
{
	const int local = part->job->local;

	return part->rank / local * local + wrap(part->rank % local - part->channel, local);
}

static int rank_at(const struct part *part, int place)
{
	const int local = part->job->local, at = wrap(place, part->job->ranks);

	return at / local * local + wrap(at % local + part->channel, local);
}

/* Every step a part of the buffer goes to the next rank, and that of the one before comes in. */
static void ring(const struct part *part, int steps)
{
	const struct job *job = part->job;
	const int place = place_of(part);

	while (steps--)
		exchange(part, rank_at(part, place + 1), rank_at(part, place - 1),
			 job->bytes / job->channels / job->ranks);
}

static void all_gather(const struct part *part)
{
	ring(part, part->job->ranks - 1);
}

static void all_reduce(const struct part *part)
{
	ring(part, 2 * (part->job->ranks - 1));
}

/* Slices along the ring from the root, one behind the other. */
static void broadcast(const struct part *part)
{
	const struct job *job = part->job;
	const int place = place_of(part);
	const double slice = job->bytes / job->channels / SLICES;
	sg_comm_t out = NULL;
	void *into;
	int i;

	for (i = 0; i < SLICES; i++) {
		if (place > 0)
			sg_comm_wait(receiving(part, rank_at(part, place - 1), &into));
		if (out)
			sg_comm_wait(out);
		out = place < job->ranks - 1 ? sending(part, rank_at(part, place + 1), slice)
					     : NULL;
	}
	if (out)
		sg_comm_wait(out);
}

/* In steps: to the one `step` ahead, from the one as far behind. */
static void pairwise(const struct part *part)
{
	const struct job *job = part->job;
	int step;

	for (step = 1; step < job->ranks; step++)
		exchange(part, wrap(part->rank + step, job->ranks),
			 wrap(part->rank - step, job->ranks), job->bytes / job->ranks);
}

/* All sends and receives posted together, as NCCL's groups do. */
static void all_to_all(const struct part *part)
{
	const struct job *job = part->job;
	sg_comm_t comms[2 * RANKS_MOST];
	void *into[RANKS_MOST];
	int step, count = 0;

	for (step = 1; step < job->ranks; step++) {
		comms[count++] = receiving(part, wrap(part->rank - step, job->ranks), &into[step]);
		comms[count++] =
			sending(part, wrap(part->rank + step, job->ranks), job->bytes / job->ranks);
	}
	while (count)
		sg_comm_wait(comms[--count]);
}

/* To the same device of the next node, or to the next device of the only one. */
static void send_recv(const struct part *part)
{
	const struct job *job = part->job;
	const int far = job->local < job->ranks ? job->local : 1;

	exchange(part, wrap(part->rank + far, job->ranks), wrap(part->rank - far, job->ranks),
		 job->bytes);
}

static const struct {
	const char *name;
	bool rings;
	void (*run)(const struct part *part);
} algorithms[] = {
	{ "all_gather", true, all_gather }, { "reduce_scatter", true, all_gather },
	{ "all_reduce", true, all_reduce }, { "broadcast", true, broadcast },
	{ "pairwise", false, pairwise },    { "all_to_all", false, all_to_all },
	{ "send_recv", false, send_recv },
};

/* The job and the algorithm; argv[1] and argv[2] are rank and channel. */
static struct job job;
static size_t chosen;

static void actor(int argc, char *argv[])
{
	struct part part = { &job, argc > 2 ? atoi(argv[1]) : 0, argc > 2 ? atoi(argv[2]) : 0 };

	algorithms[chosen].run(&part);
}

static void start(int rank, int channel)
{
	char host[16], name[] = "rank", first[16], second[16];
	char *const arguments[] = { name, first, second };

	snprintf(host, sizeof(host), "gpu%d", rank);
	snprintf(first, sizeof(first), "%d", rank);
	snprintf(second, sizeof(second), "%d", channel);
	sg_actor_start(sg_actor_init(host, sg_host_by_name(host)), actor, 3, arguments);
}

static bool choose(const char *name)
{
	for (chosen = 0; chosen < sizeof(algorithms) / sizeof(*algorithms); chosen++)
		if (!strcmp(algorithms[chosen].name, name))
			return true;
	return false;
}

/* Simulates one row in this process: SimGrid starts once in a process and no more. */
static int simulate(const char *platform, const char *op, int ranks, int nodes, double bytes)
{
	int rank, channel;

	if (!choose(op) || ranks < 2 || ranks > RANKS_MOST || nodes < 1 || ranks % nodes)
		return 2;
	job = (struct job) { .ranks = ranks, .local = ranks / nodes, .bytes = bytes };
	job.channels = nodes > 1 && algorithms[chosen].rings ? job.local : 1;
	simgrid_load_platform(platform);
	for (rank = 0; rank < job.ranks; rank++)
		for (channel = 0; channel < job.channels; channel++)
			start(rank, channel);
	simgrid_run();
	printf("%.6g\n", 1e6 * simgrid_get_clock());
	return 0;
}

int main(int argc, char *argv[])
{
	char platform[1024], op[32];
	int ranks, nodes, status;
	double bytes;

	while (scanf("%1023s %31s %d %d %lf", platform, op, &ranks, &nodes, &bytes) == 5) {
		fflush(stdout);
		if (!fork()) {
			simgrid_init(&argc, argv);
			status = simulate(platform, op, ranks, nodes, bytes);
			fflush(stdout);
			_exit(status);
		}
		if (wait(&status) < 0 || status)
			printf("failed\n");
	}
	return !feof(stdin);
}
