#ifdef __linux__
#define _GNU_SOURCE /* prlimit; NOLINT(bugprone-reserved-identifier) */
#endif
#include "base/process.h"

#include "base/buf.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* PATH without the folders that depend on where one stands: a checkout may hold a program of the
 * same name. */
static const char *absolute_folders(struct arena *arena)
{
	const char *at = getenv("PATH"), *folders = "";
	size_t length;

	for (at = at ? at : "/usr/bin:/bin"; *at; at += length + (at[length] == ':')) {
		length = strcspn(at, ":");
		if (*at == '/')
			folders = arena_join(arena, folders, *folders ? ":" : "",
					     arena_strndup(arena, at, length));
	}
	return folders;
}

/* The file of a program in one of the folders, or NULL. */
static const char *find_program(struct arena *arena, const char *folders, const char *name)
{
	struct stat status;
	size_t length;

	for (; *folders; folders += length + (folders[length] == ':')) {
		length = strcspn(folders, ":");
		const char *path = arena_printf(arena, "%.*s/%s", (int)length, folders, name);
		if (!stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK))
			return path;
	}
	return NULL;
}

static char **make_environment(struct arena *arena, const char *folders,
			       const char *const *variables)
{
	struct words words = { 0 };
	const char *libraries = getenv("LD_LIBRARY_PATH");

	vec_push(arena, &words.list, arena_strdup(arena, "LC_ALL=C"));
	vec_push(arena, &words.list, arena_join(arena, "PATH=", folders, ""));
	if (libraries)
		vec_push(arena, &words.list, arena_join(arena, "LD_LIBRARY_PATH=", libraries, ""));
	for (; variables && *variables; variables++)
		vec_push(arena, &words.list, arena_strdup(arena, *variables));
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

/* What the program has for its streams: an input of -1 is empty, `errors` of -1 are dropped. */
static int redirect(posix_spawn_file_actions_t *actions, int input, int out, int errors)
{
	int error = input < 0 ? posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null",
								 O_RDONLY, 0)
			      : posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);

	if (!error)
		error = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
	if (error)
		return error;
	if (errors < 0)
		return posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null",
							O_WRONLY, 0);
	return posix_spawn_file_actions_adddup2(actions, errors, STDERR_FILENO);
}

/* Bounds what a program that just began may take; where the system cannot, only the clock does. */
static void bound(pid_t pid, const struct program *program)
{
#ifdef __linux__
	const struct rlimit seconds = { (rlim_t)program->seconds, (rlim_t)program->seconds };
	const struct rlimit memory = { program->memory, program->memory }, none = { 0, 0 };

	prlimit(pid, RLIMIT_CPU, &seconds, NULL);
	prlimit(pid, RLIMIT_DATA, &memory, NULL);
	prlimit(pid, RLIMIT_CORE, &none, NULL);
#else
	(void)pid;
	(void)program;
#endif
}

/* A program whose reader is gone ends, though we ourselves do not. */
static int mind_signals(posix_spawnattr_t *attributes)
{
	sigset_t signals;
	int error = posix_spawnattr_init(attributes);

	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	sigaddset(&signals, SIGXFSZ);
	if (!error)
		error = posix_spawnattr_setsigdefault(attributes, &signals);
	if (!error)
		error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);
	return error;
}

static int start(struct arena *arena, const struct program *program, int out, int errors,
		 pid_t *pid)
{
	const char *folders = absolute_folders(arena);
	const char *path = find_program(arena, folders, program->argv[0]);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error = path ? posix_spawn_file_actions_init(&actions) : ENOENT;

	if (error)
		return error;
	error = mind_signals(&attributes);
	if (!error)
		error = redirect(&actions, program->input, out, errors);
	if (!error)
		error = posix_spawn(pid, path, &actions, &attributes,
				    copy_arguments(arena, program->argv),
				    make_environment(arena, folders, program->variables));
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (!error)
		bound(*pid, program);
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

static long long now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Takes what one of the streams says; true at its end. */
static bool ends(struct pollfd *fd, struct buf *text, size_t limit, bool *too_large)
{
	if (fd->fd < 0 || !fd->revents || drain(fd->fd, text, limit, too_large))
		return false;
	fd->fd = -1;
	return true;
}

/* Reads both streams to their ends; NULL, or why not all of it is there. */
static const char *collect(struct arena *arena, int pipes[STREAMS][2], struct buf texts[STREAMS],
			   size_t limit, int seconds, struct process *process)
{
	const long long deadline = now_ms() + seconds * 1000LL;
	struct pollfd fds[STREAMS];
	int i, open = STREAMS;

	for (i = 0; i < STREAMS; i++)
		fds[i] = (struct pollfd) { .fd = pipes[i][0], .events = POLLIN };
	while (open) {
		long long left = deadline - now_ms();
		process->slow = left <= 0;
		if (process->slow)
			return arena_printf(arena, "it takes more than %d s", seconds);
		if (poll(fds, STREAMS, (int)left) <= 0)
			continue;
		for (i = 0; i < STREAMS; i++)
			open -= ends(&fds[i], &texts[i], limit, &process->too_large);
	}
	return process->too_large ? arena_printf(arena, "it says more than %s",
						 text_bytes(arena, (double)limit))
				  : NULL;
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

struct process process_run(struct arena *arena, const struct program *program, size_t limit)
{
	struct process process = { .errors = "" };
	struct buf texts[STREAMS];
	int pipes[STREAMS][2], error, i;
	pid_t pid;

	error = open_pipes(pipes, STREAMS);
	if (error)
		return (struct process) { .trouble = arena_strdup(arena, strerror(error)) };
	error = start(arena, program, pipes[OUT][1], pipes[ERRORS][1], &pid);
	for (i = 0; i < STREAMS; i++) {
		close(pipes[i][1]);
		buf_init(&texts[i]);
	}
	process.missing = error == ENOENT;
	if (error)
		process.trouble = arena_strdup(arena, strerror(error));
	else
		process.trouble = collect(arena, pipes, texts, limit, program->seconds, &process);
	if (!error && process.trouble)
		kill(pid, SIGKILL);
	if (!error)
		process.status = wait_for(pid);
	keep(arena, &process, texts);
	for (i = 0; i < STREAMS; i++) {
		close(pipes[i][0]);
		buf_release(&texts[i]);
	}
	return process;
}

struct process_pipe process_open(struct arena *arena, const struct program *program)
{
	struct process_pipe opened = { .fd = -1 };
	int ends[1][2], error = open_pipes(ends, 1);
	pid_t pid = 0;

	if (!error) {
		error = start(arena, program, ends[0][1], -1, &pid);
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
