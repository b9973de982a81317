parplan coll --op all_reduce --bytes 1M,8G --ranks 64 --nodes 16 --gpu gb300 --fabric nvl72
