parplan sim testdata/project/world/large.toml | tail -n 2; parplan sim --format json testdata/project/world/large.toml >/dev/null
