#!/bin/sh
# No mutable state outside the arguments: no object has a .data or .bss section with something in it.
size -A "$BUILD/libparplan.a" "$BUILD/cli/main.o" | awk '
/\.o /  { file = $1 }
($1 ~ /^\.data(\.|$)/ && $1 !~ /^\.data\.rel\.(ro|local\.DW)/ || $1 ~ /^\.t?bss(\.|$)/) && $2 > 0 { print file ": " $2 " bytes in " $1 }'
