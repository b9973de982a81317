#!/bin/bash
# What the completions offer, asked of the shells themselves: each case is typed, and the last word must
# come out whole. zsh and fish are asked where they are.
set -u
passed=0 failed=0
export work
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# What is typed, and what its last word becomes.
cases() {
	cat <<'TABLE'
parplan chec|check
parplan check --wor|--world
parplan explain hsdp-coll|hsdp-collapsed
parplan check --ignore clip-per|clip-per-stage
parplan check --ignore hsdp-collapsed,clip-per|hsdp-collapsed,clip-per-stage
parplan check --format js|json
parplan check --format=js|--format=json
parplan check --fail-on nev|never
parplan check --set model.preset=llama3-70b_f|model.preset=llama3-70b_flex
parplan check --set cluster.gpu=h100-s|cluster.gpu=h100-sxm
parplan check --set parallelism.pipeline.schedule=DualP|parallelism.pipeline.schedule=DualPipeV
parplan check --set parallelism.async_tp=tr|parallelism.async_tp=true
parplan check --expect checkpoint=comp|checkpoint=compatible
parplan check --framework torchtitan@v0.1.|torchtitan@v0.1.0
parplan check --framework torch@2.13|torch@2.13
parplan coll --gpu h100-s|h100-sxm
parplan coll --fabric slin|slingshot
parplan coll --op all_re|all_reduce
parplan draw --figure comp|compare
parplan draw --axis dp_s|dp_shard
parplan draw --axis tp,dp_s|tp,dp_shard
parplan mesh --torch 2.13|2.13
parplan presets gb3|gb300
parplan completion zs|zsh
parplan help exit|exit-status
parplan help hsdp-coll|hsdp-collapsed
parplan man expec|expectations
parplan plan plans/hsdp-2|plans/hsdp-2x8.yaml
parplan draw --output plans/hsdp-2|plans/hsdp-2x8.yaml
parplan diff plans/hsdp-2x8.yaml plans/hsdp-2|plans/hsdp-2x8.yaml
TABLE
}

# judge SHELL TYPED WANT GOT
judge() {
	if [ "$4" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$1: '$2' becomes '$4', not '$3'"
	fi
}

# ---- bash: the function is called as readline calls it ----

parplan completion bash >"$work/bash"
# bash_completes LINE: prints the last word with the only reply put in, or the replies.
bash_completes() {
	bash --norc -c '
		. "$1"
		compopt() { :; }
		line=$2
		COMP_WORDS=()
		for word in $line; do # readline breaks words at = : and @, too
			while [[ $word =~ ^([^=:@]*)([=:@])(.*)$ ]]; do
				[[ -z ${BASH_REMATCH[1]} ]] || COMP_WORDS+=("${BASH_REMATCH[1]}")
				COMP_WORDS+=("${BASH_REMATCH[2]}")
				word=${BASH_REMATCH[3]}
			done
			[[ -z $word ]] || COMP_WORDS+=("$word")
		done
		[[ $line != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line}
		_parplan parplan "" ""
		whole=${line##* } own=${COMP_WORDS[COMP_CWORD]}
		[[ $own != [=:@] ]] || own=
		[[ ${#COMPREPLY[@]} = 1 ]] || { printf "%s\n" "${COMPREPLY[@]}"; exit; }
		printf "%s\n" "${whole%"$own"}${COMPREPLY[0]}"
	' - "$work/bash" "$1"
}

while IFS='|' read -r typed want; do
	judge bash "$typed" "$want" "$(bash_completes "$typed")"
done < <(cases)
judge bash "parplan coll --nodes " "" "$(bash_completes "parplan coll --nodes ")"
judge bash "parplan rules " "" "$(bash_completes "parplan rules ")"
judge bash "parplan check --color " "always auto never" "$(bash_completes "parplan check --color " | sort | xargs)"
judge bash "parplan check -- plans/hsdp-2" "plans/hsdp-2x8.yaml" "$(bash_completes "parplan check -- plans/hsdp-2")"

# ---- zsh: on a terminal of its own ----

if command -v zsh >/dev/null && zsh -fc 'zmodload zsh/zpty' 2>/dev/null; then
	mkdir "$work/zsh"
	parplan completion zsh >"$work/zsh/_parplan"
	cat >"$work/rc" <<'ZSH'
fpath=($work/zsh $fpath)
autoload -Uz compinit
compinit -u -D
zstyle ':completion:*' list-prompt ''
setopt no_list_ambiguous no_auto_list no_list_beep
unset zle_bracketed_paste
PS1=
# What zsh adds for the next word, a blank or what takes itself back again, is not part of this one.
say() { print -r -- "${${${BUFFER% }##* }%[,=]}" >$work/said; zle kill-buffer }
zle -N say
bindkey '^X' say
ZSH
	cat >"$work/drive" <<'ZSH'
zmodload zsh/zpty
zpty -b shell "TERM=dumb work=$work zsh -fi"
zpty -w shell ". $work/rc; : >$work/ready"
for ((i = 0; i < 200 && ! $#ready; i++)) { ready=($work/ready(N)); sleep 0.05 }
while IFS='|' read -r typed want; do
	rm -f $work/said
	zpty -w -n shell "$typed"$'\t\x18'
	said=()
	for ((i = 0; i < 100 && ! $#said; i++)) { said=($work/said(NL+0)); sleep 0.02 }
	zpty -r -t shell shown '*' 2>/dev/null
	got="$(<$work/said)"
	print -r -- "$typed|$want|$got"
done
zpty -d shell
ZSH
	cases | zsh -f "$work/drive" >"$work/zsh.out" 2>"$work/zsh.err"
	while IFS='|' read -r typed want got; do
		judge zsh "$typed" "$want" "$got"
	done <"$work/zsh.out"
	judge zsh "all cases" "$(cases | wc -l)" "$(wc -l <"$work/zsh.out")"
fi

# ---- fish: it answers by itself ----

if command -v fish >/dev/null; then
	parplan completion fish >"$work/fish"
	while IFS='|' read -r typed want; do
		# shellcheck disable=SC2016
		got=$(HOME=$work fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$work/fish" "$typed" </dev/null 2>&1 |
			cut -f1 | sort -u | xargs)
		judge fish "$typed" "$want" "$got"
	done < <(cases)
fi
echo "$passed passed, $failed failed"
