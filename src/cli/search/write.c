#include "cli/search/write.h"

#include "base/die.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/delivery.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const char *file_name(const struct job *own)
{
	const char *path = own->document.source->path, *slash = strrchr(path, '/');

	return *path == '<' ? "plan.yaml" : slash ? slash + 1 : path;
}

/*
 * What is to be given beside the config: as options of ours, which check and sim take. Ranks are an
 * option of their own, of which the last one counts.
 */
static void put_flags(struct buf *out, const struct written *written)
{
	static const char world[] = "world=";
	size_t i;

	for (i = 0; i < written->beside.list.count; i++) {
		const char *said = written->beside.list.items[i];
		if (text_starts(said, world))
			buf_printf(out, "--world %s\n", said + strlen(world));
		else
			buf_printf(out, "--set %s\n", said);
	}
}

static void write_one(const struct invocation *invocation, const char *path,
		      const struct written *written)
{
	struct buf text;

	buf_init(&text);
	if (written->text) {
		buf_text(&text, written->text);
		delivery_new(invocation, "search", path, &text);
	}
	buf_clear(&text);
	put_flags(&text, written);
	if (text.length)
		delivery_new(invocation, "search",
			     arena_join(invocation->arena, path, ".flags", ""), &text);
	buf_release(&text);
}

void search_write(const struct invocation *invocation, const char *folder,
		  const struct search *search, const struct result *result, const struct job *own)
{
	struct arena *arena = invocation->arena;
	size_t i, count = 0;

	if (mkdir(folder, 0777) && errno != EEXIST)
		die("search: cannot make the folder '%s': %s", folder, strerror(errno));
	for (i = 0; i < result->proposals.count && count < search->top; i++) {
		const struct proposal *proposal = &result->proposals.items[i];
		if (!proposal->top)
			continue;
		write_one(invocation,
			  path_join(arena, folder,
				    arena_printf(arena, "%02zu-%s", ++count, file_name(own))),
			  &proposal->written);
	}
}
