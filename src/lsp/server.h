#ifndef LSP_SERVER_H
#define LSP_SERVER_H

#include "lsp/look.h"

/*
 * The language server: reads messages from stdin and answers on stdout until the editor says exit
 * or is gone. Returns the exit status: 0 after shutdown, else 1; 2 where what comes is no protocol.
 */
int lsp_serve(struct arena *arena, const struct lsp_options *options, const char *version);

#endif
