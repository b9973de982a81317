parplan shard --torch 2.14 --shape 50257,4096 --mesh 4,2 --placements 'SS(0,2) S(0)'
