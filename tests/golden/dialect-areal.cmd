for f in testdata/dialects/areal/*; do echo "== $f"; parplan plan $f; parplan check $f; done 2>&1
