tr '\n' '\r' <testdata/logs/degrees.log | parplan why - plans/hsdp-2x8.yaml
