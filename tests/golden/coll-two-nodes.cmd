parplan coll --op all_reduce --bytes 8,64K,1M,16M,1G --ranks 16 --nodes 2 --gpu h100-sxm --nic 8x400Gb
