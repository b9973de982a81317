parplan plan --format json --world 16 testdata/folder | jq -c '[.path, .world_size, .error.type]'
