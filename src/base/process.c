#include "base/process.h"

#include "base/buf.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { OUT, ERRORS, STREAMS };

/* A list of words as posix_spawn wants it. */
struct words {
	VEC(char *) list;
};

static char **copy_arguments(struct arena *arena, const char *const *argv)
{
	struct words words = { 0 };

	for (; *argv; argv++)
		vec_push(arena, &words.list, arena_strdup(arena, *argv));
	vec_push(arena, &words.list, NULL);
	return words.list.items;
}

/* The environment, but for the language of messages. */
static char **copy_environment(struct arena *arena)
{
	struct words words = { 0 };
	char **variable;

	vec_push(arena, &words.list, arena_strdup(arena, "LC_ALL=C"));
	for (variable = environ; *variable; variable++)
		if (!text_starts(*variable, "LC_ALL=") && !text_starts(*variable, "LANGUAGE="))
			vec_push(arena, &words.list, *variable);
	vec_push(arena, &words.list, NULL);
	return words.list.items;
}

/* Pipes that other programs do not inherit; 0 or errno. */
static int open_pipes(int pipes[][2], int count)
{
	int i, end, error;

	for (i = 0; i < count; i++) {
		if (pipe(pipes[i])) {
			error = errno;
			for (; i > 0; i--) {
				close(pipes[i - 1][0]);
				close(pipes[i - 1][1]);
			}
			return error;
		}
		for (end = 0; end < 2; end++)
			(void)fcntl(pipes[i][end], F_SETFD, FD_CLOEXEC);
	}
	return 0;
}

/* What the program has for its streams: `errors` of -1 are dropped. */
static int redirect(posix_spawn_file_actions_t *actions, const char *input, int out, int errors)
{
	int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, input, O_RDONLY, 0);

	if (!error)
		error = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
	if (error)
		return error;
	if (errors < 0)
		return posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null",
							O_WRONLY, 0);
	return posix_spawn_file_actions_adddup2(actions, errors, STDERR_FILENO);
}

static int start(struct arena *arena, const char *const *argv, const char *input, int out,
		 int errors, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	char **arguments = copy_arguments(arena, argv);
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = redirect(&actions, input, out, errors);
	if (!error)
		error = posix_spawnp(pid, arguments[0], &actions, NULL, arguments,
				     copy_environment(arena));
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Takes what there is to read; false at the end. What is over the limit is read and dropped. */
static bool drain(int fd, struct buf *into, size_t limit, bool *too_large)
{
	char chunk[65536];
	ssize_t got = read(fd, chunk, sizeof(chunk));

	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	if (into->length + (size_t)got > limit)
		*too_large = true;
	else
		buf_bytes(into, chunk, (size_t)got);
	return got > 0;
}

/* Reads both streams to their ends; true when one of them was too large. */
static bool collect(int pipes[STREAMS][2], struct buf texts[STREAMS], size_t limit)
{
	struct pollfd fds[STREAMS];
	bool too_large = false;
	int i, open = STREAMS;

	for (i = 0; i < STREAMS; i++)
		fds[i] = (struct pollfd) { .fd = pipes[i][0], .events = POLLIN };
	while (open) {
		if (poll(fds, STREAMS, -1) < 0 && errno != EINTR)
			break;
		for (i = 0; i < STREAMS; i++) {
			if (fds[i].fd < 0 || !fds[i].revents ||
			    drain(fds[i].fd, &texts[i], limit, &too_large))
				continue;
			fds[i].fd = -1;
			open--;
		}
	}
	return too_large;
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void keep(struct arena *arena, struct process *process, struct buf texts[STREAMS])
{
	process->length = texts[OUT].length;
	process->text = arena_alloc(arena, process->length + 1);
	memcpy(process->text, texts[OUT].data, process->length);
	process->errors = arena_strdup(arena, texts[ERRORS].data);
}

struct process process_run(struct arena *arena, const char *const *argv, size_t limit)
{
	struct process process = { .errors = "" };
	struct buf texts[STREAMS];
	int pipes[STREAMS][2], error, i;
	pid_t pid;

	error = open_pipes(pipes, STREAMS);
	if (error)
		return (struct process) { .trouble = arena_strdup(arena, strerror(error)) };
	error = start(arena, argv, "/dev/null", pipes[OUT][1], pipes[ERRORS][1], &pid);
	for (i = 0; i < STREAMS; i++) {
		close(pipes[i][1]);
		buf_init(&texts[i]);
	}
	if (error)
		process.trouble = arena_strdup(arena, strerror(error));
	else if (collect(pipes, texts, limit))
		process.too_large = true;
	if (process.too_large)
		process.trouble = arena_printf(arena, "it says more than %s",
					       text_bytes(arena, (double)limit));
	if (!error)
		process.status = wait_for(pid);
	keep(arena, &process, texts);
	for (i = 0; i < STREAMS; i++) {
		close(pipes[i][0]);
		buf_release(&texts[i]);
	}
	return process;
}

struct process_pipe process_open(struct arena *arena, const char *const *argv, const char *input)
{
	struct process_pipe opened = { .fd = -1 };
	int ends[1][2], error = open_pipes(ends, 1);
	pid_t pid = 0;

	if (!error) {
		error = start(arena, argv, input, ends[0][1], -1, &pid);
		close(ends[0][1]);
		if (error)
			close(ends[0][0]);
	}
	if (error) {
		opened.trouble = arena_strdup(arena, strerror(error));
		return opened;
	}
	opened.fd = ends[0][0];
	opened.id = (int)pid;
	return opened;
}

int process_close(struct process_pipe *pipe)
{
	if (pipe->fd < 0)
		return -1;
	close(pipe->fd);
	pipe->fd = -1;
	return wait_for((pid_t)pipe->id);
}
