for f in testdata/dialects/trl/*.yaml; do echo "== $f"; parplan plan --world 8 $f; parplan check --world 8 $f; done 2>&1
