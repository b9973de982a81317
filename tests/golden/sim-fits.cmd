parplan sim testdata/project/world/small.toml >/dev/null
