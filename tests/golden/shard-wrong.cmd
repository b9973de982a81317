parplan shard --shape 16 --mesh 2,2 --placements 'S(0)'; parplan shard --shape 16 --mesh 2,x --placements 'S(0) R'; parplan shard --shape 16 --mesh 2 --placements 'Shard(0)'
