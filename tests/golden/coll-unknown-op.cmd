parplan coll --op all_reduc --bytes 8 --ranks 8 --gpu h100-sxm
