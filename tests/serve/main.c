/*
 * Runs parplan for suites that ask thousands of times, without starting a program each time:
 * parplan keeps nothing from one run to the next (tests/gates/statics.sh). It runs in a copy of
 * this process, so that a run that ends its process ends the copy alone; the next request gets
 * another one. It reads requests until standard input ends, and whoever asks waits for the answer:
 *     COUNT\n            words behind the program's name, then each of them as
 *     LENGTH\nBYTES
 * and answers each with
 *     STATUS STDOUT STDERR\n    exit status (-N: signal N) and two lengths, then the bytes of both
 */
#include "cli/confine.h"

/* There is no way back out of the sandbox, and more than one request is answered. */
#define confine(...) ((void)0)
#define main	     parplan_main
int parplan_main(int argc, char **argv);
#include "cli/main.c"
#undef main

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

enum { WORDS = 256, WORD = 1 << 20 };

_Noreturn static void give_up(const char *what)
{
	fprintf(stderr, "serve: %s: %s\n", what, strerror(errno));
	exit(EXIT_TROUBLE);
}

/* A number on a line of its own; false at the end of the requests. */
static bool read_number(FILE *requests, size_t most, size_t *number)
{
	unsigned long read;

	if (fscanf(requests, "%lu", &read) != 1)
		return false;
	errno = EINVAL;
	if (getc(requests) != '\n' || read > most)
		give_up("not a request");
	*number = read;
	return true;
}

static char *read_word(FILE *requests)
{
	size_t length;
	char *word;

	errno = EINVAL;
	if (!read_number(requests, WORD, &length))
		give_up("a word is missing");
	word = malloc(length + 1);
	if (!word || fread(word, 1, length, requests) != length)
		give_up("a word is cut off");
	word[length] = '\0';
	return word;
}

/* ---- answers ---- */

static void pass_on(int output, FILE *reply)
{
	char block[65536];
	ssize_t length;

	if (lseek(output, 0, SEEK_SET))
		give_up("cannot read an output");
	while ((length = read(output, block, sizeof(block))) > 0)
		fwrite(block, 1, (size_t)length, reply);
}

static void answer(int status, const int outputs[2], FILE *reply)
{
	fprintf(reply, "%d %ld %ld\n", status, (long)lseek(outputs[0], 0, SEEK_END),
		(long)lseek(outputs[1], 0, SEEK_END));
	pass_on(outputs[0], reply);
	pass_on(outputs[1], reply);
	fflush(reply);
}

/* A file without a name. */
static int output_new(void)
{
	char name[] = "/tmp/parplan-serve-XXXXXX";
	const int fd = mkstemp(name);

	if (fd < 0 || unlink(name))
		give_up("cannot make a temporary file");
	return fd;
}

static void empty(const int outputs[2])
{
	if (ftruncate(outputs[0], 0) || ftruncate(outputs[1], 0) ||
	    lseek(outputs[0], 0, SEEK_SET) || lseek(outputs[1], 0, SEEK_SET))
		give_up("cannot empty an output");
}

/* ---- the copy ---- */

enum { NO_MORE = 77 }; /* its exit status when all is answered */

/* What parplan reads is empty, and what it writes goes to two files. */
static void redirect(const int outputs[2])
{
	const int nothing = open("/dev/null", O_RDONLY);

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(outputs[0], STDOUT_FILENO) < 0 ||
	    dup2(outputs[1], STDERR_FILENO) < 0)
		give_up("cannot redirect");
	close(nothing);
}

_Noreturn static void serve(FILE *requests, FILE *reply, const int outputs[2])
{
	static char program[] = "parplan";
	char *words[WORDS + 2] = { program };
	size_t count, i;
	int status;

	redirect(outputs);
	while (read_number(requests, WORDS, &count)) {
		for (i = 1; i <= count; i++)
			words[i] = read_word(requests);
		words[count + 1] = NULL;
		empty(outputs);
		status = parplan_main((int)count + 1, words);
		fflush(stdout);
		answer(status, outputs, reply);
		for (i = 1; i <= count; i++)
			free(words[i]);
	}
	exit(NO_MORE);
}

int main(void)
{
	const int outputs[] = { output_new(), output_new() };
	FILE *requests = fdopen(dup(STDIN_FILENO), "r"), *reply = fdopen(dup(STDOUT_FILENO), "w");
	int status;
	pid_t copy;

	if (!requests || !reply)
		give_up("cannot listen");
	for (;;) {
		copy = fork();
		if (!copy)
			serve(requests, reply, outputs);
		if (copy < 0 || waitpid(copy, &status, 0) != copy)
			give_up("cannot fork");
		if (WIFEXITED(status) && WEXITSTATUS(status) == NO_MORE)
			return EXIT_CLEAN;
		answer(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status), outputs,
		       reply);
	}
}
