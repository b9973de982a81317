#!/bin/sh
# Functions that have a safe replacement in base, and words that mean unfinished.
banned='strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol|atof|gmtime|localtime|alloca|setlocale|strtol|strtoul|asprintf'
grep -nEw "($banned) ?\(" -r src --include='*.[ch]' --include='*.cc'
# Numbers are read by base/text.c alone; memory comes from arenas; only base, cli and the benchmark end the program.
grep -nEw '(strtod|strtoll|strtoull|sscanf) ?\(' -r src --include='*.[ch]' | grep -vE '^src/base/'
grep -nEw '(malloc|calloc|realloc|free) ?\(' -r src --include='*.[ch]' | grep -v '^src/base/'
grep -nEw '(die|exit|abort) ?\(' -r src --include='*.[ch]' | grep -vE '^src/(base|cli|cuda)/'
grep -nwE 'TODO|FIXME|XXX|HACK' -r src tests docs plans README.md Makefile .ci --exclude=banned.sh 2>/dev/null
grep -nE '^(typedef struct|typedef union)' -r src --include='*.[ch]'
exit 0
