for f in testdata/dialects/nemo/*.yaml; do echo "== $f"; parplan plan --world 128 $f; parplan check --world 128 $f; done 2>&1
