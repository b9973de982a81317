parplan draw plans/pp-interleaved-405b.yaml --figure shards --parameter wo.weight --axis tp
