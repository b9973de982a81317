parplan sim plans/pp-interleaved-405b.yaml
