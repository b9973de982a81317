parplan draw plans/pp-interleaved-405b.yaml --figure groups
