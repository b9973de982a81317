# What the program of explain --dump torchtitan wrote of llama3_405b() at b5bcd76c6: classes stand for words.
parplan check --framework torchtitan@b5bcd76c6 --world 512 testdata/titan/dumped.json
parplan explain --framework torchtitan@b5bcd76c6 --world 512 testdata/titan/dumped.json | grep -E '^(model.attention|training.(float8|activation_checkpoint|optimizer))'
