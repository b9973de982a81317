for f in testdata/dialects/accelerate/*.yaml; do echo "== $f"; parplan plan $f; parplan check $f; done 2>&1
