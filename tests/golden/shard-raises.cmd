parplan shard --torch 2.8 --shape 16 --mesh 2,2,2 --placements 'SS(0,2) S(0) S(0)'
