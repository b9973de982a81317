for f in testdata/dialects/transformers/*; do echo "== $f"; parplan plan $f; parplan check $f; done 2>&1
