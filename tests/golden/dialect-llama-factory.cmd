for f in testdata/dialects/llama-factory/*.yaml; do echo "== $f"; parplan plan --world 16 $f; parplan check --world 16 $f; done 2>&1
