sed "s/pp: 2/pp: 1/; s/dp_shard: 8/dp_shard: 16/; s/dp_shard: 4/dp_shard: 8/" plans/pp-1f1b-3d.yaml | parplan diff - plans/pp-1f1b-3d.yaml
