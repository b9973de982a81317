# Products in 8 bits are said as the framework's version says them, in the file or on the command line; what files have no word for is refused.
d=$(mktemp -d) && cd "$d" || exit 2
printf '[model]\nname = "llama3"\nflavor = "8B"\n\n[training]\nlocal_batch_size = 1\nseq_len = 8192\n' >plain.toml
sed 's/^flavor.*/&\nconverters = ["quantize.linear.float8", "mine"] # both/' plain.toml >on.toml
echo 'torchrun --nproc_per_node=8 -m torchtitan.train --job.config_file plain.toml' >run.sh
search() { COLUMNS=200 parplan search -q --gpu h100-sxm --fix pp=1 --fix cp=1 --top 1 "$@"; }
titan() { search --gpus 8 --framework torchtitan@"$@"; }
for version in v0.2.2 v0.2.0 v0.1.0; do
	titan $version --fix matmul_dtype=fp8 --write $version plain.toml | grep '1~'
	grep converters $version/01-plain.toml
	grep -c training $version/01-plain.toml.flags
	xargs parplan sim $version/01-plain.toml <$version/01-plain.toml.flags | grep '  time'
done
titan v0.2.2 --vary matmul_dtype=fp8,bf16 --write off on.toml | grep '1~'
grep converters off/01-on.toml
titan v0.2.2 --fix matmul_dtype=bf16 --write none on.toml | grep '1~'
grep converters none/01-on.toml
titan v0.2.2 --fix matmul_dtype=fp8 --write args run.sh | grep '1~'
cat args/*.args
titan v0.2.2 --fix matmul_dtype=mxfp8 plain.toml
rm -r "$d"
