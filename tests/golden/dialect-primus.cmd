for f in testdata/dialects/primus/*.yaml; do echo "== $f"; parplan plan --world 32 $f; parplan check --world 32 $f; done 2>&1
parplan plan --world 32 --env PRIMUS_TP=2 --env PRIMUS_PP=4 testdata/dialects/primus/megatron.yaml
