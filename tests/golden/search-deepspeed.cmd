# What DeepSpeed refuses is not proposed: a pipeline beside ZeRO-2 and 3, AutoTP beside ZeRO-3; and it has no ranks of cp of its own.
d=$(mktemp -d)
parplan search --model llama3-70b --framework deepspeed@edaa7221 --gpus 64 --gpu h100-sxm --seq-len 4096 --global-batch 512 --top 3
for said in 'pp: 2, zero_stage: 2' 'pp: 2, zero_stage: 1' 'tp: 2, zero_stage: 3'; do
  printf 'parplan: 1\nframework: {deepspeed: 0.17}\nworld: 8\nparallelism: {%s}\n' "$said" >$d/native.yaml
  (cd $d && parplan check -q native.yaml)
done
sed 's/"stage": 1/"stage": 3/; /fp16/d; s/true },/true }/' testdata/dialects/deepspeed/autotp.json >$d/autotp.json
(cd $d && parplan check -q --world 32 autotp.json)
rm -r $d
