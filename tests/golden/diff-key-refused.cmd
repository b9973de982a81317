parplan diff plans/incidents/renamed-keys.toml --world 16 --framework torchtitan@v0.1.0..v0.2.0 | sed "s,of [0-9]* recorded,of N recorded,"
