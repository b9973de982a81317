parplan sim --memory-report plans/pp-interleaved-405b.yaml | sed -n "/^Memory of each/,\$p"
