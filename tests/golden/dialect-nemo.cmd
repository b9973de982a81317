for f in testdata/dialects/nemo/*.yaml; do echo "== $f"; parplan plan --world 128 $f; parplan check --world 128 $f; done 2>&1
parplan check --env JOB_NODES=16 --set cluster_tp=2 testdata/rules/unresolved-value.yaml
