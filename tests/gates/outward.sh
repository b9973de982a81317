#!/bin/sh
# What is said goes out through base/outward.h, which makes other people's text harmless: nobody else writes.
grep -nE '\<(io_write|io_append|printf|fprintf|vprintf|vfprintf|dprintf|puts|fputs|putchar|fputc|perror)\(' \
	-r src --include='*.[ch]' | grep -vE '^src/(base/(io|outward|die)\.|cuda/)'
# A temporary file for Graphviz, pipes between processes of a search or of the language server, and a terminal's line that a signal writes, are no text of anybody's.
grep -nE '(\<fwrite|[^_>.*]\<write)\(' -r src --include='*.[ch]' |
	grep -vE '^src/(base/(io|outward)\.|cuda/|draw/graphviz\.c|search/workers\.c|lsp/ask\.c|cli/meter\.c)' | grep -v static
exit 0
