for f in testdata/dialects/prime-rl/*; do echo "== $f"; parplan plan $f; parplan check $f; done 2>&1
