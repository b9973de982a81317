{ for f in testdata/dialects/lightning/*; do echo "== $f"; parplan plan  $f; parplan check  $f; done; } 2>&1 | grep -v '  (--set model.preset'
