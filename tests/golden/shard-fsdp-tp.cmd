parplan shard --torch 2.8 --shape 4096,8 --mesh 4,2 --placements 'SS(0,2) S(0)'
