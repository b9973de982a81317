/*
 * The program as a whole: the first byte picks a command line, the rest is the text that it reads
 * from its standard input. Nothing crashes, hangs or leaks, whatever options there are; a `die` is
 * an end as good as any.
 */
#define _GNU_SOURCE /* memfd_create */

#include <setjmp.h>
#include <stdint.h>
#include <sys/mman.h>

#define main parplan_main
int parplan_main(int argc, char **argv);
#include "cli/main.c"
#undef main

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_WORDS = 8 };

/* Words behind the program's name, ended by NULL. */
static const char *const lines[][LINE_WORDS] = {
	{ "check", "-" },
	{ "check", "--format", "json", "-" },
	{ "check", "--format", "github", "-" },
	{ "plan", "-" },
	{ "sim", "-" },
	{ "ranks", "-" },
	{ "guard", "-" },
	{ "init", "-" },
	{ "report", "-o", "-", "-" },
	{ "convert", "--to", "native", "-" },
	{ "diff", "--set", "parallelism.tp=2", "-", "plans/hsdp-2x8.yaml" },
	{ "draw", "--format", "svg", "-" },
	{ "draw", "--figure", "pipeline", "--format", "text", "-" },
	{ "explain", "-", "parallelism" },
	{ "check", "--world", "64", "--framework", "torch@2.9", "-" },
	{ "observe", "-" },
	{ "verify", "plans/hsdp-2x8.yaml", "-" },
	{ "slow", "plans/hsdp-2x8.yaml", "-" },
	{ "why", "-" },
	{ "calibrate", "-o", "-", "-" },
};

static struct {
	jmp_buf end;
	void *blocks[1 << 16]; /* taken by malloc and not given back, by a hash of where they are */
	int input;
	bool running; /* what the driver takes is its own */
} fuzz = { .input = -1 };

/* ---- an end in the middle: what was taken is given back here ---- */

void *__real_malloc(size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

enum { BLOCKS = sizeof(fuzz.blocks) / sizeof(*fuzz.blocks) };

/* The place of a block, or a free one; a full table keeps nothing more. */
static void **place(void *block, void *wanted)
{
	size_t at = (size_t)((uintptr_t)block >> 4) % BLOCKS, i;

	for (i = 0; i < 64; i++, at = (at + 1) % BLOCKS)
		if (fuzz.blocks[at] == wanted)
			return &fuzz.blocks[at];
	return NULL;
}

static void *note(void *block)
{
	void **at = block && fuzz.running ? place(block, NULL) : NULL;

	if (at)
		*at = block;
	return block;
}

static void forget(void *block)
{
	void **at = block ? place(block, block) : NULL;

	if (at)
		*at = NULL;
}

void *__wrap_malloc(size_t size)
{
	return note(__real_malloc(size));
}

void *__wrap_realloc(void *block, size_t size)
{
	forget(block);
	return note(__real_realloc(block, size));
}

void __wrap_free(void *block)
{
	forget(block);
	__real_free(block);
}

/* base/die.c is not linked: these stand for it. */
void bug_at(const char *file, int line, const char *format, ...)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, format);
	abort();
}

void die(const char *format, ...)
{
	(void)format;
	longjmp(fuzz.end, 1);
}

void die_out_of_memory(void)
{
	abort();
}

static void give_back(void)
{
	size_t i;

	for (i = 0; i < BLOCKS; i++) {
		__real_free(fuzz.blocks[i]);
		fuzz.blocks[i] = NULL;
	}
}

static void set_input(const uint8_t *data, size_t size)
{
	if (fuzz.input < 0)
		fuzz.input = memfd_create("input", 0);
	if (ftruncate(fuzz.input, 0) || pwrite(fuzz.input, data, size, 0) != (ssize_t)size ||
	    lseek(fuzz.input, 0, SEEK_SET) || dup2(fuzz.input, STDIN_FILENO) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const *line;
	char *argv[LINE_WORDS + 2] = { NULL };
	char words[LINE_WORDS + 1][64] = { "parplan" };
	int argc;

	if (!size)
		return 0;
	line = lines[data[0] % (sizeof(lines) / sizeof(*lines))];
	set_input(data + 1, size - 1);
	argv[0] = words[0];
	for (argc = 1; argc <= LINE_WORDS && line[argc - 1]; argc++) {
		snprintf(words[argc], sizeof(words[argc]), "%s", line[argc - 1]);
		argv[argc] = words[argc];
	}
	fuzz.running = true;
	if (!setjmp(fuzz.end))
		parplan_main(argc, argv);
	fuzz.running = false;
	give_back();
	return 0;
}
