#ifndef LSP_STORE_H
#define LSP_STORE_H

#include "base/buf.h"
#include "base/vec.h"
#include "input/node.h"

/* The texts that the editor has open. */
struct open_text {
	struct arena arena; /* of itself */
	const char *uri;
	const char
		*path; /* absolute; of what is no file on the disk a name that tells its syntax */
	bool file;     /* it is one */
	struct buf text;
	int64_t version;
	double due; /* when its diagnostics are to be made; 0: they are as the text is */
	bool known; /* it was recognised as a config once */
};

struct store {
	struct arena *arena; /* as long-lived as the server */
	VEC(struct open_text *) list;
};

struct open_text *store_find(const struct store *store, const char *uri);

/* didOpen, didChange and didClose: `params` of the message. NULL where they name nothing open. */
struct open_text *store_open(struct store *store, const struct node *params);
struct open_text *store_change(struct store *store, const struct node *params);
void store_close(struct store *store, const struct node *params);

/* Lets go of one of its texts. */
void store_release(struct store *store, struct open_text *text);

#endif
