#include "input/syntax/piece.h"

#include "input/syntax/reader.h"

const struct node *piece_tree(struct arena *arena, const struct json_piece *piece)
{
	const char *text = arena_strndup(arena, piece->text, piece->length);
	struct findings findings;

	findings_init(&findings, arena);
	return json_read(arena, source_new(arena, "", text, piece->length), &findings);
}
