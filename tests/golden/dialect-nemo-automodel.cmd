for f in testdata/dialects/nemo-automodel/*.yaml; do echo "== $f"; parplan plan --world 32 $f; parplan check --world 32 $f; done 2>&1
