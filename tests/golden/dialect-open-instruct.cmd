for f in testdata/dialects/open-instruct/*.yaml; do echo "== $f"; parplan plan $f; parplan check  $f; done 2>&1
