#!/bin/sh
# A room holds what one newcomer can look over: at most 64 files, presets aside, none of which repeats the name of its
# folder before its own.
find src -type f ! -path 'src/presets/*' | awk -F/ '
{ folder = $0; sub(/\/[^\/]*$/, "", folder); files[folder]++ }
index($NF, $(NF - 1) "_") == 1 { print $0 ": its folder says " $(NF - 1) " already" }
END { for (folder in files) if (files[folder] > 64) print folder ": " files[folder] " files" }' | sort
