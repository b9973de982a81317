parplan coll --op all_reduce --bytes 8 --ranks 9 --nodes 2 --gpu h100-sxm
