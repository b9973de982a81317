parplan shard --torch 2.6 --shape 5,3 --mesh 2,4 --placements 'S(0),S(0)' --format json
