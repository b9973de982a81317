# A script of Megatron-DeepSpeed is told its flags, not those of Megatron-LM that it lacks; one of 2021 those of its time; what is said in another way takes the flag's place.
d=$(mktemp -d)
model="--num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --fp16"
echo "deepspeed --num_nodes 2 --num_gpus 8 pretrain_gpt.py $model --tensor-model-parallel-size 4 --zero-stage 1 --checkpoint-activations --deepspeed --deepspeed_config ds.json" >$d/deepspeed.sh
echo "torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py $model --tensor-model-parallel-size 4 --activations-checkpoint-method uniform" >$d/old.sh
echo "torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py $model --tensor_model_parallel_size 4 --recompute-activations" >$d/now.sh
options="--gpu h100-sxm --set model.vocab=50304 --set cluster.gpus_per_node=8"
cd $d
for name in deepspeed old now; do
  parplan search $options --top 3 --write $name $name.sh 2>/dev/null | sed -n '/^Best/,/^$/p; /^Candidates/,$p'
  for file in $name/*.args; do sed 's/^/  /' $file; echo; done
done
parplan search $options --fix tp=2 --fix pp=4 --fix activation_checkpoint.method=block --top 1 --write block old.sh 2>/dev/null | grep 'virtual\|1~'
cat block/*.args
parplan explain old.sh activation_checkpoint.mode | sed 1q
parplan explain deepspeed.sh activation_checkpoint.mode | sed 1q
sed 's/--zero-stage 1/--zero-stage 2/' deepspeed.sh >stages.sh
sed 's/$/ --no-pipeline-parallel/' stages.sh >whole.sh
parplan check -q stages.sh whole.sh | sed 2q
rm -r $d
