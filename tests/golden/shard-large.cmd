parplan shard --shape 1048576 --mesh 4096 --placements 'S(0)' --format json
