#include "draw/device.h"
#include "draw/dot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * PNG and PDF are made by Graphviz's neato in a process of its own: libgvc loads plugins and
 * leaks, and a hang there must not be ours. It gets the DOT text in an unnamed file, so that
 * neither side can wait for the other to read.
 */
enum { TIMEOUT_MS = 20000, OUTPUT_LIMIT = 256 << 20 };

static const char missing[] =
	"Graphviz's neato is not installed (Debian: apt-get install graphviz); .svg, .dot and text "
	"do without it";

static const char failed[] = "Graphviz's neato failed";

/* How a whole picture begins and ends. */
struct seal {
	const char *type; /* neato -T */
	const char *start, *end;
	size_t end_length, slack; /* the end lies within so many bytes of the last */
};

extern char **environ;

static long long now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* The DOT text in an open file, at its beginning; -1 when there is no room for it. */
static int input_file(FILE *file, const struct buf *dot)
{
	if (fwrite(dot->data, 1, dot->length, file) != dot->length || fflush(file) ||
	    lseek(fileno(file), 0, SEEK_SET))
		return -1;
	return fileno(file);
}

/* Starts neato reading `input` and writing `output`; returns 0 or errno. */
static int start(const char *type, int input, int output, pid_t *pid)
{
	char program[] = "neato", keep[] = "-n2", format[8] = "-T";
	char *const arguments[] = { program, keep, format, NULL };
	posix_spawn_file_actions_t actions;
	int error;

	memcpy(format + 2, type, strlen(type) + 1);
	error = posix_spawn_file_actions_init(&actions);
	if (error)
		return error;
	error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							 O_WRONLY, 0);
	if (!error)
		error = posix_spawnp(pid, program, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Reads until the other end is closed; false at the deadline or the limit. */
static bool collect(int fd, long long deadline, struct buf *out)
{
	char chunk[65536];
	size_t start_length = out->length;

	for (;;) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		long long left = deadline - now_ms();
		ssize_t got;
		if (left <= 0 || out->length - start_length > OUTPUT_LIMIT)
			return false;
		if (poll(&wait, 1, (int)left) <= 0)
			continue;
		got = read(fd, chunk, sizeof(chunk));
		if (got == 0)
			return true;
		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0)
			buf_bytes(out, chunk, (size_t)got);
	}
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* True when the picture is whole. */
static bool sealed(const struct seal *seal, const char *data, size_t length)
{
	size_t from, start_length = strlen(seal->start);

	if (length < start_length + seal->end_length ||
	    memcmp(data, seal->start, start_length) != 0)
		return false;
	for (from = length - seal->end_length;
	     from >= start_length && from + seal->end_length + seal->slack >= length; from--)
		if (!memcmp(data + from, seal->end, seal->end_length))
			return true;
	return false;
}

/* Runs neato with its output in a pipe. */
static const char *run(const struct seal *seal, int input, struct buf *out)
{
	size_t before = out->length;
	int pipes[2], error, status;
	bool whole;
	pid_t pid;

	if (pipe(pipes))
		return failed;
	fcntl(pipes[0], F_SETFD, FD_CLOEXEC);
	fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
	error = start(seal->type, input, pipes[1], &pid);
	close(pipes[1]);
	if (error) {
		close(pipes[0]);
		return error == ENOENT ? missing : failed;
	}
	whole = collect(pipes[0], now_ms() + TIMEOUT_MS, out);
	close(pipes[0]);
	if (!whole)
		kill(pid, SIGKILL);
	status = wait_for(pid);
	if (!whole)
		return "Graphviz's neato took longer than 20 s; try .svg";
	if (status == 127)
		return missing;
	return status || !sealed(seal, out->data + before, out->length - before) ? failed : NULL;
}

static const char *render(const struct canvas *canvas, const struct look *look,
			  const struct seal *seal, struct buf *out)
{
	struct palette palette = look_palette(look);
	const char *error = "cannot write a temporary file";
	struct buf dot;
	FILE *file = tmpfile();
	int input;

	if (!file)
		return error;
	buf_init(&dot);
	dot_write(canvas, &palette, &dot);
	input = input_file(file, &dot);
	buf_release(&dot);
	if (input >= 0)
		error = run(seal, input, out);
	fclose(file);
	return error;
}

static const char *png_write(const struct canvas *canvas, const struct look *look, struct buf *out)
{
	static const struct seal seal = { "png", "\x89PNG\r\n\x1a\n", "IEND\xae\x42\x60\x82", 8,
					  0 };

	return render(canvas, look, &seal, out);
}

static const char *pdf_write(const struct canvas *canvas, const struct look *look, struct buf *out)
{
	static const struct seal seal = { "pdf", "%PDF-", "%%EOF", 5, 16 };

	return render(canvas, look, &seal, out);
}

const struct device device_png = {
	.name = "png",
	.summary = "by Graphviz",
	.write = png_write,
};

const struct device device_pdf = {
	.name = "pdf",
	.summary = "by Graphviz",
	.write = pdf_write,
};
