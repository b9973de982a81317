for f in testdata/dialects/nemo-rl/*.yaml; do echo "== $f"; parplan plan $f; parplan check $f; done 2>&1
