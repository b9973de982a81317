{ for f in testdata/dialects/picotron/*; do echo "== $f"; parplan plan --world 16 $f; parplan check --world 16 $f; done; } 2>&1 | grep -v '  (--set model.preset'
