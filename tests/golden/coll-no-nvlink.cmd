parplan coll --op all_reduce --bytes 1M --ranks 4 --gpu l40s --intra nvlink
