#include "search/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Workers are processes, not threads: each has its arenas and its memory for itself, a crash in one
 * is an error of the other, and nothing in the program needs a lock. All read the numbers of
 * regions from one pipe and write what became of them to one of their own.
 */

enum { WORKERS_MOST = 256, POLL_MS = 50 };

/* What a worker says of one region; its outcomes and its cuts follow. */
struct message {
	uint64_t layouts, runs, cuts, simulated, decided;
};

struct worker {
	pid_t id;
	int results; /* to read from; -1: it has ended */
};

struct crew {
	struct search *search;
	struct passage *passage;
	struct worker *workers;
	size_t count;
	int work[2]; /* the pipe of numbers */
	size_t next; /* region that is to be handed out */
	bool stopped;
	const char *trouble;
};

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool is_interrupted(void)
{
	sigset_t pending;

	return !sigpending(&pending) && sigismember(&pending, SIGINT) == 1;
}

static sigset_t interrupts(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	return set;
}

void search_watch(struct search *search, double seconds)
{
	const sigset_t set = interrupts();

	sigprocmask(SIG_BLOCK, &set, &search->signals);
	search->watched = true;
	search->deadline = seconds > 0 ? seconds_now() + seconds : 0;
}

bool search_must_stop(const struct search *search)
{
	return search->watched &&
	       (is_interrupted() || (search->deadline > 0 && seconds_now() > search->deadline));
}

static void unwatch(struct search *search)
{
	const sigset_t set = interrupts();
	int signal;

	if (is_interrupted())
		sigwait(&set, &signal);
	sigprocmask(SIG_SETMASK, &search->signals, NULL);
	search->watched = false;
}

static bool in_shard(const struct passage *passage, size_t region)
{
	return !passage->shards ||
	       (passage->before + region) % passage->shards == passage->shard - 1;
}

/* ---- in a worker ---- */

static bool send_all(int fd, const void *data, size_t length)
{
	const char *at = data;

	while (length) {
		const ssize_t sent = write(fd, at, length);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		at += sent;
		length -= (size_t)sent;
	}
	return true;
}

static bool receive_all(int fd, void *data, size_t length)
{
	char *at = data;

	while (length) {
		const ssize_t got = read(fd, at, length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		length -= (size_t)got;
	}
	return true;
}

static bool send_region(const struct search *search, int fd)
{
	const struct message message = { search->layouts, search->runs.count,
					 search->tally.cuts.count, search->tally.simulated,
					 search->tally.decided };

	return send_all(fd, &message, sizeof(message)) &&
	       send_all(fd, search->runs.items, search->runs.count * sizeof(*search->runs.items)) &&
	       send_all(fd, search->tally.cuts.items,
			search->tally.cuts.count * sizeof(*search->tally.cuts.items));
}

static void work(struct search *search, int numbers, int results)
{
	uint64_t region;

	while (receive_all(numbers, &region, sizeof(region))) {
		search->runs.count = search->tally.cuts.count = search->layouts = 0;
		search->tally.simulated = search->tally.decided = 0;
		search_region(search, (size_t)region);
		if (!send_region(search, results))
			return;
	}
}

/* ---- above them ---- */

static void hire(struct crew *crew)
{
	struct worker *worker = &crew->workers[crew->count];
	int results[2];

	if (pipe(results)) {
		crew->trouble = "no pipe could be made";
		return;
	}
	worker->id = fork();
	if (!worker->id) {
		close(crew->work[1]);
		close(results[0]);
		work(crew->search, crew->work[0], results[1]);
		_exit(0);
	}
	close(results[1]);
	worker->results = results[0];
	if (worker->id < 0) {
		close(results[0]);
		crew->trouble = "no process could be started";
		return;
	}
	crew->count++;
}

static void close_work(struct crew *crew)
{
	if (crew->work[1] >= 0)
		close(crew->work[1]);
	crew->work[1] = -1;
}

/* No more work: what nobody has taken yet is taken back. */
static void stop(struct crew *crew)
{
	uint64_t region;

	crew->stopped = crew->passage->interrupted = true;
	close_work(crew);
	(void)fcntl(crew->work[0], F_SETFL, O_NONBLOCK);
	while (read(crew->work[0], &region, sizeof(region)) > 0)
		;
}

static void hand_out(struct crew *crew)
{
	const size_t count = crew->search->space.regions.count;

	while (crew->next < count) {
		const uint64_t region = crew->next;
		if (in_shard(crew->passage, crew->next) &&
		    write(crew->work[1], &region, sizeof(region)) != sizeof(region))
			return;
		crew->next++;
	}
	close_work(crew);
}

static void take_cuts(struct search *search, int fd, uint64_t count)
{
	struct cut cut;

	for (; count && receive_all(fd, &cut, sizeof(cut)); count--)
		tally_cut(&search->tally, search->arena, cut);
}

static void take_runs(struct search *search, int fd, uint64_t count)
{
	struct outcome outcome;

	for (; count && receive_all(fd, &outcome, sizeof(outcome)); count--)
		vec_push(search->arena, &search->runs, outcome);
}

static void listen_to(struct crew *crew, struct worker *worker)
{
	struct search *search = crew->search;
	struct message message;
	int status = 0;

	if (receive_all(worker->results, &message, sizeof(message))) {
		take_runs(search, worker->results, message.runs);
		take_cuts(search, worker->results, message.cuts);
		search->tally.simulated += message.simulated;
		search->tally.decided += message.decided;
		search->layouts += message.layouts;
		return;
	}
	close(worker->results);
	worker->results = -1;
	if (waitpid(worker->id, &status, 0) != worker->id || status)
		crew->trouble = "a worker did not end as it should";
}

/* Waits until somebody has something to say; false when all have gone. */
static bool wait_for(struct crew *crew)
{
	struct pollfd fds[WORKERS_MOST + 1];
	size_t i, alive = 0;

	for (i = 0; i < crew->count; i++) {
		fds[i] = (struct pollfd) { .fd = crew->workers[i].results, .events = POLLIN };
		alive += crew->workers[i].results >= 0;
	}
	fds[crew->count] = (struct pollfd) { .fd = crew->work[1], .events = POLLOUT };
	if (!alive)
		return false;
	if (poll(fds, crew->count + 1, POLL_MS) < 0)
		return true;
	for (i = 0; i < crew->count; i++)
		if (fds[i].fd >= 0 && fds[i].revents)
			listen_to(crew, &crew->workers[i]);
	if (crew->work[1] >= 0 && fds[crew->count].revents)
		hand_out(crew);
	return true;
}

static void tell_progress(const struct crew *crew)
{
	if (crew->passage->progress)
		crew->passage->progress(crew->passage->context, crew->search->layouts,
					crew->search->space.layouts.count);
}

static void lead(struct crew *crew)
{
	do {
		if (!crew->stopped && (search_must_stop(crew->search) || crew->trouble))
			stop(crew);
		tell_progress(crew);
	} while (wait_for(crew));
}

static void with_workers(struct crew *crew)
{
	size_t i;

	if (pipe(crew->work)) {
		crew->trouble = "no pipe could be made";
		return;
	}
	for (i = 0; i < crew->passage->jobs && !crew->trouble; i++)
		hire(crew);
	(void)fcntl(crew->work[1], F_SETFL, O_NONBLOCK);
	lead(crew);
	close_work(crew);
	close(crew->work[0]);
}

static void alone(struct crew *crew)
{
	const size_t count = crew->search->space.regions.count;

	for (; crew->next < count; crew->next++) {
		if (search_must_stop(crew->search)) {
			crew->passage->interrupted = true;
			return;
		}
		if (in_shard(crew->passage, crew->next))
			search_region(crew->search, crew->next);
		tell_progress(crew);
	}
}

/* What preparing the search has found to run, where not all layouts were looked at. */
static void take_incumbents(struct search *search)
{
	const size_t found = search->runs.count;
	size_t i, k;

	for (i = 0; i < search->incumbents.count; i++) {
		for (k = 0; k < found; k++)
			if (search->runs.items[k].number == search->incumbents.items[i].number)
				break;
		if (k < found)
			continue;
		vec_push(search->arena, &search->runs, search->incumbents.items[i]);
		search->tally.simulated++;
	}
}

const char *search_decide(struct search *search, struct passage *passage)
{
	struct crew crew = { .search = search, .passage = passage };

	if (passage->jobs > WORKERS_MOST)
		passage->jobs = WORKERS_MOST;
	crew.workers = arena_array(search->arena, passage->jobs + 1, sizeof(*crew.workers));
	if (passage->jobs > 1)
		with_workers(&crew);
	else
		alone(&crew);
	if (passage->interrupted && !passage->shards)
		take_incumbents(search);
	unwatch(search);
	return crew.trouble;
}
