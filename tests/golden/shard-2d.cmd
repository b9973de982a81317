parplan shard --torch 2.8 --shape 12,8 --mesh 2,2 --placements 'S(0) S(1)'
