#include "base/unpacked.h"

#include <string.h>
#include <unistd.h>

/* A terabyte of a log is unpacked in less; the largest window that zstd takes unasked is 128 MiB.
 */
enum { UNPACK_SECONDS = 3600, UNPACK_MEMORY = 512 << 20 };

/* Programs that unpack from stdin to stdout with -dc, by how their files begin. */
static const struct packer {
	const char *program, *magic;
	size_t length;
} packers[] = {
	{ "gzip", "\x1f\x8b", 2 },
	{ "zstd", "\x28\xb5\x2f\xfd", 4 },
};

static const struct packer *packer_of(struct text_stream *stream)
{
	size_t i;

	for (i = 0; i < sizeof(packers) / sizeof(*packers); i++)
		if (stream_need(stream, packers[i].length) &&
		    !memcmp(stream->window + stream->start, packers[i].magic, packers[i].length))
			return &packers[i];
	return NULL;
}

bool unpacked_is(struct text_stream *stream)
{
	return packer_of(stream) != NULL;
}

/* Lets the program read the file from its beginning. */
static const char *unpack(struct unpacked *unpacked, struct arena *arena, const char *path)
{
	const char *program = unpacked->program;
	const char *const argv[] = { program, "-dc", NULL };
	const struct program packer = { argv, NULL, unpacked->file.fd, UNPACK_SECONDS,
					UNPACK_MEMORY };

	if (lseek(packer.input, 0, SEEK_SET) != 0)
		return arena_printf(arena, "is packed: %s -dc FILE, and that as stdin", program);
	unpacked->pipe = process_open(arena, &packer);
	if (unpacked->pipe.trouble)
		return arena_printf(
			arena,
			"is packed, and %s, which unpacks it, cannot be run: install it, or "
			"give the file unpacked (%s -dc %s)",
			program, program, path);
	stream_from(&unpacked->text, arena, unpacked->pipe.fd);
	return NULL;
}

const char *unpacked_open(struct unpacked *unpacked, struct arena *arena, const char *path)
{
	const char *why = stream_open(&unpacked->file, arena, path);
	const struct packer *packer;

	unpacked->program = NULL;
	unpacked->pipe.fd = -1;
	if (why)
		return why;
	packer = packer_of(&unpacked->file);
	if (packer) {
		unpacked->program = packer->program;
		why = strcmp(path, "-")
			      ? unpack(unpacked, arena, path)
			      : arena_printf(arena, "is packed: %s -dc FILE, and that as stdin",
					     packer->program);
		if (why)
			stream_close(&unpacked->file);
		return why;
	}
	unpacked->text = unpacked->file;
	return NULL;
}

const char *unpacked_close(struct unpacked *unpacked)
{
	const struct text_stream *text = &unpacked->text;
	const char *why = text->error ? arena_strdup(text->arena, text->error) : NULL;
	const bool over = text->over;

	stream_close(&unpacked->text);
	if (!unpacked->program)
		return why;
	stream_close(&unpacked->file);
	/* One that nobody listened to until the end was ended by that. */
	if (process_close(&unpacked->pipe) && over && !why)
		why = arena_printf(text->arena, "%s could not unpack all of it", unpacked->program);
	return why;
}
