#!/bin/sh
# A preset that has a line of another form than the table's generator knows stops the build, with file and line.
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/src/presets/gpus" "$folder/src/presets/models"
refused() { # DEFINITIONS FOLDER LINE...
	file=$folder/src/presets/$2/x.yaml definitions=$1
	shift 2
	printf '%s\n' "$@" >"$file"
	said=$(LC_ALL=C awk -f src/presets/table.awk "$definitions" "$file" 2>&1 >/dev/null) && echo "table.awk takes: $*"
	case $said in "$file:"*) ;; *) echo "table.awk says of $*: $said" ;; esac
}
refused src/cost/figures.def gpus 'gpu:' '  smss: 1'
refused src/cost/figures.def gpus 'gpu:' '  sms: one'
refused src/cost/figures.def gpus 'gpu:' '  sms: 010'
refused src/cost/figures.def gpus 'gpu:' '  sms: 1' '  sms: 2'
refused src/cost/figures.def gpus 'gpu:' '    sms: 1'
refused src/cost/figures.def gpus 'gpu: {sms: 1}'
refused src/cost/figures.def gpus 'gpu:' '  sms: {value: 1, basis: guessed}'
refused src/cost/figures.def gpus 'gpu:' '  sms: {value: 1, source: "a" }'
refused src/cost/figures.def gpus 'source: "a \"b\""'
refused src/cost/figures.def gpus 'names: ["a" "b"]'
refused src/cost/figures.def gpus 'like: y'
refused src/cost/figures.def gpus 'like: x'
refused src/cost/figures.def gpus 'sms'
refused src/input/fields.def models 'layers: many'
refused src/input/fields.def models 'tied_embeddings: yes'
refused src/input/fields.def models 'dtypes: float32'
refused src/input/fields.def models 'ids:' '  - a # b'
refused src/input/fields.def models '- a'
