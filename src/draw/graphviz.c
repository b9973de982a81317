#include "base/process.h"
#include "draw/device.h"
#include "draw/dot.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * PNG and PDF are made by Graphviz's neato in a process of its own: libgvc loads plugins and
 * leaks, and a hang there must not be ours. It gets the DOT text in an unnamed file, so that
 * neither side can wait for the other to read.
 */
enum { SECONDS = 20, MEMORY = 1 << 30, OUTPUT_LIMIT = 256 << 20 };

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

/* The DOT text in an open file, at its beginning; -1 when there is no room for it. */
static int input_file(FILE *file, const struct buf *dot)
{
	if (fwrite(dot->data, 1, dot->length, file) != dot->length || fflush(file) ||
	    lseek(fileno(file), 0, SEEK_SET))
		return -1;
	return fileno(file);
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
	const char *error = NULL;
	struct process process;
	struct arena arena;

	arena_init(&arena);
	process = process_run(
		&arena,
		&(struct program) {
			.argv = (const char *const[]) { "neato", "-n2",
							arena_join(&arena, "-T", seal->type, ""),
							NULL },
			.input = input,
			.seconds = SECONDS,
			.memory = MEMORY },
		OUTPUT_LIMIT);
	if (process.missing || process.status == 127)
		error = missing;
	else if (process.slow)
		error = "Graphviz's neato took longer than 20 s; try .svg";
	else if (process.trouble || process.status || !sealed(seal, process.text, process.length))
		error = failed;
	else
		buf_bytes(out, process.text, process.length);
	arena_release(&arena);
	return error;
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
	.binary = true,
	.write = png_write,
};

const struct device device_pdf = {
	.name = "pdf",
	.summary = "by Graphviz",
	.binary = true,
	.write = pdf_write,
};
