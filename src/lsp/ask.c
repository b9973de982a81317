#include "lsp/ask.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* More is no answer to anything that is shown in an editor. */
enum { ANSWER_BYTES = 32 << 20 };

double ask_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool send_all(int fd, const struct buf *out)
{
	size_t done = 0;
	ssize_t sent;

	while (done < out->length) {
		sent = write(fd, out->data + done, out->length - done);
		if (sent < 0 && errno != EINTR)
			return false;
		done += sent < 0 ? 0 : (size_t)sent;
	}
	return true;
}

/* In the copy: the messages that it came from are not its own to read, nor those to write. */
_Noreturn static void answer(int fd, void (*work)(const void *question, struct buf *out),
			     const void *question)
{
	struct buf out;

	close(STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	signal(SIGTERM, SIG_DFL);
	buf_init(&out);
	work(question, &out);
	_exit(send_all(fd, &out) ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* All that comes until the end; what is wrong with it, or NULL. */
static const char *listen_to(int fd, double deadline, struct buf *out)
{
	struct pollfd waiting = { .fd = fd, .events = POLLIN };
	char bytes[65536];
	ssize_t got;

	for (;;) {
		const double left = deadline - ask_now();
		if (left <= 0)
			return "it took too long";
		if (poll(&waiting, 1, (int)(left * 1000) + 1) <= 0)
			continue;
		got = read(fd, bytes, sizeof(bytes));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return NULL;
		buf_bytes(out, bytes, (size_t)got);
		if (out->length > ANSWER_BYTES)
			return "it says too much";
	}
}

/* Waits for the end of the copy, which is brought about where there is trouble already. */
static const char *end_of(struct arena *arena, pid_t id, const char *trouble)
{
	int status = 0;

	if (trouble)
		kill(id, SIGKILL);
	while (waitpid(id, &status, 0) < 0 && errno == EINTR)
		;
	if (trouble || (WIFEXITED(status) && !WEXITSTATUS(status)))
		return trouble;
	if (WIFSIGNALED(status))
		return arena_printf(arena, "it ended by signal %d", WTERMSIG(status));
	return arena_printf(arena, "it ended with status %d", WEXITSTATUS(status));
}

struct answer ask(struct arena *arena, double seconds,
		  void (*work)(const void *question, struct buf *out), const void *question)
{
	const double deadline = ask_now() + seconds;
	struct answer got = { NULL, "there is no pipe, or no process" };
	struct buf out;
	int ends[2];
	pid_t id;

	if (pipe(ends))
		return got;
	id = fork();
	if (!id) {
		close(ends[0]);
		answer(ends[1], work, question);
	}
	close(ends[1]);
	buf_init(&out);
	if (id > 0)
		got.trouble = end_of(arena, id, listen_to(ends[0], deadline, &out));
	if (!got.trouble)
		got.text = arena_strndup(arena, out.data, out.length);
	buf_release(&out);
	close(ends[0]);
	return got;
}
