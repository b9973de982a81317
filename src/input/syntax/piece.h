#ifndef INPUT_SYNTAX_PIECE_H
#define INPUT_SYNTAX_PIECE_H

#include "base/arena.h"
#include "base/json_pieces.h"

struct node;

/* The tree of a piece of a larger JSON text; NULL where it is none. */
const struct node *piece_tree(struct arena *arena, const struct json_piece *piece);

#endif
