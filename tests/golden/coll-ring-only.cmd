parplan coll --op AllReduce --bytes 1M,1G --ranks 8 --gpu a100-80g --nccl 2.18 --algo ^Tree --proto Simple
