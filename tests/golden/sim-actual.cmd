# Where check says that a job does not do what it asks for, its forecast is of what it does: as of the config that asks for that. 2 * 4 * 4 sequences, not 128; one pass, not four.
# An attention that exchanges no keys moves none, and each of 4 ranks meets the keys of its own 2048 tokens alone.
sim() { parplan sim testdata/rules/$1.yaml --gpu h100-sxm --set model.preset=llama3-8b --set training.seq_len=8192 $2; }
same() { # $1: rule, $2: the setting that asks for what is done
	echo "== $1" && sim $1 | grep -E '^  (time|tokens)' && sim $1 | sed -n '/^Step/,$p' >$d/asked && sim $1 "--set $2" | sed -n '/^Step/,$p' >$d/done && cmp $d/asked $d/done && echo "as of $2"
}
d=$(mktemp -d)
same batch-counts-all-ranks training.global_batch_size=32
same no-accumulation training.global_batch_size=8
rm -r $d
echo '== cp-attends-alone' && sim cp-attends-alone | grep -E '^  (time|computing|context)' && sim cp-attends-alone '--set training.kernels=ring' | grep -E '^  (time|computing|context)'
