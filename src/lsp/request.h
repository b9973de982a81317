#ifndef LSP_REQUEST_H
#define LSP_REQUEST_H

#include "lsp/look.h"
#include "lsp/position.h"

/*
 * To add a request about a text: src/lsp/requests/NAME.c with `const struct lsp_request
 * request_NAME`; what the server says that it can and the dispatch come from the row.
 */
struct lsp_request {
	const char *method;			    /* "textDocument/hover" */
	const char *provider;			    /* "hoverProvider" */
	void (*describe)(struct json_writer *json); /* members of the provider; NULL: it is true */
	bool typing; /* the line at params.position is being written: it is left out of the tree */

	/* Writes the result as the member "result". */
	void (*answer)(struct look *look, const struct node *params, struct json_writer *json);
};

/* The byte of params.position. */
size_t request_offset(const struct look *look, const struct node *params);

/* Diagnostics as the member "diagnostics"; those of other files stand at the start of this one. */
void diagnostics_write(const struct look *look, struct json_writer *json);

/* One of them, as an element of an array or the member `key`. */
void diagnostic_write(const struct look *look, const struct finding *finding,
		      struct json_writer *json);

#endif
