/*
 * Runs parplan for suites that ask thousands of times, each time in a copy of this process: forking
 * costs less than starting a program. It reads requests until standard input ends:
 *     COUNT\n            words behind the program's name, then each of them as
 *     LENGTH\nBYTES
 * and answers each with
 *     STATUS STDOUT STDERR\n    exit status (-N: signal N) and two lengths, then the bytes of both
 */
#define main parplan_main
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
static bool read_number(size_t most, size_t *number)
{
	unsigned long read;

	if (scanf("%lu", &read) != 1)
		return false;
	errno = EINVAL;
	if (getchar() != '\n' || read > most)
		give_up("not a request");
	*number = read;
	return true;
}

static char *read_word(void)
{
	size_t length;
	char *word;

	errno = EINVAL;
	if (!read_number(WORD, &length))
		give_up("a word is missing");
	word = malloc(length + 1);
	if (!word || fread(word, 1, length, stdin) != length)
		give_up("a word is cut off");
	word[length] = '\0';
	return word;
}

/* In the copy: standard input is empty, and what is written goes to two files. */
_Noreturn static void run(int argc, char **argv, const int outputs[2])
{
	const int nothing = open("/dev/null", O_RDONLY);

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(outputs[0], STDOUT_FILENO) < 0 ||
	    dup2(outputs[1], STDERR_FILENO) < 0)
		give_up("cannot redirect");
	exit(parplan_main(argc, argv));
}

static int run_copy(int argc, char **argv, const int outputs[2])
{
	int status;
	pid_t copy;

	if (ftruncate(outputs[0], 0) || ftruncate(outputs[1], 0) ||
	    lseek(outputs[0], 0, SEEK_SET) || lseek(outputs[1], 0, SEEK_SET))
		give_up("cannot empty an output");
	copy = fork();
	if (copy < 0)
		give_up("cannot fork");
	if (!copy)
		run(argc, argv, outputs);
	if (waitpid(copy, &status, 0) != copy)
		give_up("cannot wait");
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void pass_on(int output)
{
	char block[65536];
	ssize_t length;

	if (lseek(output, 0, SEEK_SET))
		give_up("cannot read an output");
	while ((length = read(output, block, sizeof(block))) > 0)
		fwrite(block, 1, (size_t)length, stdout);
}

static void answer(int status, const int outputs[2])
{
	printf("%d %ld %ld\n", status, (long)lseek(outputs[0], 0, SEEK_END),
	       (long)lseek(outputs[1], 0, SEEK_END));
	pass_on(outputs[0]);
	pass_on(outputs[1]);
	fflush(stdout);
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

int main(void)
{
	static char program[] = "parplan";
	const int outputs[] = { output_new(), output_new() };
	char *words[WORDS + 2] = { program };
	size_t count, i;

	while (read_number(WORDS, &count)) {
		for (i = 1; i <= count; i++)
			words[i] = read_word();
		words[count + 1] = NULL;
		answer(run_copy((int)count + 1, words, outputs), outputs);
		for (i = 1; i <= count; i++)
			free(words[i]);
	}
	return ferror(stdin) ? EXIT_TROUBLE : EXIT_CLEAN;
}
